"""Runs in the box: what is asked of upstream's own DesktopEnv, controllers and evaluators, unmodified.

The machine is there already, so a provider stands in that only says its address. What upstream swallows is watched: every HTTP
exchange, every step of a set-up, every getter and metric.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import importlib.util
import inspect
import json
import logging
import math
import os
import shutil
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlparse

HOST = "127.0.0.1"
ADDRESS = f"{HOST}:5000:9222:8006:8080"
SERVER = "127.0.0.1:5000"
SHOWN = 600
MOST = 400


def upstream_module() -> Any:
    """The module with upstream's DesktopEnv: OSWorld's ``desktop_env.desktop_env``, or WindowsAgentArena's in ``envs``."""
    name = "desktop_env.desktop_env"
    return importlib.import_module(name if importlib.util.find_spec(name) else "desktop_env.envs.desktop_env")


class Hypervisor:
    """For WindowsAgentArena's VMController, which asks QEMU's monitor for the machine's status before anything else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def get_status(self) -> None:
        pass


class Provider:
    """A provider of a machine that runs already."""

    def start_emulator(self, *args: Any, **kwargs: Any) -> None:
        pass

    def get_ip_address(self, *args: Any, **kwargs: Any) -> str:
        return ADDRESS

    def revert_to_snapshot(self, path: str, *args: Any, **kwargs: Any) -> str:
        return path

    def save_state(self, *args: Any, **kwargs: Any) -> None:
        pass

    def stop_emulator(self, *args: Any, **kwargs: Any) -> None:
        pass


class Manager:
    """A manager of no machines."""

    def get_vm_path(self, *args: Any, **kwargs: Any) -> str:
        return "unibench"


def shown(value: Any) -> Any:
    """A value as evidence: a file by its name, size and digest, anything else as a short text."""
    if isinstance(value, str) and value.startswith("/tmp/") and os.path.isfile(value):
        with open(value, "rb") as file:
            digest = (
                hashlib.file_digest(file, "sha256").hexdigest()
                if hasattr(hashlib, "file_digest")
                else hashlib.sha256(file.read()).hexdigest()
            )
        return {"file": os.path.basename(value), "bytes": os.path.getsize(value), "sha256": digest}
    if isinstance(value, list | tuple) and len(value) <= 20:
        return [shown(each) for each in value]
    if value is None or isinstance(value, bool | int):
        return value
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


class Exchanges:
    """Every HTTP exchange of upstream's code, which itself only logs what failed."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.step = -1

    def watch(self) -> None:
        import requests

        send = requests.Session.send
        watcher = self

        def watched(session: Any, request: Any, **kwargs: Any) -> Any:
            parsed = urlparse(request.url)
            entry: dict[str, Any] = {"step": watcher.step, "method": request.method, "host": parsed.netloc, "path": parsed.path}
            start = time.monotonic()
            try:
                answer = send(session, request, **kwargs)
            except requests.RequestException as error:
                entry["error"] = f"{type(error).__name__}: {error}"[:300]
                raise
            else:
                entry["status"] = answer.status_code
                if parsed.netloc == SERVER and parsed.path in ("/execute", "/setup/execute"):
                    entry.update(_commanded(request), **_returned(answer))
                elif answer.status_code >= 400:
                    entry["said"] = answer.text[:300]
                return answer
            finally:
                entry["seconds"] = round(time.monotonic() - start, 3)
                if len(watcher.seen) < MOST:
                    watcher.seen.append(entry)

        requests.Session.send = watched  # type: ignore[method-assign]


def _commanded(request: Any) -> dict[str, Any]:
    """The first of the command that a request is about."""
    try:
        command = json.loads(request.body)["command"]
    except (ValueError, KeyError, TypeError):
        return {}
    return {"command": (command if isinstance(command, str) else " ".join(map(str, command)))[:200]}


def _returned(answer: Any) -> dict[str, Any]:
    try:
        value = answer.json()
    except ValueError:
        return {"said": answer.text[:300]}
    if not isinstance(value, dict):
        return {"said": str(value)[:300]}
    if answer.status_code != 200:
        return {"said": str(value.get("message", value))[:300]}
    return {"returned": value.get("returncode"), "said": str(value.get("error") or "")[-300:]}


def make_env(call: dict[str, Any]) -> Any:
    """Upstream's DesktopEnv on the machine that is there."""
    upstream = upstream_module()
    logging.basicConfig(level=logging.INFO, force=True)
    if hasattr(upstream, "VMController"):
        upstream.VMController = Hypervisor
    upstream.create_vm_manager_and_provider = lambda *args, **kwargs: (Manager(), Provider())
    wanted = {
        "provider_name": "docker",
        "emulator_ip": HOST,
        "path_to_vm": "unibench",
        "cache_dir": "/tmp/cache",
        "action_space": call.get("dialect", "pyautogui"),
        "require_a11y_tree": False,
        "os_type": call.get("os_type", "Ubuntu"),
        "client_password": call.get("password", ""),
        "screen_size": tuple(call.get("screen", (1920, 1080))),
    }
    takes = inspect.signature(upstream.DesktopEnv.__init__).parameters
    env = upstream.DesktopEnv(**{name: value for name, value in wanted.items() if name in takes})
    env.controller.retry_interval = call.get("retry_seconds", 5.0)
    return env


