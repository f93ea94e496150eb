"""Decisions from controls' results, and that no faulty verifier comes out valid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench.golden.control import BELOW_GOLDEN, NOT_PASSED, NOTHING, PASSED, Expectation, Provenance, Role
from unibench.golden.judge import decide, faults_of, has_refused_mutant, meets, satisfiable_only
from unibench.golden.results import ControlRun, Decision, InstanceCheck, Judgement, Outcome, Reason
from unibench.task import InstanceSpec
from unibench.verdict import VerdictError

HAND = Provenance(source="instruction", means="real-input")
ROLES = {"untouched": Role.UNTOUCHED, "idle": Role.TRIVIAL, "golden": Role.GOLDEN}
EXPECT = {Role.UNTOUCHED: NOT_PASSED, Role.TRIVIAL: NOT_PASSED, Role.GOLDEN: PASSED, Role.MUTANT: BELOW_GOLDEN}


def judgement(score: float | None) -> Judgement:
    if score is None:
        return Judgement.model_validate({"status": "unscored", "error": VerdictError(type="KeyError", message="x")})
    status = "pass" if score == 1 else "fail" if score == 0 else "partial"
    return Judgement.model_validate({"status": status, "score": score})


def run(
    control: str, score: float | None = 0.0, *, outcome: Outcome = Outcome.JUDGED, repeat: int = 0, source: str = "instruction"
) -> ControlRun:
    role = ROLES.get(control, Role.MUTANT)
    return ControlRun(
        control=control,
        role=role,
        repeat=repeat,
        expect=EXPECT[role],
        provenance=Provenance.model_validate({"source": source, "means": "real-input"}) if role is Role.GOLDEN else NOTHING,
        outcome=outcome,
        judgement=judgement(score) if outcome is Outcome.JUDGED else None,
        message="" if outcome is Outcome.JUDGED else "why",
    )


def instance(*runs: ControlRun, seed: int = 0, vacuous: bool = False) -> InstanceCheck:
    return InstanceCheck(spec=InstanceSpec(suite="s", task="t", seed=seed), vacuous=vacuous, runs=runs)


SOUND = (run("untouched"), run("idle"), run("golden", 1.0), run("one-missing"))


def decision(*checks: InstanceCheck, has_golden: bool = True, true_at_start: bool = False) -> tuple[Decision, list[Reason]]:
    found, reasons, _ = decide(checks, has_golden=has_golden, unavailable=(), true_at_start=true_at_start)
    return found, reasons


def test_a_sound_verifier_is_valid() -> None:
    assert decision(instance(*SOUND)) == (Decision.VALID, [])


@pytest.mark.parametrize(
    ("replaced", "reason"),
    [
        (run("golden", 0.0), Reason.GOLDEN_REJECTED),
        (run("untouched", 1.0), Reason.UNTOUCHED_ACCEPTED),
        (run("idle", 1.0), Reason.TRIVIAL_ACCEPTED),
        (run("one-missing", 1.0), Reason.MUTANT_ACCEPTED),
        (run("golden", None), Reason.VERIFIER_RAISED),
        (run("one-missing", None), Reason.VERIFIER_RAISED),
    ],
)
def test_any_proven_fault_makes_it_invalid(replaced: ControlRun, reason: Reason) -> None:
    runs = [replaced if r.control == replaced.control else r for r in SOUND]
    assert decision(instance(*runs)) == (Decision.INVALID, [reason])
    # One bad instance among good ones is enough, and the good ones do not hide it.
    assert decision(instance(*SOUND, seed=1), instance(*runs)) == (Decision.INVALID, [reason])


def test_repeats_that_differ_are_flaky() -> None:
    found, reasons = decision(
        instance(*SOUND, run("one-missing", 0.0, repeat=1), run("untouched", 0.0, repeat=1), run("golden", 0.0, repeat=1))
    )
    assert found is Decision.INVALID
    assert Reason.FLAKY in reasons


def test_a_shared_episode_counts_once() -> None:
    shared = run("idle", 1.0).model_copy(update={"shares": "untouched"})
    faults = faults_of(instance(run("untouched", 1.0), shared, run("golden", 1.0)))
    assert [fault.control for fault in faults] == ["untouched"]


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome.RECIPE_FAILED, Reason.RECIPE_FAILED),
        (Outcome.SETUP_FAILED, Reason.SETUP_FAILED),
        (Outcome.ENVIRONMENT_FAULT, Reason.ENVIRONMENT_FAULT),
    ],
)
def test_what_was_not_judged_decides_nothing(outcome: Outcome, reason: Reason) -> None:
    runs = [run("golden", outcome=outcome) if r.role is Role.GOLDEN else r for r in SOUND]
    assert decision(instance(*runs)) == (Decision.UNDECIDED, [reason])


def test_without_a_golden_it_is_undecided() -> None:
    assert decision(instance(run("untouched"), run("idle")), has_golden=False) == (Decision.UNDECIDED, [Reason.NO_GOLDEN])


def test_a_fault_needs_no_golden() -> None:
    assert decision(instance(run("untouched", 1.0), run("idle")), has_golden=False) == (Decision.INVALID, [Reason.UNTOUCHED_ACCEPTED])


@pytest.mark.parametrize("score", [None, 1.0])
def test_on_stand_ins_nothing_is_proven_without_a_golden(score: float | None) -> None:
    checks = [instance(run("untouched", score), run("idle"))]
    for has_golden, decided in ((False, Decision.UNDECIDED), (True, Decision.INVALID)):
        found = decide(checks, has_golden=has_golden, unavailable=(), true_at_start=False, stand_ins=True)
        assert found[0] is decided
        assert bool(found[2]) is has_golden


def test_unavailable_is_undecided() -> None:
    assert decide((), has_golden=True, unavailable=("no network",), true_at_start=False)[:2] == (Decision.UNDECIDED, [Reason.UNAVAILABLE])


def test_a_vacuous_instance_proves_nothing() -> None:
    vacuous = instance(run("untouched", 1.0), run("golden", 1.0), run("submit-at-once", outcome=Outcome.VACUOUS), vacuous=True)
    assert decision(vacuous) == (Decision.UNDECIDED, [Reason.VACUOUS])
    assert decision(vacuous, instance(*SOUND, seed=1)) == (Decision.VALID, [])


def test_true_at_start_needs_a_broken_state_that_fails() -> None:
    at_start = [
        ControlRun.model_validate({**run("untouched", 1.0).model_dump(), "expect": PASSED}),
        ControlRun.model_validate({**run("idle", 1.0).model_dump(), "expect": PASSED}),
        run("golden", 1.0),
    ]
    assert decision(instance(*at_start), true_at_start=True) == (Decision.INVALID, [Reason.TRUE_AT_START_UNBROKEN])
    assert decision(instance(*at_start, run("broken", 0.0)), true_at_start=True) == (Decision.VALID, [])


def test_a_broken_state_that_could_not_be_made_decides_nothing() -> None:
    at_start = [ControlRun.model_validate({**run("untouched", 1.0).model_dump(), "expect": PASSED}), run("golden", 1.0)]
    broken = run("broken", outcome=Outcome.ENVIRONMENT_FAULT)
    assert decision(instance(*at_start, broken), true_at_start=True) == (Decision.UNDECIDED, [Reason.ENVIRONMENT_FAULT])


def test_a_fault_in_every_repeat_is_one_fault() -> None:
    runs = [run("one-missing", 1.0, repeat=repeat) for repeat in range(3)]
    assert len(faults_of(instance(*SOUND[:3], *runs))) == 1


def test_a_trivial_agent_that_was_not_judged_leaves_it_undecided() -> None:
    runs = [*SOUND, run("idle", outcome=Outcome.ENVIRONMENT_FAULT).model_copy(update={"control": "claims-done"})]
    assert decision(instance(*runs)) == (Decision.UNDECIDED, [Reason.ENVIRONMENT_FAULT])


def test_a_control_that_shares_an_episode_is_judged_by_its_own_expectation() -> None:
    untouched = ControlRun.model_validate({**run("untouched", 1.0).model_dump(), "expect": PASSED})
    idle = run("idle", 1.0).model_copy(update={"shares": "untouched"})
    assert decision(instance(untouched, idle, run("golden", 1.0)))[1] == [Reason.TRIVIAL_ACCEPTED]


def test_a_graded_golden_must_get_the_maximum() -> None:
    almost = Judgement.model_validate({"status": "pass", "score": 0.9})
    assert not meets(PASSED, almost, {})
    assert meets(Expectation(type="score", score=0.9), almost, {})


def test_notes_on_valid_tasks() -> None:
    assert has_refused_mutant([instance(*SOUND)])
    assert not has_refused_mutant([instance(*SOUND[:3])])
    assert not has_refused_mutant([instance(*SOUND[:3], run("one-missing", outcome=Outcome.EQUIVALENT))])
    assert satisfiable_only([instance(run("golden", 1.0, source="verifier-data"))])
    assert not satisfiable_only([instance(*SOUND)])


def test_a_graded_mutant_must_be_below_the_golden_and_not_passed() -> None:
    assert meets(BELOW_GOLDEN, judgement(0.5), {"golden": 1.0})
    assert not meets(BELOW_GOLDEN, judgement(0.5), {"golden": 0.5})
    assert not meets(BELOW_GOLDEN, judgement(1.0), {"golden": 1.0})
    exactly = Expectation(type="score", score=0.96)
    assert meets(exactly, judgement(0.96), {})
    assert not meets(exactly, judgement(0.95), {})


SCORES = st.sampled_from([0.0, 0.5, 1.0, None])


@given(golden=SCORES, untouched=SCORES, idle=SCORES, mutant=SCORES)
def test_valid_means_that_every_control_was_as_expected(
    golden: float | None, untouched: float | None, idle: float | None, mutant: float | None
) -> None:
    check = instance(run("untouched", untouched), run("idle", idle), run("golden", golden), run("one-missing", mutant))
    found, _ = decision(check)
    sound = golden == 1.0 and untouched in (0.0, 0.5) and idle in (0.0, 0.5) and mutant in (0.0, 0.5)
    assert found is (Decision.VALID if sound else Decision.INVALID)


def test_with_controls_left_out_nothing_is_valid_and_a_fault_is_a_fault() -> None:
    def quick(*runs: ControlRun, true_at_start: bool = False) -> tuple[Decision, list[Reason]]:
        found = decide([instance(*runs)], has_golden=True, unavailable=(), true_at_start=true_at_start, left_out=True)
        return found[:2]

    assert quick(*SOUND) == (Decision.UNDECIDED, [Reason.NOT_CHECKED])
    assert quick(*SOUND[:3], true_at_start=True) == (Decision.UNDECIDED, [Reason.NOT_CHECKED]), "the broken state was left out, not unmade"
    assert quick(run("untouched", 1.0), run("golden", 1.0)) == (Decision.INVALID, [Reason.UNTOUCHED_ACCEPTED])
    assert quick(run("golden", outcome=Outcome.RECIPE_FAILED)) == (Decision.UNDECIDED, [Reason.RECIPE_FAILED])
