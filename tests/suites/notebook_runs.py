"""Runs of the example suite, which needs no browser: agents in a file, and the command line as users call it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from unibench.runs.records import EpisodeRecord
from unibench.runs.store import RunStore

AGENTS = '''
import time

class Writes:
    """A wrong button, a note, an answer, done."""
    def __init__(self):
        self.usage = {"cost": 0.0}
    def reset(self, brief):
        self.left = ["fold", {"type": "type", "text": "buy milk"}, {"type": "answer", "text": "3"}, {"type": "done"}]
    def act(self, observation):
        self.usage["cost"] += 0.25
        return self.left.pop(0)

class Dawdles:
    """Does a step, then thinks for ever."""
    def reset(self, brief):
        self.steps = 0
    def act(self, observation):
        self.steps += 1
        if self.steps > 1:
            time.sleep(600)
        return "theme"

def nothing(observation):
    return None

def not_a_number(observation):
    return {"type": "click", "target": {"x": float("nan"), "y": 1}}

class Huge:
    """Types 30 MB, then is done."""
    def reset(self, brief):
        self.left = [{"type": "type", "text": "x" * 30_000_000}, {"type": "done"}]
    def act(self, observation):
        return self.left.pop(0)

def unsupported(observation):
    return {"type": "home"}

def slowly(observation):
    time.sleep(0.02)
    return {"type": "done"}
'''


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "unibench", *arguments]


def unibench(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder that has the agents above as ``agents``."""
    (here / "agents.py").write_text(AGENTS)
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False, cwd=here, env=dict(os.environ), timeout=120)


def run(here: Path, agent: str, *arguments: str, folder: str = "r") -> list[EpisodeRecord]:
    """A finished run's episodes."""
    done = unibench(here, "run", "notebook", "-a", agent, "-o", folder, *arguments)
    assert done.returncode == 0, done.stderr
    with RunStore(here / folder) as store:
        return store.episodes()
