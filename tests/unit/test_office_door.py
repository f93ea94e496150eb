"""A recipe asks for LibreOffice's door when the office's window is shown: by its class, for titles may name any program."""

from __future__ import annotations

from pathlib import Path

import pytest

from unibench_golden_checks.osworld import uno_bridge


@pytest.mark.parametrize(
    ("listed", "shown"),
    [
        ("0x01 0 libreoffice.libreoffice-impress  user-vm Untitled 1 - LibreOffice Impress", True),
        ("0x01 0 soffice.Soffice  user-vm LibreOffice", True),
        ("0x01 0 chromium.Chromium  user-vm Download | LibreOffice - Chromium", False),
        ("0x01 0 chromium.Chromium  libreoffice Start", False),
        ("", False),
        ("odd", False),
    ],
)
def test_a_window_of_the_office_is_known_by_its_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: str, shown: bool) -> None:
    program = tmp_path / "wmctrl"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' '{listed}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert uno_bridge._shown() is shown
