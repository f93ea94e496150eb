"""The supervisor's hold on one child process: calls with deadlines, kept by kill."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from unibench.errors import SessionDied, SessionTimeout, Unavailable, by_name
from unibench.session import scratch
from unibench.session.wire import Frames, receive, send

_TAIL = 8192
_ENDED: tuple[dict[str, Any], Frames] = ({}, [])


class ChildProcess:
    """A child process that serves calls over its stdin and stdout. Calls from several threads wait for one another.

    Args:
        python: the interpreter of the suite's or the agent's environment.
        environment: variables to set beside the supervisor's own.
        module: what the child runs.
        what: what the child is called in messages.
    """

    def __init__(
        self,
        python: Path | str = sys.executable,
        environment: Mapping[str, str] | None = None,
        *,
        module: str = "unibench.session.worker",
        what: str = "session process",
    ) -> None:
        command = [str(python), "-m", module]
        self._what = what
        # What it leaves there goes with it, killed or not.
        try:
            self._scratch, self._held = scratch.make()
        except OSError as error:
            raise Unavailable(f"the {what} has no folder for temporary files: {error}; set TMPDIR to one with room") from None
        try:
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={**os.environ, "TMPDIR": str(self._scratch), **(environment or {})},
            )
        except OSError as error:
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._held.close()
            raise Unavailable(f"the {what} cannot be started with {python}: {error.strerror}") from None
        assert self._child.stdin and self._child.stdout and self._child.stderr
        self._in: BinaryIO = self._child.stdin  # type: ignore[assignment]
        self._lock = threading.Lock()
        self._killing = threading.Lock()
        self._killed = False
        self._next = 0
        self._replies: queue.SimpleQueue[tuple[dict[str, Any], Frames]] = queue.SimpleQueue()
        self._stderr = bytearray()
        self._broken = ""
        self._threads = [
            threading.Thread(target=self._read, args=(self._child.stdout,), daemon=True, name="session-replies"),
            threading.Thread(target=self._drain, args=(self._child.stderr,), daemon=True, name="session-stderr"),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def alive(self) -> bool:
        return self._child.poll() is None

    @property
    def stderr(self) -> str:
        """The last that the child wrote to its stderr."""
        return bytes(self._stderr).decode(errors="replace")

    def call(
        self, method: str, params: Mapping[str, Any] | None = None, *, seconds: float, frames: Frames | None = None, session: int = 0
    ) -> tuple[Any, Frames]:
        """Calls a method, with frames if need be, and waits for its reply.

        Args:
            session: which of the child's sessions it is for, if the child holds several.

        Raises:
            SessionTimeout: no reply within ``seconds``; the child has been killed.
            SessionDied: the child has ended.
            UnibenchError: what the child raised.
        """
        with self._lock:
            self._next += 1
            try:
                # A child that does not read would block the write for ever.
                deadline = threading.Timer(seconds, self.kill)
                deadline.start()
                try:
                    send(self._in, {"id": self._next, "method": method, "session": session, "params": dict(params or {})}, frames)
                finally:
                    deadline.cancel()
                end = time.monotonic() + seconds
                while True:
                    header, replied = self._next_reply(end, method)
                    if header is _ENDED[0]:
                        raise self._death(method)
                    if header.get("id") == self._next:
                        break
            except queue.Empty:
                self.kill()
                raise SessionTimeout(f"{method} did not answer within {seconds:g} s; its {self._what} was ended") from None
            except (BrokenPipeError, ValueError):
                raise self._death(method) from None
        if "error" in header:
            error = header["error"]
            raise by_name(str(error.get("type")))(str(error.get("message")), detail=str(error.get("detail")))
        return header.get("result"), replied

    def _next_reply(self, end: float, method: str) -> tuple[dict[str, Any], Frames]:
        """The next message. A child that has ended may have left a child of its own that holds the pipe, so it is looked after.

        Raises:
            queue.Empty: the time is over.
        """
        while True:
            try:
                return self._replies.get(timeout=max(0.0, min(1.0, end - time.monotonic())))
            except queue.Empty:
                if self._child.poll() is not None and self._replies.empty():
                    raise self._death(method) from None
                if time.monotonic() >= end:
                    raise

    def _death(self, method: str) -> SessionDied:
        # The pipe may end a moment before the process does, which then has an exit code of its own.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout=0.3)
        self.kill()
        code = self._child.returncode
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        lines = self.stderr.strip().splitlines()
        last = f": {lines[-1]}" if lines else ""
        return SessionDied(self._broken or f"the {self._what} ended {how} during {method}{last}", detail=self.stderr)

    def _clear(self) -> None:
        """Removes the scratch folder, in which processes of the group that are just ending may still write."""
        for pause in (0.0, 0.05, 0.2):
            time.sleep(pause)
            shutil.rmtree(self._scratch, ignore_errors=True)
            if not self._scratch.exists():
                return

    def _read(self, stream: BinaryIO) -> None:
        try:
            while (message := receive(stream)) is not None:
                self._replies.put(message)
        except SessionDied as error:
            self._broken = str(error)
        except (OSError, ValueError):
            pass  # the stream was closed under us: kill() did that
        self._replies.put(_ENDED)

    def _drain(self, stream: BinaryIO) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := stream.read1(4096):  # type: ignore[attr-defined]
                self._stderr += chunk
                del self._stderr[:-_TAIL]

    def close(self, *, seconds: float = 5.0) -> None:
        """Asks the child to end, and ends it if it does not; safe to call twice."""
        if self.alive:
            with contextlib.suppress(SessionDied, SessionTimeout):
                self.call("bye", seconds=seconds)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(timeout=seconds)
        self.kill()

    def kill(self) -> None:
        """Ends the child and its process group at once."""
        with self._killing:
            if self._killed:
                return
            self._killed = True
            # Before the child is reaped: afterwards its number could be another process's.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()
            self._clear()
            self._held.close()
        with contextlib.suppress(OSError):
            self._in.close()
