"""Plays a recorded episode again: the very instance, the recorded actions, and whether the same came of it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from unibench.actions import parse_action
from unibench.errors import AgentError, Fault, FileProblem, UnknownName, UnsupportedAction
from unibench.golden.results import Judgement
from unibench.outcome import POLICY, Ending, ending_of, outcome_of
from unibench.record import Record
from unibench.redaction import REDACTED
from unibench.rules import AT_BUDGET, EpisodeRules, Spent
from unibench.runs.records import EpisodeRecord, Manifest
from unibench.session.remote import RemoteSuite
from unibench.task import Budget, Instance
from unibench.verdict import Verdict, VerifierDescriptor

_NOT_THE_MACHINES = AT_BUDGET | {Ending.AGENT_ERROR, Ending.AGENT_UNAVAILABLE}
"""Endings that the agent or the clock makes; playing the actions again cannot."""


class Compared(Record):
    """One thing that was recorded, and what it is now.

    Attributes:
        same: None where it was not recorded, so that nothing can be said.
    """

    what: str
    same: bool | None
    recorded: JsonValue = None
    now: JsonValue = None


class Replay(Record):
    """What came of playing an episode again.

    Attributes:
        notes: what differs and decides nothing.
    """

    episode: str
    compared: tuple[Compared, ...]
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing differs of what was recorded."""
        return all(each.same is not False for each in self.compared)


@dataclass(frozen=True)
class Step:
    """One recorded step: the action as the agent gave it, and why it had no effect (empty if it had)."""

    action: JsonValue
    error: str = ""


@dataclass(frozen=True)
class Recorded:
    """What a trace holds of an episode's last attempt."""

    steps: tuple[Step, ...]
    budget: Budget


def find_episode(records: Sequence[EpisodeRecord], name: str, run: str) -> tuple[int, EpisodeRecord]:
    """An episode by its number, or by ``TASK`` or ``TASK/SEED`` where that names one.

    Raises:
        UnknownName: none is meant, or several.
    """
    if re.fullmatch("[0-9]{1,9}", name):
        if int(name) >= len(records):
            raise UnknownName(f"no episode {name!r} in {run}; it has {len(records)}, numbered from 0")
        return int(name), records[int(name)]
    names = [f"{record.spec.task}/{record.spec.seed}" for record in records]
    found = [n for n, each in enumerate(names) if name in (each, records[n].spec.task)]
    if len(found) > 1:
        raise UnknownName(f"{name!r} are {len(found)} episodes of {run}: {', '.join(map(str, found[:8]))}; give a number")
    if not found:
        raise UnknownName.among(f"episode of {run}", name, names, hint=f"(`unibench show {run}` lists them)")
    return found[0], records[found[0]]


def read_events(path: Path) -> list[dict[str, Any]]:
    """The events in a trace.

    Raises:
        FileProblem: it cannot be read, or a line is no event.
    """
    try:
        events = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError, RecursionError) as error:
        raise FileProblem(f"the trace {path} is broken: {error}") from None
    if not all(isinstance(event, dict) for event in events):
        raise FileProblem(f"the trace {path} is broken: a line is no event")
    return events


