"""The supervisor of a golden check: tasks over session processes, controls over fresh episodes, faults retried."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, TypeVar

from unibench import __version__
from unibench.errors import EnvironmentFault, Unavailable, UnibenchError, UnknownName, UsageError
from unibench.golden.control import Role
from unibench.golden.judge import decide, faults_of, has_refused_mutant, satisfiable_only
from unibench.golden.ledger import entry_key
from unibench.golden.results import ControlRun, Decision, Entry, InstanceCheck, Ledger, Outcome, Reason
from unibench.order import After, chains
from unibench.record import SCHEMA_VERSION
from unibench.session.remote import RemoteSuite
from unibench.settings import Substrate
from unibench.task import InstanceSpec
from unibench.verdict import Status, VerifierDescriptor

T = TypeVar("T")

ATTEMPTS = 3
"""A fault of the environment or of the set-up is retried twice."""
REDRAWS = 5
"""How often an instance is drawn anew on which doing nothing is right, or the recipe does not reach the right end."""

_UNDONE = {Outcome.RECIPE_FAILED, Outcome.SETUP_FAILED, Outcome.ENVIRONMENT_FAULT}

Shots = dict[tuple[str, str], bytes]
"""Screenshots of surprising end states, by instance digest and control."""


@dataclass(frozen=True)
class Plan:
    """What to check.

    Attributes:
        open_suite: opens the suite in a session process of its own; called once a job.
        tasks: the tasks' ids.
        seeds: one instance a seed.
        repeats: how often each control runs on an instance.
        jobs: session processes side by side.
        controls: globs of the controls to run, beside the goldens; all, if there is none. A task with some left out is not valid.
    """

    open_suite: Callable[[], RemoteSuite]
    tasks: Sequence[str]
    seeds: Sequence[int] = (0,)
    repeats: int = 1
    jobs: int = 1
    controls: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("jobs", "repeats"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; at least 1 is needed")
        if not self.seeds:
            raise UsageError("no seed; at least one instance a task is needed")
        if not self.tasks:
            raise UsageError("no task to check")

    def chosen(self, listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Those of an instance's controls that are to run.

        Goldens always do: they tell vacuous instances, and mutants are held against them.
        """
        if not self.controls:
            return listed
        return [each for each in listed if each["role"] == Role.GOLDEN or any(fnmatchcase(each["control"], glob) for glob in self.controls)]


@dataclass
class Progress:
    """Called as work goes on, from the threads that do it."""

    started: Callable[[str], None] = lambda task: None
    finished: Callable[[Entry], None] = lambda entry: None


