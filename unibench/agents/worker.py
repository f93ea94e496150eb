"""The agent process: ``python -m unibench.agents.worker``. It holds the agent and nothing of the suite."""

from __future__ import annotations

import importlib
import json
import math
import sys
import traceback
from collections.abc import Callable
from typing import Any

from unibench.actions import parse_action
from unibench.agents.builtin import BUILTIN
from unibench.errors import AgentError, AgentUnavailable, UnknownName, UnsupportedAction, UsageError
from unibench.session.child import Reply, Served, run_child
from unibench.session.wire import Frames, unpack_observation
from unibench.task import Brief


def load_agent(name: str, arguments: dict[str, Any]) -> Any:
    """A built-in agent by its name, or ``module:Class`` (or ``module:function``) from the Python path or this folder.

    Raises:
        UsageError: it cannot be imported, or does not take these arguments.
    """
    if ":" not in name:
        if name not in BUILTIN:
            raise UnknownName.among("built-in agent", name, BUILTIN, hint="(an agent of yours is MODULE:CLASS)")
        made: Callable[..., Any] = BUILTIN[name]
    else:
        module, _, attribute = name.partition(":")
        if "" not in sys.path:
            sys.path.insert(0, "")
        try:
            made = getattr(importlib.import_module(module), attribute)
        except Exception as error:  # noqa: BLE001 - the agent call's border: its module may raise anything
            raise UsageError(f"the agent {name} cannot be imported: {error}", detail=traceback.format_exc()) from None
    try:
        agent = made(**arguments) if isinstance(made, type) or arguments else made
    except TypeError as error:
        raise UsageError(f"the agent {name} does not take these arguments: {error}") from None
    except Exception as error:  # noqa: BLE001 - the agent call's border
        raise UsageError(f"the agent {name} does not start: {type(error).__name__}: {error}", detail=traceback.format_exc()) from None
    if not callable(getattr(agent, "act", None)) and not callable(agent):
        raise UsageError(f"the agent {name} has no act(observation), and is no function")
    return agent


class AgentWorker(Served):
    """Serves one agent."""

    def __init__(self) -> None:
        self.agent: Any = None
        self.dialect: str | None = None
        self._spent: dict[str, float] = {}

    def do_hello(self, agent: str, arguments: dict[str, Any]) -> Reply:
        self.agent = load_agent(agent, arguments)
        described = getattr(self.agent, "describe", None)
        said = self._guarded(described) if callable(described) else {}
        return {"describe": json.loads(json.dumps(said, default=str))}, []

    def do_reset(self, brief: dict[str, Any]) -> Reply:
        parsed = Brief.model_validate(brief)
        self.dialect = parsed.dialects[0] if parsed.dialects else None
        self._spent = self._usage()
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
        usage = self._usage()
        return {"action": action.model_dump(mode="json"), "usage": {k: v - self._spent.get(k, 0.0) for k, v in usage.items()}}, []

    def _guarded(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except AgentUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the agent call's border
            raise AgentError(f"the agent raised {type(error).__name__}: {error}", detail=traceback.format_exc()[-4000:]) from None

    def _usage(self) -> dict[str, float]:
        usage = self._guarded(lambda: getattr(self.agent, "usage", None))
        if not isinstance(usage, dict):
            return {}
        return {str(name): float(value) for name, value in usage.items() if isinstance(value, (int, float)) and math.isfinite(value)}

    def close(self) -> None:
        if callable(close := getattr(self.agent, "close", None)):
            close()


if __name__ == "__main__":
    run_child(AgentWorker())
