"""A checkout that is shaped as WindowsAgentArena's, with an evaluator package and tasks of ours: what the tests install and run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PACKAGE = "src/win-arena-container/client/desktop_env"
TASKS = "src/win-arena-container/client/evaluation_examples_windows"

REQUESTS = '''
"""A stand-in for requests: just what the package below calls."""
import json as json_
import urllib.error
import urllib.request

class RequestException(OSError):
    pass

class ConnectionError(RequestException):
    pass

class Request:
    def __init__(self, url, body, headers):
        self.url, self.method, self.body, self.headers = url, "POST", body, headers

class Response:
    def __init__(self, status, content):
        self.status_code, self.content, self.text = status, content, content.decode(errors="replace")
    def json(self):
        return json_.loads(self.content)

class Session:
    def send(self, request, **kwargs):
        asked = urllib.request.Request(request.url, request.body, request.headers, method=request.method)
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                return Response(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            return Response(error.code, error.read())
        except OSError as error:
            raise ConnectionError(str(error)) from None

def post(url, json=None, data=None, headers=None):
    if json is not None:
        data, headers = json_.dumps(json).encode(), {"Content-Type": "application/json"}
    else:
        data = "&".join(f"{k}={urllib.request.quote(v)}" for k, v in data.items()).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return Session().send(Request(url, data, headers))
'''

FILES = {
    "__init__.py": "",
    "assets/history.txt": "kept beside the package\n",
    "controllers/__init__.py": "",
    "controllers/python.py": """
import requests

class PythonController:
    def __init__(self, vm_ip):
        self.url = f"http://{vm_ip}:5000"

    def execute_python_command(self, command):
        body = {"command": ["python", "-c", "import pyautogui; import time; " + command], "shell": False}
        return requests.post(self.url + "/execute", json=body).json()

    def get_file(self, path):
        answer = requests.post(self.url + "/file", data={"file_path": path})
        return answer.content if answer.status_code == 200 else None
""",
    "controllers/setup.py": """
import os
import requests

class SetupController:
    def __init__(self, vm_ip, cache_dir):
        self.url, self.cache_dir = f"http://{vm_ip}:5000/setup", cache_dir

    def reset_cache_dir(self, cache_dir):
        self.cache_dir = cache_dir

    def setup(self, config):
        for step in config:
            getattr(self, f"_{step['type']}_setup")(**step["parameters"])

    def _create_file_setup(self, path, content=""):
        requests.post(self.url + "/create_file", json={"path": path, "content": content})

    def _launch_setup(self, command):
        requests.post(self.url + "/launch", json={"command": command})

    def _history_setup(self, path):
        with open(os.path.join("desktop_env", "assets", "history.txt")) as file:
            self._create_file_setup(path, file.read())
        requests.post(self.url + "/execute", json={"command": ["sudo chown -R user:user /home/user/.config/x"], "shell": True})
""",
    "controllers/vm.py": """
class VMController:
    def __init__(self, cache_dir):
        pass
    def get_status(self):
        raise ConnectionError("there is no QEMU here")
""",
    "envs/__init__.py": "",
    "envs/desktop_env.py": """
import os
from desktop_env.controllers.python import PythonController
from desktop_env.controllers.setup import SetupController
from desktop_env.controllers.vm import VMController
from desktop_env.evaluators import getters, metrics

