"""Runs of the example suite, which needs no browser: budgets of time and cost, kills in mid-run, how much is drawn."""

from __future__ import annotations

import json
import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.suites.notebook_runs import command, run, unibench
from unibench.outcome import Ending, Outcome
from unibench.runs.store import RunStore

# -- budgets -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "scores"), [("verify", [1.0, 0.0]), ("fail", [0.0, 0.0]), ("unscored", [None, None])])
def test_what_the_agent_says_that_it_cost_ends_an_episode(tmp_path: Path, how: str, scores: list[float | None]) -> None:
    records = run(tmp_path, "agents:Writes", "-t", "stay-light", "-t", "print-note", "--max-cost", "0.5", "--score-at-budget", how)
    assert [record.ending for record in records] == [Ending.COST] * 2
    assert [record.usage for record in records] == [{"cost": 0.5}] * 2, "each episode has the whole budget"
    assert {record.spec.task: record.score for record in records} == dict(zip(("stay-light", "print-note"), scores, strict=True))


def test_an_action_may_take_no_longer_than_is_left_of_the_episode(tmp_path: Path) -> None:
    (record,) = run(tmp_path, "agents:Dawdles", "-t", "stay-light", "--max-seconds", "2", "--act-seconds", "300")
    assert (record.ending, record.outcome, record.steps) == (Ending.TIME, Outcome.FAILURE, 1)
    assert record.error == "", "the time is over: that is no error of the agent's"


def test_an_action_that_hangs_while_time_is_left_is_the_agents_error(tmp_path: Path) -> None:
    (record,) = run(tmp_path, "agents:Dawdles", "-t", "stay-light", "--max-seconds", "300", "--act-seconds", "2")
    assert (record.ending, record.outcome, record.score) == (Ending.AGENT_ERROR, Outcome.AGENT_ERROR, 0.0)
    assert "did not answer within 2 s" in record.error


def test_budgets_are_told_to_the_agent_and_kept_in_the_protocol(tmp_path: Path) -> None:
    run(tmp_path, "agents:Writes", "-t", "stay-light", "--max-cost", "9", "--max-seconds", "99")
    with RunStore(tmp_path / "r") as store:
        manifest = store.manifest()
        assert manifest is not None
        assert (manifest.protocol.max_steps, manifest.protocol.max_seconds, manifest.protocol.max_cost) == (None, 99.0, 9.0)
        trace = (tmp_path / "r" / store.episodes()[0].trace).read_text()
    assert '"budget": {"steps": 8, "seconds": 99.0, "cost": 9.0}' in trace
    for name in ("--max-cost", "--max-seconds"):
        for value in ("nan", "inf", "0", "-1"):
            assert unibench(tmp_path, "run", "notebook", "-a", "idle", name, value, "-o", "s").returncode == 2


def test_the_budget_in_steps_can_be_a_multiple_of_what_a_human_needs(tmp_path: Path) -> None:
    records = run(tmp_path, "agents:Writes", "-t", "stay-light", "-t", "count-notes", "--max-steps", "1.5x")
    assert {record.spec.task: (record.steps, record.ending) for record in records} == {
        "stay-light": (2, Ending.STEPS),
        "count-notes": (3, Ending.STEPS),
    }
    with RunStore(tmp_path / "r") as store:
        manifest = store.manifest()
    assert manifest is not None
    assert manifest.protocol.max_steps == "1.5x"
    again = unibench(tmp_path, "replay", "r", "count-notes", "--strict")
    assert again.returncode == 0, again.stdout
    refused = unibench(tmp_path, "run", "notebook", "-a", "idle", "-t", "stay-light", "-t", "print-note", "--max-steps", "2x", "-o", "s")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "notebook does not say how many steps a human needs for print-note; give a whole number" in refused.stderr
    for wrong in ("2y", "0", "0x", ""):
        said = unibench(tmp_path, "run", "notebook", "-a", "idle", "--max-steps", wrong, "-o", "s")
        assert (said.returncode, "such as 2x" in said.stderr, said.stderr.count("\n")) == (2, True, 1)
    assert not (tmp_path / "s/run.sqlite").exists()


@pytest.mark.parametrize(("budget", "attempts", "cost"), [("99", 3, 6.0), ("4", 2, 4.0), ("3", 2, 3.0)])
def test_the_budget_of_cost_is_the_episodes_and_not_each_attempts(tmp_path: Path, budget: str, attempts: int, cost: float) -> None:
    (record,) = run(tmp_path, "agents:Fades", "-t", "stay-light", "--max-cost", budget)
    assert (record.ending, record.score, record.attempts) == (Ending.AGENT_UNAVAILABLE, None, attempts)
    assert record.usage == {"cost": cost}
    if budget == "3":
        assert "budget of cost is used up, 2 of it by attempts that broke" in record.error


# -- odd agents; more are in test_runs.py ------------------------------------------------------


