"""Golden by upstream's gold file, put where the agent would have saved its own; and that file with one thing wrong."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from pathlib import PurePosixPath

from pydantic import JsonValue

from unibench.actions import Done
from unibench.golden.control import (
    BELOW_GOLDEN,
    PASSED,
    Control,
    NotApplicable,
    Provenance,
    Readback,
    RecipeFailed,
    Role,
)
from unibench_golden_checks.osworld import workbook
from unibench_golden_checks.osworld.one_text import with_one_text
from unibench_golden_checks.osworld.stand_ins import made
from unibench_osworld.session import DesktopHandle
from unibench_osworld.task_files import Check, TaskFile

BY_ARTEFACT = Provenance(
    source="artefact", means="file", note="upstream's gold file at the result's path, its application ended, so that no save writes over it"
)
BY_MUTATION = Provenance(source="artefact", means="file", note="upstream's gold file with one thing changed, at the result's path")
_PICTURES = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".bmp": "BMP"}
_APPLICATIONS = ("soffice.bin", "soffice", "gimp", "code")


def placeable(check: Check) -> bool:
    """Whether the check compares a file of the guest with a gold file that can be put in its place."""
    result, expected = check.result or {}, check.expected or {}
    return result.get("type") == "vm_file" and expected.get("type") == "cloud_file" and bool(_pairs(check))


def _pairs(check: Check) -> list[tuple[str, str]]:
    """Guest path and the gold's name in upstream's cache, pair by pair; empty if they do not pair up."""
    result, expected = check.result or {}, check.expected or {}
    paths = result.get("path") if result.get("multi") else [result.get("path")]
    names = expected.get("dest") if expected.get("multi") else [expected.get("dest")]
    if not isinstance(paths, list) or not isinstance(names, list):
        return []
    # With several golds and one result, any of them is right: the first serves.
    if len(paths) == 1:
        names = names[:1]
    same = [PurePosixPath(str(p)).suffix == PurePosixPath(str(n)).suffix for p, n in zip(paths, names, strict=False)]
    return [(str(p), str(n)) for p, n in zip(paths, names, strict=True)] if len(paths) == len(names) and all(same) else []


def _wanted(task: TaskFile) -> list[tuple[str, str]]:
    """What to place: all checks' pairs, or the first check's where one suffices."""
    checks = task.checks[:1] if task.joined == "or" else task.checks
    return list(dict.fromkeys(pair for check in checks for pair in _pairs(check)))


def _gold(handle: DesktopHandle, name: str) -> bytes:
    for asset in handle.assets:
        if asset.need.role == "gold" and asset.need.name == name:
            return asset.path.read_bytes()
    raise RecipeFailed(f"there is no gold file {name}")


def end_applications(handle: DesktopHandle) -> None:
    """Ends the programs that could write over a file that is put into the guest."""
    for name in _APPLICATIONS:
        handle.guest.execute(["pkill", "-9", "-x", name])
    handle.guest.execute("rm -f $(find ~ -name '.~lock.*' 2>/dev/null)", shell=True)


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def placed(
    task: TaskFile, change: Callable[[DesktopHandle, bytes], tuple[bytes, JsonValue]] | None = None
) -> Callable[[DesktopHandle], Readback]:
    """Puts the golds, or with a change of the first one, into the guest and reads them back."""

    def build(handle: DesktopHandle) -> Readback:
        end_applications(handle)
        wanted: dict[str, JsonValue] = {}
        found: dict[str, JsonValue] = {}
        steps: list[JsonValue] = []
        right = True
        for number, (path, name) in enumerate(_wanted(task)):
            gold = data = _gold(handle, name)
            if change is not None and number == 0:
                data, what = change(handle, gold)
                steps.append(what)
            handle.guest.upload(path, data)
            there = handle.guest.file(path)
            if there != data:
                raise RecipeFailed(f"{path} is not what was put there")
            wanted[path], found[path] = _sha(gold), _sha(there)
            steps.append(["put", path, _sha(data)])
            right = right and data == gold
        return Readback(wanted=wanted, made=found, found=found, right=right, steps=steps)

    return build


def _one_cell(handle: DesktopHandle, gold: bytes) -> tuple[bytes, JsonValue]:
    """One cell that the task changes holds another value; where no cell changes, the first number."""
    before: dict[str, dict[str, workbook.Cell]] = {}
    for asset in handle.assets:
        if asset.need.role == "initial" and asset.path.suffix == ".xlsx":
            before = workbook.cells(asset.path.read_bytes())
            break
    after = workbook.cells(gold)
    changed = [
        (s, r, c) for s, sheet in after.items() for r, c in sheet.items() if before.get(s, {}).get(r) != c and c.kind in ("n", "s", "str")
    ]
    # Numbers first: a label that the application made (a pivot table's "Row Labels") could be worded otherwise and be right.
    changed.sort(key=lambda each: each[2].kind != "n")
    numbers = [(s, r, c) for s, sheet in after.items() for r, c in sheet.items() if c.kind == "n"]
    for sheet, reference, cell in (*changed, *numbers):
        value = float(cell.value) + 1 if cell.kind == "n" else cell.value + " x"
        return workbook.with_cell(gold, sheet, reference, value), ["cell", sheet, reference, cell.value, value]
    raise NotApplicable("the gold workbook has no cell to change")


def _other_file(handle: DesktopHandle, gold: bytes) -> tuple[bytes, JsonValue]:
    """The file as the task found it, saved under the result's name."""
    for asset in handle.assets:
        if asset.need.role == "initial" and asset.path.suffix == PurePosixPath(_wanted(handle.task)[0][1]).suffix:
            data = asset.path.read_bytes()
            if data == gold:
                raise NotApplicable("the initial file is the gold file")
            return data, ["initial file"]
    raise NotApplicable("the task has no initial file of the result's type")


