"""AgentLab's and BrowserGym's agents: ``get_action(obs) -> (action, agent_info)`` in BrowserGym's action language.

The observation is what BrowserGym's environment gives (browsergym/core/env.py ``_get_obs``, 0.14.3), put through the agent's own
``obs_preprocessor`` (browsergym/experiments/agent.py). As upstream's loop does (agentlab/experiments/loop.py, 0.4.2), each
episode has a fresh agent, and an action of None ends it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from unibench.actions import Action, Done, Native
from unibench.agents.wrappers.common import describe, numbers, pixels
from unibench.errors import AgentError, UsageError
from unibench.observations import Observation
from unibench.task import Brief, Text

_GREETING = "Hi! I am your UI assistant, I can perform web tasks for you. What can I help you with?"
"""The chat's first message in every episode upstream; agents count on the second being the goal."""


class AgentLabAgent:
    """One of AgentLab's agents as unibench's.

    Args:
        make: makes a fresh agent.
        first: one that has been made already.
        arguments: AgentLab's ``AgentArgs``, whose ``prepare`` and ``close`` are called at the start and the end.
    """

    dialect = "browsergym"
    observe = (
        "screenshot", "axtree_object", "dom_object", "extra_element_properties", "url", "focused?", "last_action_error?",
        "open_pages_urls?", "open_pages_titles?", "active_page_index?",
    )  # fmt: skip

    def __init__(self, make: Callable[[], Any], *, first: Any = None, arguments: Any = None) -> None:
        self._make = make
        self._arguments = arguments
        if callable(prepare := getattr(arguments, "prepare", None)):
            prepare()
        self._agent = self._fresh = first if first is not None else make()
        if not callable(getattr(self._agent, "get_action", None)):
            raise UsageError(f"make_agent() of {type(arguments).__name__} gives no agent with get_action(obs)")
        _check_action_set(self._agent)
        self.usage: dict[str, float] = {}
        self._messages: list[dict[str, Any]] = []
        self._goal: list[dict[str, Any]] = []
        self._last_action = ""
        self._started = 0.0

    def describe(self) -> dict[str, Any]:
        # What AgentLab's AgentArgs and BaseModelArgs say (agentlab/llm/base_api.py); never all of them, for some hold keys.
        model = getattr(self._arguments, "chat_model_args", None) or getattr(self._agent, "chat_model_args", None)
        known = [(self._arguments, "agent_name"), (model, "model_name"), (model, "temperature"), (model, "max_new_tokens")]
        said = {name: getattr(source, name, None) for source, name in known}
        return {**{name: each for name, each in said.items() if isinstance(each, (str, int, float))}, **describe("agentlab", self._agent)}

    def reset(self, brief: Brief) -> None:
        self._agent, self._fresh = self._fresh if self._fresh is not None else self._make(), None
        self._last_action = ""
        self._started = time.time()
        self._goal = [
            {"type": "text", "text": part.text} if isinstance(part, Text) else {"type": "image_url", "image_url": {"url": part.url}}
            for part in brief.goal
        ]
        self._messages = [_message("assistant", _GREETING)]
        for part in self._goal:
            text = part["type"] == "text"
            self._messages.append(_message("user" if text else "user_image", part["text"] if text else part["image_url"]["url"]))

    def act(self, observation: Observation) -> Action:
        seen = self._seen(observation)
        prepare = getattr(self._agent, "obs_preprocessor", None)
        given = self._agent.get_action(prepare(seen) if callable(prepare) else seen)
        if not isinstance(given, tuple) or len(given) != 2:
            raise AgentError(f"get_action gave {type(given).__name__}, not (action, agent_info)")
        action, info = given
        self._count(info)
        if action is None:
            return Done()
        if not isinstance(action, str):
            raise AgentError(f"get_action gave an action of type {type(action).__name__}, not BrowserGym's text")
        self._last_action = action
        return Native(dialect=self.dialect, code=action)

    def close(self) -> None:
        if callable(close := getattr(self._arguments, "close", None)):
            close()

    def _seen(self, observation: Observation) -> dict[str, Any]:
        """BrowserGym's observation. What the suite does not offer is not there, rather than made up."""
        seen: dict[str, Any] = {
            "chat_messages": tuple(self._messages),
            "goal": "\n".join(part["text"] for part in self._goal if part["type"] == "text"),
            "goal_object": tuple(self._goal),
            "url": observation["url"],
            "screenshot": pixels(observation),
            "dom_object": observation["dom_object"],
            "axtree_object": observation["axtree_object"],
            "extra_element_properties": observation["extra_element_properties"],
            "last_action": self._last_action,
            "elapsed_time": np.asarray([time.time() - self._started]),
        }
        for name in ("open_pages_urls", "open_pages_titles"):
            if name in observation:
                seen[name] = tuple(observation[name])
        if "active_page_index" in observation:
            seen["active_page_index"] = np.asarray([observation["active_page_index"]])
        if "focused" in observation:
            seen["focused_element_bid"] = observation["focused"]
        if "last_action_error" in observation:
            seen["last_action_error"] = observation["last_action_error"]
        return seen

    def _count(self, info: Any) -> None:
        """Adds up what ``agent_info.stats`` says of tokens and cost (agentlab/llm/tracking.py)."""
        stats = info.get("stats") if isinstance(info, Mapping) else getattr(info, "stats", None)
        for name, value in numbers(stats).items():
            if "token" in name or "cost" in name:
                self.usage[name] = self.usage.get(name, 0.0) + value


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "timestamp": time.time(), "message": text}


def _check_action_set(agent: Any) -> None:
    """Other action sets than BrowserGym's high-level one give Python code, which no suite runs."""
    action_set = getattr(agent, "action_set", None)
    if action_set is not None and "HighLevelActionSet" not in {cls.__name__ for cls in type(action_set).__mro__}:
        raise UsageError(f"the agent's action set is {type(action_set).__name__}; only BrowserGym's HighLevelActionSet can be played")
