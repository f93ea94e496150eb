"""The accessibility tree as XML, in the names that OSWorld's tasks look for. Run as a program: prints the tree, or the terminal's text.

A process of its own: a program that does not answer AT-SPI must not take the server along, and a fresh process has no stale
cache. The format is that of OSWorld's ``desktop_env/server/main.py`` (state of April 2026).
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

NAMES = {
    "st": "state",
    "attr": "attributes",
    "cp": "component",
    "doc": "document",
    "docattr": "document/attributes",
    "txt": "text",
    "val": "value",
    "act": "action",
}
_ROOT = "https://accessibility.ubuntu.example.org/ns/"
MOST_DEPTH, MOST_CHILDREN, MOST_NODES = 50, 1024, 20_000
# Debian's browser is Chromium; tasks look for the application of Ubuntu's image.
APPLICATIONS = {"Chromium": "Google Chrome", "chromium": "Google Chrome"}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_A_NAME = re.compile(r"[^\w.-]")


def clean(text: str) -> str:
    return _NOT_XML.sub("", text)


def name_of(text: str) -> str:
    """A text as the local part of an XML name; empty if there is none."""
    name = _NOT_A_NAME.sub("-", text.strip())
    return name if not name or name[0].isalpha() or name[0] == "_" else "_" + name


class Tree:
    """Writes nodes as XML, and stops at bounds on depth, width and number."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.left = MOST_NODES

    def write(self, node: Any, depth: int, in_sheet: bool = False) -> None:
        self.left -= 1
        try:
            role = node.get_role_name().strip()
            tag, attributes, text = name_of(role.replace(" ", "-")) or "unknown", self._attributes(node, role), self._text(node)
        except GLib.Error:  # it went away, or does not answer
            return
        spelled = "".join(f" {name}={quoteattr(clean(value), {chr(10): '&#10;'})}" for name, value in attributes.items())
        self.parts.append(f"<{tag}{spelled}>{escape(clean(text))}")
        in_sheet = in_sheet or role == "document spreadsheet"
        if depth < MOST_DEPTH:
            for child in visible_cells(node) if in_sheet and role == "table" else children(node):
                if self.left <= 0:
                    break
                self.write(child, depth + 1, in_sheet)
        self.parts.append(f"</{tag}>")

    def _attributes(self, node: Any, role: str) -> dict[str, str]:
        name = node.get_name() or ""
        found = {"name": APPLICATIONS.get(name, name) if role == "application" else name}
        states = [state.value_nick.replace("-", "_") for state in node.get_state_set().get_states()]
        found |= {f"st:{state}": "true" for state in states}
        found |= {f"attr:{name_of(key)}": value for key, value in (node.get_attributes() or {}).items() if name_of(key)}
        interfaces = set(node.get_interfaces() or ())
        if "Component" in interfaces and "visible" in states and "showing" in states:
            box = node.get_component_iface().get_extents(Atspi.CoordType.SCREEN)
            found["cp:screencoord"], found["cp:size"] = f"({box.x}, {box.y})", f"({box.width}, {box.height})"
        if "Image" in interfaces:
            found["image"] = "true"
        if "Selection" in interfaces:
            found["selection"] = "true"
        if "Value" in interfaces:
            found |= self._value(node.get_value_iface())
        if "Action" in interfaces:
            action = node.get_action_iface()
            for index in range(min(action.get_n_actions(), 32)):
                if key := name_of(action.get_action_name(index).replace(" ", "-")):
                    found[f"act:{key}_desc"] = action.get_action_description(index) or ""
                    found[f"act:{key}_kb"] = action.get_key_binding(index) or ""
        return found

    @staticmethod
    def _value(value: Any) -> dict[str, str]:
        found = {}
        readers = (("value", "current_value"), ("min", "minimum_value"), ("max", "maximum_value"), ("step", "minimum_increment"))
        for name, reader in readers:
            with contextlib.suppress(GLib.Error):
                found[f"val:{name}"] = str(getattr(value, f"get_{reader}")())
        return found

    @staticmethod
    def _text(node: Any) -> str:
        if "Text" not in (node.get_interfaces() or ()):
            return ""
        text = node.get_text_iface()
        # Placeholders of embedded objects.
        return (Atspi.Text.get_text(text, 0, Atspi.Text.get_character_count(text)) or "").replace("\ufffc", "").replace("\ufffd", "")


def children(node: Any) -> Iterator[Any]:
    with contextlib.suppress(GLib.Error):
        for index in range(min(node.get_child_count(), MOST_CHILDREN)):
            child = node.get_child_at_index(index)
            if child is not None:
                yield child


def visible_cells(sheet: Any) -> Iterator[Any]:
    """The cells of a spreadsheet that are on the screen: it has 16384 columns and 1048576 rows."""
    with contextlib.suppress(GLib.Error):
        columns = Atspi.Table.get_n_columns(sheet.get_table_iface())
        first = _first_cell(sheet, columns)
        if first is None:
            return
        row, left = divmod(first, columns)
        while True:
            found = False
            for column in range(left, columns):
                cell = sheet.get_child_at_index(row * columns + column)
                if cell is None or not cell.get_state_set().contains(Atspi.StateType.SHOWING):
                    break
                found = True
                yield cell
            if not found:
                return
            row += 1


def _first_cell(sheet: Any, columns: int) -> int | None:
    """The index of the topmost, leftmost cell that shows."""
    box = sheet.get_component_iface().get_extents(Atspi.CoordType.SCREEN)
    # The sheet's own corner may be off the screen, or under a header.
    for offset in (2, 12, 30, 60):
        at = sheet.get_component_iface().get_accessible_at_point(max(box.x, 0) + offset, max(box.y, 0) + offset, Atspi.CoordType.SCREEN)
        if at is not None and at.get_role_name() == "table cell":
            index: int = at.get_index_in_parent()
            while index % columns and _shows(sheet, index - 1):
                index -= 1
            while index >= columns and _shows(sheet, index - columns):
                index -= columns
            return index
    for row in range(200):
        for column in range(50):
            if _shows(sheet, row * columns + column):
                return row * columns + column
    return None


def _shows(sheet: Any, index: int) -> bool:
    cell = sheet.get_child_at_index(index)
    return cell is not None and cell.get_state_set().contains(Atspi.StateType.SHOWING)


def tree() -> str:
    """The whole desktop."""
    spaces = "".join(f' xmlns:{prefix}="{_ROOT}{rest}"' for prefix, rest in NAMES.items())
    written = Tree()
    for application in children(Atspi.get_desktop(0)):
        written.write(application, 1)
    return f"<desktop-frame{spaces}>{''.join(written.parts)}</desktop-frame>"


def terminal() -> str | None:
    """The text of the focused terminal of GNOME's terminal; None if none is in front."""
    for application in children(Atspi.get_desktop(0)):
        if application.get_name() == "gnome-terminal-server":
            for frame in children(application):
                if frame.get_state_set().contains(Atspi.StateType.ACTIVE):
                    found = list(_focused_terminals(frame))
                    return Tree._text(found[0]).rstrip() if len(found) == 1 else None
    return None


def _focused_terminals(node: Any) -> Iterator[Any]:
    for child in children(node):
        if child.get_role_name() == "terminal" and child.get_state_set().contains(Atspi.StateType.FOCUSED):
            yield child
        yield from _focused_terminals(child)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    if sys.argv[1:] == ["terminal"]:
        text = terminal()
        sys.stdout.write("" if text is None else "=" + text)
    else:
        sys.stdout.write(tree())
