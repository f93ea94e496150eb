"""The supervisor of a run: jobs, each with a session process and an agent process, over the instances that are left."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from unibench.agents.process import AgentProcess
from unibench.order import chains
from unibench.outcome import Ending
from unibench.runs.episode import not_played, play
from unibench.runs.plan import Planned
from unibench.runs.records import EpisodeRecord, Manifest
from unibench.runs.store import RunStore
from unibench.runs.traces import Trace
from unibench.session.remote import RemoteSuite
from unibench.suite import Isolation

BROKE = frozenset({Ending.ENV_ERROR, Ending.SETUP_ERROR, Ending.AGENT_UNAVAILABLE})
"""Endings after which an instance has not run, so that nothing that comes after it can."""


@dataclass
class Runner:
    """Plays what is left of a run.

    Args:
        store: the run's folder, begun with ``manifest``.
        planned: all the run's instances; those that the store has are skipped.
        open_suite, open_agent: called once a job.
        first: a session and an agent that are open already, for the first job.
        jobs: session processes side by side, as far as the suite's isolation allows.
        isolation: how many sessions can live side by side.
        screenshots: whether traces keep screenshots.
        finished: called with each finished episode, from the thread that played it.
    """

    store: RunStore
    manifest: Manifest
    planned: tuple[Planned, ...]
    open_suite: Callable[[], RemoteSuite]
    open_agent: Callable[[], AgentProcess]
    first: tuple[RemoteSuite, AgentProcess] | None = None
    jobs: int = 1
    isolation: Isolation = field(default_factory=Isolation)
    screenshots: bool = False
    finished: Callable[[EpisodeRecord], None] = lambda record: None
    _stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _pairs: list[tuple[RemoteSuite, AgentProcess]] = field(default_factory=list)
    _idle: list[tuple[RemoteSuite, AgentProcess]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.first is not None:
            self._pairs.append(self.first)
            self._idle.append(self.first)

    def run(self) -> None:
        """Plays until all are finished.

        Raises:
            KeyboardInterrupt: passed on after all processes have been ended; what is finished is kept.
            UsageError: the agent does not start.
            Unavailable: the suite does not start here.
        """
        there = {record.spec.digest: record for record in self.store.episodes()}
        groups = [group for group in self._groups() if any(each.spec.digest not in there for _, each in group)]
        with ThreadPoolExecutor(max_workers=self.sessions, thread_name_prefix="run") as pool:
            waiting: set[Future[None]] = {pool.submit(self._group, group, there) for group in groups}
            try:
                while waiting:
                    ended, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                    for future in ended:
                        future.result()
            except BaseException:
                self._stop.set()
                for future in waiting:
                    future.cancel()
                for suite, agent in self._pairs:
                    suite.kill()
                    agent.kill()
                pool.shutdown(wait=True)  # each notices that it is to stop
                self._close()
                raise
            finally:
                self._stop.set()
        self._close()

    def _close(self) -> None:
        for suite, agent in self._pairs:
            suite.close()
            agent.close()

    @property
    def sessions(self) -> int:
        """How many sessions live side by side: the jobs, but never more than the suite's isolation allows."""
        limit = self.isolation.max_sessions if self.isolation.kind == "shared" else None
        return min(self.jobs, limit or self.jobs)

    def _groups(self) -> list[list[tuple[int, Planned]]]:
        """The instances with their positions, those together that must run one after another on the same machine."""
        place = {each.spec.digest: (position, each) for position, each in enumerate(self.planned)}
        after = {digest: each.after for digest, (_, each) in place.items()}
        return [[place[digest] for digest in chain] for chain in chains(list(place), after)]

    def _group(self, group: list[tuple[int, Planned]], there: dict[str, EpisodeRecord]) -> None:
        """Plays a group on one session; what comes after something that broke is not played."""
        suite, agent = self._take()
        machines: dict[str, int | None] = {}
        records = {each.spec.digest: there[each.spec.digest] for _, each in group if each.spec.digest in there}
        try:
            for position, each in group:
                digest = each.spec.digest
                if digest in records:
                    continue
                if self._stop.is_set():
                    return
                why = next((why for before in each.after if (why := self._why_not(records[before], machines.get(before), suite))), "")
                record = not_played(each, why) if why else self._played(suite, agent, position, each)
                if self._stop.is_set():
                    return  # what the interrupt broke is no result
                with self._lock:
                    self.store.add(record, each.descriptor, position)
                records[digest], machines[digest] = record, suite.pid
                self.finished(record)
        finally:
            self._give(suite, agent)

    def _why_not(self, before: EpisodeRecord, machine: int | None, suite: RemoteSuite) -> str:
        """Why an instance cannot run after this predecessor; empty if it can."""
        name = f"it comes after {before.spec.task}"
        if before.ending in BROKE:
            return f"not played: {name}, which ended as {before.ending}"
        if self.isolation.kind != "shared" and (machine is None or machine != suite.pid):
            return f"not played: {name}, and the machine on which that ran is gone"
        return ""

    def _played(self, suite: RemoteSuite, agent: AgentProcess, position: int, each: Planned) -> EpisodeRecord:
        name = f"traces/{position:05}-{each.spec.task}-{each.spec.seed}"
        trace = Trace(self.store.folder / name, screenshots=self.screenshots)
        record = play(
            suite,
            agent,
            each.spec,
            each.descriptor,
            self.manifest.protocol,
            trace,
            checked=each.checked,
            trace_name=f"{name}/trace.jsonl",
            stop=self._stop,
            steps=each.steps,
            same_machine=bool(each.after) and self.isolation.kind != "shared",
        )
        if not self._stop.is_set():
            trace.write()
        return record

    def _take(self) -> tuple[RemoteSuite, AgentProcess]:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            pair = (self.open_suite(), self.open_agent())
            self._pairs.append(pair)
            return pair

    def _give(self, suite: RemoteSuite, agent: AgentProcess) -> None:
        with self._lock:
            self._idle.append((suite, agent))
