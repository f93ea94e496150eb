"""The golden check on MiniWoB++, through faults of the machine, and what it writes."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unibench import registry
from unibench.golden.check import REDRAWS, GoldenCheck, Plan, Progress
from unibench.golden.ledger import read_ledger
from unibench.golden.report import causes_of
from unibench.golden.results import Decision, Ledger, Outcome, Reason
from unibench.session.remote import RemoteSuite
from unibench.session.wire import Frames

pytestmark = pytest.mark.browser

TASKS = ("click-test", "click-test-2", "click-button", "click-checkboxes")


def check(*tasks: str, **kwargs: Any) -> Ledger:
    return GoldenCheck(Plan(lambda: registry.open_suite("miniwob"), tasks, **kwargs)).run()


def test_it_finds_sound_and_faulty_verifiers_by_itself() -> None:
    seen: list[str] = []
    plan = Plan(lambda: registry.open_suite("miniwob"), TASKS, seeds=(0, 1), jobs=2)
    golden_check = GoldenCheck(plan, Progress(finished=lambda entry: seen.append(entry.task)))
    ledger = golden_check.run()
    decisions = {entry.task: entry.decision for entry in ledger.entries}
    assert decisions == {
        "click-test": Decision.VALID,
        "click-test-2": Decision.VALID,
        "click-button": Decision.VALID,
        "click-checkboxes": Decision.INVALID,
    }
    assert sorted(seen) == sorted(TASKS)
    assert ledger.complete
    faulty = ledger.entries[3]
    assert faulty.reasons == (Reason.MUTANT_ACCEPTED,)
    for fault in faulty.faults:
        runs = [run for i in faulty.instances if i.spec.digest == fault.spec for run in i.runs if run.control == fault.control]
        assert runs[0].readback is not None
        assert runs[0].readback.right is False
        assert runs[0].readback.found != runs[0].readback.wanted
        assert golden_check.shots[(fault.spec, fault.control)].startswith(b"\x89PNG")
    assert {cause.source.path for cause in causes_of(ledger)} == {"browsergym/miniwob/base.py"}


def test_the_verifier_is_asked_no_sooner_than_of_an_agent() -> None:
    """A result of search-engine is a link to "#": a moment after the click the address differs, and BrowserGym refuses it."""
    ledger = check("search-engine", seeds=(0, 1))
    entry = ledger.entries[0]
    assert (entry.decision, entry.reasons, entry.faulty) == (Decision.INVALID, (Reason.GOLDEN_REJECTED,), 2)
    assert {cause.source.path for cause in causes_of(ledger)} == {"browsergym/miniwob/base.py"}


def test_untouched_and_idle_share_an_episode_and_repeats_agree() -> None:
    entry = check("click-test", repeats=2).entries[0]
    runs = entry.instances[0].runs
    assert [run.shares for run in runs if run.control == "idle"] == ["untouched", "untouched"]
    assert sorted({run.repeat for run in runs}) == [0, 1]
    assert entry.decision is Decision.VALID


class Hangs(RemoteSuite):
    """A session whose golden controls pass their deadline, the first ``times`` times."""

    times = 1

    def call(self, method: str, seconds: float | None = None, **params: Any) -> tuple[Any, Frames]:
        if method == "run_control" and params["control"] == "golden" and type(self).times > 0:
            type(self).times -= 1
            seconds = 0.001
        return super().call(method, seconds, **params)


def hanging() -> RemoteSuite:
    plain = registry.open_suite("miniwob")
    return Hangs(plain.face, plain.host.face_path)


def test_a_control_that_hangs_once_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hangs, "times", 1)
    ledger = GoldenCheck(Plan(hanging, ("click-test", "click-test-2"))).run()
    assert [entry.decision for entry in ledger.entries] == [Decision.VALID, Decision.VALID]
    assert max(run.attempts for run in ledger.entries[0].instances[0].runs) == 2


def test_a_control_that_always_hangs_is_undecided_and_the_check_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hangs, "times", 3)
    ledger = GoldenCheck(Plan(hanging, ("click-test", "click-test-2"))).run()
    assert [entry.decision for entry in ledger.entries] == [Decision.UNDECIDED, Decision.VALID]
    assert ledger.entries[0].reasons == (Reason.ENVIRONMENT_FAULT,)
    (golden,) = [run for run in ledger.entries[0].instances[0].runs if run.control == "golden"]
    assert golden.outcome is Outcome.ENVIRONMENT_FAULT
    assert "SessionTimeout" in golden.message


def test_session_processes_killed_at_random_lose_nothing() -> None:
    """One kill a task, at any moment of it."""
    suites: list[RemoteSuite] = []
    killed: list[str] = []
    timers: list[threading.Timer] = []

    def opened() -> RemoteSuite:
        suites.append(registry.open_suite("miniwob"))
        return suites[-1]

    def kill(task: str) -> None:
        pid = suites[-1].pid
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.kill(pid, signal.SIGKILL)
                killed.append(task)

    def started(task: str) -> None:
        timers.append(threading.Timer(random.Random(task).uniform(0.0, 1.0), kill, [task]))
        timers[-1].start()

    ledger = GoldenCheck(Plan(opened, TASKS, seeds=(0, 1)), Progress(started=started)).run()
    for timer in timers:
        timer.join()
    assert len(killed) >= 3
    assert [entry.decision for entry in ledger.entries] == [Decision.VALID] * 3 + [Decision.INVALID]
    assert all(run.outcome in (Outcome.JUDGED, Outcome.NOT_APPLICABLE) for e in ledger.entries for i in e.instances for run in i.runs)


def test_a_recipe_that_fails_is_not_the_verifiers_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recipe whose page lacks what it reaches for: undecided, never invalid."""
    broken = tmp_path / "sitecustomize.py"
    broken.write_text(
        "import unibench_golden_checks.miniwob.buttons as b\nb.ClickNamedButton.candidates = '#no-such-thing'\n", encoding="utf-8"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    entry = check("click-test-2").entries[0]
    assert (entry.decision, entry.reasons) == (Decision.UNDECIDED, (Reason.RECIPE_FAILED,))
    assert any("ValueError" in run.message for run in entry.instances[0].runs)
    assert len(entry.instances) == 1 + REDRAWS

    def opened() -> RemoteSuite:
        suite = registry.open_suite("miniwob")
        suite.face = replace(suite.face, instances_differ=False)
        return suite

    (entry,) = GoldenCheck(Plan(opened, ("click-test-2",))).run().entries
    assert (entry.decision, len(entry.instances)) == (Decision.UNDECIDED, 1)


def test_the_report_reproduces_with_upstream_alone(tmp_path: Path) -> None:
    path, report = tmp_path / "l.json", tmp_path / "report"
    command = [
        sys.executable,
        "-m",
        "unibench",
        "golden-check",
        "miniwob",
        "-t",
        "click-checkboxes",
        "-o",
        str(path),
        "--report",
        str(report),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert read_ledger(path).entries[0].decision is Decision.INVALID
    folders = sorted(p for p in report.iterdir() if p.is_dir())
    assert folders
    for folder in folders:
        text = (folder / "README.md").read_text()
        assert "accepts a wrong end state" in text
        assert "broken" not in text
        assert (folder / "end_state.png").read_bytes().startswith(b"\x89PNG")
    script = (folders[0] / "repro.py").read_text()
    assert "unibench" not in script.replace("unibench posts", "")
    again = subprocess.run([sys.executable, str(folders[0] / "repro.py")], capture_output=True, text=True, check=False)
    assert again.returncode == 1, again.stdout + again.stderr
    assert "a sound verifier gives 0.0" in again.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_was_checked(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "l.json"
    command = [sys.executable, "-m", "unibench", "golden-check", "miniwob", "-t", "click-*", "-o", str(path)]
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    variables = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables) as process:
        end = time.monotonic() + 120
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.2)
        process.send_signal(number)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    kept = read_ledger(path)
    assert not kept.complete
    assert kept.entries
    until = time.monotonic() + 5
    while list(scratch.iterdir()) and time.monotonic() < until:
        time.sleep(0.1)
    assert list(scratch.iterdir()) == []


def test_a_terminal_that_closes_costs_nothing_that_was_checked(tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    command = [sys.executable, "-m", "unibench", "golden-check", "miniwob", "-t", "click-*", "-o", str(path)]
    ours, theirs = os.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        end = time.monotonic() + 120
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.2)
        path.unlink()
        os.close(ours)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 130
    assert read_ledger(path).entries


def test_two_checks_do_not_write_the_same_ledger(tmp_path: Path) -> None:
    from filelock import FileLock

    from unibench.cli.golden_check import lock_path

    path = tmp_path / "l.json"
    with FileLock(lock_path(path)):
        command = [sys.executable, "-m", "unibench", "golden-check", "miniwob", "-t", "click-test", "-o", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.strip().startswith("unibench: another golden check is writing")


def test_the_ledger_of_the_command_is_valid_json_by_its_schema(tmp_path: Path) -> None:
    import jsonschema

    from unibench.schemas import schema_of

    path = tmp_path / "l.json"
    command = [sys.executable, "-m", "unibench", "golden-check", "miniwob", "-t", "click-test", "--format", "json", "-o", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(path.read_text())
    jsonschema.validate(json.loads(done.stdout), schema_of("ledger"))
