"""Finds and makes the agent that a user names, wrapped if it speaks another benchmark's interface."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from collections.abc import Callable
from typing import Any

from unibench.agents.builtin import BUILTIN, GOLDEN
from unibench.agents.wrappers.agentlab import AgentLabAgent
from unibench.agents.wrappers.android_world import AndroidWorldAgent, EnvFacade
from unibench.agents.wrappers.common import takes
from unibench.agents.wrappers.osworld import OSWorldAgent
from unibench.errors import UnibenchError, UnknownName, UsageError


def load_agent(name: str, arguments: dict[str, Any]) -> Any:
    """A built-in agent by its name, or ``module:Class`` (or ``module:function``) from the Python path or this folder.

    What has no ``act`` but ``get_action``, ``predict`` or ``step`` is wrapped; see :mod:`unibench.agents.wrappers`.

    Raises:
        UsageError: it cannot be imported, or does not take these arguments, or is no agent.
    """
    made = _found(name)
    env = EnvFacade() if _wants_env(made) else None

    def make() -> Any:
        if env is not None:
            return made(env, **arguments)
        return made(**arguments) if isinstance(made, type) or arguments or _is_factory(made) else made

    try:
        return _wrapped(name, make(), make, env)
    except UnibenchError:
        raise
    except TypeError as error:
        raise UsageError(f"the agent {name} does not take these arguments: {error}") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the agent call's border
        raise UsageError(f"the agent {name} does not start: {type(error).__name__}: {error}", detail=traceback.format_exc()) from None


def _found(name: str) -> Callable[..., Any]:
    if ":" not in name:
        if name not in BUILTIN:
            raise UnknownName.among("built-in agent", name, [*BUILTIN, GOLDEN], hint="(an agent of yours is MODULE:CLASS)")
        return BUILTIN[name]
    module, _, attribute = name.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the agent call's border: its module may raise anything
        missing = isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]
        mend = "; it is looked for in the current folder and on PYTHONPATH (PYTHONPATH=examples/agents, say)" if missing else ""
        raise UsageError(f"the agent {name} cannot be imported: {error}{mend}", detail=traceback.format_exc()) from None
    return found


def _is_factory(made: Any) -> bool:
    """Whether it is a function that makes an agent: it takes no observation."""
    return inspect.isfunction(made) and takes(made) and not takes(made, None)


def _wants_env(made: Any) -> bool:
    """Whether it is AndroidWorld's kind: its first argument is the environment."""
    if not callable(made) or callable(getattr(made, "act", None)):
        return False
    try:
        return next(iter(inspect.signature(made).parameters), "") == "env"
    except (TypeError, ValueError):
        return False


def _wrapped(name: str, agent: Any, make: Callable[[], Any], env: EnvFacade | None) -> Any:
    if _has(agent, "act"):
        return agent
    if env is not None:
        if not _has(agent, "step"):
            raise UsageError(f"the agent {name} takes an env, as AndroidWorld's agents do, but has no step(goal)")
        return AndroidWorldAgent(agent, env)
    if _has(agent, "make_agent"):
        return AgentLabAgent(agent.make_agent, arguments=agent)
    if _has(agent, "get_action"):
        return AgentLabAgent(make, first=agent)
    if _has(agent, "predict"):
        return OSWorldAgent(agent)
    if callable(agent):
        return agent
    known = "act(observation), and none of get_action (AgentLab), predict (OSWorld) and step with an env argument (AndroidWorld)"
    raise UsageError(f"the agent {name} has no {known}; and it is no function")


def _has(agent: Any, method: str) -> bool:
    return callable(getattr(agent, method, None))
