"""Built-in agents: the floor that any real agent must beat, and one that plays a script."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from unibench.actions import Action, Answer, Click, Done, Infeasible, Key, Point, Scroll, Type
from unibench.agents import AgentUnavailable, no_op
from unibench.errors import UsageError
from unibench.observations import Observation
from unibench.task import Brief


class Idle:
    """Does nothing until the budget ends: waits, or where the suite has no such action, turns the wheel by 0 or types no text."""

    def reset(self, brief: Brief) -> None:
        self._nothing = no_op(brief)

    def act(self, observation: Observation) -> Action:
        return self._nothing


class ClaimsDone:
    """Says at once that it is done."""

    def act(self, observation: Observation) -> Action:
        return Done()


class ClaimsInfeasible:
    """Says at once that the task cannot be done."""

    def act(self, observation: Observation) -> Action:
        return Infeasible(reason="this task cannot be done")


class RandomAgent:
    """Clicks, types, presses keys and scrolls at random, as far as the suite has these; the same way for the same goal and seed.

    Args:
        seed: another seed, other actions.
    """

    WEIGHTS: ClassVar = {"click": 6, "type": 2, "key": 1, "scroll": 1}

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed
        self._random = Random(seed)
        self._screen = (1, 1)
        self._kinds: set[str] = set()

    def reset(self, brief: Brief) -> None:
        self._random = Random(f"{self._seed}/{brief.suite}/{brief.task}/{brief.text}")
        self._screen = brief.screen
        self._kinds = self.WEIGHTS.keys() & set(brief.actions)
        if not self._kinds:
            raise AgentUnavailable(f"{brief.suite} has none of click, type, key and scroll; it has {', '.join(brief.actions)}")

    def act(self, observation: Observation) -> Action:
        point = Point(x=self._random.randrange(self._screen[0]), y=self._random.randrange(self._screen[1]))
        choices: list[Action] = [
            Click(target=point),
            Type(text=self._random.choice(["a", "1", "hello"])),
            Key(key=self._random.choice(["Enter", "Tab"])),
            Scroll(dy=self._random.choice([-100.0, 100.0])),
        ]
        offered = [each for each in choices if each.type in self._kinds]
        return self._random.choices(offered, weights=[self.WEIGHTS[each.type] for each in offered])[0]


class Scripted:
    """Plays the actions that a file lists for each task, then says that it is done.

    Args:
        path: a JSON file: ``{"click-test": ["click('13')"], …}``; actions are mappings or native strings.
    """

    def __init__(self, path: str) -> None:
        try:
            self._scripts: dict[str, list[Any]] = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(f"the script {path} cannot be read: {error}") from None
        if not isinstance(self._scripts, dict) or not all(isinstance(each, list) for each in self._scripts.values()):
            raise UsageError(f"the script {path} is no mapping of task names to lists of actions")
        self._left: list[Any] = []

    def reset(self, brief: Brief) -> None:
        self._left = list(self._scripts.get(brief.task, []))

    def act(self, observation: Observation) -> Any:
        return self._left.pop(0) if self._left else Done()


class Answers:
    """Gives one answer and says that it is done.

    Args:
        text: the answer.
    """

    def __init__(self, text: str = "") -> None:
        self._left: list[Action] = []
        self._text = text

    def reset(self, brief: Brief) -> None:
        self._left = [Answer(text=self._text), Done()]

    def act(self, observation: Observation) -> Action:
        return self._left.pop(0)


BUILTIN: dict[str, type[Any]] = {
    "idle": Idle,
    "claims-done": ClaimsDone,
    "claims-infeasible": ClaimsInfeasible,
    "random": RandomAgent,
    "scripted": Scripted,
    "answers": Answers,
}

GOLDEN = "golden"
"""The built-in agent that is none of these: the supervisor plays it (``unibench.agents.golden``)."""
