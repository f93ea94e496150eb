"""The supervisor of a run: jobs, each with a session process and an agent process, over the instances that are left."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from unibench.agents.process import AgentProcess
from unibench.runs.episode import play
from unibench.runs.plan import Planned
from unibench.runs.records import EpisodeRecord, Manifest
from unibench.runs.store import RunStore
from unibench.runs.traces import Trace
from unibench.session.remote import RemoteSuite


@dataclass
class Runner:
    """Plays what is left of a run.

    Args:
        store: the run's folder, begun with ``manifest``.
        planned: all the run's instances; those that the store has are skipped.
        open_suite, open_agent: called once a job.
        jobs: session processes side by side.
        screenshots: whether traces keep screenshots.
        finished: called with each finished episode, from the thread that played it.
    """

    store: RunStore
    manifest: Manifest
    planned: tuple[Planned, ...]
    open_suite: Callable[[], RemoteSuite]
    open_agent: Callable[[], AgentProcess]
    jobs: int = 1
    screenshots: bool = False
    finished: Callable[[EpisodeRecord], None] = lambda record: None
    _stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _pairs: list[tuple[RemoteSuite, AgentProcess]] = field(default_factory=list)
    _idle: list[tuple[RemoteSuite, AgentProcess]] = field(default_factory=list)

    def run(self) -> None:
        """Plays until all are finished.

        Raises:
            KeyboardInterrupt: passed on after all processes have been ended; what is finished is kept.
            UsageError: the agent does not start.
            Unavailable: the suite does not start here.
        """
        done = self.store.finished()
        left = [(n, each) for n, each in enumerate(self.planned) if each.spec.digest not in done]
        with ThreadPoolExecutor(max_workers=self.jobs, thread_name_prefix="run") as pool:
            waiting: set[Future[None]] = {pool.submit(self._one, n, each) for n, each in left}
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

    def _one(self, position: int, each: Planned) -> None:
        if self._stop.is_set():
            return
        suite, agent = self._take()
        name = f"traces/{position:05}-{each.spec.task}-{each.spec.seed}"
        trace = Trace(self.store.folder / name, screenshots=self.screenshots)
        try:
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
            )
        finally:
            self._give(suite, agent)
        if self._stop.is_set():
            return  # what the interrupt broke is no result
        with self._lock:
            trace.write()
            self.store.add(record, each.descriptor, position)
        self.finished(record)

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
