"""``unibench replay``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unibench.cli.common import Format, FormatOption, SetOption, out, pairs_of, print_json
from unibench.errors import FileProblem

if TYPE_CHECKING:
    from unibench.runs.replay import Replay


def replay(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.")],
    episode: Annotated[str, typer.Argument(metavar="EPISODE", help="An episode's number, or TASK/SEED; `unibench show RUN` lists them.")],
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 if anything differs from what was recorded.")] = False,
    set_: SetOption = None,
    format: FormatOption = Format.TABLE,
) -> None:
    """Play a recorded episode again: the very instance, the recorded actions, no agent. Says what is the same as recorded.

    Settings are the run's, but for those that name programs of this machine; --set gives these, and others that affect no score.
    """
    from unibench import registry
    from unibench.runs.replay import find_episode, read_steps
    from unibench.runs.replay import replay as play_again
    from unibench.runs.store import RunStore

    with RunStore(run) as store:
        manifest, records, descriptors = store.manifest(), store.episodes(), store.descriptors()
    if manifest is None:
        raise FileProblem(f"{run} is a run that has not begun")
    number, record = find_episode(records, episode, str(run))
    if record.descriptor not in descriptors:
        raise FileProblem(f"the run is broken: it has no descriptor {record.descriptor}")
    recorded = read_steps(run, record)
    face = registry.find_face(manifest.protocol.suite)
    settings = face.settings.recorded(manifest.protocol.settings, pairs_of(set_))
    with registry.open_suite(face.name, settings, manifest.protocol.substrate.name) as suite:
        name = f"{run} {number}: {record.spec.suite}/{record.spec.task}, seed {record.spec.seed}"
        result = play_again(suite, manifest, record, descriptors[record.descriptor], recorded, name)
    if format is Format.JSON:
        print_json(result.model_dump_json(indent=1))
    else:
        _show(result)
    if strict and not result.same:
        raise typer.Exit(1)


def _show(result: Replay) -> None:
    from rich.table import Table

    console = out()
    console.print(result.episode)
    table = Table("", "", "recorded", "now", box=None, pad_edge=False, show_header=False)
    for each in result.compared:
        if each.same is None:
            table.add_row(each.what, "not known", "", "")
        elif each.same:
            table.add_row(each.what, "same", _text(each.now) if each.what in ("ending", "verdict", "outcome") else "", "")
        else:
            table.add_row(each.what, "DIFFERS", f"recorded {_text(each.recorded)}", f"now {_text(each.now)}")
    console.print(table)
    for note in result.notes:
        console.print(f"note: {note}")
    differing = [each.what for each in result.compared if each.same is False]
    console.print("the same as recorded" if not differing else f"not the same as recorded: {', '.join(differing)}")


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
