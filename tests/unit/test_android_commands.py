"""``unibench android …``: what compares nothing, or another suite's file, is no success. Needs no upstream."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unibench import registry
from unibench.errors import EnvironmentFault, FileProblem, Unavailable, UnknownName, UsageError
from unibench.golden.results import Ledger
from unibench.settings import Substrate
from unibench_android_world import FACE, AndroidWorldSettings, commands


def ledger(folder: Path, suite: str = "android_world") -> Path:
    settings = AndroidWorldSettings()
    made = Ledger(
        schema_version="0.1",
        made_by="test",
        made_at="2026-01-01T00:00:00Z",
        complete=True,
        suite=suite,
        upstream={},
        substrate=Substrate(name="simdevice", fidelity="stand-in"),
        settings=settings.model_dump(mode="json"),
        settings_digest=settings.digest,
        seeds=(0,),
        repeats=1,
        entries=(),
    )
    path = folder / "l.json"
    path.write_text(made.model_dump_json())
    return path


def test_a_ledger_of_another_suite_is_not_replayed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"l\.json is a ledger of notebook, not of android_world"):
        list(commands.replay(ledger(tmp_path, "notebook")))


def test_a_replay_of_nothing_is_no_success(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Typo"):
        list(commands.replay(ledger(tmp_path), task=["Typo"]))
    with pytest.raises(UsageError, match="holds no judged state"):
        list(commands.replay(ledger(tmp_path)))


def test_a_ledger_names_no_program_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ledger(tmp_path)
    hostile = {"adb_path": "./evil", "emulator_path": "./evil", "emulator_arguments": "x", "avd": "X"}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"settings": AndroidWorldSettings().model_dump(mode="json") | hostile}))
    asked: list[AndroidWorldSettings] = []

    @contextlib.contextmanager
    def opened(name: str, settings: AndroidWorldSettings, substrate: str) -> Iterator[None]:
        asked.append(settings)
        yield

    monkeypatch.setattr(registry, "open_suite", opened)
    for given, adb in ((None, ""), (["adb_path=/own/adb"], "/own/adb")):
        with pytest.raises(UsageError, match="holds no judged state"):
            list(commands.replay(path, set=given))
        assert asked.pop() == AndroidWorldSettings(avd="X", adb_path=adb)


def test_a_transcript_that_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileProblem, match="cannot write"):
        list(commands.record(tmp_path / "file" / "t.jsonl"))


def test_a_session_reads_utf_8_and_has_a_path_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATH")
    given = FACE.environment(AndroidWorldSettings())
    assert (given["PYTHONUTF8"], given["PYTHONHASHSEED"], given["PATH"]) == ("1", "0", os.defpath)
    monkeypatch.setenv("PATH", "/own/bin")
    assert FACE.environment(AndroidWorldSettings())["PATH"] == "/own/bin"


def test_what_a_machine_lacks_is_said_without_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t").write_text('{"device": "x"}\n')
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="the simulated device needs mksh, toybox, libc-bin, coreutils; apt install mksh toybox"):
        list(commands.conform(tmp_path / "t", bare=True))


def test_a_module_that_breaks_is_no_finding(tmp_path: Path) -> None:
    """Status 1 means that there is something to tell; Python's traceback has it too."""
    for name, text, kind, match in (
        ("breaks", "print('one')\nraise RuntimeError('lost')", EnvironmentFault, "breaks broke: RuntimeError: lost"),
        ("silent", "raise SystemExit(0)", EnvironmentFault, "silent broke: silent ended with status 0"),
        ("lacks", "import sys\nsys.stderr.write('no toybox\\n')\nraise SystemExit(3)", Unavailable, "^no toybox$"),
    ):
        (tmp_path / f"{name}.py").write_text(text)
        stand_in = tmp_path / "python"
        stand_in.write_text(f"#!/bin/sh\nexec {sys.executable} {tmp_path / name}.py\n")
        stand_in.chmod(0o755)
        with pytest.raises(kind, match=match):
            list(commands._inside(str(stand_in), name))


def test_lines_come_as_they_are_written(tmp_path: Path) -> None:
    stand_in = tmp_path / "python"
    stand_in.write_text("#!/bin/sh\necho one\nexec sleep 600\n")
    stand_in.chmod(0o755)
    lines: Any = commands._inside(str(stand_in), "slow")
    assert next(lines) == "one"
    lines.close()
