"""From controls' results to a task's decision: pure functions, in one place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from unibench.golden.control import Expectation, Role
from unibench.golden.differ import difference, shortened
from unibench.golden.results import ControlRun, Decision, Fault, InstanceCheck, Judgement, Outcome, Reason
from unibench.verdict import Status

_SCORES_EQUAL = 1e-9
_ACCEPTED = {Role.UNTOUCHED: Reason.UNTOUCHED_ACCEPTED, Role.TRIVIAL: Reason.TRIVIAL_ACCEPTED, Role.MUTANT: Reason.MUTANT_ACCEPTED}
_UNDECIDED = {
    Outcome.RECIPE_FAILED: Reason.RECIPE_FAILED,
    Outcome.SETUP_FAILED: Reason.SETUP_FAILED,
    Outcome.ENVIRONMENT_FAULT: Reason.ENVIRONMENT_FAULT,
}


def meets(expect: Expectation, judgement: Judgement, scores: Mapping[str, float]) -> bool:
    """Whether a judgement is what was expected; ``scores`` are those of the instance's other controls."""
    if judgement.score is None:
        return False
    passed = judgement.status is Status.PASS
    match expect.type:
        case "passed":
            # A right end gets the maximum, unless the recipe states a score.
            return passed and judgement.score == 1.0
        case "not-passed":
            return not passed
        case "score":
            return abs(judgement.score - (expect.score or 0.0)) <= _SCORES_EQUAL
        case "below":
            # Nothing is below a golden that got nothing; that the golden was refused is a fault of its own.
            return not passed and (judgement.score == 0 or judgement.score < scores.get(expect.control, 1.0))
    raise AssertionError(expect.type)


def faults_of(check: InstanceCheck) -> list[Fault]:
    """The proven faults on one instance. A vacuous instance proves none."""
    if check.vacuous:
        return []
    scores = {run.control: run.judgement.score for run in check.runs if run.judgement and run.judgement.score is not None}
    found: list[Fault] = []
    accused: set[tuple[str, str]] = set()
    for run in check.runs:
        if run.judgement is None:
            continue
        # Two controls that share an episode are two expectations; the same fault of one episode is one fault.
        episode = (run.shares or run.control, run.expect.type)
        if run.shares and episode in accused:
            continue
        reason = _fault(run, run.judgement, scores)
        if reason is not None:
            accused.add(episode)
            found.append(Fault(reason=reason, control=run.control, spec=check.spec.digest, line=evidence_line(run)))
    found += _flaky(check)
    # A fault that every repeat shows is one fault.
    return list({(fault.reason, fault.control): fault for fault in reversed(found)}.values())[::-1]


def _fault(run: ControlRun, judgement: Judgement, scores: Mapping[str, float]) -> Reason | None:
    if judgement.status is Status.UNSCORED:
        return Reason.VERIFIER_RAISED
    if meets(run.expect, judgement, scores):
        return None
    if run.role is Role.GOLDEN or run.expect.type == "passed":
        return Reason.GOLDEN_REJECTED
    return _ACCEPTED[run.role]


def _flaky(check: InstanceCheck) -> Iterable[Fault]:
    repeats: dict[str, list[ControlRun]] = defaultdict(list)
    for run in check.runs:
        if run.judgement is not None and not run.shares:
            repeats[run.control].append(run)
    for control, runs in repeats.items():
        said = {(run.judgement.status, run.judgement.score) for run in runs if run.judgement}
        if len(said) > 1:
            line = " then ".join(f"{run.judgement.status} {run.judgement.score}" for run in runs if run.judgement)
            yield Fault(reason=Reason.FLAKY, control=control, spec=check.spec.digest, line=f"{control}: {line}")


