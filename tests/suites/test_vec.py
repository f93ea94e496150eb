"""``make_vec``: many environments over few session processes, on the example suite and on real pages."""

from __future__ import annotations

import sys
import warnings
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import unibench
from tests.conftest import ROOT, run
from unibench.errors import SessionDied, UnknownName, UsageError
from unibench.golden.ledger import read_ledger, write_ledger
from unibench.golden.results import Decision
from unibench.outcome import Ending, Outcome
from unibench.vec import VecEnv
from unibench.verdict import Status

DONE = {"type": "done"}
IDLE = {"type": "type", "text": ""}


def pids(vec: VecEnv) -> set[int | None]:
    return {lane._remote.pid for lane in vec.lanes}


@pytest.fixture
def notebook() -> Any:
    made: list[VecEnv] = []

    def make(*args: Any, **kwargs: Any) -> VecEnv:
        made.append(unibench.make_vec(*args, **{"ledger_policy": "ignore", **kwargs}))
        return made[-1]

    yield make
    for vec in made:
        vec.close()


def test_lanes_share_processes_and_play_all_tasks(notebook: Any) -> None:
    vec = notebook("notebook", 6, processes=2, autoreset_mode=AutoresetMode.SAME_STEP)
    assert isinstance(vec, gymnasium.vector.VectorEnv)
    _, infos = vec.reset(seed=0)
    assert len(pids(vec)) == 2
    played = [spec.task for spec in infos["spec"]]
    assert set(played) == set(vec.tasks), "six lanes over five tasks play each at once"
    _, again = vec.reset(seed=0)
    assert [spec.digest for spec in again["spec"]] == [spec.digest for spec in infos["spec"]]
    _, _, terminated, _, infos = vec.step([DONE] * 6)
    assert terminated.all()
    assert [spec.task for spec in infos["spec"]] == played, "with enough lanes each keeps to its task"
    assert not {spec.digest for spec in infos["spec"]} & {spec.digest for spec in again["spec"]}, "on another instance"


def test_few_lanes_play_all_tasks_in_turn(notebook: Any) -> None:
    vec = notebook("notebook", 2, autoreset_mode=AutoresetMode.SAME_STEP)
    _, infos = vec.reset(seed=0)
    turns = [[spec.task for spec in infos["spec"]]]
    for _ in range(4):
        _, _, _, _, infos = vec.step([DONE] * 2)
        turns.append([spec.task for spec in infos["spec"]])
    assert all({turn[lane] for turn in turns} == set(vec.tasks) for lane in range(2))


def test_a_tag_chooses_tasks(notebook: Any) -> None:
    assert notebook("notebook/changes:ticks", 1).tasks == ("tick-note",)
    assert set(notebook("notebook", 2, tasks=["changes:*"]).tasks) == {"write-note", "tick-note"}


def test_as_many_processes_as_the_suite_needs(notebook: Any) -> None:
    vec = notebook("notebook", 9, processes=1)  # it holds four sessions a process
    vec.reset(seed=0)
    assert len(pids(vec)) == 3


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_autoreset(notebook: Any, mode: AutoresetMode) -> None:
    vec = notebook("notebook", 2, tasks=["print-note"], autoreset_mode=mode)
    vec.reset(seed=0)
    refuse, idle = {"type": "infeasible", "reason": "no printer"}, IDLE
    _, rewards, terminated, _, infos = vec.step([refuse, idle])
    assert (rewards.tolist(), terminated.tolist()) == ([1.0, 0.0], [True, False])
    told = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
    assert told["verdict"][0].status is Status.PASS
    assert told["ending"][0] is Ending.INFEASIBLE
    if mode is AutoresetMode.DISABLED:
        vec.reset(options={"reset_mask": np.array([True, False])})
        _, _, terminated, _, _ = vec.step([idle, refuse])
        assert terminated.tolist() == [False, True]
        return
    _, rewards, terminated, _, infos = vec.step([refuse, refuse])
    if mode is AutoresetMode.NEXT_STEP:
        assert (rewards.tolist(), terminated.tolist()) == ([0.0, 1.0], [False, True]) or terminated.tolist() == [False, True]
        assert "spec" in infos, "this step reset the first"
    else:
        assert terminated.tolist() == [True, True], "the first was reset in the step before"


def test_a_broken_lane_is_truncated_and_the_others_of_its_process_go_on_after_a_reset(notebook: Any) -> None:
    vec = notebook("notebook", 3, processes=1)
    vec.reset(seed=0)
    vec.lanes[0]._remote.host.process.kill()
    _, rewards, _, truncated, infos = vec.step([IDLE] * 3)
    assert (rewards.tolist(), truncated.tolist()) == ([0.0] * 3, [True] * 3)
    assert infos["outcome"].tolist() == [Outcome.ENV_ERROR] * 3
    assert "verdict" not in infos
    vec.step([IDLE] * 3)  # resets
    _, _, _, truncated, _ = vec.step([IDLE] * 3)
    assert truncated.tolist() == [False] * 3


def test_an_error_of_one_lane_does_not_shift_the_others(notebook: Any) -> None:
    vec = notebook("notebook", 2, processes=2, tasks=["print-note"], on_fault="raise")
    vec.reset(seed=0)
    vec.lanes[0]._remote.host.process.kill()
    with pytest.raises(SessionDied):
        vec.step([IDLE, DONE])
    _, infos = vec.reset(seed=0)
    assert len(infos["goal"]) == 2
    _, _, terminated, _, _ = vec.step([DONE, IDLE])
    assert terminated.tolist() == [True, False]


