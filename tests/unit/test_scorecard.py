"""Rows, intervals and bounds, on records made by hand."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tests.unit.test_files import MACHINE
from tests.unit.test_verdict import descriptor
from unibench.outcome import Ending, outcome_of
from unibench.record import SCHEMA_VERSION
from unibench.runs.records import AgentIdentity, Dropped, EpisodeRecord, Manifest, Protocol
from unibench.scorecard import MixedVerifierError, mean_score, scorecard
from unibench.scorecard.intervals import over_tasks, wilson
from unibench.scorecard.render import HEADINGS, as_csv, as_json, escaped, latex, markdown
from unibench.task import InstanceSpec
from unibench.verdict import Verdict, VerifierDescriptor

BINARY, GRADED = descriptor(), descriptor(kind="token-f1", scale="graded")


def episode(task: str, score: float | None, *, seed: int = 0, of: VerifierDescriptor = BINARY, **fields: Any) -> EpisodeRecord:
    verdict = None if score is None else Verdict.of(of, score)
    ending = Ending.ENV_ERROR if score is None else Ending.DONE
    spec = InstanceSpec(suite="s", task=task, seed=seed)
    needed = {"spec": spec, "goal": "g", "steps": 1, "started_at": "t", "seconds": 1.0, "ending": ending}
    return EpisodeRecord.of(of, verdict, outcome=outcome_of(ending, verdict), **{**needed, **fields})


def manifest(*dropped: Dropped) -> Manifest:
    protocol = Protocol(
        suite="s",
        upstream={"x": "1"},
        substrate=MACHINE,
        settings={},
        settings_digest="d",
        observe=("a",),
        dialects=(),
        max_steps=None,
        score_at_budget="verify",
        act_seconds=1,
        retries=2,
        ledger_policy="drop-invalid",
        unibench="0",
    )
    return Manifest(
        schema_version=SCHEMA_VERSION,
        made_at="t",
        protocol=protocol,
        agent=AgentIdentity(name="a_b"),
        specs=("x",) * 3,
        dropped=dropped,
        tasks=4,
    )


def card(*records: EpisodeRecord, dropped: tuple[Dropped, ...] = ()) -> Any:
    return scorecard(manifest(*dropped), records, {d.digest: d for d in (BINARY, GRADED)})


@given(st.integers(1, 300), st.data())
def test_wilson_is_scipys_for_counts(n: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, n))
    theirs = binomtest(passed, n).proportion_ci(confidence_level=0.95, method="wilson")
    assert wilson(passed / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_a_perfect_score_has_no_perfect_interval() -> None:
    assert wilson(1.0, 20) == pytest.approx((0.839, 1.0), abs=1e-3)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_the_bootstrap_holds_the_mean_and_repeats(means: list[float]) -> None:
    found = over_tasks(means)
    assert found is not None
    assert found[0] - 1e-9 <= sum(means) / len(means) <= found[1] + 1e-9
    assert found == over_tasks(means)


def test_rows_are_by_kind_and_never_pooled() -> None:
    found = card(episode("t", 1.0), episode("u", 0.0), episode("v", 0.5, of=GRADED))
    assert [(row.row, row.scale, row.n, row.score) for row in found.rows] == [
        ("page-state", "binary", 2, 0.5),
        ("token-f1", "graded", 1, 0.5),
    ]
    assert found.official.kinds == ("page-state (binary)", "token-f1 (graded)")
    assert "mixes 2 kinds" in markdown([found])


def test_a_mean_over_kinds_is_refused_by_name() -> None:
    with pytest.raises(MixedVerifierError, match=r"page-state \(binary\), token-f1 \(graded\)"):
        mean_score([episode("t", 1.0), episode("v", 0.5, of=GRADED)])
    assert mean_score([episode("t", 1.0), episode("t", 0.0, seed=1), episode("u", 1.0)]) == 0.75
    assert mean_score([episode("t", None)]) is None


def test_tasks_count_once_however_often_they_ran() -> None:
    (row,) = card(*(episode("t", 1.0, seed=seed) for seed in range(9)), episode("u", 0.0)).rows
    assert (row.n, row.tasks, row.score, row.method) == (10, 2, 0.5, "Wilson on task means")
    assert row.interval == wilson(0.5, 2)


def test_unscored_episodes_are_bounded_and_not_hidden() -> None:
    (row,) = card(episode("t", 1.0), episode("u", None), episode("v", 0.0)).rows
    assert (row.n, row.unscored, row.score) == (2, 1, 0.5)
    assert row.bounds == pytest.approx((1 / 3, 2 / 3))
    assert row.outcomes == {"success": 1, "env_error": 1, "failure": 1}


def test_valid_tasks_stand_beside_all() -> None:
    found = card(episode("t", 1.0, checked="valid"), episode("u", 0.0, checked="stale"))
    assert [(row.tasks_shown, row.n, row.score) for row in found.rows] == [("all", 2, 0.5), ("valid", 1, 1.0)]
    assert "stale in the ledger, so not applied: 1 episodes" in markdown([found])


def test_every_format_has_every_row_and_says_what_was_dropped() -> None:
    found = card(episode("t", 1.0), dropped=(Dropped(task="x_y", reason="invalid: flaky"),))
    assert next(csv.reader(io.StringIO(as_csv([found])))) == list(HEADINGS)
    assert json.loads(as_json([found]))[0]["dropped"] == [{"task": "x_y", "spec": "", "reason": "invalid: flaky"}]
    assert "dropped, invalid: flaky: 1 tasks (x_y)" in markdown([found])
    assert r"a\_b & s & page-state" in latex([found])
    assert "1 of 4 tasks" in latex([found])


def test_latex_escapes_what_it_must() -> None:
    assert escaped("50% of a_b & #1 {x} \\") == r"50\% of a\_b \& \#1 \{x\} \textbackslash{}"
