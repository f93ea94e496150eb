"""A static check of task files: what would make a verdict wrong, found before anything starts.

Each rule was met in upstream's files. Where upstream's sources are at hand, "unknown" means that no line of the code that is
called ever mentions the key; without them, only the tables of :mod:`unibench_osworld.metrics` and ``getters`` are asked.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unibench.data import Problem
from unibench.environments import site_packages
from unibench_osworld import FOLDERS
from unibench_osworld.getters import GETTERS
from unibench_osworld.metrics import METRICS
from unibench_osworld.task_files import Step, TaskFile, TaskSet, find_folder
from unibench_osworld.upstream_source import UpstreamSource, read_upstream

TASK_KEYS = frozenset(
    {
        *("id", "snapshot", "instruction", "source", "config", "trajectory", "related_apps", "evaluator", "proxy", "fixed_ip"),
        *("possibility_of_env_change", "env_may_change", "hint"),
    }
)
EVALUATOR_KEYS = frozenset(["func", "result", "expected", "options", "conj", "postconfig"])


@dataclass(frozen=True)
class Known:
    """What a suite's tables know, for where upstream's sources are not at hand.

    Attributes:
        windows: guest paths are Windows'.
    """

    metrics: frozenset[str] = frozenset(METRICS)
    getters: frozenset[str] = frozenset(GETTERS)
    windows: bool = False


OSWORLD = Known()


def installed_source(suite: str) -> UpstreamSource | None:
    """The evaluators in a suite's environment, as text; None if they are not there."""
    packages = site_packages(suite)
    if packages is None or not (packages / "desktop_env").is_dir():
        return None
    return read_upstream(packages / "desktop_env")


def check_folder(folder: Path) -> list[Problem]:
    """All problems of a folder's tasks, for ``unibench data --check``; with upstream's sources if they are installed."""
    return check_tasks(TaskSet.load(find_folder(folder, FOLDERS)), installed_source("osworld"))


def left_unchecked() -> str:
    """What :func:`check_folder` leaves out on this machine, with the mend."""
    return "" if installed_source("osworld") else without_evaluators("unibench install osworld")


def without_evaluators(install: str) -> str:
    """What no table can check, said with the command that brings the evaluators."""
    return f"options, getters' keys and steps were left unchecked, as the evaluators are not installed -> {install}"


RELATIVE = "rule_relativeTime"


def _alternatives(expected: Mapping[str, Any]) -> bool:
    """Whether it is a rule on days that has lists of alternatives, which upstream knows since 2026."""
    rules = expected.get("rules")
    if expected.get("type") != RELATIVE or not isinstance(rules, Mapping):
        return False
    return any(isinstance(value, list) for value in (rules.get("expected") or {}).values())


def check_tasks(tasks: TaskSet, source: UpstreamSource | None = None, known: Known = OSWORLD) -> list[Problem]:
    """All problems of a set of tasks, in its order."""
    found = list(_duplicates(tasks))
    for task in tasks.tasks.values():
        found += check_task(task, source, known)
    return found


def check_task(task: TaskFile, source: UpstreamSource | None = None, known: Known = OSWORLD) -> list[Problem]:
    """The problems of one task."""
    return [
        *_keys(task),
        *_shape(task),
        *_names(task, source, known),
        *_clashing(task),
        *_paths(task, known.windows),
        *(_mentioned(task, source) if source else ()),
    ]


def _duplicates(tasks: TaskSet) -> Iterator[Problem]:
    names = Counter(task.name for task in tasks.tasks.values())
    for task in tasks.tasks.values():
        if names[task.name] > 1:
            yield Problem(
                task=task.id, rule="duplicate-id", message=f"the id {task.name} stands in more than one domain; key tasks by domain and id"
            )
        if task.definition.get("id") != task.name:
            yield Problem(task=task.id, rule="id-differs", message=f"the file says id {task.definition.get('id')!r}")


