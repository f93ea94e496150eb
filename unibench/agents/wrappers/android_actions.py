"""AndroidWorld's ``JSONAction`` in the canonical union, as upstream's actuation does it (android_world/env/actuation.py, main of 2026)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unibench.actions import Action, Answer, Back, Click, DoubleClick, Home, Key, LongPress, Native, OpenApp, Point, Swipe, Type, Wait
from unibench.errors import AgentError

if TYPE_CHECKING:
    from unibench.agents.wrappers.android_world import EnvFacade

DIALECT = "android_world"
"""AndroidWorld's own JSON actions, where the suite speaks them; the canonical union else."""


@dataclass(frozen=True)
class BoundingBox:
    """As upstream's (env/representation_utils.py); pixels."""

    x_min: float
    x_max: float
    y_min: float
    y_max: float

    @property
    def center(self) -> tuple[float, float]:
        return (self.x_min + self.x_max) / 2.0, (self.y_min + self.y_max) / 2.0

    @property
    def width(self) -> float:
        return self.x_max - self.x_min

    @property
    def height(self) -> float:
        return self.y_max - self.y_min

    @property
    def area(self) -> float:
        return self.width * self.height


def translate(action: Any, env: EnvFacade) -> Iterator[Action]:
    """Upstream's ``JSONAction`` (by its attributes) as actions, done as upstream's actuation does them.

    Raises:
        AgentError: it is none that this suite can do.
    """
    kind = getattr(action, "action_type", None)
    if kind == "answer":
        env.interaction_cache = str(action.text)
        yield Answer(text=str(action.text or ""))
    elif kind == "status":
        # It does nothing upstream either; what the agent says by it counts when its step is done.
        env.infeasible = getattr(action, "goal_status", None) == "infeasible"
    elif DIALECT in env.dialects:
        yield Native(dialect=DIALECT, code=_json(action))
    else:
        yield from _canonical(str(kind), action, env)


def _json(action: Any) -> str:
    return json.dumps({name: value for name, value in vars(action).items() if value is not None}, separators=(",", ":"))


def _canonical(kind: str, action: Any, env: EnvFacade) -> Iterator[Action]:
    match kind:
        case "click":
            yield Click(target=_point(action, env))
        case "double_tap":
            yield DoubleClick(target=_point(action, env))
        case "long_press":
            yield LongPress(target=_point(action, env))
        case "input_text":
            if action.clear_text:
                raise AgentError("input_text with clear_text needs a suite that speaks 'android_world'")
            if action.text:
                placed = action.index is not None or action.x is not None
                yield Type(text=action.text, target=_point(action, env) if placed else None)
                yield Key(key="Enter")  # as upstream's actuation does
        case "keyboard_enter":
            yield Key(key="Enter")
        case "navigate_back":
            yield Back()
        case "navigate_home":
            yield Home()
        case "open_app":
            yield OpenApp(name=action.app_name or "")
        case "scroll":
            yield _swipe(_box(action, env), {"down": "up", "up": "down", "left": "right", "right": "left"}.get(action.direction, ""))
        case "swipe":
            yield _swipe(BoundingBox(0, env.screen[0], 0, env.screen[1]), action.direction, whole=True)
        case "wait":
            yield Wait(seconds=1.0)
        case _:
            raise AgentError(f"execute_action got the action type {kind!r}, which is none of AndroidWorld's")


def _box(action: Any, env: EnvFacade) -> BoundingBox:
    # Upstream's actuation, too, takes index 0 of a scroll for none.
    element = _element(action.index, env) if action.index else None
    width, height = env.screen
    if element is None:
        return BoundingBox(0, width, 0, height)
    return BoundingBox(max(element.x_min, 0), min(element.x_max, width), max(element.y_min, 0), min(element.y_max, height))


def _swipe(box: BoundingBox, finger: str, *, whole: bool = False) -> Swipe:
    """A finger's way: from the middle of a box to its edge, or from edge to edge."""
    (x, y) = box.center
    ends = {"up": (x, box.y_min), "down": (x, box.y_max), "left": (box.x_min, y), "right": (box.x_max, y)}
    if finger not in ends:
        raise AgentError(f"the direction {finger!r} is none of up, down, left and right")
    back = {"up": "down", "down": "up", "left": "right", "right": "left"}[finger]
    start, end = (ends[back] if whole else (x, y)), ends[finger]
    return Swipe(start=Point(x=start[0], y=start[1]), end=Point(x=end[0], y=end[1]), seconds=0.5 if whole else 0.3)


def _point(action: Any, env: EnvFacade) -> Point:
    if action.index is not None:
        x, y = _element(action.index, env).center
        return Point(x=x, y=y)
    if action.x is None or action.y is None:
        raise AgentError(f"the {action.action_type} names neither an index nor a place")
    return Point(x=float(action.x), y=float(action.y))


def _element(index: int, env: EnvFacade) -> BoundingBox:
    elements = env.get_state().ui_elements
    if not 0 <= index < len(elements) or elements[index].bbox_pixels is None:
        raise AgentError(f"there is no element {index} with a place on the screen; there are {len(elements)} elements")
    box = elements[index].bbox_pixels
    assert box is not None
    return box
