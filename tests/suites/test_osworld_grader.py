"""The grader's box with an upstream that does its worst: whatever it does, the next call is answered and the outcome is typed.

A stand-in for ``desktop_env`` runs the code that a task holds, as upstream's evaluators run what a guest sends them.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unibench.errors import SetupFault
from unibench.verdict import Evidence, Status, VerifierDescriptor
from unibench_osworld.assets import Asset, Need, sha256
from unibench_osworld.describe import Upstream, describe
from unibench_osworld.grader import client
from unibench_osworld.grader.client import Grader
from unibench_osworld.session import judged
from unibench_osworld.task_files import TaskFile

UPSTREAM = {
    "requests.py": "class RequestException(Exception): pass\nclass Session:\n    def send(self, request, **kwargs): pass\n",
    "desktop_env/__init__.py": "",
    "desktop_env/evaluators/__init__.py": "",
    "desktop_env/evaluators/metrics.py": "def infeasible():\n    pass\n",
    "desktop_env/evaluators/getters.py": "def get_rule(env, config):\n    return config\n",
    "desktop_env/desktop_env.py": """
import os
from desktop_env.evaluators import getters, metrics
create_vm_manager_and_provider = None

class Controller:
    retry_interval = 5

class SetupController:
    def reset_cache_dir(self, folder):
        self.folder = folder

    def _code_setup(self, code):
        exec(code, {"folder": self.folder})

    def setup(self, steps, proxy):
        for step in steps:
            getattr(self, f"_{step['type']}_setup")(**step["parameters"])
        return True

class DesktopEnv:
    def __init__(self, provider_name, path_to_vm, cache_dir, client_password=""):
        create_vm_manager_and_provider()
        self.controller, self.setup_controller, self.folder = Controller(), SetupController(), cache_dir

    def _set_task_info(self, task):
        self.cache_dir = os.path.join(self.folder, task["id"])
        os.makedirs(self.cache_dir, exist_ok=True)
        self.config, self.evaluator = task["config"], task["evaluator"]
        self.metric = self.run
        self.result_getter = self.expected_getter = None

    def run(self):
        scope = {"env": self}
        exec(self.evaluator["code"], scope)
        return scope.get("value")

    def evaluate(self):
        return self.metric()
