"""``unibench show``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unibench.cli.common import Format, FormatOption, out, print_json

if TYPE_CHECKING:
    from unibench.runs.records import EpisodeRecord


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder.")],
    episode: Annotated[
        str | None, typer.Argument(metavar="[EPISODE]", help="An episode's number, or TASK/SEED; all are listed else.")
    ] = None,
    format: FormatOption = Format.TABLE,
) -> None:
    """List a run's episodes, or show one: its verdict, what broke, and its steps."""
    from unibench.runs.replay import find_episode
    from unibench.runs.store import RunStore

    with RunStore(run) as store:
        records = store.episodes()
    if episode is None:
        if format is Format.JSON:
            print_json(json.dumps([record.model_dump(mode="json") for record in records], indent=1))
        else:
            _list(records)
        return
    _, record = find_episode(records, episode, str(run))
    if format is Format.JSON:
        print_json(record.model_dump_json(indent=1))
    else:
        _one(run, record)


def _list(records: list[EpisodeRecord]) -> None:
    from rich.table import Column, Table

    headings = ("seed", "ending", "outcome", "score", "steps", "s", "verifier", "ledger")
    table = Table("", Column("task", overflow="fold"), *headings, box=None, pad_edge=False)
    for number, record in enumerate(records):
        score = "" if record.score is None else f"{record.score:g}"
        cells = (record.spec.task, str(record.spec.seed), record.ending, record.outcome, score, str(record.steps), f"{record.seconds:.1f}")
        table.add_row(str(number), *cells, record.row, record.checked)
    out().print(table)


def _one(run: Path, record: EpisodeRecord) -> None:
    from unibench.runs.replay import read_events

    console = out()
    console.print(f"{record.spec.suite}/{record.spec.task}, seed {record.spec.seed}: {record.goal}", markup=False)
    console.print(f"{record.ending} -> {record.outcome}, score {record.score}, {record.steps} steps, {record.seconds:.1f} s", markup=False)
    for fault in record.faults:
        console.print(f"an attempt before broke: {fault}", markup=False)
    if record.error:
        console.print(record.error, markup=False)
    if record.judgement is not None:
        evidence = record.judgement.evidence
        console.print(
            f"verifier ({record.row}): expected {json.dumps(evidence.expected)}, found {json.dumps(evidence.found)}", markup=False
        )
    trace = run / record.trace
    if not trace.is_file():
        return
    for event in read_events(trace):
        if event.get("event") == "step":
            console.print(f"  {event.get('number')!s:>3} {json.dumps(event.get('action'), ensure_ascii=False)}", markup=False)
        elif event.get("event") == "action error":
            console.print(f"      {event.get('error')}", markup=False)
        elif event.get("left_out"):
            console.print(f"      (cut for its size: {event['left_out']} events left out)", markup=False)
    console.print(f"trace: {trace}", markup=False)