class DesktopEnv:
    def __init__(self, action_space="computer_13", cache_dir="cache", require_a11y_tree=True, emulator_ip=None):
        self.vm_ip, self.cache_dir_base = emulator_ip, cache_dir
        self.controller = PythonController(self.vm_ip)
        self.setup_controller = SetupController(self.vm_ip, cache_dir)
        VMController(cache_dir).get_status()
        self.action_history = []

    def _set_task_info(self, task):
        self.cache_dir = os.path.join(self.cache_dir_base, task["id"])
        os.makedirs(self.cache_dir, exist_ok=True)
        self.config, self.evaluator = task["config"], task["evaluator"]
        self.metric = getattr(metrics, self.evaluator["func"])
        result, expected = self.evaluator.get("result"), self.evaluator.get("expected")
        self.result_getter = getattr(getters, "get_" + result["type"]) if result else None
        self.expected_getter = getattr(getters, "get_" + expected["type"]) if expected else None

    def evaluate(self):
        self.setup_controller.setup(self.evaluator.get("postconfig", []))
        last = self.action_history[-1] if self.action_history else ""
        if self.evaluator["func"] == "infeasible":
            return int(last == "FAIL")
        if last == "FAIL":
            return 0
        try:
            found = self.result_getter(self, self.evaluator["result"])
        except Exception:
            return 0
        return self.metric(found, self.expected_getter(self, self.evaluator["expected"]))
""",
    "evaluators/__init__.py": "",
    "evaluators/metrics/__init__.py": "from .general import exact_match\n\ndef infeasible():\n    pass\n",
    "evaluators/metrics/general.py": "def exact_match(result, rules):\n    return float(result == rules['expected'])\n",
    "evaluators/getters/__init__.py": "from .file import get_is_file_saved_desktop, get_edge_home_page\nfrom .misc import get_rule\n",
    "evaluators/getters/misc.py": "def get_rule(env, config):\n    return config['rules']\n",
    "evaluators/getters/file.py": """
import requests

def get_is_file_saved_desktop(env, config):
    data = env.controller.get_file("C:\\\\Users\\\\Docker\\\\Desktop\\\\" + config["filename"])
    return "true" if config["textcontent"] in data.decode() else "false"

def get_edge_home_page(env, config):
    raise requests.ConnectionError("the browser is gone")
""",
}


def _saved(text: str, *config: dict[str, Any]) -> dict[str, Any]:
    result = {"type": "is_file_saved_desktop", "filename": "note.txt", "textcontent": text}
    expected = {"type": "rule", "rules": {"expected": "true"}}
    return {"config": [*config], "evaluator": {"func": "exact_match", "result": result, "expected": expected}}


def _step(type_: str, **parameters: Any) -> dict[str, Any]:
    return {"type": type_, "parameters": parameters}


NOTE = "C:\\Users\\Docker\\Desktop\\note.txt"
BEFORE: dict[str, dict[str, Any]] = {
    "note": {
        "instruction": "Write milk into note.txt on the desktop, which lies open.",
        **_saved("milk", _step("launch", command=["notepad", NOTE]), _step("create_file", path=NOTE, content="eggs\n")),
    },
    "kept": {"instruction": "Keep the history.", **_saved("kept beside", _step("history", path=NOTE))},
    "closed": {
        "instruction": "Set the home page.",
        "config": [],
        "evaluator": {
            "func": "exact_match",
            "result": {"type": "edge_home_page"},
            "expected": {"type": "rule", "rules": {"expected": "x"}},
        },
    },
    "refuse": {"instruction": "Make gold.", "config": [], "evaluator": {"func": "infeasible"}},
    "registry": {
        "instruction": "Turn the night light on.",
        "config": [],
        "evaluator": {
            "func": "exact_match",
            "result": {"type": "night_light_state"},
            "expected": {"type": "rule", "rules": {"expected": True}},
        },
    },
}
HARD = {"note": {**BEFORE["note"], "instruction": "Write milk into note.txt.", "config": []}}


def checkout(folder: Path) -> Path:
    """Writes the checkout."""
    for name, text in FILES.items():
        _write(folder / PACKAGE / name, text)
    tasks = folder / TASKS
    _write(tasks / "test_all.json", json.dumps({"ours": list(BEFORE)}))
    for level, changed in (("examples", {}), ("examples_noctxt", HARD)):
        for name, task in {**BEFORE, **changed}.items():
            _write(tasks / level / "ours" / f"{name}.json", json.dumps({"id": name, **task}))
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
