"""Makes one file and writes it to stdout: a program for the suite's environment. ``{"kind": …, …}`` as JSON on stdin."""

from __future__ import annotations

import io
import json
import sys
from typing import Any


def styled_docx(paragraphs: list[dict[str, Any]], header: dict[str, str] | None = None, footer: dict[str, str] | None = None) -> bytes:
    """Paragraphs (``text``, ``font``, ``align``); a header or footer (``text``, or ``field`` with what it shows; ``align``)."""
    import docx as library
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    sides = {"left": WD_ALIGN_PARAGRAPH.LEFT, "center": WD_ALIGN_PARAGRAPH.CENTER, "right": WD_ALIGN_PARAGRAPH.RIGHT}
    document = library.Document()
    for wanted in paragraphs:
        paragraph = document.add_paragraph()
        paragraph.add_run(wanted["text"]).font.name = wanted.get("font", "Calibri")
        if "align" in wanted:
            paragraph.paragraph_format.alignment = sides[wanted["align"]]
    for part, margin in ((document.sections[0].header, header), (document.sections[0].footer, footer)):
        if margin is None:
            continue
        paragraph = part.paragraphs[0]
        paragraph.alignment = sides[margin.get("align", "left")]
        run = paragraph.add_run()
        if "field" not in margin:
            run.text = margin["text"]
            continue
        for kind in ("begin", "instruction", "separate", "shown", "end"):
            if kind == "shown":
                run.add_text(margin["text"])
            elif kind == "instruction":
                element = OxmlElement("w:instrText")
                element.set(qn("xml:space"), "preserve")
                element.text = f" {margin['field']} "
                run._r.append(element)
            else:
                element = OxmlElement("w:fldChar")
                element.set(qn("w:fldCharType"), kind)
                run._r.append(element)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def seven_zip(files: dict[str, str], password: str = "") -> bytes:
    """A 7z archive, its contents encrypted where there is a password."""
    import py7zr

    out = io.BytesIO()
    with py7zr.SevenZipFile(out, "w", password=password or None) as archive:
        for name, text in files.items():
            archive.writestr(text, name)
    return out.getvalue()


KINDS = {each.__name__: each for each in (styled_docx, seven_zip)}

if __name__ == "__main__":
    wanted = json.load(sys.stdin)
    sys.stdout.buffer.write(KINDS[wanted.pop("kind")](**wanted))