@dataclass
class GoldenCheck:
    """One golden check of one suite.

    After :meth:`run`, or after an interrupt, ``ledger()`` gives what is known.
    """

    plan: Plan
    progress: Progress = field(default_factory=Progress)
    shots: Shots = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._lock = threading.Lock()
        self._suites: list[RemoteSuite] = []
        self._idle: list[RemoteSuite] = []
        self._stop = threading.Event()
        self._upstream: dict[str, str] = {}
        self._substrate: Substrate | None = None

    def run(self) -> Ledger:
        """Checks all tasks and returns the ledger.

        Raises:
            Unavailable: the suite does not start here.
            KeyboardInterrupt: passed on after the session processes have been ended.
        """
        first = self._take()
        try:
            self._upstream = first.upstream()
            self._substrate = first.open()
            self._check_globs(first)
            descriptors = dict(zip(self.plan.tasks, first.describe_all(self.plan.tasks), strict=True))
            limit = first.face.isolation.max_sessions if first.face.isolation.kind == "shared" else None
            after = {task.id: task.after for task in first.tasks()}
            self._give(first)
            self._run_all(descriptors, after, min(self.plan.jobs, limit or self.plan.jobs))
        finally:
            self._stop.set()
            for suite in self._suites:
                suite.close()
        return self.ledger()

    def _check_globs(self, suite: RemoteSuite) -> None:
        """Looks whether each glob means some control of some task that can run here; where a task cannot be drawn, nobody can tell.

        Raises:
            UnknownName: one means none.
        """
        left, names, unknown = set(self.plan.controls), set[str](), False
        for task in self.plan.tasks if left else ():
            try:
                found = self._retried(suite, partial(self._names, suite, task))
            except UnibenchError:
                unknown = True  # the check itself says it of that task
                continue
            names |= found
            left -= {glob for glob in left if any(fnmatchcase(name, glob) for name in found)}
            if not left:
                return
        if left and names and not unknown:
            raise UnknownName.among(f"control of the {len(self.plan.tasks)} tasks", sorted(left)[0], names)

    def _names(self, suite: RemoteSuite, task: str) -> set[str]:
        """The controls of a task's first instance; none if the task cannot run here."""
        if suite.unavailable(task):
            return set()
        return {each["control"] for each in _listed(suite, task, self.plan.seeds[0], 0)[1]["controls"]}

    def _run_all(self, descriptors: dict[str, VerifierDescriptor], after: After, jobs: int) -> None:
        with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="golden") as pool:
            waiting: set[Future[None]] = {
                pool.submit(self._check_chain, chain, descriptors, after) for chain in chains(list(descriptors), after)
            }
            try:
                while waiting:
                    done, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
            except BaseException:
                self._stop.set()
                for future in waiting:
                    future.cancel()
                for suite in self._suites:
                    suite.kill()
                raise

    def _take(self) -> RemoteSuite:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            suite = self.plan.open_suite()
            self._suites.append(suite)
            return suite

    def _give(self, suite: RemoteSuite) -> None:
        with self._lock:
            self._idle.append(suite)

    def _check_chain(self, tasks: Sequence[str], descriptors: dict[str, VerifierDescriptor], after: After) -> None:
        """Checks tasks that come after one another on one session; most chains are one task."""
        if self._stop.is_set():
            return
        suite = self._take()
        try:
            for task in tasks:
                broke = next((each for each in after.get(task, ()) if each in self._entries and _broke(self._entries[each])), "")
                self._check_one(suite, task, descriptors[task], broke)
        finally:
            self._give(suite)

    def _check_one(self, suite: RemoteSuite, task: str, descriptor: VerifierDescriptor, broke: str) -> None:
        if self._stop.is_set():
            return
        self.progress.started(task)
        try:
            if broke:
                raise EnvironmentFault(f"not checked: it comes after {broke}, which could not be checked")
            entry = self._entry(suite, task, descriptor)
        except Unavailable:
            raise
        except UnibenchError as error:
            if self._stop.is_set():
                raise
            entry = self._undecided(suite, task, descriptor, error)
        with self._lock:
            self._entries[task] = entry
        self.progress.finished(entry)

    def _undecided(self, suite: RemoteSuite, task: str, descriptor: VerifierDescriptor, error: UnibenchError) -> Entry:
        """The entry of a task that could not be checked at all; the others go on."""
        assert self._substrate is not None
        return Entry(
            task=task,
            key=entry_key(suite.face.name, self._upstream, task, descriptor, self._substrate, suite.settings),
            descriptor=descriptor,
            descriptor_digest=descriptor.digest,
            decision=Decision.UNDECIDED,
            reasons=(Reason.ENVIRONMENT_FAULT,),
            error=f"{type(error).__name__}: {error}",
        )

    # -- one task ------------------------------------------------------------------------------

    def _entry(self, suite: RemoteSuite, task: str, descriptor: VerifierDescriptor) -> Entry:
        start = time.monotonic()
        assert self._substrate is not None
        checks: list[InstanceCheck] = []
        recipe, true_at_start, has_golden, left_out = "", False, False, False
        unavailable = self._retried(suite, lambda: suite.unavailable(task))
        for seed in self.plan.seeds if not unavailable else ():
            for index in range(REDRAWS + 1 if suite.face.instances_differ else 1):
                spec, listed = self._retried(suite, partial(_listed, suite, task, seed, index))
                recipe, true_at_start = listed["recipe"], listed["true_at_start"]
                has_golden = has_golden or bool(recipe)
                chosen = self.plan.chosen(listed["controls"])
                left_out = left_out or len(chosen) < len(listed["controls"])
                checks.append(self._instance(suite, spec, chosen))
                if not (checks[-1].vacuous or _recipe_failed(checks[-1])):
                    break
        stand_ins = suite.stand_ins(task) if not unavailable else ()
        decision, reasons, faults = decide(
            checks,
            has_golden=has_golden,
            unavailable=unavailable,
            true_at_start=true_at_start,
            left_out=left_out,
            stand_ins=bool(stand_ins),
        )
        notes = ["no-mutant"] if decision is Decision.VALID and not has_refused_mutant(checks) else []
        notes += ["some-controls-failed"] if decision is Decision.VALID and _some_failed(checks) else []
        notes += ["satisfiable-only"] if decision is Decision.VALID and satisfiable_only(checks) else []
        notes += ["stand-ins"] if stand_ins else []
        notes += ["controls-left-out"] if left_out else []
        dropped = tuple(dict.fromkeys(fault.spec for fault in faults))
        return Entry.model_validate(
            {
                "task": task,
                "key": entry_key(suite.face.name, self._upstream, task, descriptor, self._substrate, suite.settings),
                "descriptor": descriptor,
                "descriptor_digest": descriptor.digest,
                "recipe": recipe,
                "decision": decision,
                "reasons": tuple(reasons),
                "notes": tuple(notes),
                "faulty": len(dropped),
                "checked": sum(1 for check in checks if not check.vacuous and _decides(check)),
                "dropped": dropped,
                "faults": tuple(faults),
                "unavailable": unavailable,
                "stand_ins": stand_ins,
                "instances": tuple(checks),
                "seconds": round(time.monotonic() - start, 3),
            }
        )

    def _retried(self, suite: RemoteSuite, call: Callable[[], T]) -> T:
        for _ in range(ATTEMPTS - 1):
            try:
                return call()
            except EnvironmentFault:
                if self._stop.is_set():
                    raise
                suite.kill()
        return call()

    def _instance(self, suite: RemoteSuite, spec: InstanceSpec, listed: list[dict[str, Any]]) -> InstanceCheck:
        runs: list[ControlRun] = []
        goal = ""
        vacuous = False
        for repeat in range(self.plan.repeats):
            shared: dict[str, ControlRun] = {}
            for control in listed:
                key = f"{control['state']} {control['final']}"
                if key in shared:
                    runs.append(_as(shared[key], control, repeat))
                    continue
                run, said = self._control(suite, spec, control, repeat)
                goal = said or goal
                shared[key] = run
                runs.append(run)
                vacuous = vacuous or run.outcome is Outcome.VACUOUS
        return InstanceCheck(spec=spec, goal=goal, vacuous=vacuous, runs=tuple(runs))

    def _control(self, suite: RemoteSuite, spec: InstanceSpec, control: dict[str, Any], repeat: int) -> tuple[ControlRun, str]:
        """One control, with faults of the environment and the recipe retried, and a verifier that raises asked once more."""
        start = time.monotonic()
        run, goal, attempt = _not_run(control), "", 0
        raised = ""
        faults = 0
        while faults < ATTEMPTS:
            if self._stop.is_set():
                raise EnvironmentFault("the check was stopped")
            attempt += 1
            try:
                reply, frames = suite.call("run_control", spec=spec.model_dump(mode="json"), control=control["control"], shot="surprise")
            except EnvironmentFault as fault:
                if self._stop.is_set():
                    raise
                suite.kill()
                faults += 1
                run = _not_run(control, f"{type(fault).__name__}: {fault}")
                continue
            run, goal = ControlRun.model_validate(reply["run"]), reply["goal"]
            if frames:
                self.shots[(spec.digest, run.control)] = frames[0]
            if run.outcome in (Outcome.SETUP_FAILED, Outcome.RECIPE_FAILED):
                faults += 1
                continue
            if run.judgement is not None and run.judgement.status is Status.UNSCORED and not raised:
                raised = f"the verifier raised at first: {run.judgement.error.message if run.judgement.error else ''}"
                continue
            break
        if raised and not run.message:
            run = run.model_copy(update={"message": raised})
        return run.model_copy(update={"repeat": repeat, "attempts": attempt, "seconds": round(time.monotonic() - start, 3)}), goal

    @property
    def begun(self) -> bool:
        """Whether the machine came up, so that there is a ledger."""
        return self._substrate is not None

    def ledger(self) -> Ledger:
        """What is known so far, tasks in the order that was asked for."""
        assert self._substrate is not None
        settings = self._suites[0].settings
        with self._lock:
            entries = tuple(self._entries[task] for task in self.plan.tasks if task in self._entries)
        return Ledger(
            schema_version=SCHEMA_VERSION,
            made_by=f"unibench {__version__}",
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            complete=len(entries) == len(self.plan.tasks),
            suite=self._suites[0].face.name,
            upstream=self._upstream,
            substrate=self._substrate,
            settings=settings.model_dump(mode="json"),
            settings_digest=settings.digest,
            seeds=tuple(self.plan.seeds),
            repeats=self.plan.repeats,
            entries=entries,
        )


