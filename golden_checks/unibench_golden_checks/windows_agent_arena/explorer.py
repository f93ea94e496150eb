"""File Explorer, Paint, Calculator and Notepad's files: what lies where, and what is in it."""

from __future__ import annotations

import struct
from functools import partial

from pydantic import JsonValue

from unibench_golden_checks.osworld.settings import Recipe, in_turn
from unibench_golden_checks.windows_agent_arena.making import (
    BY_FILES,
    DESKTOP,
    DOCUMENTS,
    DOWNLOADS,
    PICTURES,
    copied,
    folder,
    made,
    moved,
    names_in,
    put,
    removed,
    state,
    text_of,
    words_of,
)
from unibench_guests.pathmapped.paths import HOME, TRASH

_CLASS = bytes.fromhex("0114020000000000c000000000000046")
_HAS_NAME, _HAS_RELATIVE_PATH, _HAS_WORKING_FOLDER, _UNICODE = 0x04, 0x08, 0x10, 0x80


def lnk(target: str, description: str = "") -> bytes:
    """A shortcut in Windows' form (MS-SHLLINK): a header and strings, the target by its path."""
    flags = _HAS_RELATIVE_PATH | _HAS_WORKING_FOLDER | _UNICODE | (_HAS_NAME if description else 0)
    header = struct.pack("<I16sII24xIiIHHII", 0x4C, _CLASS, flags, 0x10, 0, 0, 1, 0, 0, 0, 0)
    strings = [*([description] if description else []), target, target.rpartition("\\")[0]]
    return header + b"".join(struct.pack("<H", len(text)) + text.encode("utf-16-le") for text in strings) + struct.pack("<I", 0)


def _answer(file: str, right: str, **wrong: str) -> Recipe:
    """A text file on the desktop that holds an answer."""
    path = f"{DESKTOP}\\{file}"
    return Recipe(
        wanted=right,
        golden=put(path, right),
        read=text_of(path),
        provenance=BY_FILES,
        also={"with-a-line-end": put(path, right + "\r\n")},
        right=lambda found: isinstance(found, str) and found.strip() == right,
        mutants={
            **{name.replace("_", "-"): put(path, text) for name, text in wrong.items()},
            "in-documents": put(f"{DOCUMENTS}\\{file}", right),
        },
    )


_TARGETS = (f"{DOCUMENTS}\\Projects", DOWNLOADS)
_SHORTCUT = f"{DESKTOP}\\Projects - Shortcut.lnk"
_ARCHIVE, _DOCS = f"{DOCUMENTS}\\Archive", ("Doc01.docx", "Doc02.docx")
_MINE, _MINE_THERE = f"{DESKTOP}\\MyFolder", f"{DOCUMENTS}\\MyFolder"
_PNGS = ("cs-black-000.png", "cs-gray-7f7f7f.png", "cs-white-fff.png")
_LIST = f"{PICTURES}\\png_files.txt"
_REPORT = f"{DESKTOP}\\report.txt"
_OLD = f"{HOME}\\OldDownloads"
_EXAMPLE, _RENAMED = f"{DESKTOP}\\example.txt", f"{DOCUMENTS}\\example_renamed.txt"
_ZIP = f"{DESKTOP}\\OldProjects.7z"
_RECYCLED = f"{TRASH}\\$R000000.txt"
_CIRCLE = f"{DOWNLOADS}\\circle.png"
_CANVAS = f"{DOWNLOADS}\\CanvasSize.png"


def _archived(*names: str) -> list[JsonValue]:
    return ["Archive\\", *(f"Archive\\{name}" for name in names)]


def _zipped(files: dict[str, str], password: str) -> bytes:
    return made(kind="seven_zip", files=dict(files), password=password)


def _picture(width: int = 640, height: int = 480) -> bytes:
    return made(kind="image", width=width, height=height, format="PNG")


_PROJECT = {"OldProjects/example.txt": "a stand-in\n"}
_ARCHIVES = {
    "golden": partial(_zipped, _PROJECT, "12345"),
    "no-password": partial(_zipped, _PROJECT, ""),
    "other-password": partial(_zipped, _PROJECT, "54321"),
    "empty-folder": partial(_zipped, {"OldProjects/other.txt": "x"}, "12345"),
}

