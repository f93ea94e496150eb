"""Tasks, the instances drawn from them, and what an agent is told."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pydantic import Field, JsonValue

from unibench.record import Record, digest


class Budget(Record):
    """What an episode may use; None is without bound.

    Attributes:
        steps: the agent's actions.
        seconds: wall-clock time of the episode, from the first look to the end.
        cost: what the agent may spend, in the unit of the ``cost`` that it reports (US dollars, usually).
    """

    steps: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, gt=0)
    cost: float | None = Field(default=None, gt=0)


class Task(Record):
    """A task definition; ``id`` is unique in its suite.

    Attributes:
        instruction: the instruction, or its template where instances differ.
        after: ids of tasks that must have run before on the same machine.
        human_steps: how many actions a human needs, where upstream says so. Agents are not told.
    """

    suite: str
    id: str
    instruction: str
    budget: Budget = Budget()
    tags: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    human_steps: int | None = Field(default=None, ge=1)


class InstanceSpec(Record):
    """One drawn instance, complete enough to draw it again: pairing, ledger and replay key on its digest."""

    suite: str
    task: str
    seed: int
    index: int = Field(default=0, ge=0)
    params: dict[str, JsonValue] = {}

    @cached_property
    def digest(self) -> str:
        return digest(self)


class Text(Record):
    type: Literal["text"] = "text"
    text: str


class Image(Record):
    """An image of the goal, as a data URL."""

    type: Literal["image"] = "image"
    url: str


class Brief(Record):
    """All that an agent is told before it acts. Never parameters, expected values or the verifier.

    Attributes:
        goal: text and images, in order.
        actions: the canonical kinds of action that the suite takes.
        dialects: the native dialects it takes.
        observations: what can be asked for.
        screen: width and height in pixels of the unscaled screenshot; points are in these pixels.
    """

    suite: str
    task: str
    goal: tuple[Text | Image, ...]
    actions: tuple[str, ...]
    dialects: tuple[str, ...] = ()
    observations: tuple[str, ...]
    screen: tuple[int, int]
    budget: Budget = Budget()

    @property
    def text(self) -> str:
        """The goal's text parts, joined by newlines."""
        return "\n".join(part.text for part in self.goal if isinstance(part, Text))


class Instance(Record):
    """A spec brought to life: the goal as worded now, and a digest of the initial state."""

    spec: InstanceSpec
    brief: Brief
    initial_state: str | None = None
