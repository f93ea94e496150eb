"""Scorecards of runs' folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unibench.errors import FileProblem
from unibench.runs.records import Manifest
from unibench.runs.store import RunStore
from unibench.scorecard.rows import Scorecard, scorecard
from unibench.scorecard.together import check_together


def read_scorecards(folders: Sequence[Path], *, allowed: Sequence[str] = ()) -> list[Scorecard]:
    """The scorecard of each run's folder, for one table; suites one after another.

    Args:
        allowed: names of protocol fields that may differ between runs of one suite.

    Raises:
        FileProblem: one is no run.
        DifferentProtocols: they do not belong in one table.
    """
    manifests: dict[str, Manifest] = {}
    once: dict[Path, Path] = {}
    for folder in folders:
        once.setdefault(folder.resolve(), folder)
    for folder in once.values():
        with RunStore(folder) as store:
            manifest = store.manifest()
            if manifest is None:
                raise FileProblem(f"{folder} is a run that has not begun")
            manifests[str(folder)] = manifest
    differences = check_together(manifests, allowed)
    cards = []
    for run, manifest in manifests.items():
        with RunStore(Path(run)) as store:
            found = differences[manifest.protocol.suite]
            cards.append(scorecard(manifest, store.episodes(), store.descriptors(), run=run, differences=found))
    order = list(differences)
    return sorted(cards, key=lambda card: order.index(card.suite))
