"""OSWorld's agents: ``predict(instruction, obs) -> (response, actions)`` and ``reset``.

The observation is what OSWorld's environment gives (desktop_env/desktop_env.py ``_get_obs``, PyPI's desktop-env 1.0.2): the screenshot
as PNG bytes, the accessibility tree where the suite has one, the instruction. Actions are pyautogui code, ``computer_13`` mappings,
or WAIT, DONE, FAIL. One prediction may give several actions; each is a step here, while upstream counts predictions.
"""

from __future__ import annotations

import logging
from typing import Any

from unibench.actions import Action, Native
from unibench.agents import no_op
from unibench.agents.wrappers.common import describe, takes
from unibench.agents.wrappers.desktop_actions import Desktop, NotLiteral
from unibench.errors import AgentError, UsageError
from unibench.observations import Observation
from unibench.task import Brief

TREES = ("accessibility_tree", "a11y_tree", "a11y")
"""What suites call the accessibility tree's text."""


class OSWorldAgent:
    """One of OSWorld's agents as unibench's."""

    dialect = ""
    observe = ("screenshot", *(f"{name}?" for name in TREES), "terminal?")

    def __init__(self, agent: Any) -> None:
        if not takes(agent.predict, "", {}):
            raise UsageError("the agent's predict takes more than (instruction, obs), which is all that OSWorld's own loop gives")
        self._agent = agent
        self._waiting: list[Any] = []
        self._ready: list[Action] = []
        self._desktop = Desktop()
        self._brief: Brief | None = None

    @property
    def usage(self) -> Any:
        return getattr(self._agent, "usage", None)

    def describe(self) -> dict[str, Any]:
        known = {name: getattr(self._agent, name, None) for name in ("model", "temperature", "top_p", "max_tokens", "action_space")}
        said = {name: value for name, value in known.items() if isinstance(value, (str, int, float))}
        return {**said, **describe("osworld", self._agent)}

    def reset(self, brief: Brief) -> None:
        self._brief = brief
        self._waiting, self._ready = [], []
        self._desktop = Desktop()
        reset = getattr(self._agent, "reset", None)
        if callable(reset):
            # Some take no argument, some may and some must have a logger (lib_run_single.py).
            logger = logging.getLogger("unibench.agents.osworld")
            reset(logger) if takes(reset, logger) else reset()

    def act(self, observation: Observation) -> Action:
        assert self._brief is not None
        if not self._ready:
            if not self._waiting:
                self._waiting = self._predicted(observation)
            # Nothing to do is a step, too: upstream looks and predicts again.
            self._ready = (self._translated(self._waiting.pop(0)) if self._waiting else []) or [no_op(self._brief)]
        return self._ready.pop(0)

    def _predicted(self, observation: Observation) -> list[Any]:
        assert self._brief is not None
        predicted = self._agent.predict(self._brief.text, self._seen(observation))
        if not isinstance(predicted, (tuple, list)) or len(predicted) < 2:
            raise AgentError(f"predict gave {type(predicted).__name__}, not (response, actions)")
        actions = predicted[1]
        if actions is None:
            return []
        return list(actions) if isinstance(actions, (list, tuple)) else [actions]

    def _seen(self, observation: Observation) -> dict[str, Any]:
        assert self._brief is not None
        tree = next((observation[name] for name in TREES if name in observation), None)
        terminal = observation.get("terminal")
        return {
            "screenshot": observation["screenshot"].png,
            "accessibility_tree": tree,
            "terminal": terminal,
            "instruction": self._brief.text,
        }

    def _translated(self, given: Any) -> list[Action]:
        """The actions of one of the agent's.

        Raises:
            AgentError: this suite has none such.
        """
        assert self._brief is not None
        code = _code(given)
        if code is None:
            return self._desktop.from_mapping(given)
        if "pyautogui" in self._brief.dialects:
            return [Native(dialect="pyautogui", code=code)]
        try:
            return self._desktop.from_code(code)
        except NotLiteral as error:
            raise AgentError(f"{error}; this suite has no dialect 'pyautogui' that runs code") from None


def _code(given: Any) -> str | None:
    """The pyautogui code of an action; None if it is another kind."""
    if isinstance(given, str):
        return None if given.strip() in ("WAIT", "DONE", "FAIL") else given
    if isinstance(given, dict):
        return next((given[name] for name in ("command", "action") if isinstance(given.get(name), str)), None)
    return None