TABLE: dict[str, Recipe] = {
    "file_explorer/7AB09EF1-331B-4A21-90C9-996ADE3B6E1A-WOS": Recipe(
        wanted=f"{DOCUMENTS}\\Projects",
        golden=put(_SHORTCUT, lnk(f"{DOCUMENTS}\\Projects")),
        read=lambda handle: next((to for to in _TARGETS if handle.guest.file(_SHORTCUT) == lnk(to)), None),
        provenance=BY_FILES,
        mutants={
            "in-documents": put(f"{DOCUMENTS}\\Projects - Shortcut.lnk", lnk(f"{DOCUMENTS}\\Projects")),
            "other-name": put(f"{DESKTOP}\\Projects.lnk", lnk(f"{DOCUMENTS}\\Projects")),
            "to-another-folder": put(_SHORTCUT, lnk(DOWNLOADS)),
        },
    ),
    "file_explorer/0c9dda13-428c-492b-900b-f48562111f93-WOS": Recipe(
        wanted={DOCUMENTS: _archived(*_DOCS)},
        golden=in_turn(folder(_ARCHIVE), *(moved(f"{DOCUMENTS}\\{name}", f"{_ARCHIVE}\\{name}") for name in _DOCS)),
        read=names_in(DOCUMENTS),
        provenance=BY_FILES,
        mutants={
            "one-left": in_turn(folder(_ARCHIVE), moved(f"{DOCUMENTS}\\{_DOCS[0]}", f"{_ARCHIVE}\\{_DOCS[0]}")),
            "copied": in_turn(folder(_ARCHIVE), *(copied(f"{DOCUMENTS}\\{name}", f"{_ARCHIVE}\\{name}") for name in _DOCS)),
            "other-folder": in_turn(
                folder(f"{DOCUMENTS}\\Archives"), *(moved(f"{DOCUMENTS}\\{name}", f"{DOCUMENTS}\\Archives\\{name}") for name in _DOCS)
            ),
            "one-lost": in_turn(
                folder(_ARCHIVE), moved(f"{DOCUMENTS}\\{_DOCS[0]}", f"{_ARCHIVE}\\{_DOCS[0]}"), removed(f"{DOCUMENTS}\\{_DOCS[1]}")
            ),
        },
    ),
    "file_explorer/1876fe7f-6fdc-5dd6-c9e0-237d4c8411f0-WOS": Recipe(
        wanted={DESKTOP: [], DOCUMENTS: ["MyFolder\\"]},
        golden=moved(_MINE, _MINE_THERE),
        read=names_in(DESKTOP, DOCUMENTS),
        provenance=BY_FILES,
        mutants={
            "copied": copied(_MINE, _MINE_THERE),
            "to-downloads": moved(_MINE, f"{DOWNLOADS}\\MyFolder"),
            "file-of-that-name": in_turn(removed(_MINE), put(_MINE_THERE, "")),
        },
    ),
    "file_explorer/016c9a9d-f2b9-4428-8fdb-f74f4439ece6-WOS": Recipe(
        wanted=[*sorted(_PNGS)],
        golden=put(_LIST, "\r\n".join(_PNGS) + "\r\n"),
        read=words_of(_LIST),
        provenance=BY_FILES,
        mutants={
            "one-missing": put(_LIST, "\r\n".join(_PNGS[:2])),
            "itself-too": put(_LIST, "\r\n".join([*_PNGS, "png_files.txt"])),
            "without-extension": put(_LIST, "\r\n".join(name.removesuffix(".png") for name in _PNGS)),
            "on-the-desktop": put(f"{DESKTOP}\\png_files.txt", "\r\n".join(_PNGS)),
        },
    ),
    "file_explorer/2d292a2d-686b-4e72-80f7-af6c232b1258-WOS": Recipe(
        wanted=["testing.bin"],
        golden=put(_REPORT, "testing.bin\r\n"),
        read=words_of(_REPORT),
        provenance=BY_FILES,
        mutants={
            "all-files": put(_REPORT, "example.txt\r\nsolarsystem.docx\r\ntesting.bin\r\n"),
            "small-files": put(_REPORT, "example.txt\r\nsolarsystem.docx\r\n"),
            "in-downloads": put(f"{DOWNLOADS}\\report.txt", "testing.bin\r\n"),
        },
    ),
    "file_explorer/ac46b5cb-616a-46e0-b287-9628fd0dab06-WOS": Recipe(
        wanted={DOWNLOADS: [], _OLD: ["Test\\", "Test\\example.txt"]},
        golden=moved(f"{DOWNLOADS}\\Test", f"{_OLD}\\Test"),
        read=names_in(DOWNLOADS, _OLD),
        provenance=BY_FILES,
        mutants={
            "copied": copied(f"{DOWNLOADS}\\Test", f"{_OLD}\\Test"),
            "flattened": in_turn(moved(f"{DOWNLOADS}\\Test\\example.txt", f"{_OLD}\\example.txt"), removed(f"{DOWNLOADS}\\Test")),
            "folder-only": in_turn(folder(f"{_OLD}\\Test"), removed(f"{DOWNLOADS}\\Test")),
        },
    ),
    "file_explorer/f934d80d-84d2-4b46-953c-89f77b5a709a-WOS": Recipe(
        wanted={"file": "a stand-in\n", "bin": {TRASH: []}},
        golden=moved(_RECYCLED, _EXAMPLE),
        read=state(file=text_of(_EXAMPLE), bin=names_in(TRASH)),
        provenance=BY_FILES,
        mutants={
            "to-documents": moved(_RECYCLED, f"{DOCUMENTS}\\example.txt"),
            "new-file-of-that-name": put(_EXAMPLE, "something else"),
        },
    ),
    "file_explorer/b0c9dac6-52ba-4937-aabb-b0abdc2a8138-WOS": Recipe(
        wanted="golden",
        golden=put(_ZIP, _ARCHIVES["golden"]),
        # Archives with a password differ each time that they are made, so each is known by what it was made from.
        read=lambda handle: next((name for name, data in _ARCHIVES.items() if handle.guest.file(_ZIP) == data()), None),
        provenance=BY_FILES,
        mutants={
            **{name: put(_ZIP, data) for name, data in _ARCHIVES.items() if name != "golden"},
            "in-documents": put(f"{DOCUMENTS}\\OldProjects.7z", _ARCHIVES["golden"]),
        },
    ),
    "file_explorer/b8ab0ae1-d2b4-4e6f-b609-df7d76b456d7-WOS": Recipe(
        wanted={"there": "a stand-in\n", "here": "a stand-in\n", "names": {DOCUMENTS: ["example_renamed.txt"]}},
        golden=copied(_EXAMPLE, _RENAMED),
        read=state(there=text_of(_RENAMED), here=text_of(_EXAMPLE), names=names_in(DOCUMENTS)),
        provenance=BY_FILES,
        mutants={
            "not-renamed": copied(_EXAMPLE, f"{DOCUMENTS}\\example.txt"),
            "moved": moved(_EXAMPLE, _RENAMED),
            "other-content": put(_RENAMED, "something else"),
            "both-names": in_turn(copied(_EXAMPLE, f"{DOCUMENTS}\\example.txt"), copied(_EXAMPLE, _RENAMED)),
        },
    ),
    "windows_calc/28b91a24-5d97-4c2a-891c-dccbd3820c62-WOS-2": _answer("numdays.txt", "230 days", one_more="231 days", one_less="229 days"),
    "windows_calc/28b91a24-5d97-4c2a-891c-dccbd3820c62-WOS-3": _answer(
        "numdays.txt", "585 days", one_more="586 days", as_months="19 months"
    ),
    "windows_calc/28b91a24-5d97-4c2a-891c-dccbd3820c62-WOS": _answer(
        "Differences.txt",
        "43 years, 9 months, 3 weeks, 4 days",
        one_day_more="43 years, 9 months, 3 weeks, 5 days",
        day_first="43 years, 5 months, 4 weeks, 1 day",
    ),
    "microsoft_paint/3544ac9a-6aee-4a0b-a203-bc7b59b272b6-WOS": Recipe(
        wanted={"png": True},
        golden=put(_CIRCLE, _picture),
        read=lambda handle: {"png": (handle.guest.file(_CIRCLE) or b"").startswith(b"\x89PNG")},
        provenance=BY_FILES,
        mutants={
            "in-pictures": put(f"{PICTURES}\\circle.png", _picture),
            "as-jpeg": put(f"{DOWNLOADS}\\circle.jpg", lambda: made(kind="image", width=640, height=480, format="JPEG")),
            "text-of-that-name": put(_CIRCLE, "no picture"),
        },
    ),
    "microsoft_paint/44dbac63-32bf-4cd2-81b4-ad6803ec812d-WOS": Recipe(
        wanted=[800, 600],
        golden=put(_CANVAS, lambda: _picture(800, 600)),
        read=lambda handle: list(struct.unpack(">II", (handle.guest.file(_CANVAS) or bytes(24))[16:24])),
        provenance=BY_FILES.model_copy(update={"note": "the picture that the verifier saves from Paint, as Paint would have saved it"}),
        mutants={"turned": put(_CANVAS, lambda: _picture(600, 800)), "one-row-more": put(_CANVAS, lambda: _picture(800, 601))},
    ),
}
