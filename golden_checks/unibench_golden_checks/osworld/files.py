"""Files that a rule judges, other than office documents: made as the instruction asks, and put where it says."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from unibench.actions import Done
from unibench.golden.control import BELOW_GOLDEN, PASSED, Control, Provenance, Readback, RecipeFailed, Role
from unibench_golden_checks.osworld.repro import file_step
from unibench_golden_checks.osworld.stand_ins import made
from unibench_osworld.session import DesktopHandle
from unibench_osworld.task_files import TaskFile

Files = dict[str, bytes]
Make = Callable[[DesktopHandle], Files]
"""The files to put, by guest path."""


@dataclass(frozen=True)
class FileTask:
    """How to make one task's files right, and nearly right.

    Attributes:
        wanted: the right end, in words or values.
        look: what of the files the instruction is about; the same for golden and right.
        goldens, mutants: what to put, by the control's name.
        notes: what a reader must know of a control, by its name.
    """

    wanted: JsonValue
    look: Callable[[Files], JsonValue]
    goldens: Mapping[str, Make]
    mutants: Mapping[str, Make]
    source: str = "instruction"
    notes: Mapping[str, str] = field(default_factory=dict)

    def controls(self) -> list[Control]:
        """The controls of the task."""
        return [
            Control(
                name,
                Role.GOLDEN if name in self.goldens else Role.MUTANT,
                PASSED if name in self.goldens else BELOW_GOLDEN,
                Provenance.model_validate({"source": self.source, "means": "file", "note": self.notes.get(name, "")}),
                self._build(make),
                (Done(),),
                state=name,
            )
            for name, make in {**self.goldens, **self.mutants}.items()
        ]

    def _build(self, make: Make) -> Callable[[DesktopHandle], Readback]:
        def build(handle: DesktopHandle) -> Readback:
            files = make(handle)
            for path, data in files.items():
                handle.guest.upload(path, data)
            there = {path: handle.guest.file(path) for path in files}
            if there != files:
                raise RecipeFailed("what is there is not what was put")
            found = self.look(files)
            steps = [file_step(path, base64.b64encode(data).decode()) for path, data in files.items()]
            return Readback(wanted=self.wanted, made=found, found=found, right=found == self.wanted, steps=steps)

        return build


def file_controls(task: TaskFile) -> list[Control]:
    """The controls of a task whose files a rule judges; empty if there is no recipe."""
    found = TASKS.get(task.id)
    return found.controls() if found is not None else []


def _now(handle: DesktopHandle, path: str) -> bytes:
    data = handle.guest.file(path)
    if data is None:
        raise RecipeFailed(f"there is no {path}")
    return data


# A configuration in YAML

CONFIG = "/home/user/Code/Website/academicpages.github.io/_config.yml"
_KEYS = {"name": r"(?m)^name\b.*$", "author.name": r"(?m)^  name\b.*$", "author.email": r"(?m)^  email\b.*$"}


def _config(**values: str) -> Make:
    def make(handle: DesktopHandle) -> Files:
        text = _now(handle, CONFIG).decode()
        for key, value in values.items():
            place = _KEYS[key.replace("__", ".")]
            indent = "  " if "__" in key else ""
            anchor = "&name " if key == "name" else ""
            text = re.sub(place, f'{indent}{key.rpartition("__")[2]}: {anchor}"{value}"'.replace("\\", "\\\\"), text, count=1)
        return {CONFIG: text.encode()}

    return make


def _configured(files: Files) -> JsonValue:
    text = files[CONFIG].decode()
    return {key: found.group(0).partition('"')[2].strip('"') for key, place in _KEYS.items() if (found := re.search(place, text))}


# Tags of songs

SONGS = ("Cheng Xiang - Missing You", "Han Baoyi - Tears of Dancing Girl", "Huang An - I Know Missing is Painful",
         "Chen Shaohua - Red Daughter", "Zhou Xuan - Nights in Shanghai")  # fmt: skip


def _tagged(change: Callable[[str, dict[str, str]], dict[str, str]]) -> Make:
    def make(handle: DesktopHandle) -> Files:
        files = {}
        for song in SONGS:
            artist, _, title = song.partition(" - ")
            files[f"/home/user/Music/{song}.mp3"] = made(kind="mp3", tags=change(song, {"artist": artist, "title": title}))
        return files

    return make


def _one_without_artist(song: str, tags: dict[str, str]) -> dict[str, str]:
    return {"title": tags["title"]} if song == SONGS[3] else tags


def _swapped(song: str, tags: dict[str, str]) -> dict[str, str]:
    return {"title": tags["artist"], "artist": tags["title"]}


def _one_misspelt(song: str, tags: dict[str, str]) -> dict[str, str]:
    return {**tags, "title": tags["title"].lower()} if song == SONGS[0] else tags


def _tags(files: Files) -> JsonValue:
    """Title and artist of each file, from its ID3 frames."""
    found: dict[str, JsonValue] = {}
    for path, data in files.items():
        frames: list[JsonValue] = []
        for name in (b"TIT2", b"TPE1"):
            at = data.find(name)
            size = int.from_bytes(data[at + 4 : at + 8], "big") if at >= 0 else 0
            frames.append(data[at + 11 : at + 10 + size].decode().rstrip("\0") if at >= 0 else "")
        found[path.rpartition("/")[2]] = frames
    return found


# A picture under a size

PICTURE = "/home/user/Desktop/compressed.jpeg"
LIMIT = 600_000


def _picture(**wanted: JsonValue) -> Make:
    return lambda handle: {PICTURE: made(kind="image", **wanted)}


def _no_picture(handle: DesktopHandle) -> Files:
    return {PICTURE: b""}


def _small_jpeg(files: Files) -> JsonValue:
    data = files[PICTURE]
    return {"jpeg": data.startswith(b"\xff\xd8\xff"), "under 600 KB": len(data) < LIMIT}


# A report in text


def _text(path: str, text: str) -> Make:
    return lambda handle: {path: text.encode()}


REPORT = "/home/user/Desktop/System_Resources_Report.txt"
_SAR = "Linux 5.15.0 (user-virtual-machine) \t01/01/2026 \t_x86_64_\t(4 CPU)\n\n"


def _sar(samples: int, columns: str = "%user     %nice   %system   %iowait    %steal     %idle") -> Make:
    rows = [f"12:00:00        CPU     {columns}"]
    rows += [f"12:00:{n:02d}        all      1.00      0.00      0.50      0.00      0.00     98.50" for n in range(1, samples + 1)]
    rows.append("Average:        all      1.00      0.00      0.50      0.00      0.00     98.50")
    return _text(REPORT, _SAR + "\n".join(rows) + "\n")


def _samples(files: Files) -> JsonValue:
    text = files[REPORT].decode()
    return {"samples": len(re.findall(r"(?m)^\d\d:\d\d:\d\d +all ", text)), "columns": len(set(re.findall(r"%\w+", text)))}


_OWN_SONGS = "the verifier's five songs, silent ones of ours, with the tags that their names give"

TASKS: dict[str, FileTask] = {
    "multi_apps/e2392362-125e-4f76-a2ee-524b183a3412": FileTask(
        wanted={"name": "Test Account", "author.name": "Test Account", "author.email": "Test@gmail.com"},
        look=_configured,
        goldens={"golden": _config(name="Test Account", author__name="Test Account", author__email="Test@gmail.com")},
        mutants={
            "e-mail-left": _config(name="Test Account", author__name="Test Account"),
            "site-name-left": _config(author__name="Test Account", author__email="Test@gmail.com"),
            "other-e-mail": _config(name="Test Account", author__name="Test Account", author__email="Test.Account@gmail.com"),
        },
    ),
    "multi_apps/3f05f3b9-29ba-4b6b-95aa-2204697ffc06": FileTask(
        wanted={f"{song}.mp3": list(reversed(song.split(" - "))) for song in SONGS},
        look=_tags,
        goldens={"golden": _tagged(lambda song, tags: tags)},
        mutants={
            "one-without-artist": _tagged(_one_without_artist),
            "title-and-artist-swapped": _tagged(_swapped),
            "one-misspelt": _tagged(_one_misspelt),
        },
        notes={"golden": _OWN_SONGS},
    ),
    "multi_apps/3c8f201a-009d-4bbe-8b65-a6f8b35bb57f": FileTask(
        wanted={"jpeg": True, "under 600 KB": True},
        look=_small_jpeg,
        goldens={"golden": _picture(width=1280, height=853, format="JPEG", quality=60)},
        mutants={
            "too-large": _picture(width=1600, height=1200, format="JPEG", quality=95, noise=True),
            "empty-file": _no_picture,
            "png-under-that-name": _picture(width=640, height=480, format="PNG"),
        },
        notes={"golden": "a picture of ours: the one to be compressed is on the web"},
    ),
    "multi_apps/2373b66a-092d-44cb-bfd7-82e86e7a3b4d": FileTask(
        wanted={"samples": 30, "columns": 6},
        look=_samples,
        goldens={"golden": _sar(30)},
        mutants={
            "half-as-long": _sar(15),
            "one-sample-more": _sar(31),
            "idle-missing": _sar(30, "%user     %nice   %system   %iowait    %steal"),
        },
        notes={"golden": "written in the form of sysstat 12's `sar -u 1 30`"},
    ),
}
