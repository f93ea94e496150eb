"""Folders for a child's temporary files: removed when their owner is gone, and not before."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from unibench.session import scratch


def test_what_a_killed_supervisor_left_goes_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed = "import os; from unibench.session import scratch; print(scratch.make()[0], flush=True); os.kill(os.getpid(), 9)"
    left = subprocess.run([sys.executable, "-c", killed], env={"TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=False)
    (Path(left.stdout.strip()) / "big").write_text("x")
    others = tmp_path / "unibench-somebody"
    others.mkdir()
    mine, held = scratch.make()
    second, other = scratch.make()
    assert sorted(tmp_path.iterdir()) == sorted([mine, second, others])
    held.close()
    other.close()
