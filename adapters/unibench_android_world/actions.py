"""From the canonical actions to upstream's ``JSONAction``, and native JSONActions."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import time
from dataclasses import dataclass
from typing import Any

from unibench.actions import (
    Action,
    Back,
    Click,
    DoubleClick,
    Drag,
    Element,
    Home,
    Key,
    LongPress,
    Native,
    OpenApp,
    Point,
    Scroll,
    Swipe,
    Target,
    Type,
    Wait,
)
from unibench.errors import EnvironmentFault, UnsupportedAction

_KEYS = {
    "Enter": "KEYCODE_ENTER", "Backspace": "KEYCODE_DEL", "Delete": "KEYCODE_FORWARD_DEL", "Tab": "KEYCODE_TAB", "Escape": "KEYCODE_ESCAPE",
    "ArrowUp": "KEYCODE_DPAD_UP", "ArrowDown": "KEYCODE_DPAD_DOWN", "ArrowLeft": "KEYCODE_DPAD_LEFT", "ArrowRight": "KEYCODE_DPAD_RIGHT",
    "Home": "KEYCODE_MOVE_HOME", "End": "KEYCODE_MOVE_END", "PageUp": "KEYCODE_PAGE_UP", "PageDown": "KEYCODE_PAGE_DOWN",
    " ": "KEYCODE_SPACE",
}  # fmt: skip


_SENSELESS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What upstream raises over an agent's values that it cannot use: an infinite index, a key that is a number, an element without a box."""


class NoSuchAction(Exception):
    """The action means nothing here; the agent may see the message."""


@dataclass(frozen=True)
class Translated:
    """Something upstream can do: a JSONAction's fields, or adb arguments for what JSONAction has no word for.

    Attributes:
        answer: the answer that it gives, if it gives one.
    """

    fields: dict[str, Any] | None = None
    adb: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def answer(self) -> str | None:
        fields = self.fields or {}
        return str(fields.get("text") or "") if fields.get("action_type") == "answer" else None


def translate(action: Action) -> Translated:
    """What upstream is to do.

    Raises:
        UnsupportedAction: the suite does not take that kind.
        NoSuchAction: it does, but this one means nothing.
    """
    match action:
        case Native(dialect="android_world", code=code):
            return Translated(_native(code))
        case Click(target=target, button="left"):
            return Translated({"action_type": "click", **_at(target)})
        case Click():
            raise NoSuchAction("a phone has no mouse buttons; long_press does what the right one would")
        case DoubleClick(target=target):
            return Translated({"action_type": "double_tap", **_at(target)})
        case LongPress(target=target):
            return Translated({"action_type": "long_press", **_at(target)})
        case Type(text=text, target=target):
            return Translated({"action_type": "input_text", "text": text, **(_at(target) if target is not None else {})})
        case Key(key=key):
            if key not in _KEYS:
                raise NoSuchAction(f"no key {key!r}; there is {', '.join(sorted(_KEYS))}")
            return Translated(adb=("shell", "input", "keyevent", _KEYS[key]))
        case Swipe(start=Point() as start, end=Point() as end, seconds=seconds):
            return Translated(adb=_swipe(start, end, seconds))
        case Drag(start=Point() as start, end=Point() as end):
            return Translated(adb=_swipe(start, end, 1.0))
        case Swipe() | Drag():
            raise NoSuchAction("swipe and drag go from point to point here")
        case Scroll():
            return Translated(_scroll(action))
        case Back():
            return Translated({"action_type": "navigate_back"})
        case Home():
            return Translated({"action_type": "navigate_home"})
        case OpenApp(name=name):
            return Translated({"action_type": "open_app", "app_name": name})
        case Wait(seconds=seconds):
            return Translated(seconds=seconds)
    raise UnsupportedAction(f"AndroidWorld has no action of type {action.type!r}")


def _at(target: Target) -> dict[str, int]:
    if isinstance(target, Element):
        if not (target.ref.isdecimal() and len(target.ref) < 10):
            raise NoSuchAction(f"no element {target.ref!r}; refs are the numbers of the observation 'ui'")
        return {"index": int(target.ref)}
    return {"x": round(target.x), "y": round(target.y)}


