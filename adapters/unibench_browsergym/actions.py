"""BrowserGym's high-level actions: upstream's parser and upstream's functions, called with literal arguments.

Upstream turns each action into 21 kB of Python and executes that (browsergym/core/action/highlevel.py, 0.14.3). Here the
same functions are called directly, so no text of an agent's is ever run as Python.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from browsergym.core.action import functions, parsers
from playwright.sync_api import Error, Page
from pyparsing import ParseBaseException

from unibench.actions import (
    Action,
    Answer,
    Back,
    Click,
    Done,
    DoubleClick,
    Drag,
    Element,
    Goto,
    Hotkey,
    Infeasible,
    Key,
    Move,
    Native,
    Point,
    Scroll,
    Target,
    Type,
    Wait,
)
from unibench.errors import UnsupportedAction

Call = tuple[str, tuple[Any, ...], dict[str, Any]]
"""One of upstream's functions by name, with its arguments."""

UPLOADS = ("upload_file", "mouse_upload_file")

HOLDING = ("mouse_down", "keyboard_down")
POINTLESS = ("noop", "keyboard_press", "keyboard_type", "keyboard_insert_text", "send_msg_to_user", "report_infeasible")
"""Calls that leave the mouse where it was."""

MAX_WAIT_SECONDS, MAX_TEXT, MAX_CALLS, MAX_NUMBER = 15, 3000, 20, 1_000_000

LISTED = (
    "noop", "scroll", "fill", "select_option", "click", "dblclick", "hover", "press", "focus", "clear", "drag_and_drop",
    "upload_file", "scroll_at", "mouse_move", "mouse_up", "mouse_down", "mouse_click", "mouse_dblclick",
    "mouse_drag_and_drop", "mouse_upload_file", "keyboard_down", "keyboard_up", "keyboard_press", "keyboard_type",
    "keyboard_insert_text", "go_back", "go_forward", "goto", "tab_close", "tab_focus", "new_tab", "send_msg_to_user",
    "report_infeasible",
)  # fmt: skip
"""What upstream lists in its action subsets (browsergym/core/action/highlevel.py, 0.14.3)."""


class ActionFailed(Exception):
    """An action had no effect, for a reason that the agent may see."""


@dataclass(frozen=True)
class Effects:
    """What a call does beside moving the page: upstream's two callbacks."""

    message: Callable[[str], None]
    infeasible: Callable[[str], None]


def parse_native(code: str) -> list[Call]:
    """The calls of an action string, by upstream's own parser.

    Raises:
        ActionFailed: nothing to call, or a function that upstream does not list.
    """
    if len(code) > MAX_TEXT:
        raise ActionFailed(f"an action takes {MAX_TEXT} characters at most, not {len(code)}")
    try:
        found: list[Any] = list(chain.from_iterable(parsers.highlevel_action_parser.search_string(code).as_list()))
    except (ParseBaseException, ValueError, SyntaxError, RecursionError) as error:
        raise ActionFailed(f"not an action: {error}") from None
    if not found:
        raise ActionFailed("Received an empty action.")
    calls: list[Call] = []
    for name, arguments in found:
        if name not in LISTED:
            raise ActionFailed(f"Invalid action type '{name}'.")
        plain = tuple(a for a in arguments if not isinstance(a, parsers.NamedArgument))
        named = {a.name: a.value for a in arguments if isinstance(a, parsers.NamedArgument)}
        try:
            inspect.signature(getattr(functions, name)).bind(*plain, **named)
        except TypeError as error:
            raise ActionFailed(f"{name}: {error}") from None
        for value in (*plain, *named.values()):
            check_argument(name, value)
        calls.append((name, plain, named))
    return calls


def check_argument(name: str, value: Any) -> None:
    """Checks that an argument is what upstream's functions take: texts, finite numbers, truth values, lists of texts.

    Raises:
        ActionFailed: it is not.
    """
    texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
    number = isinstance(value, (int, float)) and math.isfinite(value)
    if not (isinstance(value, str) or number or texts):
        raise ActionFailed(f"{name}: {str(value)[:80]} is no argument of it")


