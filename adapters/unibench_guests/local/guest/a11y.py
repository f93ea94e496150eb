"""The accessibility tree as XML, in the names that OSWorld's tasks look for. Run as a program: prints the tree, or the terminal's text.

A process of its own: a program that does not answer AT-SPI must not take the server along, and a fresh process has no stale
cache. The format is that of OSWorld's ``desktop_env/server/main.py`` (state of April 2026).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))  # Run with -I, so that nothing of the agent's is imported.
from atspi_bus import Answer, Bus, Ref  # noqa: E402

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
_SPACES = "https://accessibility.ubuntu.example.org/ns/"
MOST_DEPTH, MOST_CHILDREN, MOST_NODES, MOST_ACTIONS = 50, 1024, 20_000, 32
# Debian's browser is Chromium; tasks look for the application of Ubuntu's image.
APPLICATIONS = {"Chromium": "Google Chrome", "chromium": "Google Chrome"}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_A_NAME = re.compile(r"[^\w.-]")
_STATES = [Atspi.StateType(bit).value_nick.replace("-", "_") for bit in range(int(Atspi.StateType.LAST_DEFINED))]
_VALUES = {"value": "CurrentValue", "min": "MinimumValue", "max": "MaximumValue", "step": "MinimumIncrement"}
ALL_AT_ONCE = ("gtk",)
"""Toolkits that can be asked for all of a value at once (LibreOffice's is gtk); Chromium crashes."""


@lru_cache(maxsize=256)
def role_name(role: int) -> str:
    name: str = Atspi.role_get_name(Atspi.Role(role))
    return name


@dataclass
class Node:
    """What is known of an accessible; filled as answers come."""

    ref: Ref
    depth: int
    in_sheet: bool = False
    must_show: bool = False
    known: dict[str, Any] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    @property
    def states(self) -> list[str]:
        return states_of(self.known.get("states"))

    @property
    def interfaces(self) -> set[str]:
        return {name.rpartition(".")[2] for name in self.known.get("interfaces") or ()}


class Reader:
    """Reads the tree below a node, to bounds on depth, width and number."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._left = MOST_NODES
        self._values_at_once: set[str] = set()

    def read(self, node: Node) -> None:
        """Asks for what tells what it is; the rest is asked for when that is known."""
        self._left -= 1
        if node.depth == 1:
            self._bus.get(node.ref, "Application", "ToolkitName", lambda toolkit: self._meet(node.ref[0], toolkit))
        missing = {"name", "role", "states", "attributes", "interfaces", "count"}

        def keep(what: str) -> Answer:
            def answer(value: Any) -> None:
                node.known[what] = value
                missing.discard(what)
                if not missing:
                    self._read_more(node)

            return answer

        self._bus.get(node.ref, "Accessible", "Name", keep("name"))
        self._bus.get(node.ref, "Accessible", "ChildCount", keep("count"))
        self._bus.ask(node.ref, "Accessible", "GetRole", keep("role"))
        self._bus.ask(node.ref, "Accessible", "GetState", keep("states"))
        self._bus.ask(node.ref, "Accessible", "GetAttributes", keep("attributes"))
        self._bus.ask(node.ref, "Accessible", "GetInterfaces", keep("interfaces"))

    def _meet(self, program: str, toolkit: Any) -> None:
        if toolkit in ALL_AT_ONCE:
            self._values_at_once.add(program)

    def _read_more(self, node: Node) -> None:
        states, interfaces = node.states, node.interfaces
        node.known["role"] = self._role_name(node)

        def keep(what: str) -> Answer:
            return lambda value: node.known.__setitem__(what, value)

        if node.must_show and "showing" not in states:
            node.known["role"] = None
            return
        if "Component" in interfaces and "visible" in states and "showing" in states:
            self._bus.ask(node.ref, "Component", "GetExtents", keep("extents"), "u", (0,))
        if "Text" in interfaces:
            self._bus.ask(node.ref, "Text", "GetText", keep("text"), "ii", (0, -1))
        if "Action" in interfaces:
            self._read_actions(node)
        if "Value" in interfaces:
            self._read_value(node)
        if node.depth < MOST_DEPTH and node.known["count"]:
            self._read_children(node, node.in_sheet or node.known["role"] == "document spreadsheet")

    def _role_name(self, node: Node) -> str | None:
        """As libatspi names it: by the number of the role, unless it is of no number."""
        role = node.known["role"]
        if role is None or (0 <= role < int(Atspi.Role.LAST_DEFINED) and role != int(Atspi.Role.EXTENDED)):
            return None if role is None else role_name(role)
        name: str | None = self._bus.now(node.ref, "Accessible", "GetRoleName")
        return name

    def _read_value(self, node: Node) -> None:
        def keep(short: str) -> Answer:
            return lambda value: node.known.__setitem__(short, value)

        def keep_all(values: Any) -> None:
            node.known |= {short: (values or {}).get(name) for short, name in _VALUES.items()}

        if node.ref[0] in self._values_at_once:
            self._bus.get_all(node.ref, "Value", keep_all)
        else:
            for short, name in _VALUES.items():
                self._bus.get(node.ref, "Value", name, keep(short))

    def _read_actions(self, node: Node) -> None:
        """The actions' names one by one: in the list of all, they are translated."""

        def keep(index: int, description: str, key: str) -> Answer:
            return lambda name: node.known["actions"].__setitem__(index, (name, description, key))

        def answer(actions: Any) -> None:
            node.known["actions"] = {}
            for index, (_, description, key) in enumerate((actions or ())[:MOST_ACTIONS]):
                self._bus.ask(node.ref, "Action", "GetName", keep(index, description, key), "i", (index,))

        self._bus.ask(node.ref, "Action", "GetActions", answer)

    def _read_children(self, node: Node, in_sheet: bool) -> None:
        if in_sheet and node.known["role"] == "table":
            self._read_some(node, list(Sheet(self._bus, node.ref).visible_cells()), in_sheet, must_show=True)
        elif node.known["count"] <= MOST_CHILDREN:
            self._bus.ask(node.ref, "Accessible", "GetChildren", lambda refs: self._add(node, (refs or ())[:MOST_CHILDREN], in_sheet))
        else:
            self._read_some(node, range(MOST_CHILDREN), in_sheet)

    def _read_some(self, node: Node, indices: Sequence[int], in_sheet: bool, *, must_show: bool = False) -> None:
        """The children at these indices: all are asked for before the first is read, so that they keep their order."""
        found: dict[int, Ref | None] = dict.fromkeys(indices)
        left = set(indices)

        def keep(index: int) -> Answer:
            def answer(ref: Any) -> None:
                found[index] = ref
                left.discard(index)
                if not left:
                    self._add(node, [ref for ref in found.values() if ref], in_sheet, must_show=must_show)

            return answer

        for index in indices:
            self._bus.ask(node.ref, "Accessible", "GetChildAtIndex", keep(index), "i", (index,))

    def _add(self, parent: Node, refs: Sequence[Ref], in_sheet: bool, *, must_show: bool = False) -> None:
        for ref in refs:
            if self._left > 0 and ref[1] != "/org/a11y/atspi/null":
                child = Node(tuple(ref), parent.depth + 1, in_sheet, must_show)
                parent.children.append(child)
                self.read(child)


class Sheet:
    """A spreadsheet, of which only the cells on the screen are read: it has 16384 columns and 1048576 rows."""

    def __init__(self, bus: Bus, ref: Ref) -> None:
        self._bus, self._ref = bus, ref
        self._columns = int(bus.property_now(ref, "Table", "NColumns") or 0)

    def visible_cells(self) -> Iterator[int]:
        """Their indices, row by row; a cell that is hidden in between is among them."""
        first = self._first() if self._columns else None
        if first is None:
            return
        row, column = divmod(first, self._columns)
        while column and self._shows(row, column - 1):
            column -= 1
        while row and self._shows(row - 1, column):
            row -= 1
        width = self._count(lambda offset: self._shows(row, column + offset))
        height = self._count(lambda offset: self._shows(row + offset, column))
        for down in range(height):
            for across in range(width):
                yield (row + down) * self._columns + column + across

    @staticmethod
    def _count(shows: Callable[[int], bool]) -> int:
        count = 0
        while count < MOST_CHILDREN and shows(count):
            count += 1
        return count

    def _first(self) -> int | None:
        """The index of some cell near the upper left corner of what shows."""
        left, top, _, _ = self._bus.now(self._ref, "Component", "GetExtents", "u", (0,)) or (0, 0, 0, 0)
        # The sheet's own corner may be off the screen, or under a header.
        for offset in (2, 12, 30, 60):
            point = (max(left, 0) + offset, max(top, 0) + offset, 0)
            found = self._bus.now(self._ref, "Component", "GetAccessibleAtPoint", "iiu", point)
            if found and self._bus.now(tuple(found), "Accessible", "GetRole") == int(Atspi.Role.TABLE_CELL):
                index = self._bus.now(tuple(found), "Accessible", "GetIndexInParent")
                if isinstance(index, int) and index >= 0:
                    return index
        places = ((row, column) for row in range(200) for column in range(20))
        return next((row * self._columns + column for row, column in places if self._shows(row, column)), None)

    def _cell(self, row: int, column: int) -> Ref | None:
        if not 0 <= column < self._columns:
            return None
        found = self._bus.now(self._ref, "Accessible", "GetChildAtIndex", "i", (row * self._columns + column,))
        return tuple(found) if found else None

    def _shows(self, row: int, column: int) -> bool:
        cell = self._cell(row, column)
        return cell is not None and "showing" in states_of(self._bus.now(cell, "Accessible", "GetState"))


def states_of(words: Any) -> list[str]:
    """The names of the states whose bits are set."""
    bits = sum(word << 32 * index for index, word in enumerate(words or ()))
    return [name for bit, name in enumerate(_STATES) if bits >> bit & 1]


def clean(text: str) -> str:
    return _NOT_XML.sub("", text)


def name_of(text: str) -> str:
    """A text as the local part of an XML name; empty if there is none."""
    name = _NOT_A_NAME.sub("-", text.strip())
    return name if not name or name[0].isalpha() or name[0] == "_" else "_" + name


def text_of(node: Node) -> str:
    """Its text, without the placeholders of embedded objects."""
    return (node.known.get("text") or "").replace("\ufffc", "").replace("\ufffd", "")


def attributes_of(node: Node) -> dict[str, str]:
    """The XML attributes of a node, in upstream's names and order."""
    known, interfaces = node.known, node.interfaces
    name = known["name"] or ""
    found = {"name": APPLICATIONS.get(name, name) if known["role"] == "application" else name}
    found |= {f"st:{state}": "true" for state in node.states}
    found |= {f"attr:{name_of(key)}": value for key, value in (known["attributes"] or {}).items() if name_of(key)}
    if known.get("extents"):
        x, y, width, height = known["extents"]
        found["cp:screencoord"], found["cp:size"] = f"({x}, {y})", f"({width}, {height})"
    if "Image" in interfaces:
        found["image"] = "true"
    if "Selection" in interfaces:
        found["selection"] = "true"
    found |= {f"val:{short}": str(known[short]) for short in _VALUES if known.get(short) is not None}
    for _, (action, description, key) in sorted((known.get("actions") or {}).items()):
        if action := name_of((action or "").replace(" ", "-")):
            found[f"act:{action}_desc"], found[f"act:{action}_kb"] = description, key
    return found


def xml(node: Node) -> str:
    """A node and all below it; nothing for one that went away."""
    if node.known.get("role") is None:
        return ""
    tag = name_of(node.known["role"].strip().replace(" ", "-")) or "unknown"
    spelled = "".join(f" {name}={quoteattr(clean(value), {chr(10): '&#10;'})}" for name, value in attributes_of(node).items())
    return f"<{tag}{spelled}>{escape(clean(text_of(node)))}{''.join(map(xml, node.children))}</{tag}>"


def read_desktop() -> Node:
    """The whole desktop."""
    bus = Bus()
    desktop = Node(("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"), 0)
    Reader(bus).read(desktop)
    bus.run()
    return desktop


def tree(desktop: Node) -> str:
    spaces = "".join(f' xmlns:{prefix}="{_SPACES}{rest}"' for prefix, rest in NAMES.items())
    return f"<desktop-frame{spaces}>{''.join(map(xml, desktop.children))}</desktop-frame>"


def terminal(desktop: Node) -> str | None:
    """The text of the focused terminal of GNOME's terminal; None if none is in front."""
    for application in desktop.children:
        if application.known.get("name") == "gnome-terminal-server":
            for frame in application.children:
                found = [each for each in below(frame) if each.known.get("role") == "terminal" and "focused" in each.states]
                if "active" in frame.states:
                    return text_of(found[0]).rstrip() if len(found) == 1 else None
    return None


def below(node: Node) -> Iterator[Node]:
    for child in node.children:
        yield child
        yield from below(child)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    if sys.argv[1:] == ["terminal"]:
        text = terminal(read_desktop())
        sys.stdout.write("" if text is None else "=" + text)
    else:
        sys.stdout.write(tree(read_desktop()))
