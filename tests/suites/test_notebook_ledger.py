"""Ledgers of the example suite, which needs no browser: made, set aside, applied, and asked for."""

from __future__ import annotations

import json
from pathlib import Path

from tests.suites.notebook_runs import unibench
from unibench.golden.ledger import read_ledger


def test_a_tag_chooses_tasks_for_a_list_a_check_and_a_run(tmp_path: Path) -> None:
    listed = unibench(tmp_path, "tasks", "notebook", "-t", "changes:*", "-f", "json")
    assert [row["task"]["id"] for row in json.loads(listed.stdout)] == ["write-note", "tick-note"]
    assert "changes:notes 2, changes:ticks 1" in unibench(tmp_path, "tasks", "notebook").stdout
    checked = unibench(tmp_path, "golden-check", "notebook", "-t", "changes:ticks")
    assert checked.returncode == 0, checked.stderr
    assert [entry.task for entry in read_ledger(tmp_path / "notebook.ledger.json").entries] == ["tick-note"]
    done = unibench(tmp_path, "run", "notebook", "-a", "idle", "-t", "change:ticks", "-o", "r")
    assert done.returncode == 2
    assert "no task or tag of notebook 'change:ticks'; did you mean 'changes:ticks'" in done.stderr


def test_a_check_with_another_setting_leaves_the_old_ledger_beside_the_new_one(tmp_path: Path) -> None:
    for task in ("stay-light", "print-note"):
        assert unibench(tmp_path, "golden-check", "notebook", "-t", task).stderr == ""
    path = tmp_path / "notebook.ledger.json"
    before = path.read_bytes()
    done = unibench(tmp_path, "golden-check", "notebook", "-t", "stay-light", "--set", "autosave=true", "-f", "json")
    assert done.returncode == 0, done.stderr
    assert "(setting autosave false -> true): its 2 entries are set aside in notebook.ledger.json.bak" in " ".join(done.stderr.split())
    assert json.loads(done.stdout)["settings"]["autosave"] is True
    assert (tmp_path / "notebook.ledger.json.bak").read_bytes() == before
    assert [entry.task for entry in read_ledger(path).entries] == ["stay-light"]


def test_explain_takes_a_beginning_and_says_what_fits_if_several_do(tmp_path: Path) -> None:
    done = unibench(tmp_path, "explain", "notebook", "stay", "-c", "golden", "-f", "json")
    assert json.loads(done.stdout)["task"] == "stay-light", done.stderr
    done = unibench(tmp_path, "explain", "notebook", "*-note*")
    assert done.returncode == 2
    assert "'*-note*' fits 4 tasks of notebook: write-note, count-notes, tick-note and 1 more; say which one" in done.stderr


def test_a_run_with_nothing_to_play_is_refused_with_the_reasons_and_leaves_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "notebook.ledger.json"
    assert unibench(tmp_path, "golden-check", "notebook", "-t", "stay-light").returncode == 0
    text = json.loads(path.read_text())
    text["entries"][0] |= {"decision": "invalid", "reasons": ["flaky"], "faulty": 1}
    path.write_text(json.dumps(text))
    play = ("run", "notebook", "-a", "claims-done", "-t", "stay-light", "-o", "runs/r")
    done = unibench(tmp_path, *play)
    assert done.returncode == 3, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.splitlines()[:2] == ["dropped by the ledger: 1 task", "  stay-light: invalid: flaky"]
    assert "no task is left to run, so no run was made; --ledger-policy ignore" in done.stderr
    assert not (tmp_path / "runs").exists()
    mended = unibench(tmp_path, *play, "--ledger-policy", "ignore")
    assert mended.returncode == 0, mended.stderr


def test_a_run_says_what_is_unavailable_apart_from_what_the_ledger_drops(tmp_path: Path) -> None:
    assert unibench(tmp_path, "golden-check", "notebook", "-t", "stay-light").returncode == 0
    play = ("run", "notebook", "-a", "claims-done", "-t", "stay-light", "-t", "print-note", "--ledger-policy", "valid-only", "-o", "r")
    done = unibench(tmp_path, *play)
    assert done.returncode == 0, done.stderr
    assert "dropped by the ledger: 1 task (reasons are in the manifest)" in done.stderr
    assert "unavailable" not in done.stderr


def test_a_ledger_without_the_runs_tasks_is_named_with_the_command_that_adds_them(tmp_path: Path) -> None:
    assert unibench(tmp_path, "golden-check", "notebook", "-t", "print-note").returncode == 0
    play = ("run", "notebook", "-a", "claims-done", "-t", "print-note", "-t", "stay-light", "-o", "r")
    done = unibench(tmp_path, *play)
    line = "notebook.ledger.json has no entry for 1 of 2 tasks; add it: unibench golden-check notebook -t stay-light"
    assert line in done.stderr.splitlines()
    assert f"unchecked: {line}" in " ".join(done.stdout.split())
    assert "no golden check's ledger was applied" not in done.stdout
    assert unibench(tmp_path, *line.partition("unibench ")[2].split()).returncode == 0
    again = unibench(tmp_path, *play[:-1], "again")
    assert "has no entry" not in again.stdout + again.stderr
    (tmp_path / "notebook.ledger.json").unlink()
    without = unibench(tmp_path, *play[:-1], "without", "--set", "autosave=true").stdout
    assert "no golden check's ledger was applied; make one: unibench golden-check notebook --set autosave=true" in " ".join(without.split())


def test_a_stale_entry_says_what_differs_and_the_command_that_makes_it_again(tmp_path: Path) -> None:
    assert unibench(tmp_path, "golden-check", "notebook", "-t", "stay-light").returncode == 0
    play = ("run", "notebook", "-a", "claims-done", "-t", "stay-light", "--set", "autosave=true")
    done = unibench(tmp_path, *play, "-o", "r")
    command = "unibench golden-check notebook --set autosave=true -t stay-light"
    assert f"stale in the ledger, so not applied: 1 task (setting autosave false -> true); make it again: {command}" in done.stderr
    assert f"1 episodes (setting autosave false -> true); make it again: {command}" in " ".join(done.stdout.split())
    assert unibench(tmp_path, *command.split()[1:]).returncode == 0
    assert "stale" not in unibench(tmp_path, *play, "-o", "again").stderr
    refused = unibench(tmp_path, "run", "notebook", "-a", "claims-done", "-t", "stay-light", "--ledger-policy", "valid-only", "-o", "v")
    assert refused.returncode == 3
    assert "1 task (setting autosave true -> false)" in refused.stderr
