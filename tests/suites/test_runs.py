"""Runs: agents that misbehave, kills in mid-run, resume, ledger policies and scorecards, on real MiniWoB++."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from unibench.outcome import Ending, Outcome
from unibench.runs.records import EpisodeRecord
from unibench.runs.store import RunStore
from unibench.scorecard.read import read_scorecards

pytestmark = pytest.mark.browser

AGENTS = '''
import os, sys, time
from unibench.agents import AgentUnavailable

class Solves:
    """Clicks the one button that it sees."""
    def __init__(self, name="Click Me!"):
        self.usage = {"tokens": 0.0}
        self.name = name
    def reset(self, brief):
        self.brief = brief
    def act(self, observation):
        self.usage["tokens"] += 10
        for line in observation["axtree"].splitlines():
            if f"button '{self.name}'" in line:
                return f"click('{line.split(']')[0].strip()[1:]}')"
        return {"type": "done"}

class Peeks(Solves):
    def reset(self, brief):
        text = brief.model_dump_json()
        assert "seed" not in text and "params" not in text, text
        assert not any(name.startswith(("browsergym", "unibench_golden", "playwright")) for name in sys.modules)

def hangs(observation):
    time.sleep(1000)

def exits(observation):
    os._exit(3)

def shouts(observation):
    sys.stdout.write("x" * 5_000_000)
    sys.stderr.write("y" * 5_000_000)
    return {"type": "done"}

def raises(observation):
    raise KeyError("no such thing")

def nonsense(observation):
    return {"type": "fly", "to": "the moon"}

def unsupported(observation):
    return {"type": "home"}

def model_is_down(observation):
    raise AgentUnavailable("the model answers 503")

def leaks(observation):
    return {"type": "answer", "text": os.environ["MODEL_API_KEY"]}

def claims_a_fault(observation):
    from unibench.errors import EnvironmentFault
    raise EnvironmentFault("not my fault")

def claims_unavailable(observation):
    from unibench.errors import Unavailable
    raise Unavailable("nothing works here")

class Costly(Solves):
    def act(self, observation):
        self.usage = {"tokens": float("nan"), "cost": 2}
        return {"type": "done"}

def surrogate(observation):
    return {"type": "infeasible", "reason": "\\ud800"}

def forks(observation):
    if os.fork() == 0:
        time.sleep(45)
    os._exit(1)

class Lists(Solves):
    def describe(self):
        return ["model"]

class Dies:
    def __init__(self):
        raise RuntimeError("no model")
'''


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "agents.py").write_text(AGENTS)
    return tmp_path


def unibench(here: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unibench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=here, env={**os.environ, **environment})


def run(here: Path, agent: str, *arguments: str, **environment: str) -> list[EpisodeRecord]:
    done = unibench(here, "run", "miniwob", "-a", agent, "-o", "r", "-t", "click-test", *arguments, **environment)
    assert done.returncode == 0, done.stderr
    with RunStore(here / "r") as store:
        return store.episodes()


def test_an_agent_solves_and_its_costs_are_kept(here: Path) -> None:
    records = run(here, "agents:Solves", "-A", "name=Click Me!", "--seeds", "2", "--screenshots")
    assert [(record.outcome, record.score, record.ending) for record in records] == [(Outcome.SUCCESS, 1.0, Ending.SUITE_ENDED)] * 2
    assert [record.usage for record in records] == [{"tokens": 10.0}] * 2
    trace = [json.loads(line) for line in (here / "r" / records[0].trace).read_text().splitlines()]
    assert [line["event"] for line in trace] == ["attempt", "brief", "step", "end"]
    assert (here / "r" / records[0].trace).with_name("000.png").read_bytes().startswith(b"\x89PNG")
    card = read_scorecards([here / "r"])[0]
    assert card.rows[0].score == 1.0
    assert card.usage == {"tokens": 20.0}


def test_show_lists_episodes_and_shows_one(here: Path) -> None:
    run(here, "agents:Solves")
    assert "suite_ended" in unibench(here, "show", "r").stdout
    shown = unibench(here, "show", "r", "0").stdout
    assert "score 1.0" in shown
    assert '"code": "click(' in shown
    wrong = unibench(here, "show", "r", "7")
    assert wrong.returncode == 2
    assert "it has 1, numbered from 0" in wrong.stderr
    assert unibench(here, "show", "nowhere").returncode == 2


def test_the_example_agent_runs(here: Path) -> None:
    (here / "first_match.py").write_text((ROOT / "examples" / "agents" / "first_match.py").read_text())
    records = run(here, "first_match:FirstMatch", "-t", "click-button")
    assert [record.outcome for record in records] == [Outcome.SUCCESS, Outcome.SUCCESS]


def test_an_agent_sees_no_parameters_and_no_suite(here: Path) -> None:
    assert run(here, "agents:Peeks")[0].outcome is not Outcome.AGENT_ERROR


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("agents:hangs", "did not answer within 3 s"),
        ("agents:exits", "ended with exit code 3"),
        ("agents:raises", "KeyError: 'no such thing'"),
        ("agents:nonsense", "not an action"),
        ("agents:unsupported", "no action of type 'home'"),
        ("agents:claims_a_fault", "not my fault"),
        ("agents:forks", "ended with exit code 1"),
        ("agents:claims_unavailable", "nothing works here"),
    ],
)
def test_an_agent_that_errs_is_typed_scored_0_and_the_run_goes_on(here: Path, agent: str, says: str) -> None:
    records = run(here, agent, "-t", "click-test-2", "--act-seconds", "3")
    assert [record.outcome for record in records] == [Outcome.AGENT_ERROR] * 2
    assert [record.score for record in records] == [0.0, 0.0]
    assert [record.attempts for record in records] == [1, 1]
    assert says in records[0].error


def test_an_agents_own_infrastructure_fault_is_retried_and_not_scored(here: Path) -> None:
    (record,) = run(here, "agents:model_is_down")
    assert (record.ending, record.outcome, record.score, record.attempts) == (Ending.AGENT_UNAVAILABLE, Outcome.UNSCORED, None, 3)
    (row,) = read_scorecards([here / "r"])[0].rows
    assert (row.n, row.unscored, row.score, row.bounds) == (0, 1, None, (0.0, 1.0))


def test_odd_usage_and_text_do_no_harm(here: Path) -> None:
    assert run(here, "agents:Costly")[0].usage == {"cost": 2.0}
    (record,) = _elsewhere(here, "agents:surrogate")
    assert record.ending is Ending.INFEASIBLE


def _elsewhere(here: Path, agent: str) -> list[EpisodeRecord]:
    done = unibench(here, "run", "miniwob", "-a", agent, "-o", "s", "-t", "click-test")
    assert done.returncode == 0, done.stderr
    with RunStore(here / "s") as store:
        return store.episodes()


def test_megabytes_of_output_do_no_harm(here: Path) -> None:
    (record,) = run(here, "agents:shouts")
    assert (record.ending, record.outcome) == (Ending.DONE, Outcome.FAILURE)


def test_no_secret_is_in_a_trace(here: Path) -> None:
    (record,) = run(here, "agents:leaks", "--max-steps", "1", MODEL_API_KEY="sk-very-secret-123")
    assert "sk-very-secret" not in (here / "r" / record.trace).read_text()
    assert "[redacted]" in (here / "r" / record.trace).read_text()
    assert b"sk-very-secret" not in (here / "r" / "run.sqlite").read_bytes()


def test_an_agents_secret_arguments_are_not_in_the_manifest(here: Path) -> None:
    done = unibench(here, "run", "miniwob", "-a", "agents:Solves", "-A", "api_key=sk-very-secret-123", "-o", "r", "-t", "click-test")
    assert done.returncode == 2, "this agent takes no such argument"
    run(here, "answers", "-A", "text=sk-very-secret-123", MODEL_API_KEY="sk-very-secret-123")
    assert b"sk-very-secret" not in b"".join(path.read_bytes() for path in (here / "r").glob("run.sqlite*"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-a", "randm"], "did you mean 'random'"),
        (["-a", "agents:Nobody"], "cannot be imported"),
        (["-a", "no_such_module:Agent"], "cannot be imported"),
        (["-a", "agents:Solves", "-A", "nam=x"], "does not take these arguments"),
        (["-a", "agents:Dies"], "no model"),
        (["-a", "agents:Lists"], "not by a mapping"),
        (["-a", "idle", "--observe", "screenshots"], "did you mean 'screenshot'"),
        (["-a", "idle", "-A", "x"], "has no '='"),
        (["-a", "idle", "--ledger-policy", "valid-only"], "needs a ledger"),
        (["-a", "idle", "--ledger", "none.json"], "cannot read none.json"),
        (["-a", "idle", "-t", "click-tst"], "did you mean 'click-test'"),
        (["-a", "idle", "-o", "/proc/none"], "cannot write /proc/none"),
    ],
)
def test_wrong_use_is_exit_code_2_in_one_line(here: Path, arguments: list[str], says: str) -> None:
    done = unibench(here, "run", "miniwob", *arguments)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_the_same_command_goes_on_and_another_is_refused(here: Path) -> None:
    assert len(run(here, "idle", "--max-steps", "1", "--seeds", "2")) == 2
    started = [record.started_at for record in run(here, "idle", "--max-steps", "1", "--seeds", "2")]
    assert started == [record.started_at for record in run(here, "idle", "--max-steps", "1", "--seeds", "2")]
    other = unibench(here, "run", "miniwob", "-a", "idle", "-o", "r", "-t", "click-test", "--max-steps", "2", "--seeds", "2")
    assert other.returncode == 2
    assert "holds another run (max_steps differ)" in other.stderr


def test_agents_can_be_paired_on_the_same_instances(here: Path) -> None:
    run(here, "idle", "--max-steps", "1", "--seeds", "3")
    done = unibench(here, "run", "miniwob", "-a", "claims-done", "-o", "s", "--specs-from", "r")
    assert done.returncode == 0, done.stderr
    with RunStore(here / "r") as one, RunStore(here / "s") as two:
        assert [e.spec.digest for e in one.episodes()] == [e.spec.digest for e in two.episodes()]
    refused = unibench(here, "scorecard", "r", "s")
    assert refused.returncode == 2
    assert "differ in max_steps (r: 1; s: null)" in refused.stderr
    table = unibench(here, "scorecard", "r", "s", "-f", "markdown", "--allow-diff", "max_steps").stdout
    assert "- allowed to differ: max_steps (r: 1; s: null)" in table
    assert "| idle | miniwob | page-state |" in table
    assert "| claims-done | miniwob | page-state |" in table


def test_the_ledger_drops_what_is_invalid_with_the_reason(here: Path) -> None:
    assert unibench(here, "golden-check", "miniwob", "-t", "click-test", "-t", "click-checkboxes").returncode == 0
    tasks = ("-t", "click-checkboxes", "-t", "click-test-2", "--max-steps", "1")
    run(here, "idle", *tasks)
    with RunStore(here / "r") as store:
        manifest = store.manifest()
        assert manifest is not None
        assert [(d.task, d.reason) for d in manifest.dropped] == [("click-checkboxes", "invalid: mutant-accepted")]
        assert {e.spec.task: e.checked for e in store.episodes()} == {"click-test": "valid", "click-test-2": "unchecked"}
    shown = unibench(here, "scorecard", "r").stdout
    assert "dropped, invalid: mutant-accepted: 1 tasks (click-checkboxes)" in shown
    card = read_scorecards([here / "r"])[0]
    assert [(row.tasks_shown, row.n) for row in card.rows] == [("all", 2), ("valid", 1)]
    assert (card.official.tasks, card.official.of, card.official.valid_tasks) == (2, 125, 1)
    stale = unibench(here, "run", "miniwob", "-a", "idle", "-o", "t", *tasks[:4], "--max-steps", "1", "--set", "slow_mo=1")
    assert stale.returncode == 0
    with RunStore(here / "t") as store:
        assert {e.checked for e in store.episodes()} == {"stale", "unchecked"}, "another setting makes the entry stale: never applied"


def test_a_finished_run_is_one_file_that_can_be_read_anywhere(here: Path) -> None:
    run(here, "claims-done")
    assert [path.name for path in (here / "r").glob("run.sqlite*")] == ["run.sqlite"]
    (here / "r" / "run.sqlite").write_bytes(b"garbage")
    broken = unibench(here, "scorecard", "r")
    assert broken.returncode == 2
    assert len(broken.stderr.strip().splitlines()) == 1, broken.stderr


def test_an_interrupt_is_exit_code_130_and_goes_on(here: Path) -> None:
    arguments = ["run", "miniwob", "-a", "idle", "-o", "r", "-t", "click-*", "--max-steps", "2"]
    with subprocess.Popen(
        [sys.executable, "-m", "unibench", *arguments], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as p:
        end = time.monotonic() + 120
        while time.monotonic() < end:
            time.sleep(0.3)
            if (here / "r" / "traces").exists() and len(list((here / "r" / "traces").iterdir())) >= 2:
                break
        busy = unibench(here, *arguments)
        assert busy.returncode == 2
        assert "another run is writing r" in busy.stderr
        p.send_signal(signal.SIGINT)
        _, stderr = p.communicate(timeout=60)
    assert p.returncode == 130, stderr
    assert "the same command goes on" in stderr
    assert "Traceback" not in stderr
    with RunStore(here / "r") as store:
        assert store.finished()
