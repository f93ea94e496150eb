"""OSWorld in its session process: tasks, descriptors, what is available, and the door to a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from unibench.data import Problem
from unibench.environments import environment_python, environment_record
from unibench.golden.control import MakesStandIns
from unibench.golden.inside import golden_module
from unibench.settings import Settings
from unibench.suite import Finding, Session, Suite, SuiteFace
from unibench.task import Budget, InstanceSpec, Task
from unibench.verdict import VerifierDescriptor
from unibench_guests.client import GuestClient
from unibench_osworld import FACE, FOLDERS, PACKAGE, VERSION, DesktopSettings
from unibench_osworld.assets import AssetStore
from unibench_osworld.describe import Upstream, describe
from unibench_osworld.programs import installed, lacking
from unibench_osworld.task_check import OSWORLD, Known, check_task, check_tasks, installed_source, used_getters
from unibench_osworld.task_files import TaskFile, TaskSet, task_set
from unibench_osworld.upstream_source import UpstreamSource

if TYPE_CHECKING:
    from unibench_osworld.machines import Machine

ACCOUNT_STEPS = {"googledrive": "a Google account", "login": "a Google account"}


LEFT_BY_PAGES = ("cookie_data",)
"""Getters of what only visited pages leave behind."""
VISITS = ("chrome_close_tabs",)
"""Set-up steps that find only what the live web let them open."""


def mended(reasons: Sequence[str], mend: str) -> list[str]:
    """The reasons, with the mend said once, after the last of them."""
    return [*reasons[:-1], *(f"{last}; {mend}" if mend else last for last in reasons[-1:])]


class OsworldSuite(Suite):
    """OSWorld's tasks, from the user's copy of the task files; judged in the suite's own environment."""

    name: ClassVar[str] = "osworld"
    face: ClassVar[SuiteFace] = FACE
    os_type: ClassVar[str] = "Ubuntu"
    steps: ClassVar[int] = 15
    """Upstream's own budget (``run.py``: ``--max_steps`` 15)."""
    known: ClassVar[Known] = OSWORLD

    @cached_property
    def files(self) -> TaskSet:
        """The task files.

        Raises:
            Unavailable: there are none.
        """
        return task_set(self.name, FOLDERS)

    @cached_property
    def grader_suite(self) -> str:
        """The suite whose environment holds the evaluators."""
        return self.name

    @cached_property
    def source(self) -> UpstreamSource | None:
        """Upstream's installed evaluators, as text; None if they are not installed."""
        return installed_source(self.grader_suite)

    @cached_property
    def package_version(self) -> str:
        """The version of upstream's package: a checkout's commit or digest, or the distribution's."""
        record = environment_record(self.grader_suite)
        if record is not None and (record.commit or record.digest):
            return record.commit or f"digest:{record.digest}"
        return self.source.version if self.source is not None else VERSION

    @cached_property
    def evaluators(self) -> Upstream:
        """Whose code judges."""
        return Upstream(PACKAGE, self.package_version)

    def upstream(self) -> Mapping[str, str]:
        return {PACKAGE: self.package_version, "tasks": self.files.version}

    @cached_property
    def _tasks(self) -> list[Task]:
        return [
            Task(suite=self.name, id=t.id, instruction=t.instruction, budget=Budget(steps=self.steps), tags=self._tags(t))
            for t in self.files.tasks.values()
        ]

    def _tags(self, task: TaskFile) -> tuple[str, ...]:
        apps = [f"app:{app}" for app in task.definition.get("related_apps", ())]
        return (f"domain:{task.domain}", *apps, *(f"split:{name}" for name in self.files.splits_of(task.id)))

    def tasks(self) -> Sequence[Task]:
        return self._tasks

    def draw(self, task: str, seed: int, index: int = 0) -> InstanceSpec:
        """The task itself: upstream's tasks have no parameters, and every seed gives the same episode."""
        found = self.files[task]
        return InstanceSpec(suite=self.name, task=task, seed=seed, index=index, params={"definition": found.digest})

    def describe(self, task: str, settings: Settings) -> VerifierDescriptor:
        return describe(self.files[task], self.evaluators)

    def unavailable(self, task: str, settings: Settings, substrate: str) -> tuple[str, ...]:
        assert isinstance(settings, DesktopSettings)
        found = self.files[task]
        reasons = [*self._skew(found), *self._wants(found, settings)]
        store = self.store(settings)
        if away := store.lacking(found):
            reasons += mended(away, store.mend(found, self._able_maker))
        if substrate == "local" and not self.lenient(found, settings):
            reasons += lacking(found)
        return tuple(dict.fromkeys(reasons))

    def store(self, settings: DesktopSettings) -> AssetStore:
        """Where the tasks' files come from under these settings."""
        return AssetStore(
            self.name,
            settings.assets,
            online=settings.network,
            borrow=settings.borrowed_files,
            maker=self._maker(settings),
        )

    @cached_property
    def _able_maker(self) -> MakesStandIns | None:
        """What can make stand-ins, allowed or not."""
        module = golden_module(self.name)
        return module if isinstance(module, MakesStandIns) else None

    def _maker(self, settings: DesktopSettings) -> MakesStandIns | None:
        return self._able_maker if settings.stand_ins else None

    def lenient(self, task: TaskFile, settings: DesktopSettings) -> bool:
        """Whether steps of the set-up may fail, as a program may be missing: stand-ins are allowed, and the verifier does without.

        A refusal's verifier looks at what the agent said, and some look at files only, which the golden recipe makes itself.
        """
        maker = self._maker(settings)
        return settings.stand_ins and (task.infeasible or (maker is not None and maker.without_programs(task.id)))

    def stand_ins(self, task: str, settings: Settings) -> tuple[str, ...]:
        assert isinstance(settings, DesktopSettings)
        found = self.files[task]
        missing = [*lacking(found), *installed(found)] if self.lenient(found, settings) else []
        return (*self.store(settings).stand_ins(found), *missing)

    @property
    def installing(self) -> str:
        """The command that installs the suite's evaluators."""
        return f"unibench install {self.name}"

    @property
    def _skew_mend(self) -> str:
        """What helps against evaluators of another version; empty if nothing is known to."""
        return ""

    @property
    def judges(self) -> str:
        """Whose evaluators judge, if not the suite's own; empty else."""
        return ""

    def problems(self) -> list[Problem]:
        """What the static check says of the task files."""
        return check_tasks(self.files, self.source, self.known)

    def _skew(self, task: TaskFile) -> list[str]:
        """What the installed evaluators lack, and what the static check finds fatal."""
        if self.source is None:
            return [f"the evaluators are not installed; run `{self.installing}`"]
        found = [problem for problem in check_task(task, self.source, self.known) if problem.rule == "version-skew"]
        return mended([f"{problem.rule}: {problem.message}" for problem in found], self._skew_mend)

    def _wants(self, task: TaskFile, settings: DesktopSettings) -> list[str]:
        reasons = []
        record = environment_record(self.grader_suite)
        for check in task.checks:
            package = self.evaluators.metric(check.metric).needs
            if package and not (record is not None and record.full):
                reasons.append(f"{check.metric} needs {package}; run `unibench install {self.name} --full`")
        for step in (*task.config, *task.postconfig):
            if what := ACCOUNT_STEPS.get(step.type):
                reasons.append(f"the step {step.type} needs {what}")
        reasons += self._visited(task, settings)
        live = [name for name in used_getters(task) if self.evaluators.getter(name).live]
        if live:
            # The grader's box reaches the guest and nothing else.
            reasons.append(f"its verifier reads the live web ({', '.join(live)}), which graders here cannot")
        return reasons

    def _visited(self, task: TaskFile, settings: DesktopSettings) -> list[str]:
        """What pages would have left on a machine that has a network."""
        reasons = []
        if not settings.network and (visits := [step.type for step in task.config if step.type in VISITS]):
            reasons.append(f"its set-up needs pages that it visited on the live web ({visits[0]}); allow it with --set network=true")
        left = [name for name in used_getters(task) if name in LEFT_BY_PAGES]
        if left and not settings.network:
            reasons.append(f"its verifier reads what visited pages leave ({', '.join(left)}); allow it with --set network=true")
        return reasons

    def machine(self, settings: DesktopSettings, substrate: str) -> Machine:
        """The machine of a substrate.

        Raises:
            InvalidSetting: the substrate needs a setting that is not given.
        """
        from unibench_osworld.machines import make

        return make(substrate, settings, settings.screen, environment_python(self.grader_suite))

    def client(self, url: str, settings: DesktopSettings) -> GuestClient:
        """A client of the guest's REST API."""
        return GuestClient(url, seconds=settings.guest_seconds)

    def prepared(self, task: TaskFile, substrate: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        """The definition as the set-up gets it on a substrate, and which of its steps were left out, in words."""
        return task.definition, ()

    def open(self, settings: Settings, substrate: str) -> Session:
        from unibench_osworld.machines import check_settings
        from unibench_osworld.session import DesktopSession

        assert isinstance(settings, DesktopSettings)
        check_settings(substrate, settings, self.source.providers if self.source is not None else ())
        return DesktopSession(self, settings, self.face.substrate(substrate))

    def probe(self, settings: Settings) -> Sequence[Finding]:
        from unibench_osworld.probe import probe

        assert isinstance(settings, DesktopSettings)
        return probe(self, settings)
