"""MiniWoB++ in its session process: BrowserGym's own task classes and ``validate``, imported and unmodified."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from unibench.errors import Unavailable, UnknownName
from unibench.kinds import PAGE_STATE
from unibench.settings import Settings
from unibench.suite import Finding, Session, Suite
from unibench.task import Budget, InstanceSpec, Task
from unibench.verdict import AgentWritable, Raw, Source, VerifierDescriptor
from unibench_browsergym.miniwob import FACE, STEPS, MiniwobSettings

if TYPE_CHECKING:
    from browsergym.miniwob.base import AbstractMiniwobTask

    from unibench_browsergym.browser import BrowserPool

_WRAPPER = "browsergym/miniwob/base.py"
_INSTALL = "pip install 'unibench-gui[miniwob]'"


class MiniwobSuite(Suite):
    """The 125 MiniWoB++ tasks that BrowserGym registers."""

    name: ClassVar[str] = "miniwob"

    def __init__(self) -> None:
        try:
            module = importlib.import_module("browsergym.miniwob")
            self.pages = Path(str(files("miniwob"))) / "html" / "miniwob"
            self._versions = {name: version(name) for name in ("browsergym-miniwob", "browsergym-core", "miniwob", "playwright")}
        except (ModuleNotFoundError, PackageNotFoundError) as error:
            raise Unavailable(f"MiniWoB++ needs BrowserGym and the pages: {error}; {_INSTALL}") from None
        self._pool: BrowserPool | None = None
        self._classes: dict[str, type[AbstractMiniwobTask]] = {cls.subdomain: cls for cls in module.ALL_MINIWOB_TASKS}

    @property
    def base_url(self) -> str:
        """Where the pages are, as BrowserGym's ``base_url``."""
        return self.pages.as_uri() + "/"

    def upstream(self) -> Mapping[str, str]:
        return {name: self._versions[name] for name in ("browsergym-miniwob", "browsergym-core", "miniwob")}

    def task_class(self, task: str) -> type[AbstractMiniwobTask]:
        """BrowserGym's class for a task.

        Raises:
            UnknownName: there is no such task.
        """
        try:
            return self._classes[task]
        except KeyError:
            raise UnknownName.among("task of miniwob", task, self._classes) from None

    @cached_property
    def _tasks(self) -> list[Task]:
        return [Task(suite=self.name, id=name, instruction=cls.desc, budget=Budget(steps=STEPS)) for name, cls in self._classes.items()]

    def tasks(self) -> Sequence[Task]:
        return self._tasks

    def draw(self, task: str, seed: int, index: int = 0) -> InstanceSpec:
        """Index 0 is the instance that ``gymnasium.make("browsergym/miniwob.<task>").reset(seed=seed)`` gives."""
        self.task_class(task)
        drawn = seed if index == 0 else int.from_bytes(hashlib.sha256(f"{seed}/{index}".encode()).digest()[:4]) >> 1
        return InstanceSpec(suite=self.name, task=task, seed=seed, index=index, params={"seed": drawn})

    def describe(self, task: str, settings: Settings) -> VerifierDescriptor:
        assert isinstance(settings, MiniwobSettings)
        self.task_class(task)
        wrapper = Source(
            project="ServiceNow/BrowserGym", package="browsergym-miniwob", version=self._versions["browsergym-miniwob"], path=_WRAPPER
        )
        page = Source(
            project="Farama-Foundation/miniwob-plusplus", package="miniwob", version=self._versions["miniwob"], path=page_path(task)
        )
        return VerifierDescriptor(
            kind=PAGE_STATE.name,
            name=task,
            implementation="browsergym.miniwob.base:AbstractMiniwobTask.validate",
            owner="ServiceNow/BrowserGym",
            sources=(wrapper, page),
            scale="binary",
            raw=Raw(name="WOB_RAW_REWARD_GLOBAL", low=-1, high=1, passes="> 0"),
            when="each-step",
            reads=("page url", "WOB_RAW_REWARD_GLOBAL", "WOB_DONE_GLOBAL"),
            agent_writable=_writable(task, settings),
        )

    def unavailable(self, task: str, settings: Settings, substrate: str) -> tuple[str, ...]:
        self.task_class(task)
        page = self.pages / f"{task}.html"
        return () if page.is_file() else (f"the page {page.name} is not in the package miniwob {self._versions['miniwob']}",)

    def open(self, settings: Settings, substrate: str) -> Session:
        from unibench_browsergym.browser import BrowserPool
        from unibench_browsergym.miniwob.session import MiniwobSession

        assert isinstance(settings, MiniwobSettings)
        if self._pool is None:
            self._pool = BrowserPool(slow_mo=settings.slow_mo)
        return MiniwobSession(self, settings, FACE.substrate(substrate), self._pool)

    def probe(self, settings: Settings) -> Sequence[Finding]:
        """Boots the browser and brings up one task."""
        found = [Finding(what=name, ok=True, detail=number) for name, number in self._versions.items()]
        return [*found, *self._probe_browser(settings)]

    def _probe_browser(self, settings: Settings) -> list[Finding]:
        from unibench.errors import UnibenchError
        from unibench_browsergym.browser import MEND, find_chromium

        try:
            session = self.open(settings, FACE.substrate().name)
            try:
                session.reset(self.draw("click-test", 0))
                size = session.observe(["screenshot"])["screenshot"].size
                where = find_chromium()
                return [
                    Finding(
                        what="browser", ok=True, detail=f"{session.substrate.digest} at {where}; click-test came up, {size[0]}x{size[1]}"
                    )
                ]
            finally:
                session.close()
        except UnibenchError as error:
            return [Finding(what="browser", ok=False, detail=str(error), mend=MEND)]


SCRIPT_SINKS = ("terminal", "book-flight", "book-flight-nodelay")
"""Pages that put a user's text into ``innerHTML`` (miniwob 1.1.0: terminal.html, book-flight.html, book-flight-nodelay.html)."""


def _writable(task: str, settings: MiniwobSettings) -> AgentWritable:
    how = "script in the page can set WOB_RAW_REWARD_GLOBAL or call core.endEpisode; a javascript: URL runs script"
    if task in SCRIPT_SINKS:
        return AgentWritable(value=True, how=f"{how}, and this page runs script in what a user types")
    return AgentWritable(value=True, how=how, prevented_by="" if settings.allow_any_url else "allow_any_url=false refuses such URLs")


def page_path(task: str) -> str:
    """The page's file inside the package ``miniwob``."""
    return f"miniwob/html/miniwob/{task}.html"