def with_task(call: dict[str, Any]) -> Any:
    """DesktopEnv with a task, and a fresh cache that holds the task's files."""
    env = make_env(call)
    _beside_the_package()
    env._set_task_info(copy.deepcopy(call["task"]))
    env.setup_controller.reset_cache_dir(env.cache_dir)
    for name, source in call["files"].items():
        target = os.path.join(env.cache_dir, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
    return env


def _beside_the_package() -> None:
    """Puts the package where WindowsAgentArena's set-up looks for its assets: below the folder in which upstream is started."""
    folder = os.path.dirname(importlib.import_module("desktop_env").__file__ or "")
    if folder and not os.path.lexists("desktop_env"):
        os.symlink(folder, "desktop_env")


def watch_steps(env: Any, exchanges: Exchanges, names: list[str]) -> None:
    """Lets the exchanges know which step of a set-up they belong to."""
    controller = env.setup_controller

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*args: Any, **kwargs: Any) -> Any:
            exchanges.step += 1
            return function(*args, **kwargs)

        return step

    for name in set(names):
        method = f"_{name}_setup"
        if hasattr(controller, method):
            setattr(controller, method, watched(getattr(controller, method)))


def set_up(call: dict[str, Any]) -> dict[str, Any]:
    """Brings the machine to the task's initial state by upstream's set-up controller."""
    exchanges = Exchanges()
    exchanges.watch()
    env = with_task(call)
    steps = [str(step.get("type")) for step in env.config]
    watch_steps(env, exchanges, steps)
    before = set(call["files"])
    raised = ""
    try:
        done = env.setup_controller.setup(env.config, *([False] if _takes_proxy(env.setup_controller.setup) else []))
        raised = "" if done or done is None else "the machine's server did not answer"
    except Exception as error:  # noqa: BLE001 - upstream raises bare Exceptions; told as the step's failure
        raised = str(error)
    made = {}
    for root, _, names in os.walk(env.cache_dir):
        for name in names:
            path = os.path.join(root, name)
            relative = os.path.relpath(path, env.cache_dir)
            if relative not in before and os.path.getsize(path) <= 1 << 20:
                with open(path, encoding="utf-8", errors="surrogateescape") as file:
                    made[relative] = file.read()
    return {"raised": raised, "step": exchanges.step, "exchanges": exchanges.seen, "made": made}


def _takes_proxy(setup: Callable[..., Any]) -> bool:
    return len(inspect.signature(setup).parameters) > 1


def act(call: dict[str, Any]) -> dict[str, Any]:
    """One action in one of upstream's languages, as ``DesktopEnv.step`` does it, without its sleep and its observation."""
    exchanges = Exchanges()
    exchanges.watch()
    env = make_env(call)
    if call["dialect"] == "computer_13":
        env.controller.execute_action(json.loads(call["code"]))
    else:
        mend = getattr(upstream_module(), "_fix_pyautogui_less_than_bug", lambda code: code)
        env.controller.execute_python_command(mend(call["code"]))
    return {"exchanges": exchanges.seen}


def evaluate(call: dict[str, Any]) -> dict[str, Any]:
    """Upstream's ``evaluate``, with what its getters gave and its metrics said."""
    exchanges = Exchanges()
    exchanges.watch()
    env = with_task(call)
    for name, text in call.get("made", {}).items():
        target = os.path.join(env.cache_dir, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    env.action_history = list(call["history"])
    parts: list[dict[str, Any]] = []
    watch_parts(env, parts)
    outcome: dict[str, Any] = {}
    try:
        value = float(env.evaluate())
        if not math.isfinite(value):
            raise ValueError(f"evaluate() gave {value!r}")
        outcome["value"] = value
    except Exception as error:  # noqa: BLE001 - what upstream lets escape; becomes the verdict's error
        import traceback

        outcome["error"] = {"type": type(error).__name__, "message": str(error)[:2000], "detail": traceback.format_exc()[-4000:]}
    return {**outcome, "parts": parts, "exchanges": exchanges.seen}


def watch_parts(env: Any, parts: list[dict[str, Any]]) -> None:
    """Records what each getter gave and each metric said, by their place in the evaluator."""

    def part(place: int) -> dict[str, Any]:
        while len(parts) <= place:
            parts.append({})
        return parts[place]

    def getting(function: Any, place: int, key: str) -> Any:
        if function is None:
            return None

        def get(*args: Any, **kwargs: Any) -> Any:
            try:
                value = function(*args, **kwargs)
            except Exception as error:
                # WindowsAgentArena's evaluate() takes what a result's getter raises for a 0.
                part(place).update(raised=f"{type(error).__name__}: {error}"[:SHOWN])
                raise
            part(place)[key] = shown(value)
            return value

        return get

    def judging(function: Any, place: int) -> Any:
        def judge(*args: Any, **kwargs: Any) -> Any:
            score = function(*args, **kwargs)
            try:
                number = float(score)
            except (TypeError, ValueError):
                number = math.nan
            part(place)["score"] = number if math.isfinite(number) else repr(score)[:200]
            return score

        return judge

    if isinstance(env.metric, list):
        env.metric = [judging(each, n) for n, each in enumerate(env.metric)]
        env.result_getter = [getting(each, n, "found") for n, each in enumerate(env.result_getter)]
        env.expected_getter = [getting(each, n, "expected") for n, each in enumerate(env.expected_getter)]
    else:
        env.metric = judging(env.metric, 0)
        env.result_getter = getting(env.result_getter, 0, "found")
        env.expected_getter = getting(env.expected_getter, 0, "expected")


JOBS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"set_up": set_up, "act": act, "evaluate": evaluate}
