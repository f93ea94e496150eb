"""What a run is made under: its protocol and its manifest, from the open suite, the options and the plan."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from unibench import __version__
from unibench.golden.ledger import ledger_digest
from unibench.golden.results import Ledger
from unibench.record import SCHEMA_VERSION
from unibench.redaction import on_record, redacted_arguments, withheld_digest
from unibench.rules import ScoreAtBudget
from unibench.runs.plan import RunPlan
from unibench.runs.records import AgentIdentity, LedgerPolicy, Manifest, Protocol
from unibench.session.remote import RemoteSuite
from unibench.step_limit import StepLimit

RETRIES = 2
"""How often an episode is tried again whose ending allows it."""


def protocol_of(
    suite: RemoteSuite,
    *,
    observe: tuple[str, ...],
    max_steps: StepLimit | None,
    max_seconds: float | None,
    max_cost: float | None,
    score_at_budget: ScoreAtBudget,
    act_seconds: float,
    ledger_policy: LedgerPolicy,
    ledger: Ledger | None,
) -> Protocol:
    """The protocol of a run on an open suite. Starts the machine, if it is not running."""
    return Protocol(
        suite=suite.face.name,
        upstream=suite.upstream(),
        substrate=suite.open(),
        settings=suite.settings.model_dump(mode="json"),
        settings_digest=suite.settings.digest,
        observe=observe,
        dialects=suite.face.offers(suite.settings).dialects,
        max_steps=max_steps,
        max_seconds=max_seconds,
        max_cost=max_cost,
        score_at_budget=score_at_budget,
        act_seconds=act_seconds,
        retries=RETRIES,
        ledger_policy=ledger_policy,
        ledger=ledger_digest(ledger) if ledger is not None else "",
        unibench=__version__,
    )


def manifest_of(
    suite: RemoteSuite, protocol: Protocol, agent: str, arguments: Mapping[str, str], described: Mapping[str, Any], plan: RunPlan
) -> Manifest:
    """The manifest of a run that begins now; the agent's secret arguments are taken out."""
    shown, withheld = redacted_arguments(arguments), withheld_digest(arguments, agent)
    identity = AgentIdentity.model_validate({"name": agent, "arguments": shown, "withheld": withheld, "described": on_record(described)})
    return Manifest(
        schema_version=SCHEMA_VERSION,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        protocol=protocol,
        agent=identity,
        specs=tuple(each.spec.digest for each in plan.planned),
        dropped=plan.dropped,
        tasks=plan.tasks,
        suite_tasks=len(suite.tasks()),
        headline=suite.face.headline,
        upstream_at_budget=suite.face.score_at_budget,
        not_upstreams=tuple(suite.settings.not_upstreams()),
        ledger=plan.ledger,
    )
