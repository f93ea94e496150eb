"""Gymnasium spaces that can hold and sample what GUI environments need.

Gymnasium's own ``Text`` cannot hold a space character by default and takes seconds to sample long strings.
"""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Space, spaces

from unibench import actions
from unibench.errors import UnsupportedAction
from unibench.suite import Offers

_PRINTABLE = np.array(list(string.ascii_letters + string.digits + " .,-_/:"))


class Unicode(Space[str]):
    """Any string. Samples are short and printable."""

    def __init__(self, max_sample: int = 32, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)
        self.max_sample = max_sample

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        length = int(self.np_random.integers(0, self.max_sample + 1))
        return "".join(self.np_random.choice(_PRINTABLE, size=length))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "Unicode()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode)

    __hash__ = None  # type: ignore[assignment]


class Json(Space[Any]):
    """Any JSON value. Samples are small objects."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return {"sample": int(self.np_random.integers(0, 1000))}

    def contains(self, x: Any) -> bool:
        try:
            json.dumps(x)
        except (TypeError, ValueError):
            return False
        return True

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "Json()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Json)

    __hash__ = None  # type: ignore[assignment]


class ActionSpace(Space[Any]):
    """The actions that a suite takes: :data:`unibench.actions.Action`, mappings of the same form, strings of its native dialect.

    Args:
        offers: what the suite takes; samples are canonical actions on points of its screen that end no episode.
    """

    def __init__(self, offers: Offers, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)
        self.offers = offers

    @property
    def dialect(self) -> str | None:
        """The native dialect that plain strings are taken to be."""
        return self.offers.dialects[0] if self.offers.dialects else None

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        names = sorted(set(_SAMPLERS) & set(self.offers.actions))
        return _SAMPLERS[self.pick(names)](self)

    def contains(self, x: Any) -> bool:
        try:
            action = actions.parse_action(x, dialect=self.dialect)
        except UnsupportedAction:
            return False
        if isinstance(action, actions.Native):
            return action.dialect in self.offers.dialects
        return action.type in self.offers.actions

    def point(self) -> actions.Point:
        """A random point of the screen."""
        width, height = self.offers.screen
        return actions.Point(x=int(self.np_random.integers(0, width)), y=int(self.np_random.integers(0, height)))

    def pick(self, values: Sequence[Any]) -> Any:
        return values[int(self.np_random.integers(0, len(values)))]

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"ActionSpace({', '.join(self.offers.actions)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ActionSpace) and other.offers == self.offers

    __hash__ = None  # type: ignore[assignment]


_SAMPLERS: dict[str, Any] = {
    "click": lambda space: actions.Click(target=space.point()),
    "double_click": lambda space: actions.DoubleClick(target=space.point()),
    "move": lambda space: actions.Move(target=space.point()),
    "drag": lambda space: actions.Drag(start=space.point(), end=space.point()),
    "swipe": lambda space: actions.Swipe(start=space.point(), end=space.point()),
    "scroll": lambda space: actions.Scroll(dy=int(space.pick([-100, 100]))),
    "type": lambda space: actions.Type(text=space.pick(["a", "1", "hello", "two words"])),
    "key": lambda space: actions.Key(key=space.pick(["Enter", "Tab", "Escape", "ArrowDown"])),
}


def observation_space(offers: Offers, names: Sequence[str]) -> spaces.Dict:
    """The space of the named observations: images as uint8 (height, width, 3), texts, JSON values."""
    width, height = offers.screen
    parts: dict[str, Space[Any]] = {}
    for name in names:
        kind = offers.observations[name]
        if kind == "image":
            parts[name] = spaces.Box(low=0, high=255, shape=(height, width, 3), dtype=np.uint8)
        else:
            parts[name] = Unicode() if kind == "text" else Json()
    return spaces.Dict(parts)
