"""``unibench scorecard``."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from unibench.cli.common import out, print_json


class CardFormat(StrEnum):
    TABLE = "table"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"
    LATEX = "latex"


def scorecard(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    allow_diff: Annotated[
        list[str] | None,
        typer.Option("--allow-diff", metavar="FIELD", help="Let runs differ in this field of the protocol; the card says so. Repeatable."),
    ] = None,
    format: Annotated[CardFormat, typer.Option("--format", "-f", help="What to print.")] = CardFormat.TABLE,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="PATH", help="Write it to this file instead.")] = None,
) -> None:
    """Show runs' scores, a row a verifier kind: n, score, interval, what is unscored, what was dropped and why.

    Runs of one suite must have one protocol; agents may differ. Several suites make a section each.
    """
    if format is CardFormat.TABLE and output is None:
        show(runs, allow_diff or ())
        return
    from unibench.files import write_atomic
    from unibench.scorecard import render
    from unibench.scorecard.read import read_scorecards

    cards = read_scorecards(runs, allowed=allow_diff or ())
    make = {CardFormat.CSV: render.as_csv, CardFormat.JSON: render.as_json, CardFormat.LATEX: render.latex}.get(format, render.markdown)
    if output is not None:
        write_atomic(output, make(cards))
    else:
        print_json(make(cards))


def show(runs: Sequence[Path], allowed: Sequence[str] = ()) -> None:
    """The table on the terminal."""
    from itertools import groupby

    from rich.table import Column, Table

    from unibench.scorecard.read import read_scorecards
    from unibench.scorecard.render import HEADINGS, card_rows, labelled, notes

    console = out()
    cards = labelled(read_scorecards(runs, allowed=allowed))
    # What tells two rows apart may be at the end of a long word.
    table = Table(Column(HEADINGS[0], overflow="fold"), *HEADINGS[1:], box=None, pad_edge=False)
    for _, of_suite in groupby(cards, key=lambda card: card.suite):
        for card in of_suite:
            for texts in card_rows(card):
                table.add_row(*texts)
        table.add_row()
    console.print(table)
    for card in cards:
        for note in notes(card):
            console.print(note, markup=False)