def translate(action: Action) -> list[Call]:
    """An action as calls of upstream's functions.

    Raises:
        UnsupportedAction: the web suites have no such kind.
        ActionFailed: a native action string does not parse.
    """
    match action:
        case Native(dialect="browsergym", code=code):
            return parse_native(code)
        case Click(target=target, button=button):
            return [_at(target, "click", "mouse_click", button=button)]
        case DoubleClick(target=target):
            return [_at(target, "dblclick", "mouse_dblclick")]
        case Move(target=target):
            return [_at(target, "hover", "mouse_move")]
        case Drag(start=Element(ref=start), end=Element(ref=end)):
            return [("drag_and_drop", (start, end), {})]
        case Drag(start=Point(x=x, y=y), end=Point(x=to_x, y=to_y)):
            return [("mouse_drag_and_drop", (x, y, to_x, to_y), {})]
        case Scroll(target=None, dx=dx, dy=dy):
            return [("scroll", (dx, dy), {})]
        case Scroll(target=target, dx=dx, dy=dy):
            assert target is not None
            return [_at(target, "hover", "mouse_move"), ("scroll", (dx, dy), {})]
        case Type(text=text, target=None):
            return [("keyboard_type", (text,), {})]
        case Type(text=text, target=target):
            assert target is not None
            return [_at(target, "click", "mouse_click"), ("keyboard_type", (text,), {})]
        case Key(key=key):
            return [("keyboard_press", (key,), {})]
        case Hotkey(keys=keys):
            return [("keyboard_press", ("+".join(keys),), {})]
        case Back():
            return [("go_back", (), {})]
        case Goto(url=url):
            return [("goto", (url,), {})]
        case Wait(seconds=seconds):
            return [("noop", (seconds * 1000,), {})]
        case Answer(text=text):
            return [("send_msg_to_user", (text,), {})]
        case Infeasible(reason=reason):
            return [("report_infeasible", (reason,), {})]
        case Done():
            return []
        case Native(dialect=dialect):
            raise UnsupportedAction(f"no native dialect {dialect!r}; the web suites speak 'browsergym'")
    raise UnsupportedAction(f"the web suites have no action of type {action.type!r}")


def _at(target: Target, on_element: str, on_point: str, **named: Any) -> Call:
    if isinstance(target, Element):
        return (on_element, (target.ref,), named)
    return (on_point, (target.x, target.y), named)


def allowed_url(url: str) -> bool:
    """Whether an agent may go there by default: nowhere but to the blank page.

    ``javascript:`` and ``data:`` URLs run script that can write what the verifier reads, ``file:`` URLs read this machine,
    a web page could hang the browser, and a reload of the suite's own page draws another instance than the one on record.
    What is no address at all goes through; the browser says so.
    """
    # Browsers drop these before they parse (WHATWG URL, "remove all ASCII tab or newline"; "leading C0 control or space").
    url = re.sub(r"[\t\r\n]", "", url).strip("".join(map(chr, range(0x21))))
    return url == "about:blank" or not re.match(r"[a-z][a-z0-9+.-]*:", url, re.IGNORECASE)


def why_refused(calls: list[Call], *, allow_any_url: bool, allow_upload: bool) -> str:
    """Why the settings forbid a call; empty if they forbid none."""
    for name, plain, named in calls:
        if name in UPLOADS and not allow_upload:
            return f"refused: {name} reads files of this machine; the setting allow_upload=true permits it"
        if name == "goto" and not allow_any_url:
            url = str(plain[0] if plain else named["url"])
            if not allowed_url(url):
                return "refused: going elsewhere can write what the verifier reads; the setting allow_any_url=true permits it"
    return ""


def why_too_long(calls: list[Call]) -> str:
    """Why a call would take too long; empty if none does.

    An action that outlasts the session's deadline is a fault of the environment and unscored: no agent may choose that.
    """
    given = [plain[0] if plain else named.get("wait_ms", 1000) for name, plain, named in calls if name == "noop"]
    if not all(isinstance(wait, (int, float)) and wait >= 0 for wait in given):
        return "noop waits a number of milliseconds, 0 or more"
    numbers = [v for _, plain, named in calls for v in (*plain, *named.values()) if isinstance(v, (int, float))]
    if any(abs(number) > MAX_NUMBER for number in numbers):
        return f"an action takes numbers up to {MAX_NUMBER}, for larger ones hang the browser"
    waits = sum(map(float, given))
    if waits > MAX_WAIT_SECONDS * 1000:
        return f"an action waits {MAX_WAIT_SECONDS} s at most, not {waits / 1000:g} s"
    typed = sum(len(str(value)) for _, plain, named in calls for value in (*plain, *named.values()))
    if typed > MAX_TEXT:
        return f"an action takes {MAX_TEXT} characters at most, not {typed}"
    return "" if len(calls) <= MAX_CALLS else f"an action is {MAX_CALLS} calls at most, not {len(calls)}"


def perform(calls: list[Call], page: Page, effects: Effects) -> Page:
    """Calls upstream's functions on a page, and returns the page that is active afterwards.

    Raises:
        ActionFailed: a call had no effect (a missing element, a time-out, a wrong argument).
    """
    # The functions read these names from their module; upstream pastes them into the text that it executes.
    functions.page = page
    functions.send_message_to_user = effects.message
    functions.report_infeasible_instructions = effects.infeasible
    functions.demo_mode = "off"
    functions.retry_with_force = False
    for name, plain, named in calls:
        try:
            getattr(functions, name)(*plain, **named)
        except (Error, ValueError, TypeError, AttributeError, KeyError, IndexError, AssertionError) as error:
            raise ActionFailed(f"{type(error).__name__}: {error}") from error
    active: Page = functions.page
    return active
