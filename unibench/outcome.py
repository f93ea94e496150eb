"""How an episode ended, and what that makes of it: one table, used by everything that retries, scores or counts."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from unibench.errors import AgentError, AgentUnavailable, SetupFault, UnibenchError
from unibench.verdict import Status, Verdict


class Ending(StrEnum):
    """Why an episode ended."""

    DONE = "done"
    INFEASIBLE = "infeasible"
    SUITE_ENDED = "suite_ended"
    STEPS = "steps"
    TIME = "time"
    COST = "cost"
    AGENT_ERROR = "agent_error"
    AGENT_UNAVAILABLE = "agent_unavailable"
    ENV_ERROR = "env_error"
    SETUP_ERROR = "setup_error"


class Outcome(StrEnum):
    """What an episode counts as; derived from its ending and its verdict, never set by hand."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"
    AGENT_ERROR = "agent_error"
    ENV_ERROR = "env_error"
    SETUP_ERROR = "setup_error"
    VERIFIER_ERROR = "verifier_error"
    UNSCORED = "unscored"


class Policy(NamedTuple):
    """What follows from an ending.

    Attributes:
        retries: how often the episode is tried again.
        verdict_counts: whether the verdict decides the outcome.
        outcome: the outcome where it does not.
    """

    retries: int
    verdict_counts: bool
    outcome: Outcome


_ENDED_BY_ITSELF = Policy(retries=0, verdict_counts=True, outcome=Outcome.UNSCORED)

POLICY: dict[Ending, Policy] = {
    Ending.DONE: _ENDED_BY_ITSELF,
    Ending.INFEASIBLE: _ENDED_BY_ITSELF,
    Ending.SUITE_ENDED: _ENDED_BY_ITSELF,
    Ending.STEPS: _ENDED_BY_ITSELF,
    Ending.TIME: _ENDED_BY_ITSELF,
    Ending.COST: _ENDED_BY_ITSELF,
    Ending.AGENT_ERROR: Policy(retries=0, verdict_counts=False, outcome=Outcome.AGENT_ERROR),
    Ending.AGENT_UNAVAILABLE: Policy(retries=2, verdict_counts=False, outcome=Outcome.UNSCORED),
    Ending.ENV_ERROR: Policy(retries=2, verdict_counts=False, outcome=Outcome.ENV_ERROR),
    Ending.SETUP_ERROR: Policy(retries=2, verdict_counts=False, outcome=Outcome.SETUP_ERROR),
}

_BY_STATUS = {Status.PASS: Outcome.SUCCESS, Status.FAIL: Outcome.FAILURE, Status.PARTIAL: Outcome.PARTIAL}


def outcome_of(ending: Ending, verdict: Verdict | None) -> Outcome:
    """The outcome of an episode. A verifier that raised is never the agent's failure."""
    policy = POLICY[ending]
    if not policy.verdict_counts:
        return policy.outcome
    if verdict is None:
        return Outcome.UNSCORED
    if verdict.error is not None:
        return Outcome.VERIFIER_ERROR
    return _BY_STATUS.get(verdict.status, Outcome.UNSCORED)


def ending_of(fault: UnibenchError) -> Ending:
    """The ending that an error makes; what is not known is the environment's."""
    known = {SetupFault: Ending.SETUP_ERROR, AgentUnavailable: Ending.AGENT_UNAVAILABLE, AgentError: Ending.AGENT_ERROR}
    return next((ending for error, ending in known.items() if isinstance(fault, error)), Ending.ENV_ERROR)


def score_of(outcome: Outcome, verdict: Verdict | None) -> float | None:
    """What an episode counts in a mean: the verdict's score, 0 for an agent that erred, None for what is unscored."""
    if outcome is Outcome.AGENT_ERROR:
        return 0.0
    if outcome in (Outcome.SUCCESS, Outcome.FAILURE, Outcome.PARTIAL) and verdict is not None:
        return verdict.score
    return None
