"""WindowsAgentArena over a checkout shaped as upstream's, with text of ours: installed, judged on the test bench, run at an address."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.suites import arena
from unibench import environments
from unibench.actions import Answer, Done, Infeasible
from unibench.errors import EnvironmentFault, InvalidSetting, UnknownName, UsageError
from unibench.runs.store import RunStore
from unibench.verdict import Status
from unibench_guests.local.guest.http_basics import Reply, as_json
from unibench_guests.pathmapped import PathMappedGuest, routes
from unibench_osworld.session import DesktopSession
from unibench_windows_agent_arena import FACE, WindowsSettings
from unibench_windows_agent_arena.suite import WindowsAgentArenaSuite

QUICK = WindowsSettings(pause=0)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, sandboxed: None) -> Iterator[Path]:
    """A checkout and a data folder in which its evaluators are installed, without the libraries that only upstream's own need."""
    folder = tmp_path_factory.mktemp("arena")
    folder.chmod(0o755)
    checkout = arena.checkout(folder / "checkout")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder / "data"))
        patch.setenv("UNIBENCH_WINDOWS_AGENT_ARENA_TASKS", str(checkout))
        assert FACE.installs is not None
        face = replace(FACE.installs, requirements=())
        record = environments.install(FACE.name, face, checkout=str(checkout))
        assert (record.commit, record.upstream) == ("", (str(checkout),)) and record.digest
        packages = environments.site_packages(FACE.name)
        assert packages is not None
        (packages / "requests.py").write_text(arena.REQUESTS)
        yield folder


@pytest.fixture(scope="module")
def suite(place: Path) -> WindowsAgentArenaSuite:
    return WindowsAgentArenaSuite()


@pytest.fixture(scope="module")
def session(suite: WindowsAgentArenaSuite) -> Iterator[DesktopSession]:
    found = suite.open(QUICK, "path-mapped")
    assert isinstance(found, DesktopSession)
    yield found
    found.close()


def judge(suite: WindowsAgentArenaSuite, session: DesktopSession, task: str, *, write: str = "", final: tuple[Any, ...] = (Done(),)) -> Any:
    session.reset(suite.draw(f"ours/{task}", 0))
    if write:
        session.handle.guest.upload(arena.NOTE, write.encode())
    for action in final:
        session.act(action)
    return session.verify()


# Installing


def test_upstream_is_on_no_package_index_and_must_come_from_a_checkout(tmp_path: Path) -> None:
    assert FACE.installs is not None
    with pytest.raises(UsageError, match="name a checkout of it with --from"):
        environments.install(FACE.name, FACE.installs)
    with pytest.raises(UsageError, match="no checkout of upstream"):
        environments.install(FACE.name, FACE.installs, checkout=str(tmp_path))


