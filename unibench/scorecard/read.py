"""Scorecards of runs' folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unibench.errors import FileProblem
from unibench.runs.store import RunStore
from unibench.scorecard.rows import Scorecard, scorecard


def read_scorecards(folders: Sequence[Path]) -> list[Scorecard]:
    """The scorecard of each run's folder.

    Raises:
        FileProblem: one is no run.
    """
    cards = []
    for folder in folders:
        with RunStore(folder) as store:
            manifest = store.manifest()
            if manifest is None:
                raise FileProblem(f"{folder} is a run that has not begun")
            cards.append(scorecard(manifest, store.episodes(), store.descriptors()))
    return cards
