"""What the local desktop's digest names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from unibench_guests.local import programs


@pytest.mark.parametrize("file", ["desktop.py", "guest/session.py", "home/.config/new"])
def test_our_own_part_is_in_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    here = tmp_path / "local"
    shutil.copytree(programs.HERE, here)
    monkeypatch.setattr(programs, "HERE", here)
    monkeypatch.setattr(programs, "HOME", here / "home")
    monkeypatch.setattr(programs, "GUEST", here / "guest")
    monkeypatch.setattr(programs, "versions", dict)
    before = programs.substrate().digest
    assert programs.substrate().digest == before
    changed = here / file
    changed.parent.mkdir(parents=True, exist_ok=True)
    with changed.open("a") as stream:
        stream.write("# changed\n")
    assert programs.substrate().digest != before
