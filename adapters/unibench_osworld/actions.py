"""Canonical actions as pyautogui code, and what of upstream's two languages needs looking at before it is sent.

The machine's screen is the screenshot, pixel for pixel, so points need no scaling. There are no element refs: upstream's
accessibility tree names none that could be acted on.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from unibench.actions import (
    Action,
    Answer,
    Click,
    Done,
    DoubleClick,
    Drag,
    Element,
    Hotkey,
    Infeasible,
    Key,
    LongPress,
    Move,
    Native,
    Point,
    Scroll,
    Target,
    Type,
    Wait,
)
from unibench.errors import UnsupportedAction

NOTCH = 50.0
"""Pixels that one notch of the wheel is taken to scroll; LibreOffice and Chromium scroll about this much."""
SPECIAL = ("WAIT", "FAIL", "DONE")
"""Upstream's special actions (``desktop_env.py``, ``step``); WAIT sleeps as long as the pause."""

DOM_KEYS = {
    "Enter": "enter", "Tab": "tab", "Escape": "esc", "Backspace": "backspace", "Delete": "delete", "Insert": "insert", " ": "space",
    "ArrowUp": "up", "ArrowDown": "down", "ArrowLeft": "left", "ArrowRight": "right", "Home": "home", "End": "end",
    "PageUp": "pageup", "PageDown": "pagedown", "Control": "ctrl", "Shift": "shift", "Alt": "alt", "AltGraph": "altright",
    "Meta": "win", "CapsLock": "capslock", "PrintScreen": "printscreen", "ContextMenu": "apps", "Pause": "pause",
    **{f"F{n}": f"f{n}" for n in range(1, 25)},
}  # fmt: skip


class CannotDo(Exception):
    """The action has no effect here; the message goes to the agent."""


@dataclass(frozen=True)
class Order:
    """What an action comes to.

    Attributes:
        dialect, code: what is sent to the machine; empty code if nothing is.
        said: upstream's word for it in the action history: the code, or WAIT, FAIL, DONE.
        ends: it ends the episode.
        wait: seconds to sleep; None for upstream's pause.
    """

    dialect: Literal["pyautogui", "computer_13"] = "pyautogui"
    code: str = ""
    said: str = ""
    ends: bool = False
    wait: float | None = 0.0


def order(action: Action, screen: tuple[int, int]) -> Order:
    """What to do for an action.

    Raises:
        CannotDo: the action makes no sense here; the agent is told.
        UnsupportedAction: the suite has no such kind of action.
    """
    match action:
        case Done():
            return Order(said="DONE", ends=True)
        case Infeasible():
            return Order(said="FAIL", ends=True)
        case Wait(seconds=seconds):
            return Order(said="WAIT", wait=seconds)
        case Answer():
            return Order(said="")
        case Native(dialect="pyautogui", code=code):
            return _special(code.strip()) or Order(code=code, said=code)
        case Native(dialect="computer_13", code=code):
            return _computer_13(code)
        case Native(dialect=dialect):
            raise UnsupportedAction(f"no native dialect {dialect!r}; there is pyautogui, computer_13")
    code = _code(action, screen)
    return Order(code=code, said=code)


def _special(word: str) -> Order | None:
    if word not in SPECIAL:
        return None
    return Order(said=word, ends=word != "WAIT", wait=None if word == "WAIT" else 0.0)


def _computer_13(code: str) -> Order:
    try:
        value = json.loads(code)
    except ValueError:
        special = _special(code.strip())
        if special is not None:
            return special
        raise CannotDo(f"no computer_13 action: {code[:80]!r} is no JSON object with an action_type") from None
    if not isinstance(value, dict) or not isinstance(value.get("action_type"), str):
        raise CannotDo("a computer_13 action is a JSON object with an action_type")
    special = _special(value["action_type"])
    return special or Order(dialect="computer_13", code=json.dumps(value), said=json.dumps(value))


def _at(target: Target, screen: tuple[int, int]) -> str:
    if isinstance(target, Element):
        raise CannotDo("a desktop has no element refs; give a point of the screenshot")
    x, y = _pixels(target, screen)
    return f"{x}, {y}"


def _pixels(point: Point, screen: tuple[int, int]) -> tuple[int, int]:
    x, y = round(point.x), round(point.y)
    if not (0 <= x < screen[0] and 0 <= y < screen[1]):
        raise CannotDo(f"({point.x:g}, {point.y:g}) is not on the screen of {screen[0]}x{screen[1]} pixels")
    return x, y


def _code(action: Action, screen: tuple[int, int]) -> str:
    match action:
        case Click(target=target, button=button):
            return f"pyautogui.click({_at(target, screen)}, button={button!r})"
        case DoubleClick(target=target):
            return f"pyautogui.doubleClick({_at(target, screen)})"
        case Move(target=target):
            return f"pyautogui.moveTo({_at(target, screen)})"
        case Drag(start=start, end=end):
            return f"pyautogui.moveTo({_at(start, screen)}); pyautogui.dragTo({_at(end, screen)}, duration=0.5, button='left')"
        case LongPress(target=target, seconds=seconds):
            return f"pyautogui.moveTo({_at(target, screen)}); pyautogui.mouseDown(); time.sleep({seconds:g}); pyautogui.mouseUp()"
        case Scroll(target=target, dx=dx, dy=dy):
            return "; ".join([*([f"pyautogui.moveTo({_at(target, screen)})"] if target else []), *_wheel(dx, dy)])
        case Type(text=text, target=target):
            return "; ".join([*([f"pyautogui.click({_at(target, screen)})"] if target else []), *_typed(text)])
        case Key(key=key):
            return f"pyautogui.press({_key(key)!r})"
        case Hotkey(keys=keys):
            return f"pyautogui.hotkey({', '.join(repr(_key(key)) for key in keys)})"
    raise UnsupportedAction(f"a desktop takes no action of type {action.type!r}")


def _wheel(dx: float, dy: float) -> list[str]:
    """pyautogui's wheel counts notches, up and right positive."""
    turns = []
    if dy:
        turns.append(f"pyautogui.scroll({-_notches(dy)})")
    if dx:
        turns.append(f"pyautogui.hscroll({_notches(dx)})")
    return turns


def _notches(pixels: float) -> int:
    whole = round(pixels / NOTCH)
    return whole or (1 if pixels > 0 else -1)


def _typed(text: str) -> list[str]:
    """Typing, in parts: pyautogui types no ``<`` (it comes out as ``>``) and nothing beyond ASCII, which is pasted."""
    if not text.isascii():
        return [f"import pyperclip; pyperclip.copy({text!r})", "pyautogui.hotkey('ctrl', 'v')"]
    orders: list[str] = []
    for number, part in enumerate(text.split("<")):
        if number:
            orders.append("pyautogui.hotkey('shift', ',')")
        if part:
            orders.append(f"pyautogui.write({part!r})")
    return orders


def _key(name: str) -> str:
    """A DOM key name as pyautogui's."""
    if name in DOM_KEYS:
        return DOM_KEYS[name]
    if len(name) == 1 and name.isascii() and name.isprintable():
        return name
    raise CannotDo(f"no key {name!r}; keys have DOM names (Enter, ArrowDown, Control, a)")
