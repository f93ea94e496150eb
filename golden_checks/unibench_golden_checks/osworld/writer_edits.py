"""Runs in the guest: edits and read-backs of a Writer document."""

from __future__ import annotations

from typing import Any

from unibench_golden_checks.osworld.uno_bridge import dispatch

PAGE_BEFORE = 4
"""``com.sun.star.style.BreakType.PAGE_BEFORE``'s place."""


def _paragraphs(doc: Any) -> list[Any]:
    found, all_of = [], doc.Text.createEnumeration()
    while all_of.hasMoreElements():
        one = all_of.nextElement()
        if one.supportsService("com.sun.star.text.Paragraph"):
            found.append(one)
    return found


def _portions(paragraph: Any) -> list[Any]:
    found, all_of = [], paragraph.createEnumeration()
    while all_of.hasMoreElements():
        one = all_of.nextElement()
        if one.TextPortionType == "Text" and one.String:
            found.append(one)
    return found


def _select(doc: Any, paragraphs: list[Any]) -> None:
    cursor = doc.Text.createTextCursorByRange(paragraphs[0].Start)
    cursor.gotoRange(paragraphs[-1].End, True)
    doc.CurrentController.select(cursor)


def paragraphs(doc: Any) -> list[dict[str, Any]]:
    """Text, alignment, fonts and kind of break of each paragraph."""
    align = {0: "left", 1: "right", 2: "justified", 3: "centred"}
    return [
        {
            "text": each.String[:40],
            "align": align.get(each.ParaAdjust.value if hasattr(each.ParaAdjust, "value") else each.ParaAdjust, "other"),
            "fonts": sorted({portion.CharFontName for portion in _portions(each)}),
            "break": each.BreakType.value,
        }
        for each in _paragraphs(doc)
    ]


def set_font(doc: Any, font: str, leave: int = 0, only: int = 0) -> None:
    """Selects the text, without its last ``leave`` paragraphs or of it the first ``only`` ones, and chooses a font."""
    wanted = [each for each in _paragraphs(doc) if each.String]
    wanted = wanted[:only] if only else wanted[: len(wanted) - leave]
    if len(wanted) == len(_paragraphs(doc)):
        dispatch(doc, "SelectAll", {})
    else:
        _select(doc, wanted)
    dispatch(doc, "CharFontName", {"CharFontName.FamilyName": font})


def align(doc: Any, paragraph: int, command: str) -> None:
    """Puts the cursor into a paragraph and gives ``CenterPara``, ``RightPara`` …"""
    doc.CurrentController.ViewCursor.gotoRange(_paragraphs(doc)[paragraph].Start, False)
    dispatch(doc, command, {})


def add_blank_pages(doc: Any, after_page: int, count: int = 1) -> None:
    """Puts the cursor to the end of a page (-1: the last) and inserts that many page breaks there."""
    view = doc.CurrentController.ViewCursor
    if after_page == -1:
        view.jumpToLastPage()
    else:
        view.jumpToPage(after_page)
    view.jumpToEndOfPage()
    for _ in range(count):
        dispatch(doc, "InsertPagebreak", {})


def pages(doc: Any) -> list[str]:
    """How each page's text begins."""
    view = doc.CurrentController.ViewCursor
    found = []
    view.jumpToFirstPage()
    for number in range(1, doc.CurrentController.PageCount + 1):
        view.jumpToPage(number)
        view.jumpToStartOfPage()
        cursor = view.Text.createTextCursorByRange(view)
        view.jumpToEndOfPage()
        cursor.gotoRange(view, True)
        found.append(cursor.String.strip()[:40])
    return found


def number_pages(doc: Any, place: str, typed: str = "", align: int = 0) -> None:
    """Turns on the footer or header of every page style in use, with the page number's field in it, or with typed text.

    Args:
        place: ``Footer`` or ``Header``.
        align: 0 left, 1 right, 3 centred.
    """
    for style in {each.PageStyleName for each in _paragraphs(doc)}:
        page = doc.StyleFamilies.getByName("PageStyles").getByName(style)
        setattr(page, place + "IsOn", True)
        text = getattr(page, place + "Text")
        text.String = typed
        cursor = text.createTextCursor()
        cursor.ParaAdjust = align
        if not typed:
            field = doc.createInstance("com.sun.star.text.TextField.PageNumber")
            field.NumberingType = 4
            text.insertTextContent(cursor, field, False)


def page_numbers(doc: Any) -> list[dict[str, Any]]:
    """Footer and header of each page style in use: text, whether it holds the page number's field, and its alignment."""
    align = {0: "left", 1: "right", 2: "justified", 3: "centred"}
    found = []
    for style in sorted({each.PageStyleName for each in _paragraphs(doc)}):
        page = doc.StyleFamilies.getByName("PageStyles").getByName(style)
        for place in ("Footer", "Header"):
            if getattr(page, place + "IsOn"):
                text = getattr(page, place + "Text")
                fields = [portion.TextPortionType for each in _paragraphs_of(text) for portion in _all_portions(each)]
                adjust = _paragraphs_of(text)[0].ParaAdjust
                number = adjust.value if hasattr(adjust, "value") else adjust
                found.append(
                    {
                        "style": style,
                        "at": place.lower(),
                        "text": text.String,
                        "field": "TextField" in fields,
                        "align": align.get(number, "other"),
                    }
                )
    return found


def _paragraphs_of(text: Any) -> list[Any]:
    found, all_of = [], text.createEnumeration()
    while all_of.hasMoreElements():
        found.append(all_of.nextElement())
    return found


def _all_portions(paragraph: Any) -> list[Any]:
    found, all_of = [], paragraph.createEnumeration()
    while all_of.hasMoreElements():
        found.append(all_of.nextElement())
    return found


def append_lines(doc: Any, lines: list[str]) -> None:
    """Writes lines at the end, a paragraph each."""
    end = doc.Text.createTextCursor()
    end.gotoEnd(False)
    for line in lines:
        if doc.Text.String:
            doc.Text.insertControlCharacter(end, 0, False)
        doc.Text.insertString(end, line, False)
