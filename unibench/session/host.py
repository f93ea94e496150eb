"""One session process and who has a session in it: usually one caller, several where a suite's sessions share a machine."""

from __future__ import annotations

import threading
from typing import Any

from unibench.errors import EnvironmentFault, SessionDied, SessionTimeout, Unavailable
from unibench.session.process import ChildProcess
from unibench.session.python import python_for
from unibench.session.wire import PROTOCOL, Frames
from unibench.settings import Settings
from unibench.suite import SuiteFace

START_SECONDS = 60.0

BEGINS_AN_EPISODE = frozenset({"reset", "run_control"})
OF_THE_EPISODE = frozenset({"observe", "act", "verify", "artifacts"})
"""Calls that make sense only in the process in which the session's episode began."""


class SessionHost:
    """Starts the session process with the first call, and anew after a fault. Calls may come from several threads.

    Args:
        face: the suite's static face, and ``face_path`` the ``module:name`` it can be imported by in the child.
        settings: the suite's settings.
        substrate: the machine's name.
    """

    def __init__(self, face: SuiteFace, face_path: str, settings: Settings, substrate: str) -> None:
        self.face = face
        self.face_path = face_path
        self.settings = settings
        self.substrate = substrate
        self.hello: dict[str, Any] = {}
        self._process: ChildProcess | None = None
        self._lock = threading.RLock()
        self._numbers: set[int] = set()
        self._homes: dict[int, ChildProcess] = {}
        """The process in which each session's episode began; another session may have started a new one since."""

    @property
    def process(self) -> ChildProcess | None:
        return self._process

    def join(self) -> int:
        """A number for one more session in this process."""
        with self._lock:
            number = max(self._numbers, default=-1) + 1
            self._numbers.add(number)
            return number

    def leave(self, number: int) -> None:
        """Gives a session up; with the last one, the process ends. Safe to call twice."""
        with self._lock:
            if number not in self._numbers:
                return
            self._numbers.discard(number)
            self._homes.pop(number, None)
            last, process = not self._numbers, self._process
        if last:
            self.close()
        elif process is not None and process.alive:
            self._drop(process, number)

    def _rejoin(self, number: int) -> None:
        """A session that was given up is wanted again."""
        with self._lock:
            self._numbers.add(number)

    def start(self) -> ChildProcess:
        """The running process, started if need be.

        Raises:
            Unavailable: the suite does not start here.
        """
        with self._lock:
            if self._process is None or not self._process.alive:
                self._forget(self._process)
                self._process = self._started()
            return self._process

    def call(self, method: str, number: int, params: dict[str, Any], seconds: float) -> tuple[Any, Frames]:
        """A call for one of the sessions.

        Raises:
            SessionDied: the process is gone, and with it the episode.
        """
        process = self._homes.get(number) if method in OF_THE_EPISODE else self.start()
        if process is None:
            raise SessionDied(f"{method}: there is no running episode; reset first")
        self._rejoin(number)
        if method in BEGINS_AN_EPISODE:
            self._homes[number] = process
        try:
            return process.call(method, params, seconds=seconds, session=number)
        except (SessionDied, SessionTimeout):
            self._forget(process)
            raise
        except EnvironmentFault:
            # A machine that broke once is not trusted with another episode; a new one costs about a second.
            if len(self._numbers) > 1:
                self._drop(process, number)
            else:
                self._forget(process)
            raise

    def kill(self) -> None:
        """Ends the process at once; the next call starts another."""
        self._forget(self._process)

    def close(self) -> None:
        """Ends the process; safe to call twice."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.close()

    def _drop(self, process: ChildProcess, number: int) -> None:
        """Ends one session and leaves the others alone."""
        self._homes.pop(number, None)
        try:
            process.call("close", seconds=self.face.seconds_for("close"), session=number)
        except EnvironmentFault:
            self._forget(process)

    def _forget(self, process: ChildProcess | None) -> None:
        if process is None:
            return
        process.kill()
        with self._lock:
            if self._process is process:
                self._process = None

    def _started(self) -> ChildProcess:
        process = ChildProcess(python_for(self.face), self.face.environment(self.settings))
        hello = {
            "face": self.face_path,
            "settings": self.settings.model_dump(mode="json"),
            "substrate": self.substrate,
            "protocol": PROTOCOL,
        }
        try:
            self.hello, _ = process.call("hello", hello, seconds=START_SECONDS)
        except SessionDied as error:
            if self.hello:
                raise  # it has started before, so this is a fault and not this machine's lack
            raise Unavailable(f"{self.face.name} does not start: {error}", detail=error.detail) from None
        except BaseException:
            process.kill()
            raise
        return process
