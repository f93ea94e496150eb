"""One agent class on two suites: MiniWoB++'s pages and OSWorld's desktop, both through the command line, and one scorecard of both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from unibench.environments import environment_python
from unibench.errors import Unavailable
from unibench_guests.local import check_installed

pytestmark = pytest.mark.browser

CALC = "libreoffice_calc/1e8df695-bd1b-45b3-b557-e7d599cf7597"
CHROMIUM = "chrome/bb5e4c0d-f964-439c-97b6-bdb9747de3f4"


@pytest.fixture(scope="module")
def osworld(data: Path, sandboxed: None) -> list[str]:
    """The settings with which OSWorld runs here; skips where it cannot."""
    try:
        environment_python("osworld")
        check_installed()
    except Unavailable as error:
        pytest.skip(str(error))
    return ["--set", f"tasks={data / 'osworld'}", "--set", f"assets={data / 'osworld' / 'file_cache'}", "--set", "pause=0.3"]


def unibench(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "unibench", *arguments],
        cwd=ROOT / "examples" / "agents", env={**os.environ, "COLUMNS": "200"}, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_same_agent_plays_pages_and_a_desktop(osworld: list[str], tmp_path: Path) -> None:
    web, desktop = str(tmp_path / "web"), str(tmp_path / "desktop")
    tasks = ("click-button", "login-user", "click-tab")
    unibench("run", "miniwob", "-a", "macro:Macro", *(word for task in tasks for word in ("-t", task)), "-o", web)
    unibench("run", "osworld", "-a", "macro:Macro", "-t", CALC, "-t", CHROMIUM, *osworld, "-o", desktop)
    cards: list[dict[str, Any]] = json.loads(unibench("scorecard", web, desktop, "-f", "json"))
    rows = {(row["suite"], row["row"]): (row["n"], row["outcomes"]) for card in cards for row in card["rows"]}
    assert rows == {
        ("miniwob", "page-state"): (3, {"success": 3}),
        ("osworld", "app-config"): (1, {"success": 1}),
        ("osworld", "file-compare"): (1, {"success": 1}),
    }
    assert cards[0]["agent"] == cards[1]["agent"]
    # By what a person could do, and by nothing else.
    seen = [json.loads(line) for trace in tmp_path.glob("*/traces/**/trace.jsonl") for line in trace.read_text().splitlines()]
    kinds = {line["action"]["type"] for line in seen if line["event"] == "step"}
    assert kinds >= {"click", "type", "hotkey", "done"}
    assert kinds <= {"click", "type", "key", "hotkey", "wait", "done"}
