"""Runs of the example suite, which needs no browser: agents in a file, and the command line as users call it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from unibench.runs.records import EpisodeRecord
from unibench.runs.store import RunStore

AGENTS = '''
import os
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

class Surrogates:
    """Half a character wherever text goes: its own name, an answer, an error."""
    def describe(self):
        return {"model": "\\ud800", "\\ud801": 1}
    def reset(self, brief):
        self.steps, self.usage = 0, {"\\ud802": 1.0}
    def act(self, observation):
        self.steps += 1
        if self.steps > 1:
            raise ValueError("\\ud83d bad")
        return {"type": "answer", "text": "\\ud83d"}

class HalfAnswer:
    def reset(self, brief):
        self.left = [{"type": "answer", "text": "\\ud83d"}, {"type": "done"}]
    def act(self, observation):
        return self.left.pop(0)

class Tells:
    """Shows its key in its description, an answer and an error, as an HTTP client's repr does."""
    def __init__(self, api_key=""):
        self.key = os.environ["MY_API_KEY"] + api_key
    def describe(self):
        return {"headers": [self.key]}
    def reset(self, brief):
        self.steps, self.task = 0, brief.task
    def act(self, observation):
        self.steps += 1
        if self.task == "stay-light":
            raise RuntimeError(f"Illegal header value {self.key.encode()!r}")
        return {"type": "answer", "text": "x" * 10 + self.key} if self.steps == 1 else {"type": "done"}

class Dies:
    """Ends the whole run, as kill -9 does, in the middle of the first episode."""
    def __init__(self, **arguments):
        pass
    def act(self, observation):
        if os.path.exists("die"):
            os.kill(os.getppid(), 9)
        return {"type": "done"}

class Fades:
    """Its model fails at each third call, which costs 1."""
    def __init__(self, at="3"):
        self.calls, self.at, self.usage = 0, int(at), {"cost": 0.0}
    def act(self, observation):
        self.calls += 1
        if self.calls == self.at:
            self.calls = 0
            from unibench.agents import AgentUnavailable
            raise AgentUnavailable("no reply")
        self.usage["cost"] += 1.0
        return "theme"

def slowly(observation):
    time.sleep(0.02)
    return {"type": "done"}
'''


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "unibench", *arguments]


def unibench(here: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder that has the agents above as ``agents``."""
    (here / "agents.py").write_text(AGENTS)
    variables = {**os.environ, **environment}
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False, cwd=here, env=variables, timeout=120)


def run(here: Path, agent: str, *arguments: str, folder: str = "r", **environment: str) -> list[EpisodeRecord]:
    """A finished run's episodes."""
    done = unibench(here, "run", "notebook", "-a", agent, "-o", folder, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    with RunStore(here / folder) as store:
        return store.episodes()
