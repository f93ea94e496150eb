"""What shows on the screen and where, from the accessibility tree of either kind of suite."""

import ast
import re
from dataclasses import dataclass
from xml.etree import ElementTree

from unibench.actions import Element, Point

STATE, COMPONENT = (f"{{https://accessibility.ubuntu.example.org/ns/{name}}}" for name in ("state", "component"))
LINE = re.compile(r"""\s*\[(?P<ref>\w+)\] (?P<role>[\w-]+) (?P<name>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")


@dataclass(frozen=True)
class Widget:
    """A widget that shows: role and name as the tree has them, and what an action takes as its target."""

    role: str
    name: str
    target: Point | Element


def widgets_in(observation, screen):
    """The widgets in the tree's order. Screen: width and height in pixels."""
    if "a11y" in observation:
        return list(on_desktop(observation["a11y"], screen))
    return list(on_page(observation["axtree"]))


def on_desktop(tree, screen):
    """Of a desktop's tree (upstream's XML): what is showing and has its middle on the screen. There are no refs, so points."""
    for node in ElementTree.fromstring(tree).iter():
        if node.get(STATE + "showing") == "true" and node.get(COMPONENT + "screencoord"):
            (x, y), (width, height) = (ast.literal_eval(node.get(COMPONENT + what)) for what in ("screencoord", "size"))
            middle = Point(x=x + width // 2, y=y + height // 2)
            if width > 0 and height > 0 and 0 <= middle.x < screen[0] and 0 <= middle.y < screen[1]:
                yield Widget(node.tag, node.get("name") or node.text or "", middle)


def on_page(tree):
    """Of a page's AXTree (BrowserGym's text): what has a ref."""
    for line in tree.splitlines():
        if found := LINE.match(line):
            yield Widget(found["role"], ast.literal_eval(found["name"]), Element(ref=found["ref"]))
