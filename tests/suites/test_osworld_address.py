"""OSWorld on a guest at an address, and on one that upstream's provider factory starts; a local desktop is the guest of both.

The provider is a stand-in of ours in the place of upstream's Docker provider: no virtual machine runs here. Needs the programs of a
local desktop, `unibench install osworld`, and upstream's task files (UNIBENCH_TEST_DATA); skips with the reason else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from unibench.environments import environment_python
from unibench.errors import InvalidSetting, Unavailable
from unibench.runs.store import RunStore
from unibench.verdict import Status
from unibench_guests.local import LocalDesktop, check_installed
from unibench_osworld import OsworldSettings
from unibench_osworld.machines import BROWSER, SERVER, VLC, VNC, Provided, parse_address

DATA = os.environ.get("UNIBENCH_TEST_DATA", "")
RENAME = "os/e0df059f-28a6-4169-924f-b9623e7184cc"
REFUSAL = "os/b3d4a89c-53f2-4d6b-8b6a-541fb5d205fa"

PROVIDER = '''
"""Registers stand-ins where upstream's factory imports its Docker manager and provider from."""
import json, os, sys, types

def told(*what):
    with open({log!r}, "a") as file:
        file.write(json.dumps(what) + "\\n")

class DockerVMManager:
    def get_vm_path(self, os_type, region, screen_size):
        return "stand-in.qcow2"

class DockerProvider:
    def __init__(self, region):
        pass
    def start_emulator(self, path, headless, os_type):
        told("start", path, headless, os_type)
        if os.path.exists({log!r} + ".refuse"):
            raise RuntimeError("no such image")
    def get_ip_address(self, path):
        return {address!r}
    def revert_to_snapshot(self, path, snapshot):
        told("revert", path, snapshot)
        return "reverted-" + path
    def stop_emulator(self, path):
        told("stop", path)

for name, member in (("manager", DockerVMManager), ("provider", DockerProvider)):
    module = sys.modules["desktop_env.providers.docker." + name] = types.ModuleType(name)
    setattr(module, member.__name__, member)
'''


@pytest.fixture
def upstream() -> Path:
    """The Python of the environment that holds upstream's package."""
    try:
        return environment_python("osworld")
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def address(sandboxed: None) -> Iterator[str]:
    """A local desktop's address, as upstream spells it."""
    if not DATA:
        pytest.skip("UNIBENCH_TEST_DATA names no folder with upstream's task files")
    try:
        environment_python("osworld")
        check_installed()
    except Unavailable as error:
        pytest.skip(str(error))
    with LocalDesktop() as desktop:
        yield ":".join(["127.0.0.1", *(str(desktop.ports.get(port, port)) for port in (SERVER, BROWSER, VNC, VLC))])


AGENT = '''
class Renames:
    """Acts through upstream's pyautogui language; refuses what cannot be done."""
    def reset(self, brief):
        code = "import os; d = os.path.expanduser('~/Desktop/'); os.rename(d + 'todo_list_Jan_1', d + 'todo_list_Jan_2')"
        self.left = [code, {"type": "done"}] if "todo_list" in brief.text else [{"type": "infeasible", "reason": "no"}]
    def act(self, observation):
        assert observation["screenshot"].size == (1920, 1080)
        return self.left.pop(0)
'''


def run(folder: Path, *arguments: str, **environment: str) -> None:
    (folder / "scripted.py").write_text(AGENT)
    command = [sys.executable, "-m", "unibench", "run", "osworld", "--agent", "scripted:Renames", "-o", "run"]
    settings = ["--set", f"tasks={Path(DATA) / 'osworld'}", "--set", "pause=0.2"]
    tasks = ["-t", RENAME, "-t", REFUSAL]
    done = subprocess.run(
        [*command, *settings, *tasks, *arguments],
        capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, **environment}, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def verdicts(folder: Path, substrate: str, fidelity: str) -> dict[str, Status | None]:
    with RunStore(folder / "run") as store:
        manifest, episodes = store.manifest(), store.episodes()
    assert manifest is not None
    assert (manifest.protocol.substrate.name, manifest.protocol.substrate.fidelity) == (substrate, fidelity)
    return {episode.spec.task: episode.judgement.status if episode.judgement else None for episode in episodes}


def test_a_scripted_agent_comes_to_verdicts_on_a_guest_at_an_address(address: str, tmp_path: Path) -> None:
    run(tmp_path, "--substrate", "remote", "--set", f"address={address}")
    assert verdicts(tmp_path, "remote", "equivalent") == {RENAME: Status.PASS, REFUSAL: Status.PASS}


def stand_in(folder: Path, address: str) -> dict[str, str]:
    """The environment in which upstream's factory finds our provider."""
    (folder / "stand_in").mkdir()
    (folder / "stand_in" / "sitecustomize.py").write_text(textwrap.dedent(PROVIDER).format(log=str(folder / "log"), address=address))
    return {"PYTHONPATH": str(folder / "stand_in")}


def told(folder: Path) -> list[list[object]]:
    return [json.loads(line) for line in (folder / "log").read_text().splitlines()]


def test_a_run_on_the_machine_of_a_stand_in_provider(address: str, tmp_path: Path) -> None:
    run(tmp_path, "--substrate", "vm", "--set", "provider=docker", **stand_in(tmp_path, address))
    # The second episode meets the folder as the first left it (the stand-in reverts nothing), and has no need of it.
    assert verdicts(tmp_path, "vm", "official") == {RENAME: Status.PASS, REFUSAL: Status.PASS}
    assert [what[0] for what in told(tmp_path)] == ["start", "revert", "start", "stop"]


def test_upstreams_factory_starts_reverts_and_stops_what_its_provider_name_stands_for(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in stand_in(tmp_path, "10.0.0.7:15000:19222:18006:18080").items():
        monkeypatch.setenv(name, value)
    machine = Provided(upstream, OsworldSettings(provider="docker"))
    machine.fresh()
    assert machine.targets == {
        SERVER: ("10.0.0.7", 15000),
        BROWSER: ("10.0.0.7", 19222),
        VNC: ("10.0.0.7", 18006),
        VLC: ("10.0.0.7", 18080),
    }
    assert machine.url == "http://10.0.0.7:15000"
    machine.fresh()
    machine.close()
    machine.close()
    path = "stand-in.qcow2"
    assert told(tmp_path) == [
        ["start", path, True, "Ubuntu"],
        ["revert", path, "init_state"],
        ["start", f"reverted-{path}", True, "Ubuntu"],
        ["stop", f"reverted-{path}"],
    ]


def test_a_provider_that_fails_or_is_unknown_says_so(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in stand_in(tmp_path, "10.0.0.7").items():
        monkeypatch.setenv(name, value)
    (tmp_path / "log.refuse").touch()
    for provider, says in (("docker", "RuntimeError: no such image"), ("hyperv", "NotImplementedError: hyperv not implemented")):
        machine = Provided(upstream, OsworldSettings(provider=provider))
        with pytest.raises(Unavailable, match=f"cannot start the machine: {says}"):
            machine.fresh()
        machine.close()


@pytest.mark.parametrize("address", ["", ":5000", "host:x", "host:0", "host:1:2:3:4:5", "host:70000"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidSetting, match="--set address"):
        parse_address(address)


def test_an_address_has_upstreams_ports_where_it_names_none() -> None:
    assert parse_address("host") == {SERVER: ("host", 5000), BROWSER: ("host", 9222), VNC: ("host", 8006), VLC: ("host", 8080)}
    assert parse_address("host:1:2")[VNC] == ("host", 8006) and parse_address("host:1:2")[BROWSER] == ("host", 2)
