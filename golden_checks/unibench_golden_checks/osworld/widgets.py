"""Widgets of the guest's programs, by their accessible role and name, and real input to them.

Sent as source and run there (``on_screen.py``): nothing but the standard library, ``pyatspi`` and ``pyautogui``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

SECONDS = 30.0
CHILDREN = 400
"""Most children of one widget that are looked at: a table may have any number."""


def below(node: Any) -> Iterator[Any]:
    """A widget and all below it, without what went away meanwhile."""
    from gi.repository import GLib

    yield node
    try:
        children = [node.getChildAtIndex(index) for index in range(min(node.childCount, CHILDREN))]
    except (GLib.Error, LookupError, AttributeError):
        return
    for child in children:
        if child is not None:
            yield from below(child)


def widgets(app: str, showing: bool = True) -> Iterator[tuple[Any, str, str]]:
    """The widgets of an application, with role and name; only those on the screen, or those of closed menus as well."""
    import pyatspi
    from gi.repository import GLib

    for each in pyatspi.Registry.getDesktop(0):
        if each is None or each.name.lower() != app.lower():
            continue
        for node in below(each):
            try:
                if not showing or node.getState().contains(pyatspi.STATE_SHOWING):
                    yield node, node.getRoleName(), node.name or ""
            except (GLib.Error, LookupError, AttributeError):
                continue


def find(app: str, role: str, name: str, showing: bool = True, seconds: float = SECONDS) -> Any:
    """The first widget of a role whose whole name matches; waits for it."""
    until = time.monotonic() + seconds
    while True:
        for node, its_role, its_name in widgets(app, showing):
            if its_role == role and re.fullmatch(name, its_name):
                return node
        if time.monotonic() > until:
            raise LookupError(f"{app} shows no {role} {name!r}")
        time.sleep(0.2)


def place(node: Any) -> tuple[int, int, int, int]:
    """Left, top, width and height on the screen."""
    found = node.queryComponent().getExtents(0)
    return found.x, found.y, found.width, found.height


def beside(app: str, role: str, label: str) -> Any:
    """The first widget of a role in the row of a label."""
    _, top, _, height = place(find(app, "label", label))
    for node, its_role, _ in widgets(app):
        if its_role == role:
            _, y, _, tall = place(node)
            if y < top + height / 2 < y + tall:
                return node
    raise LookupError(f"{app} shows no {role} beside {label!r}")


def follow(app: str, steps: list[list[Any]]) -> None:
    """Does what each step says; names are regular expressions.

    ``wait ROLE NAME``; ``click``, ``double`` and ``right ROLE NAME``; ``at X Y`` (a click); ``beside ROLE LABEL`` (a double click);
    ``choose ROLE NAME`` (by its own action, for what need not be shown: an entry of a closed menu); ``press KEY …``, ``type TEXT``,
    ``sleep SECONDS``.
    """
    import pyautogui

    for verb, *given in steps:
        if verb == "press":
            pyautogui.hotkey(*given)
        elif verb == "type":
            pyautogui.write(given[0], interval=0.02)
        elif verb == "at":
            pyautogui.click(*given)
        elif verb == "sleep":
            time.sleep(given[0])
        elif verb == "choose":
            role, name = given
            find(app, role, name, showing=False).queryAction().doAction(0)
        elif verb == "wait":
            find(app, *given)
        else:
            node = beside(app, *given) if verb == "beside" else find(app, *given)
            x, y, width, height = place(node)
            # The left third, as a spin button's arrows are at its right; near the top, as an open tree item holds those below it.
            button, clicks = "right" if verb == "right" else "left", 2 if verb in ("double", "beside") else 1
            pyautogui.click(x + width // 3, y + min(height, 28) // 2, clicks=clicks, button=button)
        time.sleep(0.3)


def names(app: str, role: str) -> list[str]:
    """The names of the shown widgets of a role, sorted."""
    return sorted(name for _, its_role, name in widgets(app) if its_role == role)


def checked(app: str, role: str, name: str) -> bool:
    """Whether a box or a menu's entry has a tick, shown or not."""
    import pyatspi

    return bool(find(app, role, name, showing=False).getState().contains(pyatspi.STATE_CHECKED))


def written(app: str, role: str, name: str) -> str:
    """The text in the first widget of a role whose whole name matches."""
    return str(find(app, role, name).queryText().getText(0, -1))
