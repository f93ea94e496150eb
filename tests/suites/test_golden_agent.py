"""``-a golden``: the golden check's recipes played as an agent, through the ordinary act path."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from unibench.errors import AgentUnavailable
from unibench.outcome import Ending, Outcome
from unibench.runs.records import EpisodeRecord, Manifest
from unibench.runs.store import RunStore


def golden(here: Path, suite: str, *arguments: str) -> tuple[Manifest, list[EpisodeRecord]]:
    command = [sys.executable, "-m", "unibench", "run", suite, "-a", "golden", "-o", "r", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=here)
    assert done.returncode == 0, done.stderr
    with RunStore(here / "r") as store:
        manifest = store.manifest()
        assert manifest is not None
        return manifest, store.episodes()


def test_the_notebooks_recipes_pass_and_what_cannot_be_played_is_dropped_with_the_reason(tmp_path: Path) -> None:
    manifest, records = golden(tmp_path, "notebook", "--seeds", "2")
    assert {record.spec.task: record.outcome for record in records} == dict.fromkeys(
        ("write-note", "count-notes", "tick-note", "print-note"), Outcome.SUCCESS
    )
    assert len(records) == 8
    assert [(dropped.task, "not playable" in dropped.reason) for dropped in manifest.dropped] == [("stay-light", True)]
    assert manifest.agent.name == "golden"
    assert manifest.agent.described["told_the_solution"] is True


def test_a_recipe_longer_than_the_budget_is_not_scored(tmp_path: Path) -> None:
    _, records = golden(tmp_path, "notebook", "-t", "tick-note", "--max-steps", "1")
    (record,) = records
    assert (record.ending, record.score) == (Ending.AGENT_UNAVAILABLE, None)
    assert "takes 2 actions, the budget is 1" in record.error


def test_golden_takes_no_arguments(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unibench", "run", "notebook", "-a", "golden", "-A", "x=y"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert "takes no arguments" in done.stderr


@pytest.mark.browser
def test_real_recipes_pass_as_actions_with_mouse_keyboard_wheel_and_held_buttons(tmp_path: Path) -> None:
    tasks = ("click-button", "enter-text", "login-user", "choose-list", "scroll-text-2", "drag-box", "click-scroll-list", "stock-market")
    selected = [part for task in tasks for part in ("-t", task)]
    manifest, records = golden(tmp_path, "miniwob", *selected, "--max-steps", "60", "--observe", "url")
    assert {record.spec.task: record.outcome for record in records} == dict.fromkeys(tasks[:-1], Outcome.SUCCESS)
    assert [dropped.task for dropped in manifest.dropped] == ["stock-market"]


@pytest.mark.browser
def test_an_instance_without_a_right_end_is_refused_by_name() -> None:
    from unibench import open_suite

    with open_suite("miniwob") as suite:
        spec = suite.draw("click-tab-2-medium", 0)
        with pytest.raises(AgentUnavailable, match=r"click-tab-2-medium.*no link"):
            suite.call("golden_actions", spec=spec.model_dump(mode="json"))
