"""An episode played again from its record: the same, different, or not to be played, on the example suite."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.suites.notebook_runs import run, unibench


def replay(here: Path, *arguments: str) -> dict[str, Any]:
    done = unibench(here, "replay", "r", *arguments, "-f", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def differing(found: dict[str, Any]) -> list[str]:
    return [each["what"] for each in found["compared"] if each["same"] is False]


def change_trace(here: Path, trace: str, old: str, new: str) -> None:
    path = here / "r" / trace
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def change_record(here: Path, table: str, old: str, new: str) -> None:
    db = sqlite3.connect(here / "r" / "run.sqlite")
    with db:
        db.execute(f"UPDATE {table} SET json = replace(json, ?, ?)", (old, new))
        assert new in db.execute(f"SELECT json FROM {table}").fetchone()[0]
    db.close()


def test_the_same_comes_of_it_on_each_kind_of_task(tmp_path: Path) -> None:
    records = run(tmp_path, "agents:Writes")
    assert {record.row for record in records} == {"answer-match+page-state", "page-state", "refusal"}
    for number, record in enumerate(records):
        found = replay(tmp_path, str(number), "--strict")
        what = {each["what"]: each for each in found["compared"]}
        assert differing(found) == []
        assert what["step 1 fold"]["now"] == "there is no button 'fold'"
        assert (what["ending"]["now"], what["goal"]["now"]) == (record.ending, record.goal)
        assert what["verdict"]["now"]["score"] == record.score
        assert what["initial state"]["same"] is None, "the notebook makes no digest of its state"


def test_what_differs_is_named_and_strict_objects(tmp_path: Path) -> None:
    (record,) = run(tmp_path, "agents:Writes", "-t", "stay-light")
    assert record.score == 1.0
    change_trace(tmp_path, record.trace, '"code": "fold"', '"code": "theme"')
    assert differing(replay(tmp_path, "stay-light")) == ["step 1 theme", "verdict", "outcome"]
    done = unibench(tmp_path, "replay", "r", "stay-light/0", "--strict")
    assert done.returncode == 1
    assert "not the same as recorded: step 1 theme, verdict, outcome" in done.stdout


def test_an_end_that_does_not_come_again_is_named(tmp_path: Path) -> None:
    (record,) = run(tmp_path, "agents:Writes", "-t", "stay-light")
    change_trace(tmp_path, record.trace, '"action": {"type": "done"}', '"action": {"type": "answer", "text": "4"}')
    assert differing(replay(tmp_path, "0")) == ["ending", "verdict"]


def test_another_instance_goal_state_version_or_verifier_is_named(tmp_path: Path) -> None:
    run(tmp_path, "agents:Writes", "-t", "write-note")
    change_record(tmp_path, "manifest", '{"notebook":"1.0"}', '{"notebook":"0.9"}')
    change_record(tmp_path, "episodes", '"goal":"Write', '"goal":"Rite')
    change_record(tmp_path, "descriptors", '"press save"', '"press keep"')
    done = unibench(tmp_path, "replay", "r", "0")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert 'upstream DIFFERS recorded {"notebook": "0.9"} now {"notebook": "1.0"}' in said
    assert "not the same as recorded: upstream, verifier, goal" in said


@pytest.mark.parametrize(
    ("agent", "arguments", "ending"),
    [
        ("agents:unsupported", (), "agent_error"),
        ("agents:Writes", ("--max-steps", "2"), "steps"),
        ("agents:Writes", ("--max-steps", "2", "--score-at-budget", "fail"), "steps"),
    ],
)
def test_ends_that_the_agent_or_the_budget_made_are_the_same(tmp_path: Path, agent: str, arguments: tuple[str, ...], ending: str) -> None:
    (record,) = run(tmp_path, agent, "-t", "stay-light", *arguments)
    assert record.ending == ending
    assert differing(replay(tmp_path, "0")) == []


def test_what_cannot_be_played_is_said_in_one_line(tmp_path: Path) -> None:
    (record,) = run(tmp_path, "agents:Writes", "-t", "stay-light")
    trace = tmp_path / "r" / record.trace
    whole = trace.read_text()

    def refused(episode: str = "0") -> str:
        done = unibench(tmp_path, "replay", "r", episode)
        assert done.returncode == 2, done.stdout + done.stderr
        assert len(done.stderr.splitlines()) == 1
        return done.stderr

    assert "did you mean 'stay-light/0'" in refused("stay-ligt")
    assert "it has 1, numbered from 0" in refused("1")
    trace.write_text(whole + '{"left_out": 3}\n')
    assert "was cut for its size (3 events left out)" in refused()
    trace.write_text("".join(line for line in whole.splitlines(keepends=True) if '"done"}, "usage"' not in line))
    assert "holds 3 of 4 actions" in refused()
    trace.write_text(whole.replace("buy milk", "buy [redacted]"))
    assert "a secret was taken out of action 2" in refused()
    trace.write_text(whole[:200])
    assert "is broken" in refused()
    trace.unlink()
    assert "is missing" in refused()
    assert "is no run" in unibench(tmp_path, "replay", "nowhere", "0").stderr
