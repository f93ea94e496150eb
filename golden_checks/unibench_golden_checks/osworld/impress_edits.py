"""Runs in the guest: edits and read-backs of a presentation."""

from __future__ import annotations

from typing import Any


def transitions(doc: Any) -> list[int]:
    """The kind of transition of each slide (``com.sun.star.animations.TransitionType``; 40 is dissolve, 0 none)."""
    return [doc.DrawPages.getByIndex(n).TransitionType for n in range(doc.DrawPages.Count)]


def set_transition(doc: Any, slides: list[int], kind: int, subtype: int = 0) -> None:
    """Gives slides (from 0) a transition."""
    for n in slides:
        page = doc.DrawPages.getByIndex(n)
        page.TransitionType, page.TransitionSubtype, page.TransitionDuration = kind, subtype, 1.0


def backgrounds(doc: Any) -> list[str]:
    """Each slide's background colour; ``none`` where it has none of its own."""
    found = []
    for n in range(doc.DrawPages.Count):
        background = doc.DrawPages.getByIndex(n).Background
        found.append("none" if background is None or background.FillStyle.value != "SOLID" else f"{background.FillColor:06x}")
    return found


def set_background(doc: Any, slides: list[int], colour: int) -> None:
    """Gives slides (from 0; none named: all) a background of one colour."""
    import uno

    for n in slides or range(doc.DrawPages.Count):
        background = doc.createInstance("com.sun.star.drawing.Background")
        background.FillStyle = uno.Enum("com.sun.star.drawing.FillStyle", "SOLID")
        background.FillColor = colour
        doc.DrawPages.getByIndex(n).Background = background


def sizes(doc: Any) -> list[list[int]]:
    """Width and height of each slide, in 1/100 mm."""
    return [[doc.DrawPages.getByIndex(n).Width, doc.DrawPages.getByIndex(n).Height] for n in range(doc.DrawPages.Count)]


def set_size(doc: Any, width: int, height: int) -> None:
    """Gives all slides and masters a size."""
    for pages in (doc.MasterPages, doc.DrawPages):
        for n in range(pages.Count):
            pages.getByIndex(n).Width, pages.getByIndex(n).Height = width, height


_KINDS = {
    "slide-number": "com.sun.star.presentation.SlideNumberShape",
    "date": "com.sun.star.presentation.DateTimeShape",
    "footer": "com.sun.star.presentation.FooterShape",
}


def _of_kind(page: Any, kind: str) -> list[Any]:
    return [page.getByIndex(n) for n in range(page.Count) if page.getByIndex(n).ShapeType == _KINDS[kind]]


def master_colours(doc: Any) -> dict[str, list[str]]:
    """The text colours of slide number, date and footer on the masters and slides."""
    found: dict[str, list[str]] = {}
    for kind in _KINDS:
        for pages in (doc.MasterPages, doc.DrawPages):
            for n in range(pages.Count):
                found.setdefault(kind, []).extend(f"{shape.CharColor & 0xFFFFFF:06x}" for shape in _of_kind(pages.getByIndex(n), kind))
    return found


def colour_on_masters(doc: Any, kind: str, colour: int) -> None:
    """Colours the text of slide number, date or footer, on the masters and the slides."""
    for pages in (doc.MasterPages, doc.DrawPages):
        for n in range(pages.Count):
            for shape in _of_kind(pages.getByIndex(n), kind):
                shape.CharColor = colour
                cursor = shape.createTextCursor()
                cursor.gotoStart(False)
                cursor.gotoEnd(True)
                cursor.CharColor = colour
