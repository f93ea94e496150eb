"""OSWorld's task files: finding, reading and splitting them. Nothing here needs ``desktop-env``.

Layout as upstream's ``evaluation_examples``: ``test_all.json`` and other split lists (domain to ids), and
``examples/<domain>/<id>.json``. Tasks are keyed by (domain, id): WindowsAgentArena has ids that differ by domain only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from unibench.data import brought_folder, brought_source
from unibench.errors import FileProblem, Unavailable, UnknownName
from unibench.files import read_json
from unibench.record import digest

TASKS_VARIABLE = "UNIBENCH_{suite}_TASKS"
"""Where the session process finds the task files; set from the setting ``tasks``."""


@dataclass(frozen=True)
class Step:
    """One step of ``config`` (before the episode) or ``postconfig`` (before the verifier looks)."""

    type: str
    parameters: Mapping[str, Any]

    @property
    def files(self) -> list[tuple[str, str]]:
        """URL and guest path of each file that a ``download`` step brings."""
        if self.type != "download":
            return []
        return [(str(f.get("url", "")), str(f.get("path", ""))) for f in self.parameters.get("files", ())]


@dataclass(frozen=True)
class Check:
    """One metric of an evaluator, with the getters and options at its position."""

    metric: str
    result: Mapping[str, Any] | None
    expected: Mapping[str, Any] | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class TaskFile:
    """One task as upstream wrote it.

    Attributes:
        domain, name: the key; ``name`` is upstream's id.
        definition: the file's JSON, never changed (upstream's getters write into their configuration: give them a copy).
    """

    domain: str
    name: str
    definition: Mapping[str, Any]

    @property
    def id(self) -> str:
        return f"{self.domain}/{self.name}"

    @property
    def instruction(self) -> str:
        return str(self.definition.get("instruction", ""))

    @property
    def evaluator(self) -> Mapping[str, Any]:
        found = self.definition.get("evaluator")
        return found if isinstance(found, Mapping) else {}

    @property
    def config(self) -> list[Step]:
        return _steps(self.definition.get("config"))

    @property
    def postconfig(self) -> list[Step]:
        return _steps(self.evaluator.get("postconfig"))

    @property
    def joined(self) -> str:
        """``and`` or ``or``; upstream's default is ``and`` (desktop_env.py, ``_set_evaluator_info``)."""
        return str(self.evaluator.get("conj", "and"))

    @property
    def checks(self) -> list[Check]:
        """The metrics in order; one, unless ``func`` is a list."""
        spec = self.evaluator
        func = spec.get("func")
        if isinstance(func, list):
            results, expecteds, options = (_aligned(spec.get(key), len(func)) for key in ("result", "expected", "options"))
            return [Check(str(f), r or None, e or None, o or {}) for f, r, e, o in zip(func, results, expecteds, options, strict=True)]
        return [Check(str(func), spec.get("result") or None, spec.get("expected") or None, spec.get("options") or {})]

    @property
    def infeasible(self) -> bool:
        return self.evaluator.get("func") == "infeasible"

    @cached_property
    def digest(self) -> str:
        return digest(dict(self.definition))


def _steps(value: Any) -> list[Step]:
    return [Step(str(s.get("type")), s.get("parameters") or {}) for s in value or () if isinstance(s, Mapping)]


def _aligned(value: Any, length: int) -> list[Any]:
    """A list of that length, or one value at every position; what is missing is None."""
    items = list(value) if isinstance(value, list) else [value] * length
    return (items + [None] * length)[:length]


@dataclass
class TaskSet:
    """All tasks of a folder.

    Attributes:
        folder: the one that holds ``test_all.json``.
        examples: the name of the folder beside it that holds the task files.
        commit: upstream's commit, if known.
    """

    folder: Path
    examples: str = "examples"
    commit: str = ""
    tasks: dict[str, TaskFile] = field(default_factory=dict)
    splits: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, *, examples: str = "examples", commit: str = "") -> TaskSet:
        """Reads the list of all tasks, and each task.

        Raises:
            FileProblem: the folder holds no task list, a listed task is not there, or a file is no JSON.
        """
        found = cls(folder, examples, commit)
        lists = {path.stem: read_json(path) for path in sorted(folder.glob("test_*.json"))}
        if "test_all" not in lists:
            raise FileProblem(f"{folder} holds no test_all.json; name the folder evaluation_examples of an upstream checkout")
        for domain, name in _listed(lists["test_all"], folder / "test_all.json"):
            path = folder / examples / domain / f"{name}.json"
            value = read_json(path)
            if not isinstance(value, dict) or not isinstance(value.get("evaluator"), dict):
                raise FileProblem(f"{path} is no task file (it has no evaluator)")
            task = TaskFile(domain, name, value)
            found.tasks[task.id] = task
        for stem, value in lists.items():
            ids = tuple(f"{domain}/{name}" for domain, name in _listed(value, folder / f"{stem}.json"))
            found.splits[stem.removeprefix("test_")] = tuple(each for each in ids if each in found.tasks)
        found.splits["infeasible"] = tuple(task.id for task in found.tasks.values() if task.infeasible)
        return found

    @property
    def version(self) -> str:
        """Upstream's commit, or the digest of all task definitions where no commit is known."""
        return self.commit or "digest:" + digest({task.id: task.digest for task in self.tasks.values()})

    def __getitem__(self, task: str) -> TaskFile:
        try:
            return self.tasks[task]
        except KeyError:
            raise UnknownName.among("task", task, self.tasks) from None

    def splits_of(self, task: str) -> tuple[str, ...]:
        return tuple(name for name, ids in self.splits.items() if task in ids)


def _listed(value: Any, path: Path) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict) or not all(isinstance(ids, list) for ids in value.values()):
        raise FileProblem(f"{path} is no task list (domain to ids)")
    for domain, ids in value.items():
        for name in ids:
            yield str(domain), str(name)


def find_folder(root: Path, names: tuple[str, ...]) -> Path:
    """The folder with ``test_all.json``: the given one, or one of the names below it.

    Raises:
        FileProblem: there is none.
    """
    for folder in (root, *(root / name for name in names)):
        if (folder / "test_all.json").is_file():
            return folder
    raise FileProblem(f"{root} holds no task files: no test_all.json in it or in {', '.join(names)}")


def task_set(suite: str, names: tuple[str, ...], *, examples: str = "examples") -> TaskSet:
    """The suite's tasks: from the setting ``tasks``, else what ``unibench data`` brought.

    Raises:
        Unavailable: neither is there.
        FileProblem: the folder holds no tasks.
    """
    if named := os.environ.get(TASKS_VARIABLE.format(suite=suite.upper().replace("-", "_"))):
        return TaskSet.load(find_folder(Path(named), names), examples=examples)
    brought = brought_folder(suite)
    if not brought.is_dir():
        raise Unavailable(
            f"the task files of {suite} are not here; bring them with `unibench data {suite} --from SRC` (an upstream checkout, a git URL "
            "or a folder), or name a folder with --set tasks=DIR"
        )
    return TaskSet.load(find_folder(brought, names), examples=examples, commit=brought_source(suite).commit)
