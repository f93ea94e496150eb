"""A fault's repro.py, run with stand-ins for upstream's evaluators: what its guest answers, and its exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from unibench.golden.control import BELOW_GOLDEN, NOTHING, PASSED, Readback, Role
from unibench.golden.results import ControlRun, Outcome
from unibench_golden_checks.windows_agent_arena.repro import MOST, kept, script
from unibench_guests.pathmapped import PathMappedGuest
from unibench_guests.pathmapped.paths import HOME
from unibench_osworld.session import DesktopHandle
from unibench_osworld.task_files import TaskFile
from unibench_windows_agent_arena.machines import PathMapped

NOTE = HOME + "\\Desktop\\note.txt"
UPSTREAM = {
    "desktop_env/__init__.py": "",
    "desktop_env/evaluators/__init__.py": "",
    "desktop_env/evaluators/metrics.py": "def same(found, **options): return float(found == 'milk')\n",
    "desktop_env/evaluators/getters.py": f"""
NOTE = {NOTE!r}
def get_note(env, config): return env.controller.get_file(NOTE).decode()
def get_missing(env, config): return env.controller.get_file(NOTE + "x").decode()
def get_picture(env, config): return env.controller.get_screenshot()
def get_address(env, config): return env.vm_ip
def get_listed(env, config):
    said = env.controller.execute_python_command("import os; print(os.path.exists(os.path.join(os.getenv('USERPROFILE'), 'Desktop')))")
    return "milk" if said["output"] == "True\\n" else said
def get_registry(env, config): return env.controller.execute_python_command("import winreg; print(1)")["output"]
def get_sizes(env, config): return env.controller.execute_python_command("import os; print(os.path.getsize('C:/a'))")["output"]
def get_silent(env, config):
    try:
        return env.controller.get_registry_key("a", "b")
    except Exception:
        return "milk"
""",
}


@pytest.fixture
def guest() -> Iterator[PathMappedGuest]:
    with PathMappedGuest() as running:
        running.at(NOTE).write_text("milk")
        yield running


def readback(guest: PathMappedGuest) -> Readback:
    machine = PathMapped.__new__(PathMapped)
    machine.guest = guest
    return kept(lambda handle: Readback(steps=["made"]))(cast(DesktopHandle, types.SimpleNamespace(machine=machine)))


def written(guest: PathMappedGuest, getter: str, expect: Any) -> str:
    task = TaskFile("ours", "note", {"instruction": "Buy milk.", "evaluator": {"func": "same", "result": {"type": getter}}})
    run = ControlRun(control="ours", role=Role.MUTANT, expect=expect, provenance=NOTHING, outcome=Outcome.JUDGED, readback=readback(guest))
    return script(task, run, {"desktop_env": "x"})


@pytest.mark.parametrize(
    ("getter", "expect", "code"),
    [
        ("note", BELOW_GOLDEN, 1),
        ("note", PASSED, 0),
        ("listed", PASSED, 0),
        ("missing", PASSED, 1),
        ("missing", BELOW_GOLDEN, 0),
        *((lacking, expect, 3) for lacking in ("picture", "address", "registry", "sizes", "silent") for expect in (PASSED, BELOW_GOLDEN)),
    ],
)
def test_it_exits_with_1_while_the_fault_stands_and_3_where_its_guest_is_not_enough(
    tmp_path: Path, guest: PathMappedGuest, getter: str, expect: Any, code: int
) -> None:
    for name, text in UPSTREAM.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = run(tmp_path, written(guest, getter, expect), PYTHONPATH=str(tmp_path))
    assert done.returncode == code, done.stderr


def test_without_upstream_it_proves_nothing(tmp_path: Path, guest: PathMappedGuest) -> None:
    assert run(tmp_path, written(guest, "note", BELOW_GOLDEN), PYTHONPATH="").returncode == 3


def run(folder: Path, text: str, **more: str) -> subprocess.CompletedProcess[str]:
    (folder / "repro.py").write_text(text)
    command = [sys.executable, "-P", str(folder / "repro.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, **more}, timeout=60)


def test_a_user_with_much_is_not_kept_and_has_no_script(guest: PathMappedGuest) -> None:
    assert len(readback(guest).steps) == 2
    for name in ("a", "b"):
        guest.at(f"{HOME}\\Downloads\\{name}").write_bytes(b"x" * (MOST // 2))
    assert readback(guest).steps == ["made"]
    assert written(guest, "note", BELOW_GOLDEN) == ""
