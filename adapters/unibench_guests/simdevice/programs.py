"""The programs that run in a device's root: what they say has a bound, and all of them can be halted or ended."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

MOST_OUTPUT = 256 * 1024 * 1024
"""Bytes that a command may write; one that writes for ever would fill this machine's memory."""
_TRIES = 200


class Programs:
    """The programs in a root folder.

    Args:
        root: the folder that they have as ``/``.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._starting = threading.RLock()
        self._children: set[subprocess.Popen[bytes]] = set()

    def run(self, command: Sequence[str | bytes], environment: Mapping[str, str], seconds: float) -> tuple[int, bytes, bytes]:
        """Runs a command with nothing to read; its exit status (negative: a signal), stdout and stderr.

        Status 124 and a line on stderr say that it took or wrote too much and was ended.

        Raises:
            OSError: it cannot be started.
        """
        with self._starting:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(environment)
            )
            self._children.add(child)
        try:
            out, err, problem = _gathered(child, seconds)
            if problem:
                return 124, out, err + f"simulated device: {problem}\n".encode()
            return child.wait(), out, err
        finally:
            child.kill()
            child.wait()
            self._children.discard(child)
            for stream in (child.stdout, child.stderr):
                assert stream is not None
                stream.close()

    @contextlib.contextmanager
    def halted(self) -> Iterator[None]:
        """None starts meanwhile, and those that run stand still."""
        with self._starting:
            self._send(signal.SIGSTOP)
            for _ in range(_TRIES):  # a system call that was under way is finished first, which on a busy machine may be later
                if all(map(_stands_still, self._running())):
                    break
                time.sleep(0.01)
            try:
                yield
            finally:
                self._send(signal.SIGCONT)

    @contextlib.contextmanager
    def ended(self) -> Iterator[None]:
        """Ends all that run; none starts meanwhile."""
        with self._starting:
            for _ in range(_TRIES):
                if not self._send(signal.SIGKILL):
                    break
                time.sleep(0.01)
            yield

    def _send(self, number: signal.Signals) -> bool:
        """Sends a signal to all, and to those that they start before it reaches them. Whether there were any."""
        reached: set[int] = set()
        while new := self._running() - reached:
            for pid in new:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            reached |= new
        return bool(reached)

    def _running(self) -> set[int]:
        # A child is there before it has changed its root; what it started is found by its root, whoever its parent is now.
        found = {child.pid for child in list(self._children) if child.poll() is None}
        for process in Path("/proc").iterdir():
            if process.name.isdigit():
                with contextlib.suppress(OSError):
                    if (process / "root").readlink() == self._root:
                        found.add(int(process.name))
        return found


def _stands_still(pid: int) -> bool:
    try:
        about = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return about.rpartition(")")[2].split()[0] in "TtZX"


def _gathered(child: subprocess.Popen[bytes], seconds: float) -> tuple[bytes, bytes, str]:
    """What a child writes until it ends; and why it must be ended, if it must."""
    assert child.stdout is not None and child.stderr is not None
    said = {child.stdout.fileno(): bytearray(), child.stderr.fileno(): bytearray()}
    out, err = said.values()
    end = time.monotonic() + seconds
    with selectors.DefaultSelector() as ready:
        for number in said:
            ready.register(number, selectors.EVENT_READ)
        while ready.get_map():
            if (left := end - time.monotonic()) <= 0:
                return bytes(out), bytes(err), "the command took too long"
            for key, _ in ready.select(left):
                if data := os.read(key.fd, 65536):
                    said[key.fd] += data
                else:
                    ready.unregister(key.fd)
            if len(out) + len(err) > MOST_OUTPUT:
                return bytes(out), bytes(err), f"the command wrote more than {MOST_OUTPUT >> 20} MB"
    try:
        child.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        return bytes(out), bytes(err), "the command took too long"
    return bytes(out), bytes(err), ""