def _broke(entry: Entry) -> bool:
    """Whether the machine failed the task, or it cannot run here, so that nothing that comes after it can be checked."""
    return bool(set(entry.reasons) & {Reason.ENVIRONMENT_FAULT, Reason.SETUP_FAILED, Reason.UNAVAILABLE})


def _decides(check: InstanceCheck) -> bool:
    """Whether the instance tells anything: a golden was judged, or a fault was proven without one."""
    return bool(faults_of(check)) or any(run.role is Role.GOLDEN and run.outcome is Outcome.JUDGED for run in check.runs)


def _recipe_failed(check: InstanceCheck) -> bool:
    """Whether the right end was not reached: a lost game, a price that never came."""
    return any(run.role is Role.GOLDEN and run.outcome is Outcome.RECIPE_FAILED for run in check.runs)


def _some_failed(checks: Sequence[InstanceCheck]) -> bool:
    return any(run.outcome in _UNDONE for check in checks for run in check.runs)


def _listed(suite: RemoteSuite, task: str, seed: int, index: int) -> tuple[InstanceSpec, dict[str, Any]]:
    spec = suite.draw(task, seed, index)
    return spec, suite.call("controls", spec=spec.model_dump(mode="json"))[0]


def _as(run: ControlRun, control: dict[str, Any], repeat: int) -> ControlRun:
    """The same episode, read as another control."""
    shown = {"control": control["control"], "role": control["role"], "expect": control["expect"], "provenance": control["provenance"]}
    return ControlRun.model_validate({**run.model_dump(mode="json"), **shown, "repeat": repeat, "shares": run.control, "seconds": 0.0})


def _not_run(control: dict[str, Any], message: str = "") -> ControlRun:
    shown = {name: control[name] for name in ("control", "role", "expect", "provenance", "final")}
    return ControlRun.model_validate({**shown, "outcome": Outcome.ENVIRONMENT_FAULT, "message": message})