""",
}


@pytest.fixture(scope="module")
def grader(tmp_path_factory: pytest.TempPathFactory, sandboxed: None) -> Iterator[Grader]:
    # As root, the box's user is another, who must be able to read what the box is given.
    folder = tmp_path_factory.mktemp("environment")
    folder.chmod(0o755)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = next(folder.glob("lib/python3.*/site-packages"))
    for name, text in UPSTREAM.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text(text)
    assets = tmp_path_factory.mktemp("assets")
    assets.chmod(0o755)
    (assets / "gold.txt").write_text("gold")
    found = Grader(folder / "bin" / "python", [assets])
    yield found
    found.close()


def evaluate(grader: Grader, code: str, seconds: float = 20.0, **more: Any) -> dict[str, Any]:
    task = {"id": "x", "config": [], "evaluator": {"code": textwrap.dedent(code)}}
    return grader.call("evaluate", seconds=seconds, task=task, files=more.pop("files", {}), history=[], **more)


def value(grader: Grader, code: str) -> Any:
    return evaluate(grader, code)["result"].get("value")


def works(grader: Grader) -> bool:
    return bool(value(grader, "value = 0.25") == 0.25)


def test_what_upstream_prints_is_kept_and_does_no_harm(grader: Grader) -> None:
    reply = evaluate(grader, 'print("{\\"id\\": 1}"); value = 1')
    assert reply["result"]["value"] == 1.0
    assert '{"id": 1}' in reply["log"]


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("raise ValueError('no such sheet')", "ValueError"),
        ("value = None", "TypeError"),
        ("value = float('nan')", "ValueError"),
        ("import sys; sys.exit(0)", "SystemExit"),
        ("import os; os._exit(0)", "GraderDied"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV); os.kill(0, 9); os._exit(3)", "GraderDied"),
        ("x = bytearray(6 << 30)", "MemoryError"),
    ],
)
def test_what_goes_wrong_in_upstream_is_typed(grader: Grader, code: str, error: str) -> None:
    reply = evaluate(grader, code)
    assert (reply.get("error") or reply["result"]["error"])["type"] == error
    assert works(grader)


def test_an_endless_verifier_is_ended_with_all_that_it_started(grader: Grader) -> None:
    code = """
    import os, time
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            while True:
                pass
    time.sleep(600)
    """
    reply = evaluate(grader, code, seconds=1.0)
    assert reply["error"]["type"] == "GraderTimeout"
    assert value(grader, "import os\nvalue = len([n for n in os.listdir('/proc') if n.isdigit()])") <= 6


def test_no_call_can_reach_the_next_one(grader: Grader) -> None:
    evaluate(
        grader,
        """
        import os, signal
        open("/tmp/left", "w").write("x")
        for pid in range(1, 200):
            if pid != os.getpid():
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
        value = 0
        """,
    )
    assert works(grader)
    assert value(grader, "import os\nvalue = os.path.exists('/tmp/left')") == 0.0


def test_the_servers_memory_and_descriptors_are_shut(grader: Grader) -> None:
    code = """
    import os
    opened = 0
    for pid in os.listdir("/proc"):
        if pid.isdigit() and pid != os.readlink("/proc/self"):
            for name in ("mem", "fd/0", "fd/3"):
                try:
                    os.close(os.open(f"/proc/{pid}/{name}", os.O_RDWR))
                    opened += 1
                except OSError:
                    pass
    value = opened
    """
    assert value(grader, code) == 0.0


def test_a_fork_bomb_is_survived(grader: Grader) -> None:
    code = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
    reply = evaluate(grader, code, seconds=2.0)
    assert reply["error"]["type"] == "GraderTimeout"
    assert works(grader)


def test_the_host_is_out_of_reach(grader: Grader, tmp_path: Path) -> None:
    import socket

    (tmp_path / "secret").write_text("x")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"""
        import os, socket
        value = 0
        for path in ({str(tmp_path / "secret")!r}, "/root/.ssh", "/etc/shadow", "/home"):
            value += os.path.exists(path)
        for address in (("127.0.0.1", {port}), ("1.1.1.1", 53)):
            try:
                socket.create_connection(address, timeout=1).close()
                value += 1
            except OSError:
                pass
        for path in ("/usr/bin/python3", "/unibench/grader/jobs.py", "/unibench/environment/bin/python", "/unibench/assets/0/gold.txt"):
            try:
                open(path, "a").close()
                value += 1
            except OSError:
                pass
        """
        assert value(grader, code) == 0.0


def test_golds_lie_in_a_fresh_cache(grader: Grader, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = next(iter(grader._assets))
    asset = Asset(
        Need("gold", "https://h/resolve/main/os/x/gold.txt", "named.txt"), folder / "gold.txt", "mirror", sha256(folder / "gold.txt")
    )
    code = "import os\np = os.path.join(env.cache_dir, 'named.txt')\nvalue = open(p).read() == 'gold'\nopen(p, 'w').write('forged')"
    for _ in range(2):
        assert evaluate(grader, code, files=client.cached(grader, [asset]))["result"]["value"] == 1.0


def test_a_failed_step_of_the_set_up_is_a_set_up_fault(grader: Grader) -> None:
    def step(code: str) -> dict[str, Any]:
        return {"id": "x", "config": [{"type": "code", "parameters": {"code": code}}], "evaluator": {"code": ""}}

    made, failed = client.set_up(grader, step("open(folder + '/out.txt', 'w').write('said')"), [], seconds=20)
    assert (made, failed) == ({"out.txt": "said"}, "")
    broken = step("raise Exception('no such window')")
    assert client.set_up(grader, broken, [], seconds=20, lenient=True) == ({}, "set-up step 1: no such window")
    with pytest.raises(SetupFault, match="step 1: no such window"):
        client.set_up(grader, broken, [], seconds=20)


# -- what exchanges say ------------------------------------------------------------------------

GUEST = {"host": client.SERVER, "step": 0}


@pytest.mark.parametrize(
    ("exchange", "says"),
    [
        ({**GUEST, "path": "/setup/execute", "status": 200, "returned": 1, "said": "sudo: not found"}, "returned 1: sudo: not found"),
        ({**GUEST, "path": "/setup/launch", "status": 500, "said": "no such program"}, "gave 500: no such program"),
        ({**GUEST, "path": "/terminal", "error": "ConnectionError: refused"}, "ConnectionError"),
        ({**GUEST, "path": "/setup/execute", "status": 200, "returned": 0, "said": ""}, ""),
    ],
)
def test_failures_that_upstream_ignores_are_seen(exchange: dict[str, Any], says: str) -> None:
    found = client.failure(exchange)
    assert (says in found) if says else found == ""


def test_a_lost_guest_and_a_failed_download_are_nobodys_failure() -> None:
    refused = {**GUEST, "path": "/file", "error": "ConnectionError: refused"}
    assert "refused" in client.lost([refused])
    assert client.lost([refused, {**GUEST, "path": "/file", "status": 404}]) == ""
    descriptor = VerifierDescriptor(kind="file-compare", name="x", implementation="m:f", owner="o", scale="binary", when="end")
    away = {"host": "huggingface.co", "path": "/gold", "error": "ConnectionError"}
    verdict = judged(descriptor, {"result": {"value": 0.0, "parts": [{"score": 0.0}], "exchanges": [away]}}, 0.0)
    assert verdict.status is Status.UNSCORED
    assert verdict.error is not None and verdict.error.type == "DownloadFailed"


@pytest.mark.parametrize(
    ("history", "value", "found"),
    [(["WAIT", "FAIL"], 1.0, "the last action: FAIL"), (["FAIL", "DONE"], 0.0, "the last action: DONE"), ([], 0.0, "no action")],
)
def test_a_refusals_evidence_is_the_last_action(history: list[str], value: float, found: str) -> None:
    task = TaskFile("os", "x", {"id": "x", "instruction": "do", "config": [], "evaluator": {"func": "infeasible"}})
    descriptor = describe(task, Upstream("desktop-env", "1.0.2"))
    verdict = judged(descriptor, {"result": {"value": value, "parts": [], "exchanges": []}}, 0.0, history)
    assert verdict.evidence == Evidence(
        expected="the last action says that it cannot be done (FAIL)", found=found, decided_by="desktop_env/desktop_env.py"
    )


@pytest.mark.parametrize(("given", "score"), [(0.96, 0.96), (-0.3, 0.0), (1.0, 1.0)])
def test_fractions_are_scored_as_upstream_says(given: float, score: float) -> None:
    descriptor = VerifierDescriptor(kind="file-compare", name="x", implementation="m:f", owner="o", scale="graded", when="end")
    verdict = judged(descriptor, {"result": {"value": given, "parts": [], "exchanges": []}}, 0.0)
    assert (verdict.score, verdict.raw) == (score, given)
