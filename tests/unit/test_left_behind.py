"""What an episode leaves behind for the next task is asked of the session after the verdict, and costs no verdict."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from unibench.errors import EnvironmentFault
from unibench.golden import inside
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench.verdict import Verdict, VerifierDescriptor

DESCRIPTOR = VerifierDescriptor(kind="page-state", name="t", implementation="m:f", owner="o", scale="binary", when="end")
SPEC = InstanceSpec(suite="s", task="t", seed=0)


def run(control: str, left: Any, monkeypatch: pytest.MonkeyPatch) -> ControlRun:
    """A standard control on a session that leaves this behind."""
    asked: list[str] = []

    def verify() -> Verdict:
        asked.append("verify")
        return Verdict.of(DESCRIPTOR, 0.0)

    def left_behind() -> Any:
        assert asked == ["verify"], "the verifier judges the episode before it ends"
        if isinstance(left, Exception):
            raise left
        return left

    session = SimpleNamespace(
        reset=lambda spec: SimpleNamespace(brief=SimpleNamespace(text="goal")),
        act=lambda action: SimpleNamespace(error=""),
        left_behind=left_behind,
    )
    monkeypatch.setattr(inside, "golden_module", lambda suite: None)
    worker: Any = SimpleNamespace(session=session, verify=verify, face=None, settings=None, spec=None)
    reply, _ = inside.run_control(worker, SPEC, control, shot="never")
    return ControlRun.model_validate(reply["run"])


def test_an_untouched_episode_says_what_it_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("untouched", ["setting global wifi_on"], monkeypatch).left == ("setting global wifi_on",)
    assert run("idle", ["x"], monkeypatch).left == (), "what an agent left is not the suite's"


def test_of_very_much_the_first_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    left = run("untouched", [f"file {number}" for number in range(100)], monkeypatch).left
    assert (len(left), left[-1]) == (inside.MOST_LEFT + 1, "and 80 more")


def test_a_machine_that_breaks_then_costs_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("untouched", EnvironmentFault("it broke"), monkeypatch)
    assert (found.outcome, found.left) == ("judged", ())
