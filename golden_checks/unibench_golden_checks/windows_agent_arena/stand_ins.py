"""Initial files that cannot be had: upstream's lie in a repository of their own, of which there is no package."""

from __future__ import annotations

import hashlib
import inspect
import json
from functools import cache
from pathlib import PurePosixPath
from urllib.parse import unquote

from pydantic import JsonValue

from unibench_golden_checks.windows_agent_arena import documents
from unibench_golden_checks.windows_agent_arena.making import PROGRAMS, made

_TEXT: dict[str, JsonValue] = {"kind": "text", "content": "a stand-in\n"}
BY_KIND: dict[str, dict[str, JsonValue]] = {
    ".docx": {"kind": "styled_docx", **documents.RULES["libreoffice_writer/0e763496-b6bb-4508-a427-fad0b6c3e195-WOS"].start},
    ".odt": _TEXT,
    ".sqlite": {"kind": "history"},
    ".xlsx": {"kind": "xlsx", "rows": [["Name", "Hours", "Rate"], ["a", 1, 2], ["b", 5, 6]]},
    ".pptx": {"kind": "pptx", "slides": [["Title", "Text"]]},
    ".pdf": {"kind": "pdf", "lines": ["a stand-in"]},
    ".png": {"kind": "image", "width": 64, "height": 48, "format": "PNG"},
    ".jpg": {"kind": "image", "width": 64, "height": 48, "format": "JPEG"},
    ".json": {"kind": "text", "content": "{}\n"},
    ".code-workspace": {"kind": "text", "content": '{"folders": []}\n'},
    **dict.fromkeys((".txt", ".md", ".py", ".mp4", ".mp3"), _TEXT),
}
"""What a file is if nothing depends on what is in it: no recipe here lets an application open one."""


def recipe(place: str) -> dict[str, JsonValue] | None:
    """What a file at this place of the file cache is made from; None if it cannot be made."""
    return BY_KIND.get(PurePosixPath(unquote(place)).suffix.lower())


def make(place: str) -> bytes:
    """The stand-in for a place."""
    wanted = recipe(place)
    assert wanted is not None
    return made(**wanted)


@cache
def version() -> str:
    """Names what makes the files."""
    programs = "".join(program.read_text(encoding="utf-8") for program in PROGRAMS)
    table = json.dumps(BY_KIND, sort_keys=True)
    return hashlib.sha256((programs + table + inspect.getsource(documents)).encode()).hexdigest()[:16]
