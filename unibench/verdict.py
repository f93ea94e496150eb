"""What judges, and what it said: verifier kinds, descriptors, verdicts, and the reward that carries one.

The verifier is the benchmark. A descriptor says, before anything has run, what kind of check decides, who owns it,
what it reads and whether an agent could write that; a verdict is one answer of one such check.
"""

from __future__ import annotations

import json
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, JsonValue, field_validator, model_validator

from unibench.record import Record, digest
from unibench.redaction import on_record


class VerifierKind(Record):
    """A registered way of judging. A registry, not an enum: suites and plug-ins add their own."""

    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    summary: str
    reads: str
    """What it looks at, in a few words."""


class Source(Record):
    """One file of the code that judges.

    Attributes:
        project: whose it is, e.g. ``"ServiceNow/BrowserGym"``.
        package: the distribution that ships it, and its version.
        path: the file inside the package.
    """

    project: str
    package: str
    version: str
    path: str


class Raw(Record):
    """Upstream's own number before any threshold: its name, its range and the rule that makes it a pass."""

    name: str
    low: float | None = None
    high: float | None = None
    passes: str
    """Upstream's rule in words, e.g. ``"> 0"``."""


class AgentWritable(Record):
    """Whether an agent can write what the verifier reads without doing the task, how, and what stops it by default."""

    value: bool
    how: str = ""
    prevented_by: str = ""


class Join(StrEnum):
    """How a composite verifier joins its children, by upstream's own rule."""

    ALL = "all"
    ANY = "any"
    MEAN = "mean"
    WEIGHTED = "weighted"
    UPSTREAM = "upstream"


class VerifierDescriptor(Record):
    """What judges a task: a pure function of task definition, settings and verifier version, complete before a reset.

    Attributes:
        kind: a registered :class:`VerifierKind`'s name. It belongs to *getter × metric*, not to the metric.
        name: the check's name in its suite.
        implementation: ``module:qualified.name`` of what is called.
        owner: the project that owns the check (WindowsAgentArena's is OSWorld).
        sources: the files that judge, the entry first.
        scale: ``binary`` (0 or 1) or ``graded`` (0 to 1).
        pass_threshold: the score from which on a graded verdict is a pass.
        raw: upstream's number behind the score.
        when: asked after each step, at the end, or offline.
        reads: what it looks at.
        acts_first: what it does to the machine before it looks, in order. If any, verifying consumes the episode.
        network: whether it needs the network when it judges.
        determinism: ``deterministic``, ``live`` (reads the live web), or ``judged`` by a model.
        judge: the model that judges, for ``judged``.
        agent_writable: whether an agent can write what it reads.
        children, join: the parts of a composite.
    """

    kind: str
    name: str
    implementation: str
    owner: str
    sources: tuple[Source, ...] = ()
    scale: Literal["binary", "graded"]
    pass_threshold: float = Field(default=1.0, gt=0, le=1)
    raw: Raw | None = None
    when: Literal["each-step", "end", "offline"]
    reads: tuple[str, ...] = ()
    acts_first: tuple[str, ...] = ()
    network: bool = False
    determinism: Literal["deterministic", "live", "judged"] = "deterministic"
    judge: str | None = None
    agent_writable: AgentWritable = AgentWritable(value=False)
    children: tuple[VerifierDescriptor, ...] = ()
    join: Join | None = None

    @model_validator(mode="after")
    def _composite_says_how(self) -> Self:
        if bool(self.children) != (self.join is not None):
            raise ValueError("a composite names its children and how they join; a plain verifier neither")
        if (self.determinism == "judged") != (self.judge is not None):
            raise ValueError("a judged verifier names its judge; no other does")
        return self

    @cached_property
    def digest(self) -> str:
        """Names this very verifier: a changed version, threshold or file gives another."""
        return digest(self)

    @property
    def row(self) -> str:
        """The scorecard row: the kind, or a composite's sorted kinds, ``"answer-match+page-state"``."""
        if not self.children:
            return self.kind
        return "+".join(sorted({kind for child in self.children for kind in child.row.split("+")}))


class Status(StrEnum):
    PASS = "pass"
    FAIL = "fail"
    PARTIAL = "partial"
    UNSCORED = "unscored"


MAX_EVIDENCE = 20_000
"""Characters kept of what was expected, and of what was found."""


