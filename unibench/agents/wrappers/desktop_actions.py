"""OSWorld's actions in the canonical union: ``computer_13`` mappings, and pyautogui code that is nothing but literal calls.

Nothing is executed: code is read with :mod:`ast`. Names and parameters are those of desktop_env/actions.py (PyPI's desktop-env 1.0.2)
and of pyautogui.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from unibench.actions import Action, Click, Done, DoubleClick, Drag, Hotkey, Infeasible, Key, Move, Point, Scroll, Type, Wait
from unibench.errors import AgentError

NOTCH = 100.0
"""Pixels that one click of the wheel scrolls; pyautogui counts in clicks, positive is up."""
PAUSE = 2.0
"""Seconds that WAIT waits (``DesktopEnv.step``'s default pause)."""

_KEYS = {
    "enter": "Enter", "return": "Enter", "esc": "Escape", "escape": "Escape", "tab": "Tab", "space": " ", "backspace": "Backspace",
    "delete": "Delete", "del": "Delete", "insert": "Insert", "home": "Home", "end": "End", "pageup": "PageUp", "pgup": "PageUp",
    "pagedown": "PageDown", "pgdn": "PageDown", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
    "ctrl": "Control", "ctrlleft": "Control", "ctrlright": "Control", "alt": "Alt", "altleft": "Alt", "altright": "Alt",
    "shift": "Shift", "shiftleft": "Shift", "shiftright": "Shift", "win": "Meta", "winleft": "Meta", "winright": "Meta",
    "command": "Meta", "option": "Alt", "capslock": "CapsLock", "printscreen": "PrintScreen", "\n": "Enter", "\t": "Tab",
    **{f"f{n}": f"F{n}" for n in range(1, 13)},
}  # fmt: skip


class NotLiteral(AgentError):
    """The code does more than call pyautogui with literal arguments."""


class Desktop:
    """Translates one episode's actions; it knows where the pointer was put last, since some leave the place out."""

    def __init__(self) -> None:
        self._at: Point | None = None

    # -- computer_13 -----------------------------------------------------------------------------

    def from_mapping(self, given: Any) -> list[Action]:
        """The actions of WAIT, DONE, FAIL or a ``computer_13`` mapping.

        Raises:
            AgentError: it is none.
        """
        if isinstance(given, str):
            given = {"action_type": given.strip()}
        if not isinstance(given, dict) or not isinstance(given.get("action_type"), str):
            raise AgentError(f"not an action of OSWorld's: {str(given)[:120]}")
        with_more = {name: value for name, value in given.items() if name not in ("action_type", "parameters")}
        p = {**with_more, **(given["parameters"] if isinstance(given.get("parameters"), dict) else {})}
        try:
            return self._computer_13(given["action_type"].upper(), p)
        except (KeyError, TypeError, ValueError) as error:
            raise AgentError(f"{given['action_type']} with {str(p)[:120]}: {type(error).__name__}: {error}") from None

    def _computer_13(self, name: str, p: dict[str, Any]) -> list[Action]:
        match name:
            case "WAIT":
                return [Wait(seconds=PAUSE)]
            case "DONE":
                return [Done()]
            case "FAIL":
                return [Infeasible(reason="FAIL")]
            case "MOVE_TO":
                return self.move(p["x"], p["y"])
            case "CLICK":
                return self.click(p.get("x"), p.get("y"), clicks=p.get("num_clicks", 1), button=p.get("button", "left"))
            case "RIGHT_CLICK":
                return self.click(p.get("x"), p.get("y"), button="right")
            case "DOUBLE_CLICK":
                return self.click(p.get("x"), p.get("y"), clicks=2)
            case "DRAG_TO":
                return self.drag(p["x"], p["y"])
            case "SCROLL":
                return [Scroll(dx=float(p.get("dx", 0)) * NOTCH, dy=-float(p.get("dy", 0)) * NOTCH)]
            case "TYPING":
                return [Type(text=str(p["text"]))]
            case "PRESS":
                return [Key(key=key_name(p["key"]))]
            case "HOTKEY":
                return self.hotkey(*p["keys"])
        raise AgentError(f"{name} is no action that can be taken alone; the suite would need OSWorld's own language")

    # -- pyautogui -------------------------------------------------------------------------------

    def from_code(self, code: str) -> list[Action]:
        """The actions of pyautogui code.

        Raises:
            NotLiteral: it is more than calls with literal arguments.
        """
        try:
            body = ast.parse(code).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise NotLiteral(f"the pyautogui code does not parse ({error}): {code[:120]!r}") from None
        return [action for statement in body for action in self._statement(statement, code)]

    def _statement(self, statement: ast.stmt, code: str) -> list[Action]:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return []
        if not isinstance(statement, ast.Expr):
            raise NotLiteral(f"only calls of pyautogui with literal arguments are understood, not {code[:120]!r}")
        if isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str):
            return []  # a remark
        if isinstance(statement.value, ast.Name) and statement.value.id in ("WAIT", "DONE", "FAIL"):
            return self.from_mapping(statement.value.id)
        name, plain, named = _literal_call(statement.value, code)
        call = self._calls().get(name)
        if call is None:
            raise NotLiteral(f"{name} is not understood; only {', '.join(sorted(self._calls()))} are")
        try:
            return call(*plain, **named)
        except (TypeError, ValueError) as error:
            raise NotLiteral(f"{name}: {error}") from None

    def _calls(self) -> dict[str, Callable[..., list[Action]]]:
        return {
            "pyautogui.moveTo": self.move,
            "pyautogui.click": self.click,
            "pyautogui.leftClick": self.click,
            "pyautogui.rightClick": lambda x=None, y=None, **_: self.click(x, y, button="right"),
            "pyautogui.middleClick": lambda x=None, y=None, **_: self.click(x, y, button="middle"),
            "pyautogui.doubleClick": lambda x=None, y=None, **_: self.click(x, y, clicks=2),
            "pyautogui.dragTo": self.drag,
            "pyautogui.scroll": self.scroll,
            "pyautogui.vscroll": self.scroll,
            "pyautogui.hscroll": lambda clicks, x=None, y=None: self.scroll(0, x, y, sideways=clicks),
            "pyautogui.write": self.write,
            "pyautogui.typewrite": self.write,
            "pyautogui.press": self.press,
            "pyautogui.hotkey": self.hotkey,
            "pyautogui.sleep": lambda seconds: [Wait(seconds=seconds)],
            "time.sleep": lambda seconds: [Wait(seconds=seconds)],
        }

    # -- the actions themselves, with pyautogui's parameters -------------------------------------

    def move(self, x: Any, y: Any = None, duration: float = 0.0, **_: Any) -> list[Action]:
        return [Move(target=self._point(x, y))]

    def click(
        self, x: Any = None, y: Any = None, clicks: int = 1, interval: float = 0.0, button: Any = "left", duration: float = 0.0, **_: Any
    ) -> list[Action]:
        target = self._point(x, y)
        if clicks == 2 and button == "left":
            return [DoubleClick(target=target)]
        if clicks == 3 and button == "left":
            return [DoubleClick(target=target), Click(target=target)]
        return [Click(target=target, button={"primary": "left", "secondary": "right"}.get(button, button)) for _ in range(int(clicks))]

    def drag(self, x: Any, y: Any = None, duration: float = 0.0, button: str = "left", **_: Any) -> list[Action]:
        if button != "left":
            raise ValueError(f"a drag with the {button} button is no action of unibench's")
        start = self._point(None, None)
        return [Drag(start=start, end=self._point(x, y))]

    def scroll(self, clicks: float, x: Any = None, y: Any = None, *, sideways: float = 0) -> list[Action]:
        target = self._point(x, y) if x is not None else None
        return [Scroll(target=target, dx=sideways * NOTCH, dy=-clicks * NOTCH)]

    def write(self, message: Any, interval: float = 0.0, **_: Any) -> list[Action]:
        if isinstance(message, list):
            return self.press(message)
        return [Type(text=str(message))]

    def press(self, keys: Any, presses: int = 1, interval: float = 0.0, **_: Any) -> list[Action]:
        listed = keys if isinstance(keys, list) else [keys]
        return [Key(key=key_name(key)) for _ in range(int(presses)) for key in listed]

    def hotkey(self, *keys: Any, interval: float = 0.0, **_: Any) -> list[Action]:
        return [Hotkey(keys=tuple(key_name(key) for key in keys))]

    def _point(self, x: Any, y: Any) -> Point:
        if isinstance(x, (tuple, list)) and y is None:
            x, y = x
        if x is not None and y is not None:
            self._at = Point(x=float(x), y=float(y))
        elif self._at is None:
            raise ValueError("it names no place, and the pointer has not been put anywhere yet")
        return self._at


def key_name(key: Any) -> str:
    """pyautogui's name of a key as the DOM's."""
    if not isinstance(key, str) or not key:
        raise ValueError(f"{key!r} is no key")
    return _KEYS.get(key.lower(), key) if len(key) > 1 or key in _KEYS else key


def _literal_call(node: ast.expr, code: str) -> tuple[str, list[Any], dict[str, Any]]:
    if isinstance(node, ast.Call) and all(keyword.arg for keyword in node.keywords):
        try:
            plain = [ast.literal_eval(argument) for argument in node.args]
            named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
            return ast.unparse(node.func), plain, named
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            pass
    raise NotLiteral(f"only calls of pyautogui with literal arguments are understood, not {code[:120]!r}")
