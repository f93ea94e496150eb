"""``unibench android record`` and ``unibench android conform``: is the simulated device what it claims to be?"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from unibench.errors import UnknownName, UsageError


def record(transcript: Path, task: list[str], substrate: str = "emulator", set: list[str] | None = None) -> Iterator[str]:
    """Golden-check tasks on a phone, and write down each adb command and what the phone said.

    --task GLOB names the tasks; --set K=V gives a setting, as elsewhere.
    """
    from unibench import registry
    from unibench.golden.check import GoldenCheck, Plan
    from unibench.golden.ledger import coverage
    from unibench_android_world import FACE, AndroidWorldSettings
    from unibench_android_world.machines import find_adb
    from unibench_guests.simdevice import transcript as tools

    if transcript.exists():
        raise UsageError(f"{transcript} is there already; name another file, or remove it")
    pairs = dict(pair.split("=", 1) for pair in set or [] if "=" in pair)
    settings = AndroidWorldSettings.parse({"transport": "adb", **pairs})
    with tempfile.TemporaryDirectory() as folder:
        program = tools.recorder(Path(folder), find_adb(settings.adb_path), transcript)
        recorded = settings.model_copy(update={"adb_path": str(program)})
        with registry.open_suite(FACE.name, settings, substrate) as remote:
            known = [each.id for each in remote.tasks()]
        chosen = [name for name in known if any(fnmatchcase(name, glob) for glob in task)]
        if not chosen:
            raise UnknownName.among("task of android_world", ", ".join(task), known)
        check = GoldenCheck(Plan(lambda: registry.open_suite(FACE.name, recorded, substrate), chosen))
        ledger = check.run()
    yield f"{ledger.substrate.name} ({ledger.substrate.digest}): {coverage(ledger)}"
    yield f"{len(tools.read(transcript))} commands: {transcript}"


def conform(transcript: Path, bare: bool = False) -> Iterator[str]:
    """Run a transcript's commands on a fresh simulated device, and print every difference.

    The device has AndroidWorld's apps, for which the suite's own environment is needed; with --bare it has none.
    """
    from unibench.session.remote import python_for
    from unibench_android_world import FACE
    from unibench_guests.simdevice import transcript as tools

    tools.read(transcript)
    python = sys.executable if bare else str(python_for(FACE))
    command = [python, "-m", "unibench_android_world.conform", str(transcript), *(["--bare"] if bare else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise UsageError((done.stderr.strip().splitlines() or ["the comparison did not run"])[-1])
    yield from done.stdout.splitlines()
    if done.returncode:
        raise SystemExit(1)
