"""A fault as a script that imports only upstream: the instance drawn by upstream, the recorded adb commands, upstream's verifier."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files

from unibench.golden.control import Role
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench.verdict import Status

_MARK = "# -- the case"

_HEAD = '''"""{title}

Imports only upstream ({packages}): draws the instance with the recorded seed, brings the phone to the recorded end state by adb, and
asks the task's own is_successful(). Exits 1 while the fault stands, 0 once it is mended, 3 if it cannot be run.

PYTHON is one that has upstream installed; `unibench install android_world` makes one, and says where (its bin/python).
On an emulator, as upstream's README sets one up:

    emulator -avd AndroidWorldAvd -no-snapshot -grpc 8554
    PYTHONHASHSEED=0 PYTHON repro.py

Without one, on unibench's simulated device, which is where this was found if the report says so (pip install unibench-gui):

    unibench android phone                     # says its ports, and stays until it is interrupted
    PYTHONHASHSEED=0 PYTHON repro.py --console-port PORT --grpc-port PORT --has-forwarder
"""
'''


def script(spec: InstanceSpec, goal: str, run: ControlRun, packages: Mapping[str, str]) -> str:
    """The script for one fault."""
    head, _, body = (files(__package__) / "repro.py.txt").read_text(encoding="utf-8").partition(_MARK)
    _, _, code = head.partition('"""\n')  # without the module's own docstring
    rest = body[body.index("# ----") :]
    drawn = spec.params.get("drawn")
    plain = {name: value for name, value in drawn.items() if isinstance(value, str | int | float)} if isinstance(drawn, dict) else {}
    # Title and packages stand in a docstring, and a ledger may hold anything.
    title = f"{spec.task}: the verifier {_verb(run)} the state {run.control!r}."
    case = (
        f"TASK, SEED, INDEX = {spec.task!r}, {spec.seed}, {spec.index}\n"
        f"GOAL = {goal!r}\n"
        f"PLAIN = json.loads({json.dumps(plain)!r})  # the drawn parameters, as far as they are plain values\n"
        f"SOUND = {'1.0' if run.expect.type == 'passed' else 'less than 1.0'!r}  # what a sound verifier says of the state\n"
        f"STEPS = json.loads({json.dumps(run.readback.steps if run.readback is not None else [])!r})\n"
    )
    shown = ", ".join(f"{name} {version}" for name, version in packages.items())
    plainly = {"title": re.sub(r'["\\]', "'", title), "packages": re.sub(r'["\\]', "'", shown)}
    return _HEAD.format(**plainly) + code + _MARK + " ---\n" + case + rest


def _verb(run: ControlRun) -> str:
    if run.judgement is not None and run.judgement.status is Status.UNSCORED:
        return "raises on"
    return "rejects" if run.role is Role.GOLDEN or run.expect.type == "passed" else "accepts"
