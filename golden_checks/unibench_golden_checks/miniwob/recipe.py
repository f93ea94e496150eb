"""What a recipe is: how to bring one MiniWoB++ page to a right end state, and to nearly right ones.

A recipe speaks of *states*: JSON values that say, in the instruction's words, what the page shows or what was
clicked (``["alpha", "beta"]`` ticked, ``{"from": "ANC", …}`` filled in). The engine in ``controls.py`` constructs a
state by real input, reads it back from the page, judges it by ``right`` and only then commits (the last click).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from unibench_golden_checks.miniwob.hand import Hand

State = Any
"""A JSON value: what the page would say, in the instruction's words."""


class UnexpectedGoal(Exception):
    """The goal's text is not of the form that this recipe reads."""


class Recipe(ABC):
    """One task family. A fresh object serves one episode.

    Attributes:
        tasks: the BrowserGym task names it serves.
        mutations: names of the nearly right states that :meth:`mutant` can give.
        submits: whether the last input stands apart from what it submits (a Submit button): then the control
            ``submit-at-once`` exists.
        writes: what JavaScript had to write, where no user input can do it; empty for real input alone.
        timing: what the construction waits for, where time matters; empty otherwise.
        live: why the same inputs played once more need not do the same; empty if they do.
    """

    tasks: ClassVar[tuple[str, ...]] = ()
    mutations: ClassVar[tuple[str, ...]] = ()
    submits: ClassVar[bool] = True
    writes: ClassVar[str] = ""
    timing: ClassVar[str] = ""
    live: ClassVar[str] = ""

    def __init__(self, hand: Hand, goal: str) -> None:
        self.hand = hand
        self.goal = goal
        self.wanted: State = None

    def prepare(self) -> State:
        """Works out the wanted state once, from the untouched page."""
        self.wanted = self.want()
        return self.wanted

    @abstractmethod
    def want(self) -> State:
        """The right end state, from the goal's words and what the page shows."""

    def right(self, state: State) -> bool:
        """Whether a state that was read back is right by the instruction's words."""
        return bool(state == self.wanted)

    def mutant(self, name: str) -> State | None:
        """A nearly right state that is wrong by the instruction's words; None where the instance has none."""
        return None

    @abstractmethod
    def construct(self, state: State) -> None:
        """Brings the page to the state by real input, up to but without the last one."""

    @abstractmethod
    def read(self) -> State:
        """What the page says now, before the last input."""

    @abstractmethod
    def commit(self) -> None:
        """The last input: Submit, or the decisive click."""

    def match(self, pattern: str) -> re.Match[str]:
        """The goal matched against a pattern, anywhere.

        Raises:
            UnexpectedGoal: the goal is of another form.
        """
        found = re.search(pattern, self.goal)
        if found is None:
            raise UnexpectedGoal(f"the goal {self.goal!r} does not look like {pattern!r}")
        return found


class ClickOne(Recipe):
    """Tasks that one click on one of several things decides.

    The state is what the pointer is on, read back from the page before the button goes down.
    """

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("other-target",)
    candidates: ClassVar[str] = ""
    """A CSS selector of everything that could be clicked."""

    def labels(self) -> list[str]:
        """What tells the candidates apart, in document order."""
        return self.hand.texts(self.candidates)

    def mutant(self, name: str) -> State | None:
        return next((label for label in self.labels() if label != self.wanted), None)

    def construct(self, state: State) -> None:
        self.hand.point_at(self.candidates, self.labels().index(state))

    def read(self) -> State:
        index = self.hand.read(
            """([s, x, y]) => { const hit = document.elementFromPoint(x, y);
               return [...document.querySelectorAll(s)].findIndex(e => e === hit || e.contains(hit)) }""",
            [self.candidates, *self.hand.at],
        )
        return None if index < 0 else self.labels()[index]

    def commit(self) -> None:
        self.hand.press_button()


RECIPES: dict[str, type[Recipe]] = {}
"""Task name (``click-button``) to recipe."""


def recipe(*tasks: str) -> Callable[[type[Recipe]], type[Recipe]]:
    """Registers a recipe class for the named tasks."""

    def register(cls: type[Recipe]) -> type[Recipe]:
        for task in tasks:
            if task in RECIPES:
                raise ValueError(f"two recipes for {task}: {RECIPES[task].__name__} and {cls.__name__}")
            RECIPES[task] = cls
        cls.tasks = tasks
        return cls

    return register


def quoted(goal: str) -> str:
    """The text between the outermost double quotes."""
    found = re.search(r'"(.*)"', goal)
    if found is None:
        raise UnexpectedGoal(f"the goal {goal!r} quotes nothing")
    return found.group(1)


def others(all_of_them: list[str], but: object) -> Iterator[str]:
    """The values other than one (or than those of a list), in order."""
    skip = but if isinstance(but, list) else [but]
    return (value for value in all_of_them if value not in skip)
