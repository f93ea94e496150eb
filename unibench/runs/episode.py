"""Plays one episode: a session on one side, an agent on the other, and one table that says what came of it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from unibench.actions import Action, parse_action
from unibench.agents.process import AgentProcess
from unibench.errors import AgentError, AgentTimeout, AgentUnavailable, EnvironmentFault, Fault, UnibenchError, UnsupportedAction
from unibench.observations import Observation
from unibench.outcome import POLICY, Ending, ending_of, outcome_of
from unibench.redaction import redacted
from unibench.rules import EpisodeRules, Spent
from unibench.runs.plan import Planned
from unibench.runs.records import Checked, EpisodeRecord, Protocol
from unibench.runs.traces import Trace
from unibench.session.remote import RemoteSuite
from unibench.suite import ActionResult
from unibench.task import Brief, Budget, InstanceSpec
from unibench.verdict import Verdict, VerifierDescriptor


@dataclass
class Tally:
    """What an episode counts while it runs."""

    goal: str = ""
    initial_state: str | None = None
    steps: int = 0
    action_errors: int = 0
    refused: int = 0
    usage: dict[str, float] = field(default_factory=dict)
    error: str = ""
    broke: type[Fault] = EnvironmentFault
    """What broke the attempt before."""


def told(brief: Brief, protocol: Protocol, steps: int | None) -> Brief:
    """The brief under this run's budget and observations; ``steps`` is None for the task's own budget in steps."""
    budget = Budget(
        steps=steps or brief.budget.steps,
        seconds=protocol.max_seconds or brief.budget.seconds,
        cost=protocol.max_cost or brief.budget.cost,
    )
    return brief.model_copy(update={"budget": budget, "observations": protocol.observe})


def play(
    suite: RemoteSuite,
    agent: AgentProcess,
    spec: InstanceSpec,
    descriptor: VerifierDescriptor,
    protocol: Protocol,
    trace: Trace,
    *,
    checked: Checked,
    trace_name: str,
    stop: threading.Event,
    steps: int | None = None,
    same_machine: bool = False,
) -> EpisodeRecord:
    """An episode with the retries that its endings allow; what broke in earlier attempts is kept in the record.

    Steps and time are counted anew in each attempt. The budget of cost is the episode's: an attempt that cannot be finished with what
    earlier ones left of it is unscored, and none begins when nothing is left.

    Args:
        steps: the budget in steps; None is the task's own.
        same_machine: it must be played on the machine that is running now, so it is not tried again on another.
    """
    machine = suite.pid
    started = datetime.now(UTC).isoformat(timespec="seconds")
    clock = time.monotonic()
    faults: list[str] = []
    raised = False
    spent: dict[str, float] = {}
    broke: type[Fault] = EnvironmentFault
    while True:
        if stop.is_set():
            raise EnvironmentFault("the run was stopped")
        tally = Tally(usage=spent, broke=broke)
        trace.add(event="attempt", number=len(faults) + 1, spec=spec.model_dump(mode="json"))
        ending, verdict = _attempt(suite, agent, spec, descriptor, protocol, steps, trace, tally)
        outcome = outcome_of(ending, verdict)
        spent = tally.usage
        left = protocol.max_cost is None or spent.get("cost", 0.0) < protocol.max_cost
        again = left and len(faults) < min(POLICY[ending].retries, protocol.retries)
        if left and verdict is not None and verdict.error is not None and not raised:
            # A verifier that raised is asked once more, of a fresh episode.
            raised = again = True
        if not again or (same_machine and suite.pid != machine):
            break
        broke = AgentUnavailable if ending is Ending.AGENT_UNAVAILABLE else EnvironmentFault
        faults.append(tally.error or (verdict.error.message if verdict and verdict.error else str(ending)))
    trace.end(event="end", ending=ending, outcome=outcome, verdict=verdict and verdict.model_dump(mode="json", exclude={"descriptor"}))
    return EpisodeRecord.of(
        descriptor,
        verdict,
        spec=spec,
        goal=tally.goal,
        initial_state=tally.initial_state,
        ending=ending,
        outcome=outcome,
        checked=checked,
        steps=tally.steps,
        action_errors=tally.action_errors,
        refused=tally.refused,
        attempts=len(faults) + 1,
        faults=tuple(faults),
        error=tally.error,
        usage=tally.usage,
        started_at=started,
        seconds=round(time.monotonic() - clock, 3),
        trace=trace_name,
    )


def not_played(each: Planned, why: str) -> EpisodeRecord:
    """The record of an episode that could not be brought to its beginning: unscored, with the reason."""
    return EpisodeRecord.of(
        each.descriptor,
        None,
        spec=each.spec,
        goal="",
        ending=Ending.SETUP_ERROR,
        outcome=outcome_of(Ending.SETUP_ERROR, None),
        checked=each.checked,
        steps=0,
        attempts=0,
        error=why,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=0.0,
    )


def _attempt(
    suite: RemoteSuite,
    agent: AgentProcess,
    spec: InstanceSpec,
    descriptor: VerifierDescriptor,
    protocol: Protocol,
    steps: int | None,
    trace: Trace,
    tally: Tally,
) -> tuple[Ending, Verdict | None]:
    verdict: Verdict | None = None
    before = dict(tally.usage)
    try:
        agent.prepare(suite, spec)
        instance = suite.reset(spec)
        brief = told(instance.brief, protocol, steps)
        tally.goal, tally.initial_state = brief.text, instance.initial_state
        trace.add(event="brief", brief=brief.model_dump(mode="json"))
        agent.reset(brief)
        rules = EpisodeRules(descriptor, brief.budget, protocol.score_at_budget)
        started = time.monotonic()
        ending: Ending | None = None
        while ending is None:
            observation = suite.observe(protocol.observe)
            answered = _asked(agent, observation, rules, started, protocol.act_seconds)
            if answered is None:
                trace.add(event="time is over", observation=observation)
                ending = Ending.TIME
                break
            given, used = answered
            tally.usage = _added(before, used)
            tally.steps += 1
            trace.add(event="step", number=tally.steps, observation=observation, action=given, usage=tally.usage)
            action = _parsed(given)
            result = _acted(suite, action, trace, tally)
            spent = Spent(tally.steps, time.monotonic() - started, used.get("cost", 0.0))
            verdict = suite.verify() if rules.each_step else None
            ending = rules.ending(action, result, verdict, spent)
            if ending is None and rules.used_up(Spent(cost=tally.usage.get("cost", 0.0))) is not None:
                lost = before.get("cost", 0.0)
                raise tally.broke(f"the episode's budget of cost is used up, {lost:g} of it by attempts that broke; see faults")
        if verdict is None and rules.asks(ending):
            verdict = suite.verify()
        return ending, rules.counted(ending, verdict)
    except UnibenchError as error:
        tally.error = redacted(f"{type(error).__name__}: {error}")
        trace.add(event="error", error=tally.error, detail=error.detail)
        if isinstance(error, (AgentError, AgentUnavailable)) and (used := agent.used()):
            tally.usage = _added(before, used)
        if isinstance(error, AgentError):
            agent.kill()
        else:
            suite.kill()
        return ending_of(error), None


def _added(before: dict[str, float], used: dict[str, float]) -> dict[str, float]:
    return {**before, **{name: before.get(name, 0.0) + value for name, value in used.items()}}


def _asked(
    agent: AgentProcess, observation: Observation, rules: EpisodeRules, started: float, act_seconds: float
) -> tuple[Any, dict[str, float]] | None:
    """The agent's action and usage; None if the episode's time is over before it answers. That is the budget's end, no error."""
    if rules.budget.seconds is None:
        return agent.act(observation)
    left = started + rules.budget.seconds - time.monotonic()
    if left <= 0:
        return None
    try:
        return agent.act(observation, within=left)
    except AgentTimeout:
        if left > act_seconds:
            raise
        return None


def _parsed(given: object) -> Action:
    try:
        return parse_action(given)
    except UnsupportedAction as error:
        raise AgentError(str(error)) from None


def _acted(suite: RemoteSuite, action: Action, trace: Trace, tally: Tally) -> ActionResult:
    try:
        result = suite.act(action)
    except UnsupportedAction as error:
        raise AgentError(str(error)) from None
    if result.error:
        tally.action_errors += 1
        tally.refused += int(result.refused)
        trace.add(event="action error", error=result.error, refused=result.refused)
    return result
