"""A hand's recorded inputs as an agent's actions: the canonical ones where they say the same, BrowserGym's own else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, takewhile

from unibench.actions import Action, Click, DoubleClick, Hotkey, Key, Move, Native, Point, Scroll, Type, Wait
from unibench.golden.control import RecipeFailed
from unibench_browsergym.actions import MAX_CALLS, MAX_TEXT
from unibench_browsergym.miniwob import SCALE
from unibench_golden_checks.miniwob.hand import Step

SLACK_SECONDS = 0.3
"""Waited longer than the recording took, where it waited for something to happen."""
MAX_WAIT = 15.0


def as_actions(steps: Sequence[Step], waited: Mapping[int, float]) -> list[Action]:
    """The actions that play recorded inputs once more.

    What is done while a button or key is held down is told in BrowserGym's own language, several calls an action.

    Args:
        steps: a :class:`Hand`'s record, points in CSS pixels of the viewport.
        waited: how many seconds each of its ``wait_until`` took, by place.

    Raises:
        RecipeFailed: an input is no action.
    """
    parts = groupby(_placed(steps, waited), key=lambda each: each[0])
    return [action for held, part in parts for action in (_held if held else _plain)([step for _, step in part])]


def _placed(steps: Sequence[Step], waited: Mapping[int, float]) -> Iterator[tuple[bool, Step]]:
    """Each step with points in the screenshot's pixels, waits in seconds and buttons' places, and whether something is held down."""
    held: set[str] = set()
    at = (0.0, 0.0)
    for place, (kind, *arguments) in enumerate(steps):
        released = ""
        match kind, arguments:
            case "move", [x, y]:
                at = (x * SCALE, y * SCALE)
                arguments = [*at]
            case "wheel", [dx, dy]:
                # BrowserGym scales what the wheel turns as it does places (core/action/functions.py, 0.14.3).
                arguments = [dx * SCALE, dy * SCALE]
            case "wait", [milliseconds]:
                arguments = [milliseconds / 1000]
            case "wait_until", _:
                kind, arguments = "wait", [waited.get(place, 0.0) + SLACK_SECONDS]
            case "down" | "keydown", [what]:
                held.add(what)
            case "up" | "keyup", [what]:
                released = what
        if kind in ("down", "up", "click"):
            arguments = [*arguments, *at]
        yield bool(held), [kind, *arguments]
        held.discard(released)


def _plain(steps: Sequence[Step]) -> Iterator[Action]:
    """Inputs with nothing held down. A move that only leads to a click is part of the click."""
    for place, (kind, *arguments) in enumerate(steps):
        match kind, arguments:
            case "move", [x, y]:
                follows = steps[place + 1][0] if place + 1 < len(steps) else ""
                if follows != "click":
                    yield Move(target=Point(x=x, y=y))
            case "click", [button, 1, x, y]:
                yield Click(target=Point(x=x, y=y), button=button)
            case "click", ["left", 2, x, y]:
                yield DoubleClick(target=Point(x=x, y=y))
            case "wheel", [dx, dy]:
                yield Scroll(dx=dx, dy=dy)
            case "type", [text]:
                for start in range(0, len(text), MAX_TEXT):
                    yield Type(text=text[start : start + MAX_TEXT])
            case "press", [key]:
                keys = tuple(key.split("+")) if len(key) > 1 else (key,)
                yield Hotkey(keys=keys) if len(keys) > 1 else Key(key=key)
            case "wait", _:
                if place == 0 or steps[place - 1][0] != "wait":
                    yield from _waits(sum(step[1] for step in takewhile(lambda step: step[0] == "wait", steps[place:])))
            case _:
                raise RecipeFailed(f"the input {kind} {arguments} is no action")


def _waits(seconds: float) -> Iterator[Action]:
    while seconds > 0:
        yield Wait(seconds=round(min(seconds, MAX_WAIT), 3))
        seconds -= MAX_WAIT


def _held(steps: Sequence[Step]) -> Iterator[Action]:
    """Inputs from a button's or key's going down to its coming up, as BrowserGym's calls."""
    calls = [_call(*step) for step in steps]
    for start in range(0, len(calls), MAX_CALLS):
        yield Native(dialect="browsergym", code="\n".join(calls[start : start + MAX_CALLS]))


def _call(kind: str, *arguments: object) -> str:
    match kind, arguments:
        case "move", (x, y):
            return f"mouse_move({x}, {y})"
        case "down", (button, x, y):
            return f"mouse_down({x}, {y}, {button!r})"
        case "up", (button, x, y):
            return f"mouse_up({x}, {y}, {button!r})"
        case "click", (button, 1, x, y):
            return f"mouse_click({x}, {y}, {button!r})"
        case "keydown", (key,):
            return f"keyboard_down({key!r})"
        case "keyup", (key,):
            return f"keyboard_up({key!r})"
        case "press", (key,):
            return f"keyboard_press({key!r})"
        case "type", (text,):
            return f"keyboard_type({text!r})"
        case "wheel", (dx, dy):
            return f"scroll({dx}, {dy})"
        case "wait", (float() as seconds,):
            return f"noop({seconds * 1000:.0f})"
    raise RecipeFailed(f"the input {kind} {arguments} is no action")
