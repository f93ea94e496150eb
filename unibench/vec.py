"""Many environments over few session processes: ``unibench.make_vec``."""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from unibench import registry
from unibench.actions import parse_action
from unibench.env import Env, OnFault, RewardMode, chosen_settings
from unibench.errors import ResetNeeded, UnknownName, UsageError
from unibench.rules import ScoreAtBudget
from unibench.runs.policy import AppliedLedger, ledger_for, ledger_path
from unibench.runs.records import Dropped, LedgerPolicy, LedgerUse
from unibench.runs.remarks import ledger_remarks
from unibench.selection import select
from unibench.session.remote import RemoteSuite
from unibench.settings import Settings
from unibench.step_limit import StepLimit, check_limit, step_limit
from unibench.task import InstanceSpec, Task
from unibench.verdict import Reward

MAX_DRAWS = 100
"""So many instances of a task may be dropped by the ledger one after another."""


class Lane(Env):
    """One sub-environment: draws its instances by the ledger, and does its calls ahead of Gymnasium's loop over them.

    Args:
        tasks: what this lane plays, in turn.
        applied: the ledger under its policy.
        thread: runs the calls of all lanes that share a session process.
        rest: as for :class:`~unibench.env.Env`.
    """

    def __init__(self, suite: str, tasks: Sequence[str], applied: AppliedLedger, thread: ThreadPoolExecutor, **rest: Any) -> None:
        super().__init__(suite, **rest)
        self._tasks = tasks
        self._applied = applied
        self._thread = thread
        self._played = 0
        self._ahead: deque[Future[Any]] = deque()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        return self._ahead.popleft().result() if self._ahead else self._reset(seed, options)

    def step(self, action: Any) -> tuple[dict[str, Any], Reward, bool, bool, dict[str, Any]]:
        return self._ahead.popleft().result() if self._ahead else super().step(action)

    def reset_ahead(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a reset, whose result the next :meth:`reset` gives."""
        self._ahead.append(self._thread.submit(self._reset, seed, options))

    def step_ahead(self, action: Any, *, then_reset: bool) -> None:
        """Starts a step, whose result the next :meth:`step` gives, and at the episode's end a reset if wanted."""
        self._ahead.append(self._thread.submit(self._step, action, then_reset))

    def forget_ahead(self) -> None:
        """Waits for what was started and not asked for, and drops it."""
        while self._ahead:
            self._ahead.popleft().exception()

    def _step(self, action: Any, then_reset: bool) -> tuple[dict[str, Any], Reward, bool, bool, dict[str, Any]]:
        result = super().step(action)
        if then_reset and (result[2] or result[3]):
            self.reset_ahead()  # on this thread, so it begins when this call is over
        return result

    def _reset(self, seed: int | None, options: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
        observation, info = super().reset(seed=seed, options=options)
        if "spec" in info:
            info["checked"] = self._applied.of_instance(info["spec"])
        return observation, info

    def _spec(self, seed: int | None, options: dict[str, Any]) -> InstanceSpec:
        """The turn's next instance that the ledger lets run; the first is the one of the seed, if there is one."""
        if options:
            return super()._spec(seed, options)
        if seed is not None:
            self._played = 0
        task = self._tasks[self._played % len(self._tasks)]
        for turn in range(MAX_DRAWS):
            spec = super()._spec(seed if turn == 0 else None, {"task": task})
            if not self._applied.why_dropped(spec)[0]:
                self._played += 1
                return spec
        raise UsageError(f"the ledger drops each of {MAX_DRAWS} instances of {task}; leave the task out, or use ledger_policy='ignore'")


class VecEnv(SyncVectorEnv[Any, Any]):
    """Environments of one suite, several to a session process, stepped side by side; made by :func:`make_vec`.

    Gymnasium's own ``SyncVectorEnv`` does the batching and the autoreset; the calls run ahead of it, a thread a process.
    ``infos["verdict"]`` holds the verdicts (an object array with the mask ``infos["_verdict"]``); rewards are plain floats.

    Attributes:
        dropped: tasks that the ledger or this machine kept out, with the reason.
        tasks: the tasks that are played.
        ledger: what was found in the ledger.
    """

    def __init__(self, lanes: Sequence[Lane], threads: Sequence[ThreadPoolExecutor], mode: AutoresetMode) -> None:
        super().__init__([lambda lane=lane: lane for lane in lanes], autoreset_mode=mode)  # type: ignore[misc]
        self.lanes = tuple(lanes)
        self.dropped: tuple[Dropped, ...] = ()
        self.tasks: tuple[str, ...] = ()
        self.ledger = LedgerUse()
        self._threads = tuple(threads)

    def reset(self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Resets all, or those of ``options={"reset_mask": …}``. With an int, lane *i* gets ``seed + i``."""
        self._check_open()
        mask = (options or {}).get("reset_mask")
        seeds = self._seeds(seed)
        if mask is not None and getattr(mask, "shape", None) != (self.num_envs,):
            raise UsageError(f"reset_mask is no array of shape ({self.num_envs},)")
        rest = {name: value for name, value in (options or {}).items() if name != "reset_mask"}
        for n, (lane, each) in enumerate(zip(self.lanes, seeds, strict=False)):
            if mask is None or mask[n]:
                lane.reset_ahead(each, rest)
        with self._in_step():
            return super().reset(seed=seeds, options=dict(options) if options else None)

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Steps all with one action each: a sequence of as many actions as there are environments."""
        self._check_open()
        actions = tuple(actions)
        if len(actions) != self.num_envs:
            raise UsageError(f"{len(actions)} actions for {self.num_envs} environments")
        for lane, action in zip(self.lanes, actions, strict=True):
            parse_action(action, dialect=lane.action_space.dialect)  # type: ignore[attr-defined]  # all are right, or none is done
        same = self.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
        resets = self._autoreset_envs if self.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP else [False] * self.num_envs
        for lane, action, resetting in zip(self.lanes, actions, resets, strict=True):
            if resetting:
                lane.reset_ahead()
            else:
                lane.step_ahead(action, then_reset=same)
        with self._in_step():
            return super().step(actions)

    def _check_open(self) -> None:
        if self.closed:
            raise ResetNeeded("these environments are closed; make others")

    def _seeds(self, seed: Any) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + n for n in range(self.num_envs)]
        seeds = list(seed) if isinstance(seed, Sequence) else []
        if len(seeds) != self.num_envs or not all(each is None or isinstance(each, (int, np.integer)) for each in seeds):
            raise UsageError(f"seed={seed!r} is neither a whole number nor a list of {self.num_envs}")
        return seeds

    @contextmanager
    def _in_step(self) -> Iterator[None]:
        """After an error of one lane, what the others did ahead is of no call that is to come."""
        try:
            yield
        finally:
            for lane in self.lanes:
                lane.forget_ahead()

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the session processes."""
        for thread in self._threads:
            thread.shutdown(wait=True)
        super().close_extras(**kwargs)


def make_vec(
    suite: str,
    num_envs: int,
    *,
    tasks: Sequence[str] | str | None = None,
    processes: int | None = None,
    observe: Sequence[str] | str | None = None,
    settings: Settings | Mapping[str, Any] | None = None,
    substrate: str | None = None,
    max_steps: StepLimit | None = None,
    on_fault: OnFault = "truncate",
    score_at_budget: ScoreAtBudget | None = None,
    reward: RewardMode = "final",
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ledger: Path | str | None = None,
    ledger_policy: LedgerPolicy = "drop-invalid",
) -> VecEnv:
    """Many environments of one suite over few session processes, whose sessions share what is dear (a browser, say).

    With as many environments as tasks or more, each keeps to one task; else environment *i* plays the tasks ``i``,
    ``i + num_envs``, …, round and round. Instances are drawn from each environment's own sequence, which ``reset(seed=…)``
    begins anew. What the golden check found invalid is not played; of tasks for which the ledger does not speak a warning tells.

    Args:
        suite: the suite's name, or ``"suite/glob"``.
        num_envs: how many environments.
        tasks: names, tags or globs of tasks; all else.
        processes: session processes; two a processor core else, and as many as the suite needs at least.
        on_fault: a broken episode is truncated with 0.0 and no verdict (``infos["outcome"]`` says why), or ``"raise"``.
        autoreset_mode: Gymnasium's ``NextStep``, ``SameStep`` or ``Disabled``.
        ledger: the golden check's ledger; ``SUITE.ledger.json`` of this folder else, if there is one.
        ledger_policy: ``drop-invalid``, ``valid-only`` or ``ignore``, as for runs.
        observe, settings, substrate, max_steps, score_at_budget, reward: as for :class:`~unibench.env.Env`.

    Raises:
        UnknownName: there is no such suite or task.
        UsageError: no task is left to play, or a number does not fit.
    """
    name, _, glob = suite.partition("/")
    for what, number in (("num_envs", num_envs), ("processes", processes)):
        if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 1):
            raise UsageError(f"{what} is {number!r}; a whole number of at least 1 is needed")
    if ledger_policy not in get_args(LedgerPolicy):
        raise UnknownName.among("ledger policy", ledger_policy, get_args(LedgerPolicy))
    modes = {mode.value: mode for mode in AutoresetMode}
    mode = modes.get(autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode)
    if mode is None:
        raise UnknownName.among("autoreset mode", str(autoreset_mode), modes)
    if isinstance(tasks, str):
        tasks = [tasks]
    face = registry.find_face(name)
    most = face.isolation.max_sessions if face.isolation.kind == "shared" else None
    if most is not None and num_envs > most:
        raise UsageError(
            f"{name} takes {most} sessions side by side at most, not {num_envs}: they share {face.isolation.key or 'a machine'}"
        )
    limit = step_limit(max_steps) if max_steps is not None else None
    chosen = chosen_settings(face, settings)
    named = Path(ledger) if ledger is not None else None
    known = ledger_for(name, named, ledger_policy)
    hosts = min(num_envs, max(processes or 2 * (os.cpu_count() or 1), -(-num_envs // face.sessions_a_process)))
    first = registry.open_suite(name, chosen, substrate)
    try:
        applied = AppliedLedger(first, first.open(), known, ledger_policy)
        globs = [*(tasks or ()), *([glob] if glob else ())]
        there = {task.id: task for task in first.tasks()}
        selected = select(list(there.values()), globs, name)
        played, dropped = _playable(first, applied, [there[task] for task in selected])
        use = applied.use(played, len(selected), ledger_path(name, named))
        check_limit(limit, [there[task] for task in played])
    except BaseException:
        first.close()
        raise
    roots = [first, *(registry.open_suite(name, chosen, substrate) for _ in range(hosts - 1))]
    remotes = [roots[n] if n < hosts else roots[n % hosts].beside() for n in range(num_envs)]
    threads = [ThreadPoolExecutor(1, thread_name_prefix=f"lanes-{n}") for n in range(hosts)]
    each = {"observe": observe, "max_steps": limit, "on_fault": on_fault, "score_at_budget": score_at_budget, "reward": reward}
    try:
        lanes = [
            Lane(name, _turns(played, n, num_envs), applied, threads[n % hosts], session=remote, **each) for n, remote in enumerate(remotes)
        ]
    except BaseException:
        for remote in remotes:
            remote.close()
        raise
    vec = VecEnv(lanes, threads, mode)
    vec.dropped, vec.tasks, vec.ledger = tuple(dropped), tuple(played), use
    for line in ledger_remarks(name, use) if ledger_policy != "ignore" else ():
        warnings.warn(line, stacklevel=2)
    return vec


def _turns(tasks: Sequence[str], lane: int, lanes: int) -> list[str]:
    """The tasks of one lane in turn. With enough lanes each keeps to one task, which a suite may reset faster."""
    if len(tasks) <= lanes:
        return [tasks[lane % len(tasks)]]
    return [tasks[(lane + turn * lanes) % len(tasks)] for turn in range(len(tasks))]


def _playable(suite: RemoteSuite, applied: AppliedLedger, tasks: Sequence[Task]) -> tuple[list[str], list[Dropped]]:
    """The tasks that run, and those that do not, with the reason."""
    played: list[str] = []
    dropped: list[Dropped] = []
    for task in tasks:
        missing = suite.unavailable(task.id)
        reason, whole = applied.why_dropped(suite.draw(task.id, 0))
        if missing:
            dropped.append(Dropped(task=task.id, reason=f"unavailable: {'; '.join(missing)}"))
        elif reason and whole:
            dropped.append(Dropped(task=task.id, reason=reason))
        elif task.after:
            dropped.append(Dropped(task=task.id, reason=f"it comes after {', '.join(task.after)}, which only a run keeps to"))
        else:
            played.append(task.id)
    if not played:
        raise UsageError(f"no task is left to play: {'; '.join(f'{each.task} {each.reason}' for each in dropped[:3])}")
    return played, dropped
