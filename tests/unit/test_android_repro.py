"""A fault's repro.py, run with stand-ins for upstream's modules: what it replays, and its exit codes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unibench.golden.control import BELOW_GOLDEN, NOTHING, PASSED, Provenance, Readback, Role
from unibench.golden.results import ControlRun, Outcome
from unibench.task import InstanceSpec
from unibench_golden_checks.android_world.controls import MODULE

STEPS = [
    ["shell", "rm -r '/sdcard/a b'"],
    ["write", "/sdcard/n.md", 'say "hi"\n\\ $HOME'],
    ["answer", "3, 4"],
    ["clipboard", "x"],
    ["open", "retro music"],
]
UPSTREAM = {
    "android_world/__init__.py": "",
    "android_world/env/__init__.py": "",
    "android_world/utils/__init__.py": "",
    "android_world/registry.py": """
import os
SAID = []
class Task:
    start_on_home_screen = True
    def __init__(self, params): self.params = params
    @classmethod
    def set_device_time(cls, env): SAID.append("time")
    @property
    def goal(self): return "Make " + self.params["name"]
    def initialize_task(self, env): SAID.append("init")
    def is_successful(self, env):
        said = os.environ["SAYS"]
        if said == "raises": raise KeyError("x")
        return float(said)
    def tear_down(self, env): print("PHONE", SAID + ["down"], env.interaction_cache)
class TaskRegistry:
    def get_registry(self, family): return {"T": Task}
""",
    "android_world/suite_utils.py": """
def create_suite(registry, n_task_combinations, seed):
    return {name: [cls({"name": f"{seed}.{n}", "seed": 5}) for n in range(n_task_combinations)] for name, cls in registry.items()}
""",
    "android_world/env/adb_utils.py": """
from android_world.registry import SAID
def issue_generic_request(args, env):
    SAID.append(args)
    return args
def check_ok(reply): pass
def set_clipboard_contents(text, env): SAID.append(text)
def launch_app(name, env): SAID.append(name)
""",
    "android_world/env/android_world_controller.py": """
DEFAULT_ADB_PATH = "adb"
def AndroidWorldController(env, install_a11y_forwarding_app=True):
    print("FORWARDER", install_a11y_forwarding_app)
""",
    "android_world/env/env_launcher.py": """
import os
from android_world.env import android_world_controller
class Env:
    controller, interaction_cache = None, ""
    def reset(self, go_home): self.interaction_cache = ""
    def close(self): pass
def load_and_setup_env(console_port, adb_path, grpc_port):
    if os.environ["SAYS"] == "no phone": raise RuntimeError("no phone")
    android_world_controller.AndroidWorldController(None)
    return Env()
""",
    "android_world/utils/file_utils.py": """
from android_world.registry import SAID
def copy_file_to_device(local, remote, env): SAID.append((remote, open(local, newline="").read()))
""",
}


def fault(expect: Any = BELOW_GOLDEN) -> ControlRun:
    role = Role.GOLDEN if expect is PASSED else Role.MUTANT
    return ControlRun(
        control="all-deleted",
        role=role,
        expect=expect,
        provenance=Provenance(source="instruction", means="adb") if role is Role.GOLDEN else NOTHING,
        outcome=Outcome.JUDGED,
        readback=Readback(steps=STEPS),
    )


def repro(tmp_path: Path, says: str, *options: str, goal: str = "Make 7.2", run: ControlRun | None = None, **drawn: Any) -> tuple[int, str]:
    for name, text in UPSTREAM.items():
        path = tmp_path / "upstream" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    spec = InstanceSpec(suite="android_world", task="T", seed=7, index=2, params={"drawn": {"name": "7.2", "seed": 5, **drawn}})
    script = MODULE.repro(spec, goal, run or fault(), {"android_world": "0.1.0+x"})
    assert "unibench" not in script.split('"""')[2], "it imports only upstream"
    (tmp_path / "repro.py").write_text(script)
    done = subprocess.run(
        [sys.executable, "-P", str(tmp_path / "repro.py"), *options],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "SAYS": says, "PYTHONPATH": str(tmp_path / "upstream")},
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


def test_it_draws_the_instance_replays_the_steps_and_exits_with_1_while_the_fault_stands(tmp_path: Path) -> None:
    code, said = repro(tmp_path, "1.0")
    assert code == 1, said
    done = ["time", "init", ["shell", STEPS[0][1]], tuple(STEPS[1][1:]), "x", "retro music", "down"]
    assert f"PHONE {done} 3, 4" in said
    assert "is_successful() says 1.0; a sound verifier says less than 1.0" in said
    assert "FORWARDER True" in said
    assert "FORWARDER False" in repro(tmp_path, "1.0", "--has-forwarder")[1]


@pytest.mark.parametrize(
    ("says", "wanted", "code"), [("0.5", BELOW_GOLDEN, 0), ("raises", BELOW_GOLDEN, 1), ("0.0", PASSED, 1), ("1.0", PASSED, 0)]
)
def test_it_exits_with_0_once_the_verifier_is_sound(tmp_path: Path, says: str, wanted: Any, code: int) -> None:
    assert repro(tmp_path, says, run=fault(wanted))[0] == code


def test_what_upstream_draws_by_the_wall_clock_comes_from_the_record(tmp_path: Path) -> None:
    assert repro(tmp_path, "1.0", goal="Make then", name="then")[0] == 1


def test_another_instance_or_no_phone_proves_nothing(tmp_path: Path) -> None:
    code, said = repro(tmp_path, "1.0", goal="Make another")
    assert (code, "another instance came up: 'Make 7.2', not 'Make another'" in said) == (3, True)
    code, said = repro(tmp_path, "no phone")
    assert (code, said) == (3, "it could not be run: RuntimeError: no phone\n")


def test_a_python_without_upstream_proves_nothing(tmp_path: Path) -> None:
    repro(tmp_path, "1.0")
    done = subprocess.run([sys.executable, "-P", str(tmp_path / "repro.py")], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (
        3,
        "it could not be run: No module named 'android_world'; it takes a Python that has upstream installed\n",
    )