def read_steps(folder: Path, record: EpisodeRecord) -> Recorded:
    """The steps of an episode's last attempt, from its trace.

    Raises:
        FileProblem: the trace is missing, was cut, or does not hold every action.
    """
    path = folder / record.trace
    if not record.attempts:
        raise FileProblem(f"this episode was not played, so there is nothing to play again: {record.error}")
    if not record.trace or not path.is_file():
        raise FileProblem(f"the trace {path} is missing; without it the episode cannot be played again")
    steps: list[Step] = []
    budget = Budget()
    try:
        for event in read_events(path):
            if event.get("left_out"):
                raise FileProblem(f"the trace {path} was cut for its size ({event['left_out']} events left out); it cannot be played again")
            match event.get("event"):
                case "attempt":
                    steps, budget = [], Budget()
                case "brief":
                    budget = Budget.model_validate(event["brief"]["budget"])
                case "step":
                    steps.append(Step(event["action"]))
                case "action error":
                    steps[-1] = Step(steps[-1].action, event["error"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        if isinstance(error, FileProblem):
            raise
        raise FileProblem(f"the trace {path} is broken: {error}") from None
    if len(steps) != record.steps:
        raise FileProblem(f"the trace {path} holds {len(steps)} of {record.steps} actions; it cannot be played again")
    for number, step in enumerate(steps, 1):
        if REDACTED in json.dumps(step.action):
            raise FileProblem(f"a secret was taken out of action {number} in {path}; it cannot be played again")
    return Recorded(tuple(steps), budget)


def replay(
    suite: RemoteSuite, manifest: Manifest, record: EpisodeRecord, descriptor: VerifierDescriptor, recorded: Recorded, name: str
) -> Replay:
    """Plays the recorded actions on the recorded instance.

    Args:
        suite: the run's suite, under its settings and on its machine.
        descriptor: the verifier as it was.
        recorded: what :func:`read_steps` read.
        name: what the episode is called.
    """
    protocol = manifest.protocol
    compared = [
        _compare("upstream", dict(protocol.upstream), dict(suite.upstream())),
        _compare("machine", protocol.substrate.model_dump(mode="json"), suite.open().model_dump(mode="json")),
    ]
    now = suite.describe(record.spec.task)
    compared.append(_compare("verifier", descriptor.digest, now.digest))
    rules = EpisodeRules(now, recorded.budget, protocol.score_at_budget)
    played = _Played()
    try:
        instance = suite.reset(record.spec)
        compared += _beginning(record, instance)
        _play(suite, rules, protocol.observe, recorded.steps, record.ending, played)
    except (Fault, AgentError) as error:
        played.ending, played.verdict, played.fault = ending_of(error), None, f"{type(error).__name__}: {error}"
    for number, step in enumerate(recorded.steps[: len(played.errors)], 1):
        compared.append(_compare(f"step {number} {_short(step.action)}", step.error, played.errors[number - 1]))
    if len(played.errors) < len(recorded.steps):
        compared.append(Compared(what="steps", same=False, recorded=len(recorded.steps), now=len(played.errors)))
    compared.append(_compare("ending", str(record.ending), str(played.ending or "none: the episode goes on")))
    judged = Judgement.of(played.verdict) if played.verdict is not None else None
    compared.append(_compare("verdict", _said(record.judgement), _said(judged)))
    if played.ending is not None:
        compared.append(_compare("outcome", str(record.outcome), str(outcome_of(played.ending, played.verdict))))
    return Replay(episode=name, compared=tuple(compared), notes=tuple(_notes(record, judged, played.fault)))


@dataclass
class _Played:
    """What came of it now: each step's action error, and the end."""

    errors: list[str] = field(default_factory=list)
    ending: Ending | None = None
    verdict: Verdict | None = None
    fault: str = ""


def _beginning(record: EpisodeRecord, instance: Instance) -> list[Compared]:
    state = _compare("initial state", record.initial_state, instance.initial_state)
    if record.initial_state is None or instance.initial_state is None:
        state = state.model_copy(update={"same": None})
    goal = _compare("goal", record.goal, instance.brief.text)
    return [goal, state]


def _play(
    suite: RemoteSuite, rules: EpisodeRules, observe: tuple[str, ...], steps: Sequence[Step], recorded: Ending, played: _Played
) -> None:
    """As a run plays, with the recorded actions for the agent's. The clock and the cost of then are not those of now."""
    ending: Ending | None = None
    verdict: Verdict | None = None
    budget = rules.budget.model_copy(update={"seconds": None, "cost": None})
    rules = EpisodeRules(rules.descriptor, budget, rules.score_at_budget)
    start = time.monotonic()
    for step in steps:
        suite.observe(observe)
        try:
            action = parse_action(step.action)
            result = suite.act(action)
        except UnsupportedAction as error:
            played.errors.append("")
            raise AgentError(str(error)) from None
        played.errors.append(result.error)
        verdict = suite.verify() if rules.each_step else None
        ending = rules.ending(action, result, verdict, Spent(len(played.errors), time.monotonic() - start))
        if ending is not None:
            break
    if ending is None and recorded in _NOT_THE_MACHINES:
        ending = recorded
    played.ending = ending
    if ending is None or not POLICY[ending].verdict_counts:
        return
    if verdict is None and rules.asks(ending):
        verdict = suite.verify()
    played.verdict = rules.counted(ending, verdict)


def _compare(what: str, recorded: Any, now: Any) -> Compared:
    return Compared(what=what, same=recorded == now, recorded=recorded, now=now)


def _said(judgement: Judgement | None) -> JsonValue:
    """What a verdict says, without its evidence, which may name times and temporary files."""
    if judgement is None:
        return None
    said: dict[str, JsonValue] = {"status": str(judgement.status), "score": judgement.score}
    said |= {"raw": judgement.raw} if judgement.raw is not None else {}
    said |= {"metrics": dict(judgement.metrics)} if judgement.metrics else {}
    said |= {"error": judgement.error.type} if judgement.error is not None else {}
    said |= {"children": [_said(child) for child in judgement.children]} if judgement.children else {}
    return said


def _notes(record: EpisodeRecord, judged: Judgement | None, fault: str) -> list[str]:
    notes = [fault] if fault else []
    if record.judgement is not None and judged is not None and record.judgement.evidence != judged.evidence:
        notes.append(f"evidence then: {record.judgement.evidence.model_dump_json()}, now: {judged.evidence.model_dump_json()}")
    return notes


def _short(action: JsonValue) -> str:
    if isinstance(action, dict) and action.get("type") == "native":
        return str(action.get("code"))[:80]
    return json.dumps(action, ensure_ascii=False)[:80]