def _swipe(start: Point, end: Point, seconds: float) -> tuple[str, ...]:
    numbers = (start.x, start.y, end.x, end.y, seconds * 1000)
    return ("shell", "input", "swipe", *(str(round(number)) for number in numbers))


def _scroll(action: Scroll) -> dict[str, Any]:
    """Upstream scrolls by a direction; positive is right and down, as the content is looked at."""
    if abs(action.dx) > abs(action.dy):
        direction = "right" if action.dx > 0 else "left"
    elif action.dy:
        direction = "down" if action.dy > 0 else "up"
    else:
        raise NoSuchAction("a scroll by nothing")
    at = _at(action.target) if isinstance(action.target, Element) else {}
    return {"action_type": "scroll", "direction": direction, **at}


def _native(code: str) -> dict[str, Any]:
    from android_world.env import json_action

    try:
        fields = json.loads(code)
        if not isinstance(fields, dict):
            raise NoSuchAction('a native action is a JSON object, such as {"action_type": "navigate_home"}')
        json_action.JSONAction(**fields)
    except (*_SENSELESS, RecursionError) as error:
        raise NoSuchAction(f"no JSONAction: {error}") from None
    return fields


def perform(done: Translated, env: Any) -> tuple[str, bool]:
    """Does it. Gives why it had no effect, and whether the agent ended the episode by it.

    A command that ends badly on a phone that answers is the action's own doing: an app that is not there, text that ``input`` cannot type.

    Raises:
        EnvironmentFault: the phone broke, or upstream says so (it gets no accessibility tree, say).
    """
    from android_env.components import errors
    from android_world.env import adb_utils, json_action

    try:
        if done.seconds:
            time.sleep(done.seconds)
        if done.adb:
            adb_utils.issue_generic_request(list(done.adb), env.controller)
        if done.fields is not None:
            action = json_action.JSONAction(**done.fields)
            env.execute_action(action)
            return "", action.action_type == json_action.STATUS
    except errors.AdbControllerError as error:
        ended_badly = error.__cause__
        if not isinstance(ended_badly, subprocess.CalledProcessError) or not _answers(env):
            raise EnvironmentFault(f"the phone broke: {error}") from None
        said = (ended_badly.output or b"").decode(errors="replace").strip()
        return f"the phone refused it: {said[-500:] or f'exit code {ended_badly.returncode}'}", False
    except (errors.AndroidEnvError, RuntimeError) as error:
        raise EnvironmentFault(f"the phone broke: {error}") from None
    except _SENSELESS as error:
        return f"{type(error).__name__}: {error}", False
    return "", False


def _answers(env: Any) -> bool:
    from android_env.components import errors
    from android_env.proto import adb_pb2
    from android_world.env import adb_utils

    try:
        reply = adb_utils.issue_generic_request(["shell", "true"], env.controller)
    except errors.AndroidEnvError:
        return False
    return bool(reply.status == adb_pb2.AdbResponse.OK)


def element_json(element: Any) -> dict[str, Any]:
    """An upstream ``UIElement`` as JSON, without what is not set."""
    fields = dataclasses.asdict(element)
    return {name: value for name, value in fields.items() if value is not None}


def element_line(number: int, element: Any) -> str:
    """An element as a line of text: its ref, its texts, its box, what can be done with it."""
    texts = [text for text in (element.text, element.content_description, element.hint_text) if text]
    box = element.bbox_pixels
    place = f" ({box.x_min:g},{box.y_min:g})-({box.x_max:g},{box.y_max:g})" if box is not None else ""
    can = [
        word
        for word in ("clickable", "editable", "checkable", "checked", "scrollable", "selected")
        if getattr(element, f"is_{word}", False)
    ]
    return f"[{number}] {(element.class_name or '').rsplit('.', 1)[-1]} {' | '.join(texts)!r}{place} {' '.join(can)}".rstrip()
