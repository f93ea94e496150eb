"""A fault as a script that imports only upstream: the judged file, upstream's metric, and what it says of it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import JsonValue

from unibench.golden.results import ControlRun
from unibench_osworld.task_files import TaskFile

MOST = 256 << 10
"""Files larger than this, in Base64, are named in the record but not kept."""

_SCRIPT = """# {title}
# Exits with 1 while upstream's verifier says otherwise than it should.
# Needs {packages}. easyocr and librosa may be missing: they are replaced by empty modules, as these checks do not use them.
import base64, json, os, sys, tempfile, types

for name in ("easyocr", "librosa"):
    try:
        __import__(name)
    except ImportError:
        sys.modules[name] = types.ModuleType(name)
from desktop_env.evaluators import metrics

# The instruction: {instruction}
# The end state: {found}
FILES = {files}
CHECKS = json.loads({checks})  # metric, guest path, rules (or null), options

folder = tempfile.mkdtemp()
paths = {{}}
for number, (path, data) in enumerate(FILES.items()):
    paths[path] = os.path.join(folder, f"{{number}}_{{os.path.basename(path)}}")
    with open(paths[path], "wb") as file:
        file.write(base64.b64decode(data))
scores = []
for metric, path, rules, options in CHECKS:
    given = [paths[path]] if rules is None else [paths[path], rules]
    scores.append(float(getattr(metrics, metric)(*given, **options)))
score = sum(scores) / len(scores) if all(scores) else 0.0
print("upstream says", score, "of a state that is {what}")
sys.exit({fault})
"""


def file_step(path: str, base64: str) -> JsonValue:
    """The step of a read-back that keeps a judged file."""
    return ["file", path, base64 if len(base64) <= MOST else None]


def script(task: TaskFile, run: ControlRun, packages: Mapping[str, str]) -> str:
    """The script for one fault; empty where the judged files were not kept or the verifier looks at more than files and rules."""
    steps = run.readback.steps if run.readback is not None else []
    files = {
        str(step[1]): str(step[2])
        for step in steps
        if isinstance(step, list) and len(step) == 3 and step[0] == "file" and step[2] is not None
    }
    checks = []
    for check in task.checks:
        result, expected = check.result or {}, check.expected
        rules = (expected or {}).get("rules")
        plain = result.get("type") == "vm_file" and (expected is None or expected.get("type") == "rule")
        if not plain or str(result.get("path")) not in files:
            return ""
        checks.append([check.metric, str(result["path"]), rules, dict(check.options)])
    if not checks or task.joined == "or":
        return ""
    passes = run.expect.type == "passed"
    return _SCRIPT.format(
        title=f"OSWorld {task.id}, end state {run.control}",
        packages=", ".join(f"{name} {version}" for name, version in packages.items() if name != "tasks"),
        instruction=" ".join(task.instruction.split()),
        found=json.dumps(run.readback.found if run.readback is not None else None)[:400],
        files=json.dumps(files, indent=4),
        checks=repr(json.dumps(checks)),
        what="right" if passes else "wrong",
        fault="score < 1.0" if passes else "score >= 1.0",
    )
