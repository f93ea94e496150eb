"""What a recipe is: how to bring a phone to a task's right end state, and to nearly right ones.

A recipe speaks of *states*: JSON values that say what the phone holds (the files of a folder, the rows of a table, a setting).
The engine in ``controls.py`` makes a state by adb, reads it back, and compares it with the wanted one before the verifier is asked.

Recipes are found by the names of upstream's classes, the most derived first, so this package imports no upstream.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from unibench_golden_checks.android_world.phone import Phone

State = Any
"""A JSON value: what the phone holds."""


class UnexpectedGoal(Exception):
    """The goal's text is not of the form that this recipe reads."""


class Handle(Protocol):
    """What a recipe needs of the session's handle."""

    task: Any
    env: Any
    goal: str

    def say(self, text: str, /) -> None:
        """Gives an answer, as an agent does."""


class Recipe(ABC):
    """One family of tasks. A fresh object serves one episode.

    Attributes:
        words: whether :meth:`by_words` can be asked.
        mutations: names of the nearly right states that :meth:`mutant` can give.
        note: what a reader must know to trust or distrust the states.
    """

    words: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ()
    note: ClassVar[str] = ""

    def __init__(self, phone: Phone, handle: Handle) -> None:
        self.phone = phone
        self.handle = handle
        self.task = handle.task
        self.goal = handle.goal
        self.before: State = None

    def prepare(self) -> None:
        """Reads the initial state, before anything is made."""
        self.before = self.read()

    @abstractmethod
    def by_data(self) -> State:
        """The right end state, from the verifier's own parameters."""

    def by_words(self) -> State:
        """The right end state, from the goal's words and what the phone holds."""
        raise NotImplementedError

    def mutant(self, name: str, wanted: State) -> State | None:
        """A nearly right state that is wrong by the instruction's words; None where the instance has none."""
        return None

    @abstractmethod
    def construct(self, state: State) -> None:
        """Brings the phone from the initial state to this one."""

    @abstractmethod
    def read(self) -> State:
        """What the phone holds now."""

    def match(self, pattern: str) -> re.Match[str]:
        """The goal matched against a pattern, as a whole; a dot matches newlines.

        Raises:
            UnexpectedGoal: the goal is of another form.
        """
        found = re.fullmatch(pattern, self.goal, re.DOTALL)
        if found is None:
            raise UnexpectedGoal(f"the goal {self.goal!r} does not look like {pattern!r}")
        return found


RECIPES: dict[str, type[Recipe]] = {}
"""Name of an upstream class to recipe."""
TRUE_AT_START: set[str] = set()
"""Tasks whose goal holds from the start."""


def recipe(*classes: str, true_at_start: bool = False) -> Callable[[type[Recipe]], type[Recipe]]:
    """Registers a recipe for the named upstream classes and those derived from them."""

    def register(cls: type[Recipe]) -> type[Recipe]:
        for name in classes:
            if name in RECIPES:
                raise ValueError(f"two recipes for {name}: {RECIPES[name].__name__} and {cls.__name__}")
            RECIPES[name] = cls
            if true_at_start:
                TRUE_AT_START.add(name)
        return cls

    return register


def find(classes: list[str]) -> type[Recipe] | None:
    """The recipe of the first of these class names that has one."""
    return next((RECIPES[name] for name in classes if name in RECIPES), None)
