"""One text of a .docx or .pptx changed by its XML alone, so that all else of the file stays byte for byte."""

from __future__ import annotations

import io
import re
import zipfile

_TEXTS = {
    ".docx": (re.compile(r"^word/document\.xml$"), re.compile(r"(<w:t(?: [^>]*)?>)([^<]*\w[^<]*)(</w:t>)")),
    ".pptx": (re.compile(r"^ppt/slides/slide(\d+)\.xml$"), re.compile(r"(<a:t>)([^<]*\w[^<]*)(</a:t>)")),
}


def with_one_text(data: bytes, suffix: str) -> tuple[bytes, str] | None:
    """The file with another last text (a paragraph's, or the last slide's that has one), and what that was; None if there is none."""
    if suffix not in _TEXTS:
        return None
    part, text = _TEXTS[suffix]
    source = zipfile.ZipFile(io.BytesIO(data))
    parts = sorted(filter(part.match, source.namelist()), key=_number, reverse=True)
    for name in parts:
        xml = source.read(name).decode()
        found = list(text.finditer(xml))
        if not found:
            continue
        last = found[-1]
        changed = xml[: last.end(2)] + " xyz" + xml[last.end(2) :]
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
            for item in source.infolist():
                target.writestr(item, changed.encode() if item.filename == name else source.read(item.filename))
        return out.getvalue(), last.group(2)
    return None


def _number(name: str) -> int:
    found = re.search(r"(\d+)\.xml$", name)
    return int(found.group(1)) if found else 0
