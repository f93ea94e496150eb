"""The rules of an episode: which ending an action makes, when the verifier is asked, and which verdict counts."""

from __future__ import annotations

import pytest

from tests.unit.test_verdict import descriptor
from unibench.actions import Action, Click, Done, Infeasible, Point
from unibench.outcome import Ending
from unibench.rules import EpisodeRules, Spent
from unibench.suite import ActionResult
from unibench.task import Budget
from unibench.verdict import Verdict

CLICK = Click(target=Point(x=1, y=1))
WHAT = descriptor()
PASSED = Verdict.of(WHAT, 1.0)
OPEN, ENDED = ActionResult(), ActionResult(ended=True)


@pytest.mark.parametrize(
    ("action", "result", "verdict", "spent", "ending"),
    [
        (CLICK, OPEN, None, Spent(), None),
        (Done(), OPEN, None, Spent(), Ending.DONE),
        (Infeasible(), ENDED, None, Spent(), Ending.INFEASIBLE),
        (Infeasible(), OPEN, None, Spent(), None),
        (CLICK, ENDED, None, Spent(), Ending.SUITE_ENDED),
        (CLICK, OPEN, PASSED, Spent(), None),
        (CLICK, OPEN, PASSED.model_copy(update={"final": True}), Spent(), Ending.SUITE_ENDED),
        (CLICK, OPEN, None, Spent(steps=3), Ending.STEPS),
        (CLICK, OPEN, None, Spent(seconds=60.0), Ending.TIME),
        (CLICK, OPEN, None, Spent(cost=0.5), Ending.COST),
        (CLICK, OPEN, None, Spent(steps=2, seconds=59.0, cost=0.4), None),
        (Done(), OPEN, None, Spent(steps=3, seconds=99.0, cost=9.0), Ending.DONE),
        (CLICK, OPEN, PASSED.model_copy(update={"final": True}), Spent(steps=3), Ending.SUITE_ENDED),
    ],
)
def test_endings(action: Action, result: ActionResult, verdict: Verdict | None, spent: Spent, ending: Ending | None) -> None:
    assert EpisodeRules(WHAT, Budget(steps=3, seconds=60.0, cost=0.5)).ending(action, result, verdict, spent) is ending


def test_without_a_budget_nothing_is_used_up() -> None:
    assert EpisodeRules(WHAT).used_up(Spent(steps=10**6, seconds=1e9, cost=1e9)) is None


@pytest.mark.parametrize("ending", [Ending.STEPS, Ending.TIME, Ending.COST])
def test_what_counts_at_a_budget_is_by_the_setting(ending: Ending) -> None:
    verify, fail, unscored = (EpisodeRules(WHAT, score_at_budget=how) for how in ("verify", "fail", "unscored"))
    assert [rules.asks(ending) for rules in (verify, fail, unscored)] == [True, False, False]
    assert verify.counted(ending, PASSED) is PASSED
    failed = fail.counted(ending, PASSED)
    assert failed is not None
    assert failed.score == 0.0
    assert unscored.counted(ending, PASSED) is None


@pytest.mark.parametrize("how", ["verify", "fail", "unscored"])
def test_an_episode_that_ended_by_itself_counts_by_its_verdict(how: str) -> None:
    rules = EpisodeRules(WHAT, Budget(steps=1), how)  # type: ignore[arg-type]
    assert rules.asks(Ending.DONE)
    assert not rules.asks(None)
    assert rules.counted(Ending.DONE, PASSED) is PASSED
    assert rules.counted(None, PASSED) is PASSED