def _one_text(handle: DesktopHandle, gold: bytes) -> tuple[bytes, JsonValue]:
    """One paragraph, or one slide's text, is worded otherwise."""
    changed = with_one_text(gold, PurePosixPath(_wanted(handle.task)[0][1]).suffix)
    if changed is None:
        raise NotApplicable("the gold file has no text to change")
    return changed[0], ["text", changed[1][:80], "one word more"]


def _one_region(handle: DesktopHandle, gold: bytes) -> tuple[bytes, JsonValue]:
    """A sixteenth of the picture is turned into its negative."""
    suffix = PurePosixPath(_wanted(handle.task)[0][1]).suffix
    return made(kind="patched", data=base64.b64encode(gold).decode(), format=_PICTURES[suffix]), ["negative", "upper left sixteenth"]


def artefact_controls(task: TaskFile) -> list[Control]:
    """The golden by upstream's gold files, and its mutants; empty if a check is no comparison with a gold file."""
    checks = task.checks[:1] if task.joined == "or" else task.checks
    if task.infeasible or not checks or not all(placeable(check) for check in checks):
        return []
    done = (Done(),)
    controls = [
        Control("golden", Role.GOLDEN, PASSED, BY_ARTEFACT, placed(task), done, state="golden"),
        Control("initial-file", Role.MUTANT, BELOW_GOLDEN, BY_MUTATION, placed(task, _other_file), done, state="initial-file"),
    ]
    if _wanted(task)[0][1].endswith(".xlsx"):
        controls.append(Control("one-cell", Role.MUTANT, BELOW_GOLDEN, BY_MUTATION, placed(task, _one_cell), done, state="one-cell"))
    for name, change, suffixes in (
        ("one-paragraph", _one_text, (".docx",)),
        ("one-slide", _one_text, (".pptx",)),
        ("one-region", _one_region, tuple(_PICTURES)),
    ):
        if _wanted(task)[0][1].endswith(suffixes):
            controls.append(Control(name, Role.MUTANT, BELOW_GOLDEN, BY_MUTATION, placed(task, change), done, state=name))
    return controls
