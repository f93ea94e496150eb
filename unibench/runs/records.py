"""What a run keeps: the manifest, which is the whole reporting protocol, and a record an episode."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, JsonValue

from unibench.golden.results import Judgement
from unibench.outcome import Ending, Outcome, score_of
from unibench.record import Record, digest
from unibench.redaction import on_record
from unibench.rules import ScoreAtBudget
from unibench.settings import Substrate
from unibench.step_limit import StepLimit
from unibench.suite import Headline
from unibench.task import InstanceSpec
from unibench.verdict import Verdict, VerifierDescriptor

LedgerPolicy = Literal["drop-invalid", "valid-only", "ignore"]
Checked = Literal["valid", "invalid", "undecided", "stale", "unchecked"]


class AgentIdentity(Record):
    """Who acted: the name, what it was called with, and what it says of itself (model, prompt digest, sampling).

    Attributes:
        withheld: names the secret arguments, whose values are not on record; empty if there are none.
    """

    name: str
    arguments: dict[str, JsonValue] = {}
    withheld: str = ""
    described: dict[str, JsonValue] = {}


class Dropped(Record):
    """A task, or one instance of it, that did not run, and why."""

    task: str
    spec: str = ""
    reason: str


class LedgerUse(Record):
    """What a run found in the golden check's ledger, and how to ask for what it did not find.

    Attributes:
        file: the ledger's name; empty without one.
        differs: what differs between the conditions that it was made under and the run's, as "name old -> new".
        lacks, stale: tasks that it has no entry for, and those whose entry does not speak for them; of tasks that can run here.
        tasks: how many tasks the run's selection had.
        options: of ``unibench golden-check``, for a check under the run's conditions.
    """

    file: str = ""
    differs: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    tasks: int = 0
    options: tuple[str, ...] = ()


class Protocol(Record):
    """Everything that a result depends on. Two runs with the same protocol digest may be compared.

    Attributes:
        max_steps, max_seconds, max_cost: the budget; None is each task's own. ``2x`` is twice the steps that a human needs.
        ledger: the ledger's digest; empty without one.
    """

    suite: str
    upstream: dict[str, str]
    substrate: Substrate
    settings: dict[str, JsonValue]
    settings_digest: str
    observe: tuple[str, ...]
    dialects: tuple[str, ...]
    max_steps: StepLimit | None
    max_seconds: float | None = None
    max_cost: float | None = None
    score_at_budget: ScoreAtBudget
    act_seconds: float
    retries: int
    ledger_policy: LedgerPolicy
    ledger: str = ""
    unibench: str


class Manifest(Record):
    """What was run, by whom, under which protocol; written when a run begins.

    Attributes:
        specs: digests of the instances, in order.
    """

    schema_version: str
    kind: Literal["unibench-run"] = "unibench-run"
    made_at: str
    protocol: Protocol
    agent: AgentIdentity
    specs: tuple[str, ...]
    dropped: tuple[Dropped, ...] = ()
    tasks: int
    """How many tasks the selection had, dropped ones among them."""
    suite_tasks: int = 0
    """How many tasks the suite has."""
    headline: Headline = Headline()
    """The suite's headline by upstream's own rule."""
    upstream_at_budget: ScoreAtBudget = "verify"
    """What upstream counts when the budget is used up."""
    not_upstreams: tuple[str, ...] = ()
    """Settings that affect scores and do not have upstream's value."""
    ledger: LedgerUse = LedgerUse()

    @property
    def digest(self) -> str:
        """Names what must be the same for a run to go on: protocol, agent and instances."""
        agent = self.agent.model_dump(mode="json")
        return digest({"protocol": self.protocol.model_dump(mode="json"), "agent": agent, "specs": list(self.specs)})


class EpisodeRecord(Record):
    """One finished episode.

    Attributes:
        initial_state: a digest of the state that the agent met, where the suite makes one.
        ending, outcome: how it ended, and what that counts as; the outcome is derived by the one table.
        descriptor: the verifier's digest; the store keeps the descriptors.
        row: the verifier's scorecard row.
        judgement: what the verifier said; None if it was not asked, or the episode broke.
        checked: what the ledger says of the task.
        attempts: how often it was played; 0 if it could not be, and ``error`` says why.
        faults: what broke in attempts before this one.
        usage: what the agent says that it used.
        trace: the trace's file inside the run's folder.
    """

    spec: InstanceSpec
    goal: str
    initial_state: str | None = None
    descriptor: str
    row: str
    scale: Literal["binary", "graded"]
    ending: Ending
    outcome: Outcome
    judgement: Judgement | None = None
    score: float | None = None
    checked: Checked = "unchecked"
    steps: int = Field(ge=0)
    action_errors: int = 0
    refused: int = 0
    attempts: int = Field(default=1, ge=0)
    faults: tuple[str, ...] = ()
    error: str = ""
    usage: dict[str, float] = {}
    started_at: str
    seconds: float
    trace: str = ""

    @classmethod
    def of(cls, descriptor: VerifierDescriptor, verdict: Verdict | None, **fields: Any) -> EpisodeRecord:
        """A record with the score that ending and verdict make; what an agent or an error wrote is fit for it."""
        fields |= {name: on_record(fields[name]) for name in ("error", "faults", "usage") if name in fields}
        score = score_of(fields["outcome"], verdict)
        return cls(
            descriptor=descriptor.digest,
            row=descriptor.row,
            scale=descriptor.scale,
            judgement=Judgement.of(verdict) if verdict is not None else None,
            score=score,
            **fields,
        )
