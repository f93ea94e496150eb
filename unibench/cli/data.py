"""``unibench data``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unibench.cli.common import Format, FormatOption, SuiteArgument, err, out, print_json

if TYPE_CHECKING:
    from unibench.data import DataFace, Problem


def data(
    suite: SuiteArgument,
    source: Annotated[
        str | None, typer.Option("--from", metavar="SRC", help="Bring the data from an upstream checkout, a git URL or a folder.")
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Check the task files that are here, or those of --from without bringing them; exit code 1 on problems."
        ),
    ] = False,
    format: FormatOption = Format.TABLE,
) -> None:
    """Bring a suite's task files, show what is here, or check them."""
    from unibench import registry
    from unibench.data import bring, brought_folder, brought_source
    from unibench.errors import FileProblem, UsageError

    face = registry.find_face(suite)
    if face.data is None:
        raise UsageError(f"{suite} needs no data of its own: its package brings all")
    if check:
        folder = Path(source).expanduser() if source else brought_folder(suite)
        if not folder.is_dir():
            raise FileProblem(f"{folder} is no folder" if source else _absent(suite, face.data))
        _check(suite, face.data, folder, format)
        return
    if source is None and not brought_folder(suite).is_dir():
        raise FileProblem(_absent(suite, face.data))
    found = bring(suite, face.data, source) if source else brought_source(suite)
    if format is Format.JSON:
        print_json(found.model_dump_json(indent=1))
        return
    commit = f"commit {found.commit}{' with local changes' if found.dirty else ''}" if found.commit else "no commit known"
    out().print(f"{suite}: {found.files} files from {found.source} ({commit}), digest {found.digest}, in {brought_folder(suite)}")
    checker = face.data.checker()
    problems = checker(brought_folder(suite)) if source and checker else []
    if problems:
        out().print(f"the static check found {len(problems)} problems; `unibench data {suite} --check` lists them")


def _absent(suite: str, face: DataFace) -> str:
    return f"no data of {suite} is here; bring it with `unibench data {suite} --from SRC` ({face.what})"


def _check(suite: str, face: DataFace, folder: Path, format: Format) -> None:
    from unibench.errors import UsageError

    checker = face.checker()
    if checker is None:
        raise UsageError(f"{suite} has no static check of its data")
    problems = checker(folder)
    if format is Format.JSON:
        print_json(json.dumps([problem.model_dump(mode="json") for problem in problems], indent=1))
    else:
        _show(problems)
    if note := face.left_unchecked():
        (err() if format is Format.JSON else out()).print(note)
    if problems:
        raise typer.Exit(1)


def _show(problems: Sequence[Problem]) -> None:
    from rich.table import Column, Table

    table = Table(Column("task", overflow="fold"), "rule", "fatal", "problem", box=None, pad_edge=False)
    for problem, count in Counter(problems).items():
        times = f" ({count}×)" if count > 1 else ""
        table.add_row(problem.task, problem.rule, "yes" if problem.fatal else "", problem.message + times)
    console = out()
    if problems:
        console.print(table)
    rules = Counter(problem.rule for problem in problems)
    counts = ", ".join(f"{count} {rule}" for rule, count in rules.most_common())
    console.print(f"{len(problems)} problems in {len({p.task for p in problems})} tasks: {counts}" if problems else "no problem found")
    if any(problem.fatal for problem in problems):
        console.print("fatal: the task cannot be judged as written, or not by the evaluators here")
