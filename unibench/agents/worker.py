"""The agent process: ``python -m unibench.agents.worker``. It holds the agent and nothing of the suite."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from typing import Any

from unibench.actions import parse_action
from unibench.agents.loading import load_agent
from unibench.agents.wrappers.common import numbers
from unibench.errors import AgentError, AgentUnavailable, UnsupportedAction, UsageError
from unibench.session.child import Reply, Served, run_child
from unibench.session.wire import Frames, unpack_observation
from unibench.task import Brief


class AgentWorker(Served):
    """Serves one agent."""

    def __init__(self) -> None:
        self.agent: Any = None
        self.dialect: str | None = None
        self._seen: dict[str, float] = {}
        self._spent: dict[str, float] = {}

    def do_hello(self, agent: str, arguments: dict[str, Any]) -> Reply:
        self.agent = load_agent(agent, arguments)
        described = getattr(self.agent, "describe", None)
        said = self._guarded(described) if callable(described) else {}
        observe = getattr(self.agent, "observe", ())
        if not isinstance(observe, (list, tuple)) or not all(isinstance(name, str) for name in observe):
            raise UsageError(f"the agent's attribute 'observe' is {observe!r}, not a list of observations' names")
        dialect = getattr(self.agent, "dialect", "")
        return {"describe": json.loads(json.dumps(said, default=str)), "observe": list(observe), "dialect": dialect}, []

    def do_reset(self, brief: dict[str, Any]) -> Reply:
        parsed = Brief.model_validate(brief)
        self.dialect = parsed.dialects[0] if parsed.dialects else None
        self._usage()
        self._spent = dict(self._seen)
        if callable(reset := getattr(self.agent, "reset", None)):
            self._guarded(lambda: reset(parsed))
        return None, []

    def do_act(self, observation: dict[str, Any], frames: Frames | None = None) -> Reply:
        seen = unpack_observation(observation, frames or [])
        act = getattr(self.agent, "act", self.agent)
        given = self._guarded(lambda: act(seen))
        try:
            action = parse_action(given, dialect=self.dialect)
        except UnsupportedAction as error:
            raise AgentError(str(error)) from None
        return {"action": action.model_dump(mode="json"), "usage": self._used()}, []

    def do_usage(self) -> Reply:
        """What has been used in this episode; asked for after an action that failed."""
        return {"usage": self._used()}, []

    def _guarded(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (AgentError, AgentUnavailable):
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the agent call's border
            raise AgentError(f"the agent raised {type(error).__name__}: {error}", detail=traceback.format_exc()[-4000:]) from None

    def _used(self) -> dict[str, float]:
        return {name: value - self._spent.get(name, 0.0) for name, value in self._usage().items()}

    def _usage(self) -> dict[str, float]:
        now: dict[str, float] = self._guarded(lambda: numbers(getattr(self.agent, "usage", None)))
        # What is not known in one episode may be so in the next, and goes on from where it was.
        self._seen.update(now)
        return now

    def close(self) -> None:
        if callable(close := getattr(self.agent, "close", None)):
            close()


if __name__ == "__main__":
    run_child(AgentWorker())
