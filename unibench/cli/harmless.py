"""Text that machines and agents wrote, as a terminal may get it: it cannot move the cursor, set a title, or read right to left."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.segment import Segment

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType

_CONTROL = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_TEXT = re.compile(rf"[\x00-\x08\x0b-\x1f{_CONTROL}]")
_IN_JSON = re.compile(f"[{_CONTROL}]")


def harmless(text: str) -> str:
    """Control characters, overrides of direction and lone surrogates written as Python writes them (``\\x1b``); lines and tabs stay."""
    return _IN_TEXT.sub(lambda found: ascii(found.group())[1:-1], text)


def harmless_json(text: str) -> str:
    """The same JSON value: these stand in its strings only, where JSON has an escape for them."""
    return _IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


class HarmlessConsole(Console):
    """A console whose texts are harmless; what rich itself adds for colour stays."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(harmless(segment.text), segment.style)
