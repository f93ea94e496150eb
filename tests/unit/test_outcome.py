"""The one table from endings and verdicts to outcomes."""

from __future__ import annotations

import pytest

from tests.unit.test_verdict import GRADED
from unibench.errors import EnvironmentFault, SessionTimeout, SetupFault, UnibenchError
from unibench.outcome import POLICY, Ending, Outcome, ending_of, outcome_of
from unibench.verdict import Verdict

PASS, FAIL, HALF = (Verdict.of(GRADED, score) for score in (1.0, 0.0, 0.5))
RAISED = Verdict.raised(GRADED, ValueError("x"))


@pytest.mark.parametrize("ending", list(Ending))
def test_every_ending_has_a_policy(ending: Ending) -> None:
    assert ending in POLICY
    for verdict in (None, PASS, FAIL, HALF, RAISED):
        assert isinstance(outcome_of(ending, verdict), Outcome)


@pytest.mark.parametrize(
    ("ending", "verdict", "outcome"),
    [
        (Ending.DONE, PASS, Outcome.SUCCESS),
        (Ending.DONE, FAIL, Outcome.FAILURE),
        (Ending.SUITE_ENDED, HALF, Outcome.PARTIAL),
        (Ending.STEPS, None, Outcome.UNSCORED),
        (Ending.DONE, RAISED, Outcome.VERIFIER_ERROR),
        (Ending.ENV_ERROR, PASS, Outcome.ENV_ERROR),
        (Ending.SETUP_ERROR, None, Outcome.SETUP_ERROR),
        (Ending.AGENT_ERROR, None, Outcome.AGENT_ERROR),
    ],
)
def test_outcomes(ending: Ending, verdict: Verdict | None, outcome: Outcome) -> None:
    assert outcome_of(ending, verdict) is outcome


def test_faults_of_the_machine_are_retried_twice_and_the_agents_are_not() -> None:
    assert (POLICY[Ending.ENV_ERROR].retries, POLICY[Ending.SETUP_ERROR].retries, POLICY[Ending.AGENT_ERROR].retries) == (2, 2, 0)


@pytest.mark.parametrize(
    ("fault", "ending"),
    [(SetupFault("x"), Ending.SETUP_ERROR), (EnvironmentFault("x"), Ending.ENV_ERROR), (SessionTimeout("x"), Ending.ENV_ERROR)],
)
def test_faults_have_endings(fault: UnibenchError, ending: Ending) -> None:
    assert ending_of(fault) is ending
