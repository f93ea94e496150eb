"""What a machine or an agent wrote does nothing to the terminal of who reads it."""

from __future__ import annotations

import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from unibench.cli import fail
from unibench.cli.common import err, out, print_json
from unibench.cli.harmless import harmless
from unibench.errors import EnvironmentFault

ATTACK = "\x1b]0;title\x07\x1b[2J\x9b31m\r\u202eevil\ud800\0\x08"


def test_nothing_that_a_console_prints_moves_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("cell")
    table.add_row(ATTACK)
    for console in (out(), err()):
        for each in (ATTACK, Text(ATTACK), table):
            console.print(each)
    fails = EnvironmentFault(f"the guest said {ATTACK}")
    with pytest.raises(SystemExit):
        fail(fails)
    written = capsys.readouterr()
    for text, ways in ((written.out, 3), (written.err, 4)):
        assert text.count(r"\x1b]0;title") == ways
        assert not any(each < "\x20" and each != "\n" for each in text)
        assert not any(each in text for each in ("\x9b", "\u202e", "\ud800"))


def test_colours_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    console = out()
    console._color_system = console._color_system or __import__("rich.color", fromlist=["ColorSystem"]).ColorSystem.STANDARD
    console._force_terminal = True
    with console.capture() as captured:
        console.print(Text("red \x1b[2J", style="red"))
    assert captured.get().startswith("\x1b[31mred \\x1b[2J\x1b[0m")


def test_json_stays_the_same_value(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": ATTACK.replace("\ud800", ""), "letters": "für 文 \u200e"}
    print_json(json.dumps(value, ensure_ascii=False))
    text = capsys.readouterr().out
    assert json.loads(text) == value
    assert text.strip().replace("ü", "").replace("文", "").isascii() and text.strip().isprintable()


@given(st.text())
def test_what_is_harmless_is_printable_or_a_line(text: str) -> None:
    shown = harmless(text)
    shown.encode()
    assert not any((ord(each) < 32 and each not in "\n\t") or 127 <= ord(each) < 160 for each in shown)
    assert harmless(shown) == shown