@pytest.mark.parametrize(
    ("kwargs", "error", "says"),
    [
        ({"tasks": ["tick-nte"]}, UnknownName, "did you mean 'tick-note'"),
        ({"num_envs": 0}, UsageError, "at least 1"),
        ({"ledger_policy": "valid"}, UnknownName, "valid-only"),
        ({"ledger_policy": "valid-only"}, UsageError, "golden-check notebook"),
        ({"observe": ["screen"]}, UnknownName, "observation"),
        ({"on_fault": "Raise"}, UnknownName, "did you mean 'raise'"),
        ({"reward": "Final"}, UnknownName, "did you mean 'final'"),
        ({"score_at_budget": "zero"}, UnknownName, "verify"),
        ({"autoreset_mode": "next"}, UnknownName, "NextStep"),
        ({"settings": [1]}, UsageError, "mapping"),
        ({"num_envs": "2"}, UsageError, "whole number"),
        ({"num_envs": True}, UsageError, "whole number"),
        ({"max_steps": 1.5}, UsageError, "whole number"),
        ({"max_steps": "2y"}, UsageError, "such as 2x"),
        ({"max_steps": "2x"}, UsageError, "human needs for print-note"),
    ],
)
def test_wrong_use_is_named(notebook: Any, kwargs: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        notebook("notebook", **{"num_envs": 2, **kwargs})


def test_the_budget_can_be_a_multiple_of_what_a_human_needs(notebook: Any) -> None:
    vec = notebook("notebook", 1, tasks=["stay-light"], max_steps="2x")
    vec.reset(seed=0)
    assert [bool(vec.step([IDLE])[3][0]) for _ in range(2)] == [False, True]


def test_as_many_actions_as_environments(notebook: Any) -> None:
    vec = notebook("notebook", 2)
    vec.reset(seed=0)
    with pytest.raises(UsageError, match="3 actions for 2 environments"):
        vec.step([IDLE] * 3)


def test_the_ledger_keeps_invalid_tasks_out(notebook: Any, tmp_path: Path) -> None:
    path = tmp_path / "notebook.ledger.json"
    run([sys.executable, "-m", "unibench", "golden-check", "notebook", "-o", str(path)])
    ledger = read_ledger(path)
    doubted = ledger.entries[0].model_copy(update={"decision": Decision.INVALID})
    write_ledger(path, ledger.model_copy(update={"entries": (doubted, *ledger.entries[1:])}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vec = notebook("notebook", 2, ledger=path, ledger_policy="drop-invalid")
    assert doubted.task not in vec.tasks
    assert doubted.task in {each.task for each in vec.dropped}
    _, infos = vec.reset(seed=0)
    assert set(infos["checked"]) <= {"valid", "invalid", "undecided"}

    write_ledger(path, ledger.model_copy(update={"entries": ledger.entries[1:]}))
    with pytest.warns(UserWarning, match=r"notebook\.ledger\.json has no entry for 1 of \d+ tasks; add it: unibench golden-check notebook"):
        partly = notebook("notebook", 2, ledger=path, ledger_policy="drop-invalid")
    assert partly.ledger.lacks == (doubted.task,)


@pytest.mark.browser
@pytest.mark.parametrize("reseed", [False, True])
def test_pages_share_a_browser_and_are_apart(notebook: Any, reseed: bool) -> None:
    settings = {"reseed_in_page": reseed}
    vec = notebook("miniwob", 3, tasks=["click-test"], processes=1, settings=settings, observe=["axtree"], autoreset_mode="SameStep")
    for seed in (0, 10):
        vec.reset(seed=seed)
        assert len(pids(vec)) == 1
        _, rewards, _, _, infos = vec.step(["noop(0)", "click('13')", "noop(0)"])
        assert rewards.tolist() == [0.0, 1.0, 0.0]
        assert infos["final_info"]["verdict"][1].status is Status.PASS


@pytest.mark.browser
def test_a_crashed_page_breaks_one_lane_only(notebook: Any) -> None:
    vec = notebook("miniwob", 2, tasks=["click-test"], processes=1, settings={"allow_any_url": True}, observe=["axtree"])
    vec.reset(seed=0)
    _, _, _, truncated, infos = vec.step(["goto('chrome://crash')", "noop(0)"])
    assert truncated.tolist() == [True, False]
    assert infos["outcome"][0] is Outcome.ENV_ERROR
    pid = pids(vec)
    _, _, _, truncated, _ = vec.step(["noop(0)", "click('13')"])
    assert pids(vec) == pid, "the process of the other lane is left alone"
    assert truncated.tolist() == [False, False]


@pytest.mark.parametrize(("face", "lanes"), [("OWN", 2), ("SHARED", 2), ("SHARED", 1)])
def test_shared_machines_and_tasks_in_order(notebook: Any, face: str, lanes: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LADDER_NOTES", str(tmp_path / "notes"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    point = EntryPoint("ladder", f"tests.suites.ladder:{face}", "unibench.suites")
    monkeypatch.setattr("unibench.registry._points", lambda: {"ladder": point})
    if face == "SHARED" and lanes > 1:
        with pytest.raises(UsageError, match="1 sessions side by side at most, not 2"):
            notebook("ladder", lanes)
        return
    vec = notebook("ladder", lanes)
    assert set(vec.tasks) == {"alone", "side", "bottom"}
    assert {each.task: each.reason for each in vec.dropped}["middle"].startswith("it comes after bottom")


def test_a_lane_does_not_go_on_in_a_process_that_another_lane_started(notebook: Any) -> None:
    vec = notebook("notebook/write-note", 2, processes=1)
    vec.reset(seed=0)
    vec.step([DONE, {"type": "type", "text": "buy"}])  # the first is due a reset
    vec.lanes[0]._remote.host.process.kill()
    _, _, _, truncated, infos = vec.step([DONE, {"type": "type", "text": " milk"}])
    assert truncated.tolist() == [False, True]
    assert infos["outcome"][1] is Outcome.ENV_ERROR
