"""The command line as a user types it: one clear line for each mistake, the right exit code, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from unibench.cli import common

BROKEN = json.dumps({"kind": "unibench-ledger", "schema_version": "0.1"})


def unibench(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unibench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env={**os.environ, **environment})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["golden-chek", "miniwob"], "Did you mean 'golden-check'?"),
        (["golden-check", "miniwbo"], "no suite 'miniwbo'; did you mean 'miniwob'?"),
        (["golden-check", "miniwob", "-t", "click-tset"], "did you mean 'click-test'"),
        (["golden-check", "miniwob", "--jobs", "0"], "'--jobs' / '-j': Input should be greater than or equal to 1"),
        (["golden-check", "miniwob", "--seeds", "-1"], "'--seeds': Input should be greater than or equal to 1"),
        (["golden-check", "miniwob", "--set", "slowmo=1"], "did you mean 'slow_mo'"),
        (["golden-check", "miniwob", "--set", "slow_mo"], "has no '='"),
        (["golden-check", "miniwob", "--set", "slow_mo=fast"], "setting slow_mo='fast'"),
        (["golden-check", "miniwob", "--substrate", "chrome"], "did you mean 'chromium'"),
        (["golden-check", "miniwob", "--basline", "x"], "--baseline"),
        (["golden-check", "miniwob", "--baseline", "/no/such/ledger.json"], "cannot read /no/such/ledger.json: No such file"),
        (["golden-check", "miniwob", "-o", "/proc/nowhere/l.json"], "cannot write /proc/nowhere/l.json"),
        (["golden-check", "miniwob", "-o", "/"], "it is a folder"),
        (["golden-check", "miniwob", "--report", "/dev/null"], "cannot write /dev/null/README.md"),
        (["golden-check"], "SUITE"),
        (["explain", "miniwob", "click-tst"], "did you mean 'click-test'"),
        (["tasks", "minwob"], "did you mean 'miniwob'"),
        (["tasks", "miniwob", "--format", "yaml"], "'table', 'json'"),
        (["suites", "minwob"], "did you mean 'miniwob'"),
        (["doctor", "minwob"], "did you mean 'miniwob'"),
        (["schema", "leger"], "did you mean 'ledger'"),
    ],
)
def test_wrong_use_is_exit_code_2_and_says_the_mend(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = unibench(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["", "{", "[]", BROKEN])
def test_a_broken_baseline_is_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "my baseline.json"
    path.write_text(text)
    done = unibench("golden-check", "miniwob", "--baseline", str(path), cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert str(path) in done.stderr


def test_no_browser_is_exit_code_3(tmp_path: Path) -> None:
    bare = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    done = unibench("golden-check", "miniwob", "-t", "click-test", cwd=tmp_path, **bare)
    assert done.returncode == 3
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert "install Chromium" in done.stderr
    done = unibench("doctor", "miniwob", **bare)
    assert done.returncode == 3
    assert "install Chromium" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "command",
    [[], ["suites"], ["tasks"], ["doctor"], ["golden-check"], ["explain"], ["run"], ["scorecard"], ["show"], ["replay"], ["schema"]],
)
def test_help_says_something_of_everything(command: list[str]) -> None:
    done = unibench(*command, "--help")
    assert done.returncode == 0
    assert "Usage: unibench" in done.stdout
    assert len(done.stdout.splitlines()) > 8


def test_starting_loads_nothing_heavy() -> None:
    code = (
        "import sys\nsys.argv = ['unibench', '--version']\nfrom unibench.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numpy', 'gymnasium', 'playwright', 'pydantic', 'PIL', 'rich', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.browser
def test_odd_names_locales_and_outputs_lose_nothing(tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    check = ("golden-check", "miniwob", "-t", "unicode-test", "-o", "p[/red] é.json")
    done = unibench(*check, cwd=tmp_path, **plain)
    assert done.returncode == 0, done.stderr
    assert "valid 1" in done.stdout
    shown = unibench("explain", "miniwob", "unicode-test", "-c", "golden", "-o", str(tmp_path / "shots"), cwd=tmp_path, **plain)
    assert shown.returncode == 0, shown.stderr
    command = f"{sys.executable} -m unibench golden-check miniwob -t click-test -o l.json >&-"
    closed = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, check=False)
    assert closed.returncode == 0, closed.stderr
    assert (tmp_path / "l.json").exists()


def test_suites_and_tasks() -> None:
    assert "MiniWoB++ (BrowserGym)" in unibench("suites").stdout
    shown = unibench("suites", "miniwob").stdout
    assert "pre_observation_delay" in shown
    assert "498x321" in shown
    listed = unibench("tasks", "miniwob")
    assert listed.stdout.strip().endswith("125 tasks")
    rows = json.loads(unibench("tasks", "miniwob", "-t", "click-test*", "--format", "json").stdout)
    assert [row["task"]["id"] for row in rows] == ["click-test", "click-test-2", "click-test-transfer"]
    assert rows[0]["verifier"]["kind"] == "page-state"
    verifiers = unibench("tasks", "miniwob", "--verifiers").stdout
    assert "125 tasks: 125 page-state" in verifiers


@pytest.mark.browser
def test_explain_shows_what_was_made_and_what_was_read(tmp_path: Path) -> None:
    done = unibench("explain", "miniwob", "click-checkboxes", "-c", "golden", "-c", "one-missing", "-o", str(tmp_path))
    assert done.returncode == 0, done.stderr
    for text in ("passes if WOB_RAW_REWARD_GLOBAL > 0", "read back", "not what a sound verifier says", "decided by"):
        assert text in done.stdout
    assert sorted(path.name for path in tmp_path.glob("*.png")) == ["click-checkboxes-0-golden.png", "click-checkboxes-0-one-missing.png"]
    rows = json.loads(unibench("explain", "miniwob", "click-test", "-c", "golden", "-o", str(tmp_path), "--format", "json").stdout)
    assert rows["controls"][0]["judgement"]["status"] == "pass"
    wrong = unibench("explain", "miniwob", "click-test", "-c", "goldn", "-o", str(tmp_path))
    assert wrong.returncode == 2
    assert "did you mean 'golden'" in wrong.stderr


@pytest.mark.browser
def test_a_baseline_and_strict_decide_the_exit_code(tmp_path: Path) -> None:
    first = unibench("golden-check", "miniwob", "-t", "click-checkboxes", "-o", "base.json", cwd=tmp_path, LC_ALL="C", COLUMNS="200")
    assert first.returncode == 0, first.stderr
    assert "invalid 1" in first.stdout
    known = unibench("golden-check", "miniwob", "-t", "click-checkboxes", "-o", "l.json", "--baseline", "base.json", cwd=tmp_path)
    assert known.returncode == 0
    assert "new faults, which base.json does not have: 0" in known.stdout
    fresh = unibench("golden-check", "miniwob", "-t", "click-checkboxes-large", "-o", "l.json", "--baseline", "base.json", cwd=tmp_path)
    assert fresh.returncode == 1
    assert "mutant-accepted" in fresh.stdout
    assert unibench("golden-check", "miniwob", "-t", "click-test", "-o", "l.json", "--strict", cwd=tmp_path).returncode == 0
    assert unibench("golden-check", "miniwob", "-t", "click-checkboxes", "-o", "l.json", "--strict", cwd=tmp_path).returncode == 1


def test_text_is_shown_as_it_is_on_every_console(capsys: pytest.CaptureFixture[str]) -> None:
    for console in (common.out(), common.err()):
        console.print("una:A [red]x", ":smile:")
    said = capsys.readouterr()
    assert said.out == said.err == "una:A [red]x :smile:\n"