def test_the_record_says_whose_evaluators_judge(suite: WindowsAgentArenaSuite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = suite.upstream()
    assert own["desktop_env"].startswith("digest:") and own["desktop_env"].endswith(" of microsoft/WindowsAgentArena")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    other = WindowsAgentArenaSuite()
    assert (other.grader_suite, other.upstream()["desktop_env"].rpartition(" of ")[2]) == ("osworld", "xlang-ai/OSWorld")


def test_the_evaluators_are_read_and_their_lacks_are_skew(suite: WindowsAgentArenaSuite) -> None:
    assert suite.source is not None and "is_file_saved_desktop" in suite.source.getters
    assert suite.unavailable("ours/note", QUICK, "path-mapped") == ()
    reasons = suite.unavailable("ours/registry", QUICK, "path-mapped")
    assert any("version-skew" in reason for reason in reasons)
    assert any("needs the registry, through PowerShell" in reason for reason in reasons)


# Judging on the path-mapped guest


def test_a_right_file_passes_and_wrong_ones_do_not(suite: WindowsAgentArenaSuite, session: DesktopSession) -> None:
    right = judge(suite, session, "note", write="eggs, milk")
    assert (right.status, right.raw, right.evidence.found) == (Status.PASS, 1.0, "true")
    assert session.substrate.digest.startswith("pathmapped-") and session.substrate.fidelity == "stand-in"
    assert judge(suite, session, "note").status is Status.FAIL
    assert session.handle.guest.file(arena.NOTE) == b"eggs\r\n"
    assert judge(suite, session, "note", write="milk", final=(Infeasible(reason="no"),)).status is Status.FAIL


def test_what_only_starts_a_program_is_left_out_and_on_record(suite: WindowsAgentArenaSuite, session: DesktopSession) -> None:
    definition, left = suite.prepared(suite.files["ours/note"], "path-mapped")
    assert [step["type"] for step in definition["config"]] == ["create_file"]
    assert left == (f"launch notepad {arena.NOTE}",)
    whole, none = suite.prepared(suite.files["ours/note"], "remote")
    assert (len(whole["config"]), none) == (2, ())


def test_the_set_ups_assets_are_found_and_its_linux_command_is_no_failure(suite: WindowsAgentArenaSuite, session: DesktopSession) -> None:
    assert judge(suite, session, "kept").status is Status.PASS


def test_what_evaluate_swallows_is_upstreams_0_unless_the_machine_was_gone(
    suite: WindowsAgentArenaSuite, session: DesktopSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.reset(suite.draw("ours/note", 0))
    session.handle.guest.recycle(arena.NOTE)
    missing = session.verify()
    assert (missing.status, missing.raw) == (Status.FAIL, 0.0)
    assert "AttributeError" in json.loads(session.artifacts()["evaluation.json"])["result"]["parts"][0]["raised"]
    closed = judge(suite, session, "closed")
    assert (closed.status, closed.raw, closed.error) == (Status.FAIL, 0.0, None)
    assert "the browser is gone" in session.artifacts()["evaluation.json"].decode()
    session.reset(suite.draw("ours/note", 0))
    call = session.grader.call

    def cut(job: str, **params: Any) -> dict[str, Any]:
        session.grader.relay.lead_to({})
        return call(job, **params)

    monkeypatch.setattr(session.grader, "call", cut)
    with pytest.raises(EnvironmentFault, match="does not answer its verifier: /file"):
        session.verify()


@pytest.mark.parametrize(
    ("final", "passes"), [((Infeasible(reason="no"),), True), ((Done(),), False), ((Answer(text="no"), Done()), False), ((), False)]
)
def test_a_refusal(suite: WindowsAgentArenaSuite, session: DesktopSession, final: tuple[Any, ...], passes: bool) -> None:
    assert judge(suite, session, "refuse", final=final).passed is passes


def test_what_the_guest_does_not_do_gives_no_verdict(suite: WindowsAgentArenaSuite, session: DesktopSession) -> None:
    session.reset(suite.draw("ours/note", 0))
    with pytest.raises(EnvironmentFault, match="a screen"):
        session.observe(["screenshot"])
    with pytest.raises(EnvironmentFault, match="asked for what it does not do: /screenshot: a screen"):
        session.verify()
    with pytest.raises(UnknownName, match="terminal"):
        session.observe(["terminal"])
    assert "screenshot.png" not in session.artifacts()


def test_a_dead_grader_box_is_replaced(suite: WindowsAgentArenaSuite, session: DesktopSession) -> None:
    session.grader.close()
    assert judge(suite, session, "note", write="milk").status is Status.PASS


# The level


def test_hard_is_another_set_up_another_goal_and_another_version(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    normal = WindowsAgentArenaSuite()
    goal = normal.files["ours/note"].instruction
    hard_settings = WindowsSettings(diff_lvl="hard", pause=0)
    for name, value in FACE.environment(hard_settings).items():
        monkeypatch.setenv(name, value)
    hard = WindowsAgentArenaSuite()
    assert (goal, hard.files["ours/note"].instruction) == (arena.BEFORE["note"]["instruction"], arena.HARD["note"]["instruction"])
    assert hard.files["ours/note"].config == []
    assert hard.upstream()["tasks"] != normal.upstream()["tasks"]
    assert hard.draw("ours/note", 0).digest != normal.draw("ours/note", 0).digest
    assert hard.describe("ours/note", hard_settings).digest == normal.describe("ours/note", QUICK).digest
    assert hard_settings.score_affecting()["diff_lvl"] == "hard" and hard_settings.digest != QUICK.digest
    session = hard.open(hard_settings, "path-mapped")
    try:
        instance = session.reset(hard.draw("ours/note", 0))
        assert instance.brief.text == "Write milk into note.txt."
        assert session.handle.guest.file(arena.NOTE) is None
    finally:
        session.close()


# A guest at an address


PNG = b"\x89PNG\r\n\x1a\n" + b"".join(
    struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    for kind, data in ((b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b""))
)


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A path-mapped guest that also has a screen, of one grey pixel: enough for an agent to look at."""
    table = routes.Routes.table
    screen = {
        ("GET", "/screenshot"): lambda request: Reply(PNG, kind="image/png"),
        ("GET", "/accessibility"): lambda request: as_json({"AT": "<desktop/>"}),
    }
    monkeypatch.setattr(routes.Routes, "table", lambda self: {**table(self), **screen})
    with PathMappedGuest() as guest:
        yield f"127.0.0.1:{guest.port}"


def unibench(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unibench", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNIBENCH_WINDOWS")}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=place, env=environment, timeout=300)


SCRIPT = '''
class Plays:
    """Moves the pointer, then says that it is done; refuses what cannot be done."""
    def reset(self, brief):
        self.left = ["pyautogui.moveTo(1, 1)", {"type": "infeasible", "reason": "no"} if "gold" in brief.text else {"type": "done"}]
    def act(self, observation):
        assert observation["screenshot"].size == (1, 1) and observation["a11y"] == "<desktop/>"
        return self.left.pop(0)
'''


def test_a_run_on_a_guest_at_an_address_comes_to_verdicts(place: Path, address: str) -> None:
    (place / "scripted.py").write_text(SCRIPT)
    settings = ["--set", f"address={address}", "--set", f"tasks={place / 'checkout'}", "--set", "pause=0", "--set", "diff_lvl=hard"]
    settings += ["--set", "screen_width=1", "--set", "screen_height=1"]
    done = unibench(place, "run", FACE.name, "--agent", "scripted:Plays", *settings, "-t", "ours/note", "-t", "ours/refuse", "-o", "run")
    assert done.returncode == 0, done.stderr
    with RunStore(place / "run") as store:
        manifest, episodes = store.manifest(), store.episodes()
    assert manifest is not None
    assert (manifest.protocol.substrate.name, manifest.protocol.substrate.fidelity) == ("remote", "equivalent")
    assert manifest.protocol.settings["diff_lvl"] == "hard"
    assert manifest.protocol.upstream["desktop_env"].endswith("of microsoft/WindowsAgentArena")
    found = {episode.spec.task: episode.judgement for episode in episodes}
    assert {task: judged and judged.status for task, judged in found.items()} == {"ours/note": Status.FAIL, "ours/refuse": Status.PASS}


def test_a_file_on_the_guest_at_an_address_is_judged(suite: WindowsAgentArenaSuite, address: str) -> None:
    session = suite.open(WindowsSettings(address=address, pause=0), "remote")
    try:
        assert judge(suite, session, "note", write="milk").status is Status.PASS  # type: ignore[arg-type]
    finally:
        session.close()


def test_agents_do_not_act_on_the_test_bench(place: Path) -> None:
    arguments = ["--substrate", "path-mapped", "--set", f"tasks={place / 'checkout'}"]
    done = unibench(place, "run", FACE.name, "--agent", "idle", *arguments, "-o", "never")
    assert done.returncode == 2
    assert "agents do not act on path-mapped: it is a test bench for verifiers" in " ".join(done.stderr.split())


def test_without_an_address_remote_says_what_to_set(suite: WindowsAgentArenaSuite) -> None:
    with pytest.raises(InvalidSetting, match="--set address=HOST:PORT"):
        suite.open(QUICK, "remote")


# The golden check's coverage


def test_a_golden_check_needs_no_machine_and_says_why_not(place: Path) -> None:
    done = unibench(place, "golden-check", FACE.name, "--set", f"tasks={place / 'checkout'}", "-t", "ours/re*", "-o", "l.json")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "windows-agent-arena on path-mapped (stand-in, pathmapped-" in said and "valid 1, invalid 0, undecided 1 of 2" in said
    entries = {entry["task"]: entry for entry in json.loads((place / "l.json").read_text())["entries"]}
    assert "the registry" in " ".join(entries["ours/registry"]["unavailable"])