class Evidence(Record):
    """Why: what was expected and what was found. Redacted of secrets, and small: what is too long is cut, and the note says so.

    Attributes:
        decided_by: the path of the :class:`Source` whose rule decided, where more than one could.
    """

    expected: JsonValue = None
    found: JsonValue = None
    decided_by: str = ""
    note: str = ""

    @model_validator(mode="before")
    @classmethod
    def _small(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        # Before the cut, which could leave a part of a secret.
        try:
            kept = {name: on_record(value) if name in ("expected", "found", "note") else value for name, value in values.items()}
        except RecursionError:
            return values  # holds itself, or is absurdly deep: the field itself refuses it
        for name in ("expected", "found"):
            value = kept.get(name)
            text = value if isinstance(value, str) else _json(value)
            if len(text) > MAX_EVIDENCE:
                mark = f" [cut: {len(text)} characters]"
                kept[name] = text[: MAX_EVIDENCE - len(mark)] + mark
                kept["note"] = "; ".join(filter(None, [kept.get("note", ""), f"{name} was cut, {len(text)} characters of JSON"]))
        if isinstance(note := kept.get("note"), str) and len(note) > MAX_EVIDENCE:
            kept["note"] = note[:MAX_EVIDENCE]
        return kept


def _json(value: Any) -> str:
    """A value's JSON; empty for what is none, which the field itself refuses."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


class VerdictError(Record):
    """The error of a verifier that raised. Redacted of secrets."""

    type: str
    message: str
    detail: str = ""

    @field_validator("message", "detail")
    @classmethod
    def _on_record(cls, text: str) -> str:
        return str(on_record(text))


class Verdict(Record):
    """One answer of one verifier.

    Attributes:
        score: 0 to 1, or None if and only if the status is ``unscored``.
        raw: upstream's number before any threshold.
        metrics: further named numbers (CR and LC, say).
        final: the verifier itself closed the episode (BrowserGym's ``done``).
        error: set if it raised; a verifier that raises gives no score.
        seconds: how long the judging took; not compared by ``==``, so that equal judgements are equal.
    """

    descriptor: VerifierDescriptor
    status: Status
    score: float | None = Field(default=None, ge=0, le=1)
    raw: float | None = None
    metrics: dict[str, float] = {}
    children: tuple[Verdict, ...] = ()
    evidence: Evidence = Evidence()
    final: bool = False
    error: VerdictError | None = None
    seconds: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _score_and_status_agree(self) -> Self:
        if (self.score is None) != (self.status is Status.UNSCORED):
            raise ValueError("a verdict has no score if and only if it is unscored")
        if self.error is not None and self.score is not None:
            raise ValueError("a verifier that raised gives no score")
        if self.score is not None and self.status is not status_of(self.score, self.descriptor):
            raise ValueError(f"score {self.score} is not {self.status}")
        return self

    @classmethod
    def of(cls, descriptor: VerifierDescriptor, score: float, **fields: Any) -> Verdict:
        """A verdict with the status that the score has on the descriptor's scale."""
        return cls(descriptor=descriptor, status=status_of(score, descriptor), score=score, **fields)

    @classmethod
    def raised(cls, descriptor: VerifierDescriptor, error: BaseException, *, detail: str = "", seconds: float = 0.0) -> Verdict:
        """The unscored verdict of a verifier that raised."""
        what = VerdictError(type=type(error).__name__, message=on_record(str(error))[:2000], detail=on_record(detail)[-4000:])
        return cls(descriptor=descriptor, status=Status.UNSCORED, error=what, seconds=seconds)

    @property
    def passed(self) -> bool:
        return self.status is Status.PASS

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Verdict):
            return NotImplemented
        return self.model_dump(exclude={"seconds"}) == other.model_dump(exclude={"seconds"})

    def __hash__(self) -> int:
        return hash((self.descriptor.digest, self.status, self.score, self.raw))


def status_of(score: float, descriptor: VerifierDescriptor) -> Status:
    """Pass from the threshold on, fail at 0, partial between. A binary verifier knows no partial."""
    if score >= descriptor.pass_threshold:
        return Status.PASS
    if score == 0:
        return Status.FAIL
    if descriptor.scale == "binary":
        raise ValueError(f"a binary verifier gives 0 or 1, not {score}")
    return Status.PARTIAL


class Reward(np.float64):
    """A float64 that carries its verdict through pickle and deepcopy.

    A convenience: arithmetic and vector environments give plain floats, so ``info["verdict"]`` is the contract.
    A ``float`` subclass would trip Gymnasium's passive checker on every ``make``; this one does not.
    """

    verdict: Verdict | None

    def __new__(cls, value: float, verdict: Verdict | None = None) -> Self:
        self = super().__new__(cls, value)
        self.verdict = verdict
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (float(self), self.verdict))

    def __deepcopy__(self, memo: dict[int, Any] | None) -> Self:
        return type(self)(float(self), self.verdict)