@pytest.mark.parametrize(("agent", "says"), [("agents:nothing", "not an action"), ("agents:not_a_number", "finite number")])
def test_nonsense_is_the_agents_error_and_the_run_goes_on(tmp_path: Path, agent: str, says: str) -> None:
    records = run(tmp_path, agent, "-t", "stay-light", "-t", "print-note")
    assert [(record.ending, record.score) for record in records] == [(Ending.AGENT_ERROR, 0.0)] * 2
    assert all(says in record.error for record in records)


def test_a_huge_action_is_done_and_leaves_a_bounded_record(tmp_path: Path) -> None:
    (record,) = run(tmp_path, "agents:Huge", "-t", "write-note")
    assert (record.ending, record.outcome, record.steps) == (Ending.DONE, Outcome.FAILURE, 2)
    assert (tmp_path / "r" / record.trace).stat().st_size < 100_000
    assert (tmp_path / "r" / "run.sqlite").stat().st_size < 200_000, "what the verifier found is cut"
    done = unibench(tmp_path, "replay", "r", "0")
    assert done.returncode == 2
    assert "was cut for its size" in done.stderr


def test_half_a_character_from_an_agent_is_escaped_and_the_run_goes_on(tmp_path: Path) -> None:
    records = run(tmp_path, "agents:Surrogates", "-t", "count-notes", "-t", "stay-light")
    assert [(record.ending, record.score) for record in records] == [(Ending.AGENT_ERROR, 0.0)] * 2
    assert all(r"\ud83d bad" in record.error and list(record.usage) == [r"\ud802"] for record in records)
    (answered,) = run(tmp_path, "agents:HalfAnswer", "-t", "count-notes", folder="s")
    assert answered.judgement is not None
    assert answered.judgement.children[0].evidence.found == r"\ud83d"
    with RunStore(tmp_path / "r") as store:
        manifest = store.manifest()
    assert manifest is not None
    assert manifest.agent.described == {"model": r"\ud800", r"\ud801": 1}
    for words in (["show", "r"], ["show", "r", "0"], ["show", "s", "-f", "json"], ["scorecard", "r", "-f", "json"], ["replay", "s", "0"]):
        assert unibench(tmp_path, *words).returncode == 0


# -- secrets -----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["sk-4f0c1d5e9b7a\r", "sk \"4f0c'1d5e9b7a\\n"])
def test_secrets_are_in_no_file_in_no_form(tmp_path: Path, key: str) -> None:
    arguments = ("-A", "api_key=hush-hush-7a", "-t", "count-notes", "-t", "stay-light")
    answered, raised = run(tmp_path, "agents:Tells", *arguments, MY_API_KEY=key)
    assert "[redacted]" in raised.error
    assert answered.judgement is not None
    assert str(answered.judgement.children[0].evidence.found).endswith("x" * 10 + "[redacted][redacted]")
    kept = b"".join(path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file())
    shown = unibench(tmp_path, "show", "r", "1").stdout + unibench(tmp_path, "scorecard", "r", "-f", "json").stdout
    assert b"[redacted]" in kept
    for part in ("4f0c", "1d5e", "hush-"):
        assert part.encode() not in kept
        assert part not in shown


@pytest.mark.parametrize(
    ("one", "other"), [("max_tokens=10", "max_tokens=99"), ("api_key=sk-1234567", "api_key=sk-7654321"), ("author=A", "author=B")]
)
def test_a_run_does_not_go_on_with_other_arguments_even_secret_ones(tmp_path: Path, one: str, other: str) -> None:
    (tmp_path / "die").touch()
    arguments = ("run", "notebook", "-a", "agents:Dies", "-t", "stay-light", "-o", "r", "-A")
    assert unibench(tmp_path, *arguments, one).returncode < 0
    (tmp_path / "die").unlink()
    refused = unibench(tmp_path, *arguments, other)
    assert refused.returncode == 2
    assert "holds another run (" in refused.stderr
    assert "agent" in refused.stderr
    assert unibench(tmp_path, *arguments, one).returncode == 0
    with RunStore(tmp_path / "r") as store:
        manifest = store.manifest()
    assert manifest is not None
    name, _, value = one.partition("=")
    assert manifest.agent.arguments == {name: "[redacted]" if name == "api_key" else value}


# -- what is broken, or nearly a number --------------------------------------------------------


