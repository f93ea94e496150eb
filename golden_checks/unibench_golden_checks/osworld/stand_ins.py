"""Initial files for tasks whose own cannot be had: of the kind that the instruction speaks of, and marked in every record."""

from __future__ import annotations

import hashlib
import json
import subprocess
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from unibench.environments import environment_python
from unibench.errors import Unavailable
from unibench_golden_checks.osworld import mail_profile

PROGRAM = Path(__file__).parent / "make_file.py"
_WORDS = "The quick brown fox jumps over the lazy dog, and the five boxing wizards jump quickly. "
_TEXT = ["A heading", *(f"Paragraph {n}. {_WORDS * 3}" for n in range(1, 6))]
_SLIDES = [[f"Slide {n}", f"What slide {n} says"] for n in range(1, 5)]

CONFIG = """# Basic site settings
title: "Your Name / Site Title"
name: &name "Your Name"
description: &description "personal description"
url: https://academicpages.github.io
repository: "academicpages/academicpages.github.io"

# Site Author
author:
  name: "Your Sidebar Name"
  avatar: "profile.png"
  bio: "Short biography for the left-hand sidebar"
  location: "Earth"
  employer: "Red Brick University"
  email: "none@example.org"
  github: "academicpages"
"""
"""Keys as the template academicpages has them."""

BY_KIND: dict[str, dict[str, Any]] = {
    "thunderbird-profile.tar.gz": {"kind": "tar", "files": mail_profile.files(accounts=True), "compression": "gz"},
    "thunderbird-profile-blank.tar.gz": {"kind": "tar", "files": mail_profile.files(accounts=False), "compression": "gz"},
    ".docx": {"kind": "docx", "paragraphs": _TEXT},
    ".pptx": {"kind": "pptx", "slides": _SLIDES},
    ".xlsx": {"kind": "xlsx", "rows": [["Name", "Hours", "Rate"], ["a", 1, 2], ["b", 5, 6]]},
    ".pdf": {"kind": "pdf", "lines": _TEXT},
    ".png": {"kind": "image", "width": 640, "height": 480, "format": "PNG"},
    ".jpg": {"kind": "image", "width": 640, "height": 480, "format": "JPEG"},
    ".jpeg": {"kind": "image", "width": 640, "height": 480, "format": "JPEG"},
    ".webp": {"kind": "image", "width": 640, "height": 480, "format": "WEBP"},
    ".mp3": {"kind": "mp3", "tags": {}},
    ".tar.xz": {"kind": "tar", "files": {"readme.txt": "a stand-in\n"}, "compression": "xz"},
    ".tar.gz": {"kind": "tar", "files": {"readme.txt": "a stand-in\n"}, "compression": "gz"},
    ".zip": {"kind": "archive", "files": {"readme.txt": "a stand-in\n"}},
    ".code-workspace": {"kind": "text", "content": '{"folders": []}\n'},
    ".sqlite": {"kind": "history"},
    ".mp4": {"kind": "video", "seconds": 120},
    **{suffix: {"kind": "text", "content": "a stand-in\n"} for suffix in (".raw", ".xcf", ".py", ".ppt")},
}
"""What a file is if nothing depends on what is in it."""

EXTENSION = {
    "kind": "archive",
    "files": {
        "helloExtension/manifest.json": json.dumps(
            {"manifest_version": 3, "name": "Hello Extension", "version": "1.0", "action": {"default_popup": "hello.html"}}
        ),
        "helloExtension/hello.html": "<html><body><h1>Hello Extensions</h1></body></html>",
    },
}

_PHP = """mkdir -p /home/user/project/src/lib && cd /home/user/project
fill() { for i in $(seq "$1"); do echo "// line $i"; done > "$2"; }
fill 21 index.php; fill 18 src/page.php; fill 15 src/lib/tools.php; fill 12 README.md
"""
"""54 lines of PHP in three files, and a file of another kind."""

_TIDY = "multi_apps/869de13e-bef9-4b91-ba51-f6708c40b096/"

_WHITE = {"name": "Background", "box": [0, 0, 480, 320], "fill": "#ffffff"}
_TRIANGLE = [{"name": "Triangle", "box": [20, 30, 100, 80], "triangle": "#ffff00"}, _WHITE]
_TEXT_BOX = [{"name": "Text box", "box": [180, 140, 160, 48], "text": "Text"}, {**_WHITE, "fill": "#ff9020"}]

_REMINDER = "multi_apps/f5c13cdd-205c-4719-a562-348ae5cd1d91/"
_PAID = {"bell": True, "fox": False, "iron": False, "moss": True, "nancy": False, "stella": False}