def _meant(key: str, known: Iterator[str] | frozenset[str] | tuple[str, ...]) -> str:
    close = difflib.get_close_matches(key, list(known), n=1, cutoff=0.75)
    return f"; {close[0]!r} is probably meant" if close else ""


def _keys(task: TaskFile) -> Iterator[Problem]:
    for where, value, known in (("task", task.definition, TASK_KEYS), ("evaluator", task.evaluator, EVALUATOR_KEYS)):
        for key in value:
            if key not in known and not key.startswith("_") and key != "comments":
                yield Problem(task=task.id, rule="unknown-key", message=f"{where} key {key!r} is not read{_meant(key, known)}")


def _shape(task: TaskFile) -> Iterator[Problem]:
    spec = task.evaluator
    func = spec.get("func")
    if isinstance(func, list):
        for key in ("result", "expected", "options"):
            value = spec.get(key)
            if isinstance(value, list) and len(value) != len(func):
                yield Problem(
                    task=task.id,
                    rule="length-differs",
                    fatal=True,
                    message=f"{len(func)} functions, but {len(value)} in {key!r}; upstream's assertion fails",
                )
    if "conj" in spec and spec["conj"] not in ("and", "or"):
        yield Problem(task=task.id, rule="unknown-conj", message=f"conj {spec['conj']!r} is neither 'and' nor 'or'", fatal=True)
    if not isinstance(func, list) and "conj" in spec:
        yield Problem(task=task.id, rule="idle-key", message="conj is given, but there is one function only")


def _names(task: TaskFile, source: UpstreamSource | None, known: Known) -> Iterator[Problem]:
    metrics = [check.metric for check in task.checks]
    getters = used_getters(task)
    if source is not None:
        for lack in source.lacks(metrics, getters):
            yield Problem(task=task.id, rule="version-skew", fatal=True, message=f"desktop-env {source.version} has no {lack}")
        for check in task.checks:
            getter = source.getters.get(RELATIVE)
            if _alternatives(check.expected or {}) and getter is not None and not getter.tells_lists:
                said = f"desktop-env {source.version} takes no alternatives in {RELATIVE}"
                yield Problem(task=task.id, rule="version-skew", fatal=True, message=said)
        for step in (*task.config, *task.postconfig):
            if step.type not in source.setup:
                yield Problem(
                    task=task.id, rule="version-skew", fatal=True, message=f"desktop-env {source.version} has no set-up step {step.type}"
                )
    for name in metrics:
        if name not in known.metrics and source is None:
            yield Problem(
                task=task.id, rule="unknown-function", fatal=True, message=f"there is no function {name!r}{_meant(name, known.metrics)}"
            )
    for name in getters:
        if name not in known.getters and source is None:
            yield Problem(
                task=task.id, rule="unknown-getter", fatal=True, message=f"there is no getter {name!r}{_meant(name, known.getters)}"
            )


def used_getters(task: TaskFile) -> list[str]:
    """The getters that a task's evaluator names, each once."""
    return list(dict.fromkeys(str(c.get("type")) for check in task.checks for c in (check.result, check.expected) if c))


def _destinations(config: Mapping[str, Any] | None) -> list[str]:
    value = (config or {}).get("dest")
    return [str(each) for each in value] if isinstance(value, list) else [str(value)] if value else []


def _clashing(task: TaskFile) -> Iterator[Problem]:
    """Result and gold are fetched into one folder: under one name, the second is never fetched, or overwrites the first."""
    writers: dict[str, tuple[str, str]] = {}
    clashes: dict[str, None] = {}
    for check in task.checks:
        for role, config in (("result", check.result), ("expected", check.expected)):
            for name, path in zip(_destinations(config), _paths_of(config), strict=False):
                before = writers.setdefault(name, (path, role))
                if before[0] != path and before[1] != role:
                    clashes[name] = None
    for name in clashes:
        yield Problem(
            task=task.id,
            rule="gold-on-result",
            fatal=True,
            message=f"result and gold are both stored as {name!r}: upstream never fetches the second, and compares a file with itself",
        )
    for check in task.checks:
        for name in (*_destinations(check.result), *_destinations(check.expected)):
            if name.startswith("/") or ".." in Path(name).parts:
                yield Problem(task=task.id, rule="escaping-dest", fatal=True, message=f"dest {name!r} leaves the cache folder")