def evidence_line(run: ControlRun) -> str:
    """One line for people: what was made, and what the verifier said of it."""
    judgement = run.judgement
    if judgement is None:
        return f"{run.control}: {run.message}"
    if judgement.error is not None:
        said = f"raised {judgement.error.type}: {judgement.error.message.splitlines()[0] if judgement.error.message else ''}"
    else:
        raw = f", raw {judgement.raw:g}" if judgement.raw is not None else ""
        said = f"{judgement.status} (score {judgement.score:g}{raw})"
    back = run.readback
    if back is None or back.found is None:
        return f"{run.control} -> {said}"
    found, wanted = shortened(back.found), shortened(back.wanted)
    if run.role is not Role.MUTANT:
        return f"{run.control}: found {found} -> {said}"
    if (
        back.found
        and isinstance(back.found, dict | list)
        and (found.endswith("...") or wanted.endswith("..."))
        and type(back.found) is type(back.wanted)
    ):
        differs = difference(back.found, back.wanted)
        if 0 < len(differs) < len(found + wanted):
            return f"{run.control}: found what was wanted, but {differs} -> {said}"
    return f"{run.control}: found {found}, wanted {wanted} -> {said}"


def decide(
    checks: Sequence[InstanceCheck],
    *,
    has_golden: bool,
    unavailable: Sequence[str],
    true_at_start: bool,
    left_out: bool = False,
    stand_ins: bool = False,
) -> tuple[Decision, list[Reason], list[Fault]]:
    """A task's decision, its reasons, and the proven faults.

    Invalid on any proven fault. Valid if, on at least one instance, a golden passed and the untouched state and the trivial
    agents were refused. Undecided else, and where controls were left out on demand: then faults are proven, and soundness is not.
    On stand-in files nothing is proven of a task that has no golden: nobody has shown that its verifier can pass on them.
    """
    if unavailable:
        return Decision.UNDECIDED, [Reason.UNAVAILABLE], []
    faults = [fault for check in checks for fault in faults_of(check)] if has_golden or not stand_ins else []
    if faults:
        return Decision.INVALID, list(dict.fromkeys(fault.reason for fault in faults)), faults
    live = [check for check in checks if not check.vacuous]
    if not left_out and any(_sound(check) for check in live) and not (true_at_start and not _a_broken_state_failed(checks)):
        return Decision.VALID, [], []
    failed = list(dict.fromkeys(_UNDECIDED[run.outcome] for check in live for run in check.runs if run.outcome in _UNDECIDED))
    if failed:
        return Decision.UNDECIDED, failed, []
    if true_at_start and not left_out and not _a_broken_state_failed(checks):
        return Decision.INVALID, [Reason.TRUE_AT_START_UNBROKEN], []
    if not has_golden:
        return Decision.UNDECIDED, [Reason.NO_GOLDEN], []
    return Decision.UNDECIDED, [Reason.VACUOUS if checks and not live else Reason.NOT_CHECKED], []


def _judged(check: InstanceCheck, *roles: Role) -> list[ControlRun]:
    return [run for run in check.runs if run.role in roles and run.outcome is Outcome.JUDGED]


def _sound(check: InstanceCheck) -> bool:
    """Whether everything that makes a task valid was judged (``faults_of`` has found nothing against it)."""
    needed = [run for run in check.runs if run.role is not Role.MUTANT]
    roles = {run.role for run in needed if run.outcome is Outcome.JUDGED}
    return all(run.outcome is Outcome.JUDGED for run in needed) and roles == {Role.GOLDEN, Role.UNTOUCHED, Role.TRIVIAL}


def _a_broken_state_failed(checks: Sequence[InstanceCheck]) -> bool:
    return any(_judged(check, Role.MUTANT) for check in checks)


def has_refused_mutant(checks: Sequence[InstanceCheck]) -> bool:
    """Whether at least one mutant was judged, all judged ones having been refused."""
    return any(_judged(check, Role.MUTANT) for check in checks if not check.vacuous)


def satisfiable_only(checks: Sequence[InstanceCheck]) -> bool:
    """Whether every golden was made only from the verifier's own expected data."""
    goldens = [run for check in checks for run in _judged(check, Role.GOLDEN)]
    return bool(goldens) and all(run.provenance.source == "verifier-data" for run in goldens)
