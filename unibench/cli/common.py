"""What several commands share: options, settings from ``--set``, task selection, consoles."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from unibench.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from unibench.settings import Settings
    from unibench.suite import SuiteFace


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"


SuiteArgument = Annotated[str, typer.Argument(metavar="SUITE", help="The suite's name; `unibench suites` lists them.")]
TaskOption = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        "-t",
        metavar="GLOB",
        help="Only tasks whose name matches, e.g. 'click-*', or a tag if no name does, e.g. split:small; may be given several times.",
    ),
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="K=V", help="A setting of the suite; `unibench suites NAME` lists them. Repeatable.")
]
SubstrateOption = Annotated[
    str | None, typer.Option("--substrate", metavar="NAME", help="The machine to run on; the one that the suite names for this else.")
]
FormatOption = Annotated[Format, typer.Option("--format", "-f", help="What to print on stdout.")]


def settings_from(face: SuiteFace, pairs: Sequence[str] | None) -> Settings:
    """The suite's settings from ``k=v`` texts.

    Raises:
        UsageError: a text has no ``=``, a name is unknown, or a value does not fit.
    """
    return face.settings.parse(pairs_of(pairs))


def pairs_of(pairs: Sequence[str] | None) -> dict[str, str]:
    """Names and values from ``k=v`` texts.

    Raises:
        UsageError: a text has no ``=``.
    """
    values: dict[str, str] = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--set {pair!r} has no '='; write --set NAME=VALUE")
        values[name.strip()] = value
    return values


def out() -> Console:
    """The console for results. Wide enough for a table when nobody watches."""
    from unibench.cli.harmless import HarmlessConsole

    # Page texts and file names are no markup. With stdout closed, what would be shown goes nowhere.
    file = sys.stdout or io.StringIO()
    return HarmlessConsole(
        file=file, highlight=False, markup=False, emoji=False, width=None if sys.stdout and sys.stdout.isatty() else 160, soft_wrap=False
    )


def err() -> Console:
    """The console for progress and remarks."""
    from unibench.cli.harmless import HarmlessConsole

    return HarmlessConsole(stderr=True, highlight=False, markup=False, emoji=False)


def print_json(value: str) -> None:
    """JSON on stdout, nothing else."""
    from unibench.cli.harmless import harmless_json

    value = harmless_json(value)
    (sys.stdout or io.StringIO()).write(value if value.endswith("\n") else value + "\n")
