"""What a machine or an agent wrote does nothing to the terminal of who reads it."""

from __future__ import annotations

import io
import json
import re
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
SHOWN = r"\x1b]0;title\x07\x1b[2J\x9b31m\r\u202eevil\ud800\x00\x08"


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
    for text in (written.out, written.err):
        # Rich leaves out some of them by itself.
        assert text.count(re.sub(r"\\x0[78]|\\r", "", SHOWN)) >= 2 or text.count(SHOWN) >= 1
        assert not set(text) & set(ATTACK) - set("title2J[]0;31mevil")


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
