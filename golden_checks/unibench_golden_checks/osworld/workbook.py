"""Cells of an .xlsx file, read and changed by its XML alone, so that all else of the file stays byte for byte."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from html import escape, unescape

_SHEET = re.compile(r"<sheet\b[^>]*>")
_CELL = re.compile(r"<c\b(?P<attributes>[^>]*?)(?:/>|>(?P<body>.*?)</c>)", re.S)


@dataclass(frozen=True)
class Cell:
    """A cell as it is stored.

    Attributes:
        kind: Excel's cell type: ``n`` number, ``s`` shared string, ``str``, ``inlineStr``, ``b``, ``e``.
        value: its stored value, a shared string resolved.
    """

    kind: str
    value: str


def _attribute(text: str, name: str) -> str:
    found = re.search(rf'(?<![\w:]){name}="([^"]*)"', text)
    return unescape(found.group(1)) if found else ""


def _parts(book: zipfile.ZipFile) -> dict[str, str]:
    """The XML part of each sheet, by the sheet's name, in the workbook's order."""
    relations = book.read("xl/_rels/workbook.xml.rels").decode()
    targets = {}
    for found in re.finditer(r"<Relationship\b[^>]*>", relations):
        target = _attribute(found.group(0), "Target").lstrip("/")
        targets[_attribute(found.group(0), "Id")] = target if target.startswith("xl/") else f"xl/{target}"
    return {
        _attribute(tag, "name"): targets[_attribute(tag, "r:id")]
        for tag in _SHEET.findall(book.read("xl/workbook.xml").decode())
        if _attribute(tag, "r:id") in targets
    }


def _strings(book: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in book.namelist():
        return []
    text = book.read("xl/sharedStrings.xml").decode()
    return [
        "".join(unescape(t) for t in re.findall(r"<t\b[^>]*>(.*?)</t>", item, re.S)) for item in re.findall(r"<si>(.*?)</si>", text, re.S)
    ]


def cells(data: bytes) -> dict[str, dict[str, Cell]]:
    """The cells that hold a value, by sheet and reference (``B2``)."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        strings = _strings(book)
        found: dict[str, dict[str, Cell]] = {}
        for name, part in _parts(book).items():
            sheet = found.setdefault(name, {})
            for cell in _CELL.finditer(book.read(part).decode()):
                kind = _attribute(cell["attributes"], "t") or "n"
                value = re.search(r"<v>(.*?)</v>|<t\b[^>]*>(.*?)</t>", cell["body"] or "", re.S)
                if value is None:
                    continue
                text = unescape(value.group(1) if value.group(1) is not None else value.group(2))
                sheet[_attribute(cell["attributes"], "r")] = Cell(kind, strings[int(text)] if kind == "s" else text)
        return found


def with_cell(data: bytes, sheet: str, reference: str, value: float | str) -> bytes:
    """The workbook with another value in one cell that holds one; a formula in it goes.

    Raises:
        KeyError: there is no such cell.
    """
    source = zipfile.ZipFile(io.BytesIO(data))
    part = _parts(source)[sheet]
    text = source.read(part).decode()

    def changed(cell: re.Match[str]) -> str:
        if _attribute(cell["attributes"], "r") != reference:
            return cell.group(0)
        attributes = re.sub(r'\s*(?<![\w:])t="[^"]*"', "", cell["attributes"])
        if isinstance(value, str):
            return f'<c{attributes} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        return f"<c{attributes}><v>{value!r}</v></c>"

    after = _CELL.sub(changed, text)
    if after == text:
        raise KeyError(f"{sheet}!{reference}")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for item in source.infolist():
            target.writestr(item, after.encode() if item.filename == part else source.read(item.filename))
    return out.getvalue()
