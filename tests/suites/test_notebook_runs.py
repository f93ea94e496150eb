"""Runs of the example suite, which needs no browser: budgets of time and cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.suites.notebook_runs import run, unibench
from unibench.outcome import Ending, Outcome
from unibench.runs.store import RunStore

# -- budgets -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "scores"), [("verify", [1.0, 0.0]), ("fail", [0.0, 0.0]), ("unscored", [None, None])])
def test_what_the_agent_says_that_it_cost_ends_an_episode(tmp_path: Path, how: str, scores: list[float | None]) -> None:
    records = run(tmp_path, "agents:Writes", "-t", "stay-light", "-t", "print-note", "--max-cost", "0.5", "--score-at-budget", how)
    assert [record.ending for record in records] == [Ending.COST] * 2
    assert [record.usage for record in records] == [{"cost": 0.5}] * 2, "each episode has the whole budget"
    assert {record.spec.task: record.score for record in records} == dict(zip(("stay-light", "print-note"), scores, strict=True))


def test_an_action_may_take_no_longer_than_is_left_of_the_episode(tmp_path: Path) -> None:
    (record,) = run(tmp_path, "agents:Dawdles", "-t", "stay-light", "--max-seconds", "2", "--act-seconds", "300")
    assert (record.ending, record.outcome, record.steps) == (Ending.TIME, Outcome.FAILURE, 1)
    assert record.error == "", "the time is over: that is no error of the agent's"


def test_an_action_that_hangs_while_time_is_left_is_the_agents_error(tmp_path: Path) -> None:
    (record,) = run(tmp_path, "agents:Dawdles", "-t", "stay-light", "--max-seconds", "300", "--act-seconds", "2")
    assert (record.ending, record.outcome, record.score) == (Ending.AGENT_ERROR, Outcome.AGENT_ERROR, 0.0)
    assert "did not answer within 2 s" in record.error


def test_budgets_are_told_to_the_agent_and_kept_in_the_protocol(tmp_path: Path) -> None:
    run(tmp_path, "agents:Writes", "-t", "stay-light", "--max-cost", "9", "--max-seconds", "99")
    with RunStore(tmp_path / "r") as store:
        manifest = store.manifest()
        assert manifest is not None
        assert (manifest.protocol.max_steps, manifest.protocol.max_seconds, manifest.protocol.max_cost) == (None, 99.0, 9.0)
        trace = (tmp_path / "r" / store.episodes()[0].trace).read_text()
    assert '"budget": {"steps": 8, "seconds": 99.0, "cost": 9.0}' in trace
    for name in ("--max-cost", "--max-seconds"):
        for value in ("nan", "inf", "0", "-1"):
            assert unibench(tmp_path, "run", "notebook", "-a", "idle", name, value, "-o", "s").returncode == 2
