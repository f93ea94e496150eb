"""An agent that attacks from within a local desktop: this machine is untouched, the outcome is typed, the next episode is a fresh one.

Needs `unibench install osworld` and the programs of a local desktop; skips with the reason else.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.suites.hostile_guest import MIB, Canary
from unibench.actions import Native
from unibench.environments import environment_python
from unibench.errors import EnvironmentFault, Unavailable
from unibench.verdict import Status
from unibench_guests.local import Desktop, check_installed
from unibench_guests.local.desktop import LocalDesktop
from unibench_osworld import OsworldSettings
from unibench_osworld.machines import Local
from unibench_osworld.session import DesktopSession
from unibench_osworld.suite import OsworldSuite
from unibench_osworld.task_files import TaskSet

RESULT = "/home/user/a.txt"
EVALUATOR = {
    "func": "file_contains",
    "result": {"type": "vm_file", "path": RESULT, "dest": "a.txt"},
    "expected": {"type": "rule", "rules": {"expected": ["yes"]}},
}
MEMORY, PROCESSES, FILES = 1000 * MIB, 200, 20_000


class Attacked:
    """A session on a local desktop with small bounds."""

    def __init__(self, session: DesktopSession, suite: OsworldSuite, canary: Canary) -> None:
        self.session, self.suite, self.canary = session, suite, canary

    def fresh(self) -> None:
        self.session.reset(self.suite.draw("hostile/text", 0))

    def runs(self, code: str) -> str:
        """What an agent's Python does in the guest: its error."""
        return self.session.act(Native(dialect="pyautogui", code=code)).error

    @property
    def desktop(self) -> LocalDesktop:
        machine = self.session._machine
        assert isinstance(machine, Local) and machine._desktop is not None
        return machine._desktop


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory, sandboxed: None) -> Iterator[Attacked]:
    try:
        environment_python("osworld")
        check_installed()
    except Unavailable as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "examples" / "hostile").mkdir(parents=True)
    (folder / "test_all.json").write_text(json.dumps({"hostile": ["text"]}))
    task = {"id": "text", "instruction": "do", "config": [], "evaluator": EVALUATOR}
    (folder / "examples" / "hostile" / "text.json").write_text(json.dumps(task))
    suite = OsworldSuite()
    suite.files = TaskSet.load(folder)
    session = suite.open(OsworldSettings(tasks=str(folder), pause=0, retry_seconds=0, grader_seconds=15, guest_seconds=5), "local")
    assert isinstance(session, DesktopSession) and isinstance(session._machine, Local)
    session._machine._plan = Desktop(memory=MEMORY, disk=256 * MIB, processes=PROCESSES, files=FILES)
    canary = Canary(folder)
    yield Attacked(session, suite, canary)
    session.close()
    canary.close()


@pytest.fixture
def episode(attacked: Attacked) -> Iterator[Attacked]:
    """A fresh episode; afterwards this machine is looked at."""
    attacked.fresh()
    used, processes = _memory_used(), len(list(Path("/proc").glob("[0-9]*")))
    yield attacked
    attacked.canary.sings()
    assert _memory_used() - used < MEMORY + 4000 * MIB
    assert len(list(Path("/proc").glob("[0-9]*"))) < processes + PROCESSES + 200


def _memory_used() -> int:
    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return (int(lines["MemTotal"].split()[0]) - int(lines["MemAvailable"].split()[0])) << 10


def outcome(attacked: Attacked) -> str:
    try:
        verdict = attacked.session.verify()
    except EnvironmentFault:
        return "fault"
    return verdict.error.type if verdict.error is not None else str(verdict.status)


RESULTS: dict[str, tuple[str, str]] = {
    "a link out of the home": ("os.symlink('/etc/shadow', path)", "fail"),
    "a link to this machine's files": ("os.symlink({canary!r}, path)", "fail"),
    "a link to itself": ("os.symlink(path, path)", "fail"),
    "a pipe that nobody writes to": ("os.mkfifo(path)", "fail"),
    "an endless device": ("os.symlink('/dev/zero', path)", "fail"),
    "a folder": ("os.mkdir(path)", "fail"),
    "a socket": ("import socket; socket.socket(socket.AF_UNIX).bind(path)", "fail"),
    "a file of 10 GB": ("open(path, 'w').truncate(10 << 30)", "fail"),
}
"""What an agent leaves where its result should be, and the outcome."""


@pytest.mark.parametrize("what", RESULTS)
def test_what_is_no_result_is_the_agents_failure(attacked: Attacked, what: str) -> None:
    code, right = RESULTS[what]
    attacked.fresh()
    code = code.format(canary=str(attacked.canary.file))
    assert attacked.runs(f"import os; path = {RESULT!r}; {code}") == ""
    assert outcome(attacked) == right
    attacked.canary.sings()


BOMBS: dict[str, str] = {
    "a payload": "exec({payload!r}, {{}})",
    "a fork bomb": "exec('''import os, time\nif os.fork() == 0:\n os.setsid(); os.closerange(0, 64)\n while True:\n"
    "  try: os.fork()\n  except OSError: time.sleep(0.1)''')",
    "all of the disk": "exec('''for place in ('/home/user/a', '/tmp/a', '/dev/shm/a', '/var/tmp/a', '/run/user/1000/a'):\n try:\n"
    "  with open(place, 'wb') as file:\n   while True: file.write(bytes(1 << 20))\n except OSError: pass''')",
    "all of the memory": "[bytearray(100 << 20) for _ in range(200)]",
    "the end of its own server": "import os, signal; os.system('pkill -9 -f server.py'); os.kill(-1, signal.SIGKILL)",
}


@pytest.mark.parametrize("what", BOMBS)
def test_a_bomb_takes_its_own_machine_along_and_no_other(episode: Attacked, what: str) -> None:
    code = BOMBS[what].format(payload=episode.canary.payload()) if "{payload" in BOMBS[what] else BOMBS[what]
    with contextlib.suppress(EnvironmentFault):
        episode.runs(code)
    assert outcome(episode) in ("fault", "fail", "GraderTimeout")


def test_no_more_files_than_its_bound(attacked: Attacked) -> None:
    attacked.fresh()
    guest = attacked.session.handle.guest
    many = "import os\nfor n in range(10**6):\n try: os.mknod(f'{place}/{n}')\n except OSError: break\nprint(n)"
    for place in ("/home/user", "/tmp", "/dev/shm", "/var/tmp", "/run/user/1000"):
        assert 0 < int(guest.run_python(f"place = {place!r}\n{many}").output) <= FILES + 10_000, place
    assert guest.platform() == "Linux"


def test_after_all_that_the_same_session_still_judges(attacked: Attacked) -> None:
    attacked.fresh()
    assert attacked.runs(f"open({RESULT!r}, 'w').write('yes')") == ""
    assert attacked.session.verify().status is Status.PASS
