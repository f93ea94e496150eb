"""The rules of an episode, the same for an environment and for a run: when it ends, when the verifier is asked, which verdict counts.

Pure: whoever drives the episode brings the action, its result, the verdict and what was spent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from unibench.actions import Action, Done, Infeasible
from unibench.outcome import Ending
from unibench.suite import ActionResult
from unibench.task import Budget
from unibench.verdict import Verdict, VerifierDescriptor

ScoreAtBudget = Literal["verify", "fail", "unscored"]

AT_BUDGET = frozenset({Ending.STEPS, Ending.TIME, Ending.COST})
"""The endings of a budget that is used up."""


@dataclass(frozen=True)
class Spent:
    """What an episode has used so far: actions, seconds, and what the agent says that it cost."""

    steps: int = 0
    seconds: float = 0.0
    cost: float = 0.0


@dataclass(frozen=True)
class EpisodeRules:
    """One episode's rules.

    Args:
        descriptor: of the task's verifier.
        budget: what the episode may use.
        score_at_budget: what counts when the budget is used up: ``verify`` (the verdict), ``fail`` (0) or ``unscored``.
    """

    descriptor: VerifierDescriptor
    budget: Budget = field(default_factory=Budget)
    score_at_budget: ScoreAtBudget = "verify"

    @property
    def each_step(self) -> bool:
        """Whether the verifier is asked after each action."""
        return self.descriptor.when == "each-step"

    def ending(self, action: Action, result: ActionResult, verdict: Verdict | None, spent: Spent) -> Ending | None:
        """How the episode has ended with this action; None if it goes on. ``verdict`` is this step's, if it was asked."""
        if isinstance(action, Done):
            return Ending.DONE
        if isinstance(action, Infeasible) and result.ended:
            return Ending.INFEASIBLE
        if result.ended or (verdict is not None and verdict.final):
            return Ending.SUITE_ENDED
        return self.used_up(spent)

    def used_up(self, spent: Spent) -> Ending | None:
        """The budget that is used up, if one is."""
        budget = self.budget
        if budget.steps is not None and spent.steps >= budget.steps:
            return Ending.STEPS
        if budget.seconds is not None and spent.seconds >= budget.seconds:
            return Ending.TIME
        if budget.cost is not None and spent.cost >= budget.cost:
            return Ending.COST
        return None

    def asks(self, ending: Ending | None) -> bool:
        """Whether the verdict counts at this ending, so that the verifier must be asked if it has not been."""
        if ending in AT_BUDGET:
            return self.score_at_budget == "verify"
        return ending is not None

    def counted(self, ending: Ending | None, verdict: Verdict | None) -> Verdict | None:
        """The verdict that counts, of the one that was given."""
        if ending not in AT_BUDGET or self.score_at_budget == "verify":
            return verdict
        return Verdict.of(self.descriptor, 0.0) if self.score_at_budget == "fail" else None
