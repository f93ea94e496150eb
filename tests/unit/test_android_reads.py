"""What ``unibench android reads`` takes for reading. The comparison itself needs upstream: tests/suites/test_android_world_contract.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from unibench_golden_checks.android_world import prove_reads


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("shell settings get global wifi_on", "settings"),
        ("shell content query --uri content://sms/sent", "content provider"),
        ("shell ls /data/data/com.arduia.expense/databases -ll -au", "databases"),
        ("pull /data/data/org.videolan.vlc/app_db/vlc_media.db /tmp/x", "databases"),
        ("shell cat /storage/emulated/0/Documents/Markor/receipt.md", "files"),
        ("shell am stack list", "foreground activity"),
        ("shell date +%s", "device clock"),
    ],
)
def test_a_command_reads(command: str, kind: str) -> None:
    notes = prove_reads.Notes()
    notes.command(command.split())
    assert (notes.kinds, notes.other) == ({kind}, set())


def test_what_acts_reads_nothing_and_what_is_not_known_is_said() -> None:
    notes = prove_reads.Notes()
    notes.command(["shell", "whoami"])
    assert (notes.kinds, notes.other) == (set(), set())
    notes.command(["shell", "getprop", "x"])
    assert notes.other == {"getprop x"}


def test_a_verifier_that_reads_otherwise_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def found(session: Any, suite: Any, task: str, notes: prove_reads.Notes) -> None:
        notes.kinds |= {"settings"} if task == "SystemWifiTurnOn" else {"files"}

    session = SimpleNamespace(close=lambda: None)
    monkeypatch.setattr(prove_reads, "AndroidWorldSuite", lambda: SimpleNamespace(classes=["SystemWifiTurnOn", "SystemWifiTurnOff"]))
    monkeypatch.setattr(prove_reads, "open_session", lambda *_: session)
    monkeypatch.setattr(prove_reads, "found", found)
    assert prove_reads.main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "SystemWifiTurnOff: said ['settings'], seen ['files']",
        "2 tasks judged (0 of them untouched alone: the screen decides), 1 read otherwise than is said",
    ]
    assert prove_reads.main(["*On"]) == 0
