"""Isolation and ``Task.after`` in runs and golden checks: how many sessions live side by side, what comes first, and what cannot run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.suites import ladder
from unibench.agents.process import AgentProcess
from unibench.golden.check import GoldenCheck, Plan
from unibench.golden.results import Reason
from unibench.outcome import Ending, Outcome
from unibench.runs.plan import RunPlan, draw, plan_run
from unibench.runs.protocol import manifest_of, protocol_of
from unibench.runs.records import EpisodeRecord
from unibench.runs.replay import read_steps, replay
from unibench.runs.runner import Runner
from unibench.runs.store import RunStore
from unibench.session.remote import RemoteSuite
from unibench.suite import SuiteFace

Play = Callable[..., tuple[RunPlan, dict[str, EpisodeRecord]]]


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[tuple[str, str]]]:
    """What sessions noted: a task and seed (or open, close) with the process that did it."""
    path = tmp_path / "notes"
    monkeypatch.setenv("LADDER_NOTES", str(path))
    return lambda: [(line.split()[0], line.split()[1]) for line in path.read_text().splitlines()]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    def played(
        face: SuiteFace, *, tasks: tuple[str, ...] = ladder.TASKS, seeds: int = 1, jobs: int = 1
    ) -> tuple[RunPlan, dict[str, EpisodeRecord]]:
        path = "tests.suites.ladder:" + ("SHARED" if face is ladder.SHARED else "OWN")
        with RemoteSuite(face, path) as remote:
            plan = plan_run(remote, remote.open(), draw(remote, tasks, range(seeds)), None, "drop-invalid")
            protocol = protocol_of(
                remote,
                observe=face.observe,
                max_steps=None,
                max_seconds=None,
                max_cost=None,
                score_at_budget="verify",
                act_seconds=30,
                ledger_policy="drop-invalid",
                ledger=None,
            )
            manifest = manifest_of(remote, protocol, "claims-done", {}, {}, plan)
        with RunStore(tmp_path / "r", writing=True) as store:
            store.begin(manifest)
            Runner(
                store,
                manifest,
                plan.planned,
                open_suite=lambda: RemoteSuite(face, path),
                open_agent=lambda: AgentProcess("claims-done", {}, seconds=30),
                jobs=jobs,
                isolation=face.isolation,
            ).run()
            return plan, {f"{record.spec.task}/{record.spec.seed}": record for record in store.episodes()}

    return played


def test_a_shared_machine_has_no_more_sessions_than_it_allows(play: Play, notes: Callable[[], list[tuple[str, str]]]) -> None:
    _, records = play(ladder.SHARED, seeds=2, jobs=4)
    assert {record.outcome for record in records.values()} == {Outcome.SUCCESS}
    lives = [what for what, _ in notes() if what in ("open", "close")]
    assert lives == ["open", "close"] * 2, "the planning session, and then one for all jobs, never two at a time"


def test_tasks_run_after_those_they_come_after_on_the_same_machine(play: Play, notes: Callable[[], list[tuple[str, str]]]) -> None:
    _, records = play(ladder.OWN, seeds=2, jobs=2)
    assert len(records) == 10
    assert {record.outcome for record in records.values()} == {Outcome.SUCCESS}
    seen = notes()
    for seed in (0, 1):
        order = {what.split("/")[0]: (place, pid) for place, (what, pid) in enumerate(seen) if what.endswith(f"/{seed}")}
        for task, before in ((task, each) for task, befores in ladder.AFTER.items() for each in befores):
            assert order[before][0] < order[task][0]
            assert order[before][1] == order[task][1], "the same machine"
    assert [record.initial_state for name, record in records.items() if name == "top/0"] == ["state of top"]


@pytest.mark.parametrize("face", [ladder.OWN, ladder.SHARED])
def test_what_comes_after_something_that_broke_is_not_played(
    play: Play, notes: Callable[[], list[tuple[str, str]]], monkeypatch: pytest.MonkeyPatch, face: SuiteFace
) -> None:
    monkeypatch.setenv("LADDER_BREAKS", "middle")
    _, records = play(face)
    assert {task: str(record.ending) for task, record in records.items()} == {
        "bottom/0": "done",
        "side/0": "done",
        "alone/0": "done",
        "middle/0": "env_error",
        "top/0": "setup_error",
    }
    top = records["top/0"]
    assert (top.outcome, top.score, top.attempts, top.trace) == (Outcome.SETUP_ERROR, None, 0, "")
    assert top.error == "not played: it comes after middle, which ended as env_error"
    assert "top/0" not in [what for what, _ in notes()]
    tries = [what for what, _ in notes()].count("middle/0")
    assert tries == (3 if face is ladder.SHARED else 1), "another machine has not seen what comes before, so it is no other try"


def test_a_machine_that_is_gone_takes_what_comes_before_with_it(play: Play, tmp_path: Path, notes: object) -> None:
    play(ladder.OWN)
    with RunStore(tmp_path / "r", writing=True) as store:
        store._db.execute("DELETE FROM episodes WHERE task IN ('top', 'alone')")
    _, records = play(ladder.OWN)
    assert records["alone/0"].outcome is Outcome.SUCCESS
    assert records["top/0"].error == "not played: it comes after middle, and the machine on which that ran is gone"
    assert records["top/0"].ending is Ending.SETUP_ERROR


def test_a_shared_machine_outlives_an_interrupt(play: Play, tmp_path: Path, notes: object) -> None:
    play(ladder.SHARED)
    with RunStore(tmp_path / "r", writing=True) as store:
        store._db.execute("DELETE FROM episodes WHERE task = 'top'")
    _, records = play(ladder.SHARED)
    assert records["top/0"].outcome is Outcome.SUCCESS


def test_what_comes_after_something_that_does_not_run_is_dropped_with_the_reason(
    play: Play, monkeypatch: pytest.MonkeyPatch, notes: object
) -> None:
    plan, records = play(ladder.OWN, tasks=("top", "side", "middle"))
    assert list(records) == ["side/0"]
    assert {(each.task, each.reason) for each in plan.dropped} == {
        ("middle", "comes after bottom, which is not in this run"),
        ("top", "comes after middle, which was dropped"),
    }


def test_what_comes_after_something_unavailable_is_dropped(play: Play, monkeypatch: pytest.MonkeyPatch, notes: object) -> None:
    monkeypatch.setenv("LADDER_LACKS", "side")
    plan, records = play(ladder.OWN)
    assert set(records) == {"bottom/0", "middle/0", "alone/0"}
    assert {(each.task, each.reason) for each in plan.dropped} == {
        ("side", "unavailable: no rung"),
        ("top", "comes after side, which was dropped"),
    }


def test_a_golden_check_obeys_both_too(notes: Callable[[], list[tuple[str, str]]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LADDER_BREAKS", "middle")
    plan = Plan(lambda: RemoteSuite(ladder.SHARED, "tests.suites.ladder:SHARED"), ladder.TASKS, jobs=4)
    entries = {entry.task: entry for entry in GoldenCheck(plan).run().entries}
    assert entries["middle"].reasons == entries["top"].reasons == (Reason.ENVIRONMENT_FAULT,)
    assert entries["top"].error == "EnvironmentFault: not checked: it comes after middle, which could not be checked"
    assert Reason.ENVIRONMENT_FAULT not in entries["side"].reasons
    seen = [what for what, _ in notes()]
    assert "top/0" not in seen
    assert seen.index("bottom/0") < seen.index("middle/0")
    assert len({pid for what, pid in notes() if what in ("bottom/0", "side/0")}) == 1


def test_a_replay_compares_the_initial_state_where_the_suite_knows_it(play: Play, tmp_path: Path, notes: object) -> None:
    play(ladder.OWN, tasks=("alone",))
    with RunStore(tmp_path / "r") as store:
        manifest, (record,), (descriptor,) = store.manifest(), store.episodes(), store.descriptors().values()
    assert manifest is not None
    steps = read_steps(tmp_path / "r", record)
    with RemoteSuite(ladder.OWN, "tests.suites.ladder:OWN") as remote:
        assert replay(remote, manifest, record, descriptor, steps, "0").same
        other = record.model_copy(update={"initial_state": "another"})
        compared = {each.what: each for each in replay(remote, manifest, other, descriptor, steps, "0").compared}
    assert [what for what, each in compared.items() if each.same is False] == ["initial state"]
    assert (compared["initial state"].recorded, compared["initial state"].now) == ("another", "state of alone")