def _paths_of(config: Mapping[str, Any] | None) -> list[str]:
    value = (config or {}).get("path")
    return [str(each) for each in value] if isinstance(value, list) else [str(value)] if value else []


def _guest_paths(task: TaskFile) -> Iterator[tuple[str, str]]:
    for part, steps in (("config", task.config), ("postconfig", task.postconfig)):
        for step in steps:
            for _, path in step.files:
                yield f"{part} download", path
            if step.type in ("open", "change_wallpaper") and step.parameters.get("path"):
                yield f"{part} {step.type}", str(step.parameters["path"])
    for check in task.checks:
        for config in (check.result, check.expected):
            if config and config.get("type") in ("vm_file", "content_from_vm_file", "list_directory"):
                for path in _paths_of(config):
                    yield str(config["type"]), path


def _paths(task: TaskFile, windows: bool) -> Iterator[Problem]:
    for where, path in _guest_paths(task):
        absolute = path.startswith(("/", "~")) or (windows and (path[1:2] == ":" or path.startswith(("%", "$env:", "\\\\"))))
        if not absolute:
            yield Problem(
                task=task.id, rule="relative-path", message=f"{where}: {path!r} is relative; where it lands depends on the server's folder"
            )
        if windows and any(ch in path for ch in "\t\v\n\r\f\b\a"):
            yield Problem(
                task=task.id,
                rule="escaped-path",
                fatal=True,
                message=f"{where}: {path!r} holds a control character (an unescaped backslash)",
            )


def _mentioned(task: TaskFile, source: UpstreamSource) -> Iterator[Problem]:
    for check in task.checks:
        function = source.metrics.get(check.metric)
        if function is None:
            continue
        for key in check.options:
            known = function.parameters[2:] if function.parameters else ()
            if key not in function.parameters and not function.takes_any:
                yield Problem(
                    task=task.id,
                    rule="unknown-option",
                    fatal=True,
                    message=f"{check.metric} takes no option {key!r}{_meant(key, known)}; calling it raises",
                )
            elif function.takes_any and key not in function.parameters and key not in function.mentions and not key.startswith("_"):
                yield Problem(
                    task=task.id,
                    rule="unknown-option",
                    message=f"{check.metric} never reads the option {key!r}{_meant(key, function.mentions)}",
                )
        for rule in check.options.get("rules", ()) if isinstance(check.options.get("rules"), list) else ():
            for key in rule if isinstance(rule, Mapping) else ():
                if key not in function.mentions:
                    yield Problem(
                        task=task.id,
                        rule="unknown-option",
                        message=f"{check.metric} never reads {key!r} of a rule{_meant(key, function.mentions)}",
                    )
        for config in (check.result, check.expected):
            getter = source.getters.get(str((config or {}).get("type")))
            for key in config or ():
                if getter is not None and key not in ("type", "rules") and key not in getter.mentions and not key.startswith("_"):
                    yield Problem(
                        task=task.id,
                        rule="unknown-key",
                        message=f"getter {config['type']} never reads {key!r}{_meant(key, getter.mentions)}",  # type: ignore[index]
                    )
    for step in (*task.config, *task.postconfig):
        yield from _step_keys(task, step, source)


def _step_keys(task: TaskFile, step: Step, source: UpstreamSource) -> Iterator[Problem]:
    if step.type in source.setup and step.type not in source.setup_any:
        known = source.setup[step.type]
        for key in step.parameters:
            if key not in known:
                yield Problem(
                    task=task.id,
                    rule="unknown-key",
                    fatal=True,
                    message=f"step {step.type} takes no {key!r}{_meant(key, known)}; it raises",
                )
