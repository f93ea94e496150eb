"""A fault as a script that imports only upstream: the end state's files, upstream's getters and metric over them, and what they say."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from unibench.golden.control import Readback
from unibench.golden.results import ControlRun
from unibench_golden_checks.windows_agent_arena.making import guest_of
from unibench_guests.pathmapped.paths import ENVIRONMENT, HOME
from unibench_osworld.session import DesktopHandle
from unibench_osworld.task_files import TaskFile

MOST = 256 << 10
"""A user with more bytes than this is not kept, and has no script."""
COMMANDS = ("vm_command_line", "vm_command_error")
"""Getters that ask the guest's server themselves, which the script has none of."""

_SCRIPT = '''# {title}
# Exits with 1 while upstream's verifier says otherwise than it should, with 0 once it does not, and with 3 where this script cannot tell:
# upstream's code asks for what its guest is not.
# Needs {packages}: put the checkout's folder src/win-arena-container/client on PYTHONPATH.
# easyocr and librosa may be missing: they are replaced by empty modules, as these checks do not use them.
import base64, builtins, contextlib, io, json, ntpath, sys, tempfile, traceback, types

for name in ("easyocr", "librosa"):
    try:
        __import__(name)
    except ImportError:
        sys.modules[name] = types.ModuleType(name)
try:
    from desktop_env.evaluators import getters, metrics
except ImportError:
    traceback.print_exc()
    sys.exit(3)

# The instruction: {instruction}
# The end state: {found}
EVALUATOR = json.loads({evaluator})
HOME = {home!r}
ENVIRONMENT = {environment}
FILES = {files}
FOLDERS = {folders}


def key(path):
    return ntpath.normpath(path).lower()


found = {{key(path): base64.b64decode(data) for path, data in FILES.items()}}
folders = {{key(path) for path in FOLDERS}}
names = {{key(path): path for path in [*FILES, *FOLDERS]}}


def inside(path):
    return sorted(names[each] for each in names if ntpath.dirname(each) == key(path))


def not_here(what):
    print("this script has no", what, file=sys.stderr)
    sys.exit(3)  # SystemExit: what the verifier catches does not catch it


class Guest:
    """The guest, as upstream's getters ask for it: its files, and where they are."""

    def get_file(self, path):
        return found.get(key(path))

    def get_file_as_text(self, path):
        data = found.get(key(path))
        return data.decode() if data is not None else None

    def get_vm_desktop_path(self):
        return HOME + "\\\\Desktop"

    def get_vm_documents_path(self):
        return HOME + "\\\\Documents"

    def get_vm_folder_exists_in_path(self, name, path):
        return key(ntpath.join(path, name)) in folders

    def get_vm_file_exists_in_path(self, name, path):
        return key(ntpath.join(path, name)) in found

    def get_vm_directory_tree(self, path):
        children = [
            self.get_vm_directory_tree(each) if key(each) in folders else {{"type": "file", "name": ntpath.basename(each)}}
            for each in inside(path)
        ]
        return {{"type": "directory", "name": ntpath.basename(path), "children": children}}

    def execute_python_command(self, command):
        said = io.StringIO()
        path = types.SimpleNamespace(
            join=ntpath.join, exists=lambda p: key(p) in names, isfile=lambda p: key(p) in found, expandvars=lambda p: p
        )
        windows = types.SimpleNamespace(
            path=path, getenv=ENVIRONMENT.get, system=lambda command: 0, listdir=lambda p: [ntpath.basename(each) for each in inside(p)]
        )
        offered = {{name: value for name, value in vars(builtins).items() if name not in ("__import__", "open")}}
        with contextlib.redirect_stdout(said):
            exec(command.replace("import os; ", ""), {{"os": windows, "__builtins__": offered}})
        return {{"status": "success", "output": said.getvalue(), "returncode": 0}}


class Controller:
    """Upstream's controller: what it asks the guest is answered, or ends the script."""

    def __getattr__(self, name):
        method = getattr(Guest(), name, None) or not_here("controller." + name)

        def ask(*args):
            try:
                return method(*args)
            except Exception:
                traceback.print_exc()
                not_here(name + repr(args))

        return ask


class Env:
    vm_platform, controller, cache_dir = "Windows", Controller(), tempfile.mkdtemp()

    def __getattr__(self, name):
        not_here("env." + name)


env = Env()
score = None
try:
    given = []
    try:
        given.append(getattr(getters, "get_" + EVALUATOR["result"]["type"])(env, EVALUATOR["result"]))
    except Exception:  # evaluate() takes this for a 0
        traceback.print_exc()
        score = 0.0
    if score is None:
        if EVALUATOR.get("expected"):
            expected = getattr(getters, "get_" + EVALUATOR["expected"]["type"])(env, EVALUATOR["expected"])
            given += [expected] if expected is not None else []
        score = float(getattr(metrics, EVALUATOR["func"])(*given, **EVALUATOR.get("options", {{}})))
except Exception:
    traceback.print_exc()
print("upstream", "raises on" if score is None else "says " + str(score) + " of", "a state that is {what}")
sys.exit(score is None or {fault})
'''


def kept(build: Callable[[DesktopHandle], Readback]) -> Callable[[DesktopHandle], Readback]:
    """The build, with the user's files and folders at its end among the steps."""

    def built(handle: DesktopHandle) -> Readback:
        readback = build(handle)
        found = tree(handle)
        return readback if found is None else readback.model_copy(update={"steps": [*readback.steps, ["tree", found]]})

    return built


def tree(handle: DesktopHandle) -> JsonValue:
    """The user's files in Base64, by path, None for a folder; None if they are more than :data:`MOST` bytes in all."""
    guest = guest_of(handle)
    root = guest.at(HOME)
    entries = sorted(root.rglob("*"))
    if sum(each.stat().st_size for each in entries if each.is_file()) > MOST:
        return None
    found: dict[str, JsonValue] = {}
    for each in entries:
        name = f"{HOME}\\{str(each.relative_to(root)).replace('/', chr(92))}"
        found[name] = None if each.is_dir() else base64.b64encode(each.read_bytes()).decode()
    return found


def script(task: TaskFile, run: ControlRun, packages: Mapping[str, str]) -> str:
    """The script for one fault; empty where the files were not kept or the verifier does more than read files and compare once."""
    steps = run.readback.steps if run.readback is not None else []
    last = steps[-1] if steps else None
    evaluator = {name: task.evaluator[name] for name in ("func", "result", "expected", "options") if name in task.evaluator}
    if not isinstance(last, list) or last[:1] != ["tree"] or not isinstance(last[1], dict) or isinstance(evaluator["func"], list):
        return ""
    if evaluator["result"].get("type") in COMMANDS:
        return ""
    passes = run.expect.type == "passed"
    return _SCRIPT.format(
        title=f"WindowsAgentArena {task.id}, end state {run.control}",
        packages=", ".join(f"{name} {version}" for name, version in packages.items() if name != "tasks"),
        instruction=" ".join(task.instruction.split()),
        found=json.dumps(run.readback.found if run.readback is not None else None)[:400],
        evaluator=repr(json.dumps(evaluator)),
        home=HOME,
        environment=json.dumps(ENVIRONMENT, indent=4),
        files=json.dumps({path: data for path, data in last[1].items() if data is not None}, indent=4),
        folders=json.dumps([path for path, data in last[1].items() if data is None], indent=4),
        what="right" if passes else "wrong",
        fault="score < 1.0" if passes else "score >= 1.0",
    )