BY_PLACE: dict[str, dict[str, Any]] = {
    _REMINDER + "Payment Reminder.html": {"kind": "text", "content": "<p>Please pay the tuition fee.</p>"},
    _REMINDER + "tuition.xlsx": {
        "kind": "xlsx",
        "rows": [["E-mail", "Paid"], *([f"{name}@someuniversity.edu", "yes" if paid else "no"] for name, paid in _PAID.items())],
    },
    "gimp/b148e375-fe0b-4bec-90e7-38632b0d73c2/white_background.xcf": {"kind": "xcf", "width": 480, "height": 320, "layers": [_WHITE]},
    "gimp/e2dd0213-26db-4349-abe5-d5667bfd725c/orange_background.xcf": {"kind": "xcf", "width": 480, "height": 320, "layers": _TEXT_BOX},
    "gimp/f4aec372-4fb0-4df5-a52b-79e0e2a5d6ce/Triangle_On_The_Side.xcf": {"kind": "xcf", "width": 480, "height": 320, "layers": _TRIANGLE},
    _TIDY + "2-if-for-array.zip": {"kind": "archive", "files": {"2-if-for-array/main.c": "int main() { return 0; }\n"}},
    _TIDY + "assign1-data3.zip": {"kind": "archive", "files": {"assign1-data_python3/main.py": "print(1)\n", "__MACOSX/x": ""}},
    "chrome/6766f2b8-8a72-417f-a9e5-56fcaa735837/helloExtension.zip": EXTENSION,
    "multi_apps/a74b607e-6bb5-4ea8-8a7c-5d97c7bbcd2a/Hello Extension.zip": EXTENSION,
    "os/4127319a-8b79-4410-b58a-7a151e15f3d7/setup.sh": {"kind": "text", "content": _PHP},
    "multi_apps/2c9fc0de-3ee7-45e1-a5df-c86206ad78b5/binder.zip": {
        "kind": "archive",
        "files": {"binder/README.md": "# Binder\n", "binder/notes/today.md": "What was done today.\n"},
    },
    "libreoffice_writer/ecc2413d-8a48-416e-a3a2-d30106ca36cb/Sample_Statutory_Declaration.docx": {
        "kind": "docx",
        "paragraphs": _TEXT,
        "breaks": [2, 3, 4, 5],
    },
    "libreoffice_calc/357ef137-7eeb-4c80-a3bb-0951f26a8aff/Multiply_Time_Number.xlsx": {
        "kind": "xlsx",
        "rows": [
            ["Day 1", "Day 2", "Total hours", "Hourly rate", "Earned"],
            [],
            [9.25 / 24, (19 + 1 / 6 - 9.25) / 24, (19 + 1 / 6) / 24, 10],
        ],
        "durations": ["A3", "B3", "C3"],
    },
    "libreoffice_impress/ac9bb6cb-1888-43ab-81e4-a98a547918cd/saa-format-guide.pptx": {"kind": "pptx", "slides": _SLIDES, "numbers": True},
    "multi_apps/7ff48d5b-2df2-49da-b500-a5150ffc7f18/All Locations.docx": {"kind": "docx", "paragraphs": []},
    "multi_apps/e2392362-125e-4f76-a2ee-524b183a3412/academicpages.github.io.tar.xz": {
        "kind": "tar",
        "files": {"academicpages.github.io/_config.yml": CONFIG},
        "compression": "xz",
    },
}
"""Files that a recipe or a verifier looks into."""


def made(program: Path = PROGRAM, suite: str = "osworld", /, **wanted: Any) -> bytes:
    """A document by ``make_file.py``, or a program like it, in a suite's environment.

    Raises:
        Unavailable: that is not installed, or lacks a library.
    """
    python = environment_python(suite)
    done = subprocess.run([str(python), "-I", str(program)], input=json.dumps(wanted).encode(), capture_output=True, timeout=120)
    if done.returncode != 0:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or ["nothing was said"])[-1]
        raise Unavailable(f"no {wanted.get('kind')} could be made: {last}")
    return done.stdout


def recipe(place: str) -> dict[str, Any] | None:
    """What a file at this place of upstream's file cache is made from; None if it cannot be made."""
    name = PurePosixPath(place).name
    return BY_PLACE.get(place) or next((found for suffix, found in BY_KIND.items() if name.lower().endswith(suffix)), None)


@cache
def version() -> str:
    """Names what makes the files."""
    tables = json.dumps([BY_KIND, BY_PLACE], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(PROGRAM.read_bytes() + tables.encode()).hexdigest()[:16]
