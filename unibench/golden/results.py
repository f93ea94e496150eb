"""The records of a golden check: one control's run, an instance's, and a task's entry in the ledger."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue

from unibench.golden.control import Expectation, Provenance, Readback, Role
from unibench.record import Record
from unibench.settings import Substrate
from unibench.task import InstanceSpec
from unibench.verdict import Evidence, Status, Verdict, VerdictError, VerifierDescriptor


class Judgement(Record):
    """A verdict without its descriptor, which stands once in the entry.

    Attributes:
        name: the name of the check, where it is part of a composite.
    """

    name: str = ""
    status: Status
    score: float | None = None
    raw: float | None = None
    metrics: dict[str, float] = {}
    evidence: Evidence = Evidence()
    final: bool = False
    error: VerdictError | None = None
    children: tuple[Judgement, ...] = ()

    @classmethod
    def of(cls, verdict: Verdict, *, name: str = "") -> Judgement:
        same = {field: getattr(verdict, field) for field in set(cls.model_fields) - {"name", "children"}}
        parts = tuple(cls.of(child, name=child.descriptor.name) for child in verdict.children)
        return cls.model_validate({**same, "name": name, "children": parts})


class Outcome(StrEnum):
    """What became of one control."""

    JUDGED = "judged"
    NOT_APPLICABLE = "not-applicable"
    EQUIVALENT = "equivalent"
    VACUOUS = "vacuous"
    RECIPE_FAILED = "recipe-failed"
    SETUP_FAILED = "setup-failed"
    ENVIRONMENT_FAULT = "environment-fault"


class ControlRun(Record):
    """One control on one instance, once.

    Attributes:
        judgement: what the verifier said; None unless the outcome is ``judged``.
        message: why it was not judged.
        left: what the episode left behind for the next task, by name (``Session.left_behind``); of untouched and golden controls.
        shares: the control whose episode this one shares, having the same state and final actions.
        attempts: how many episodes it took (faults of the environment are retried).
    """

    control: str
    role: Role
    repeat: int = 0
    expect: Expectation
    provenance: Provenance
    outcome: Outcome
    judgement: Judgement | None = None
    readback: Readback | None = None
    final: tuple[dict[str, JsonValue], ...] = ()
    message: str = ""
    left: tuple[str, ...] = ()
    shares: str = ""
    attempts: int = 1
    seconds: float = 0.0


class Reason(StrEnum):
    """Why a task is invalid, or undecided."""

    GOLDEN_REJECTED = "golden-rejected"
    UNTOUCHED_ACCEPTED = "untouched-accepted"
    TRIVIAL_ACCEPTED = "trivial-accepted"
    MUTANT_ACCEPTED = "mutant-accepted"
    VERIFIER_RAISED = "verifier-raised"
    FLAKY = "flaky"
    TRUE_AT_START_UNBROKEN = "true-at-start-unbroken"
    NO_GOLDEN = "no-golden"
    RECIPE_FAILED = "recipe-failed"
    SETUP_FAILED = "setup-failed"
    ENVIRONMENT_FAULT = "environment-fault"
    UNAVAILABLE = "unavailable"
    VACUOUS = "vacuous"
    NOT_CHECKED = "not-checked"


class Fault(Record):
    """One proven fault: on which instance, by which control."""

    reason: Reason
    control: str
    spec: str
    """The instance's digest."""
    line: str
    """One line of evidence for people."""


class InstanceCheck(Record):
    """All controls on one drawn instance.

    Attributes:
        vacuous: doing nothing is right here, so it decides nothing and another was drawn.
    """

    spec: InstanceSpec
    goal: str = ""
    vacuous: bool = False
    runs: tuple[ControlRun, ...] = ()


class Decision(StrEnum):
    VALID = "valid"
    INVALID = "invalid"
    UNDECIDED = "undecided"


class Entry(Record):
    """What the ledger holds on one task.

    Attributes:
        key: digest of suite, upstream version, task, descriptor, substrate and score-affecting settings.
        recipe: the recipe's digest; empty if there is none.
        reasons: why it is invalid or undecided.
        notes: ``no-mutant`` (none was refused, for none applied), ``satisfiable-only`` (every golden was made from the
            verifier's own data), ``some-controls-failed`` (controls that were not judged, for the machine or the recipe failed),
            ``stand-ins`` (initial files of the task are not upstream's own), ``controls-left-out`` (only some controls were asked for).
        faulty, checked: on how many instances a fault was proven, of how many.
        dropped: digests of the instances with a proven fault.
        unavailable: why it cannot run here.
        stand_ins: initial files that stand in for upstream's own, by name.
        error: why it could not be checked at all.
    """

    task: str
    key: str
    descriptor: VerifierDescriptor
    descriptor_digest: str
    recipe: str = ""
    decision: Decision
    reasons: tuple[Reason, ...] = ()
    notes: tuple[Literal["no-mutant", "satisfiable-only", "some-controls-failed", "stand-ins", "controls-left-out"], ...] = ()
    faulty: int = 0
    checked: int = 0
    dropped: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    unavailable: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    instances: tuple[InstanceCheck, ...] = ()
    error: str = ""
    seconds: float = 0.0

    @property
    def left(self) -> tuple[str, ...]:
        """What its episodes left behind for the next task, by name."""
        return tuple(dict.fromkeys(name for check in self.instances for run in check.runs for name in run.left))

    @property
    def mixed(self) -> bool:
        """Whether the fault shows on some of the checked instances only."""
        return 0 < self.faulty < self.checked


class Ledger(Record):
    """The file that a golden check writes, one a suite and substrate."""

    schema_version: str
    kind: Literal["unibench-ledger"] = "unibench-ledger"
    made_by: str
    made_at: str
    """UTC, ISO 8601."""
    complete: bool
    """Whether all the tasks that were asked for are in it."""
    suite: str
    upstream: dict[str, str]
    substrate: Substrate
    settings: dict[str, JsonValue]
    settings_digest: str
    seeds: tuple[int, ...]
    repeats: int = Field(ge=1)
    entries: tuple[Entry, ...]