def test_a_broken_trace_and_a_number_that_is_none_are_said_in_a_line(tmp_path: Path) -> None:
    (record,) = run(tmp_path, "claims-done", "-t", "stay-light")
    path = tmp_path / "r" / record.trace
    whole = path.read_bytes()

    def said(*words: str) -> tuple[int, list[str]]:
        done = unibench(tmp_path, *words)
        return done.returncode, done.stderr.splitlines()

    for broken in (whole[:-9], whole + b"\xff\n", b"3\n"):
        path.write_bytes(broken)
        for verb in ("show", "replay"):
            code, (line,) = said(verb, "r", "0")
            assert code == 2
            assert "is broken" in line
    path.write_bytes(whole + b'{"left_out": 3}\n')
    assert "cut for its size: 3 events left out" in unibench(tmp_path, "show", "r", "0").stdout
    for number in ("²", "٠", "9" * 5000):
        code, (line,) = said("show", "r", number)
        assert (code, line.startswith("unibench: no episode of r")) == (2, True)


# -- folders -----------------------------------------------------------------------------------


def test_a_refused_run_leaves_no_folder_and_the_same_run_is_one_card(tmp_path: Path) -> None:
    refused = ("run", "notebook", "-a", "idle", "-o", "runs/deep/r")
    assert unibench(tmp_path, *refused, "--seeds", "200000").returncode == 2
    assert unibench(tmp_path, *refused, "--specs-from", "nowhere").returncode == 2
    assert not (tmp_path / "runs").exists()
    run(tmp_path, "claims-done", "-t", "stay-light")
    (tmp_path / "link").symlink_to("r")
    cards = json.loads(unibench(tmp_path, "scorecard", "link", "r", "./r", "-f", "json").stdout)
    assert [card["run"] for card in cards] == ["link"]


def test_what_a_kill_left_of_a_trace_goes_when_the_run_goes_on(tmp_path: Path) -> None:
    run(tmp_path, "claims-done", "-t", "stay-light")
    (folder,) = (tmp_path / "r" / "traces").iterdir()
    (folder / ".trace.jsonl.abc.part").write_text("half")
    run(tmp_path, "claims-done", "-t", "stay-light")
    assert [path.name for path in folder.iterdir()] == ["trace.jsonl"]


# -- kills -------------------------------------------------------------------------------------


def test_kill_9_at_20_random_moments_loses_doubles_and_misjudges_nothing(tmp_path: Path) -> None:
    arguments = ["run", "notebook", "-a", "agents:slowly", "-o", "r", "-t", "stay-light", "-t", "print-note", "--seeds", "100", "-j", "2"]
    unibench(tmp_path, "--version")  # writes the agents
    rng = random.Random(7)
    kept: dict[str, str] = {}
    growing = 0
    for _ in range(20):
        began = time.monotonic()
        with subprocess.Popen(command(*arguments), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
            # Anywhere from the start of the processes to well into the episodes, however slow this machine is.
            before = _episodes(tmp_path)
            wanted = rng.choice([0, 0, 1, 2, 4])
            while p.poll() is None and (_episodes(tmp_path) < before + wanted) and time.monotonic() < began + 30:
                time.sleep(0.01)
            time.sleep(rng.uniform(0.0, 0.3))
            p.kill()
        if (tmp_path / "r" / "run.sqlite").exists():
            with RunStore(tmp_path / "r", writing=True) as store:
                now = {record.spec.digest: record.started_at for record in store.episodes()}
            assert kept.items() <= now.items(), "a finished episode is never lost, and never played again"
            growing += len(now) > len(kept)
            kept = now
    assert growing >= 5, "the kills came in the middle of runs, not before the first episode"
    done = unibench(tmp_path, *arguments)
    assert done.returncode == 0, done.stderr
    assert f"{len(kept)} of 200 episodes are there (page-state 1.00, refusal 0.00)" in done.stderr
    with RunStore(tmp_path / "r") as store:
        records, manifest = store.episodes(), store.manifest()
    assert manifest is not None
    assert [record.spec.digest for record in records] == list(manifest.specs)
    assert {(record.spec.task, record.ending, record.score) for record in records} == {
        ("stay-light", Ending.DONE, 1.0),
        ("print-note", Ending.DONE, 0.0),
    }
    assert all((tmp_path / "r" / record.trace).is_file() for record in records)


def _episodes(here: Path) -> int:
    """Traces are written just before their episode is committed."""
    folder = here / "r" / "traces"
    return sum(1 for _ in folder.iterdir()) if folder.exists() else 0


# -- how much is drawn -------------------------------------------------------------------------


def test_absurd_numbers_of_seeds_are_refused_and_large_ones_said(tmp_path: Path) -> None:
    done = unibench(tmp_path, "run", "notebook", "-a", "idle", "--seeds", "1000000000", "-o", "r")
    assert done.returncode == 2
    assert "5 tasks with 1000000000 seeds each are 5000000000 instances, and a run has at most 100000" in done.stderr
    arguments = ("run", "notebook", "-a", "claims-done", "-t", "stay-light", "--seeds", "101", "-o", "s", "--ledger", "none.json")
    assert "cannot read none.json" in unibench(tmp_path, *arguments).stderr
    said = unibench(tmp_path, *arguments[:-2]).stderr
    assert "drawing 101 instances: 1 tasks, 101 seeds each" in said
