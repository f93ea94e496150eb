"""A box: programs under bubblewrap, with namespaces, mounts, a user and limits of their own.

The box's owner holds a :class:`Box`; a launcher process (``launcher.py``) stands between the two, so that nothing of the box
outlives the owner, be it killed with SIGKILL. As root, the box gets a user id without rights (:data:`ROOTS_STAND_IN`).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from unibench.errors import EnvironmentFault, Unavailable

HERE = Path(__file__).parent
ROOTS_STAND_IN = 61_737
"""The user and group of a box that root starts: of no account, in the range that systemd keeps for passing users."""
INNER = "/run/unibench/inner.py"
MEND = "Debian: apt install bubblewrap"
_START_SECONDS = 30.0


@dataclass(frozen=True)
class Mount:
    """One entry of a box's file system; later ones lie over earlier ones.

    Attributes:
        kind: ``ro`` (read-only bind), ``bind`` (writable bind of a host folder), ``tmpfs``, ``symlink`` (``source`` is what it
            points to), or ``overlay`` (``source`` read-only below a fresh, empty, writable layer in memory).
        target: the absolute path in the box.
        source: a path of the host.
        size: the most bytes of a tmpfs or overlay; :attr:`Plan.files` is the most files.
        optional: leave it out where the source is not there.
    """

    kind: str
    target: str
    source: str = ""
    size: int = 0
    optional: bool = False


@dataclass(frozen=True)
class Plan:
    """What a box is made of.

    Attributes:
        argv: the program, as the box names it; run by the box's ``python``.
        mounts: its file system, beside ``/proc`` and ``/dev``.
        environment: its environment variables; nothing else is passed on.
        ports: ports of the box's services. Its program gets ``UNIBENCH_PORTS``, a JSON object from port to the descriptor of
            a listening Unix socket.
        reach: loopback ports of the box, and the host's loopback port that each leads to. There is no other network.
        user: user and group id inside.
        hostname: the box's host name.
        memory: bytes that its processes may hold together, looked at five times a second; 0 for no bound.
        processes: most processes and threads; 0 for no bound.
        files: most files and folders in each of its writable file systems; they are in memory.
        limits: resource limits of each process by name (``{"FSIZE": 1 << 30}``).
        chdir: the working folder.
        python: the interpreter in the box that runs its first program.
        nested: whether its programs may make user namespaces of their own.
    """

    argv: Sequence[str]
    mounts: Sequence[Mount]
    environment: Mapping[str, str] = field(default_factory=dict)
    ports: Sequence[int] = ()
    reach: Mapping[int, int] = field(default_factory=dict)
    user: int = 1000
    hostname: str = "box"
    memory: int = 0
    processes: int = 0
    files: int = 100_000
    limits: Mapping[str, int] = field(default_factory=dict)
    chdir: str = "/"
    python: str = "/usr/bin/python3"
    nested: bool = False


SYSTEM = (
    Mount("ro", "/usr", "/usr"),
    Mount("symlink", "/bin", "usr/bin"),
    Mount("symlink", "/sbin", "usr/sbin"),
    Mount("symlink", "/lib", "usr/lib"),
    Mount("symlink", "/lib64", "usr/lib64"),
    *(
        Mount("ro", f"/etc/{name}", f"/etc/{name}", optional=True)
        for name in ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf", "os-release")
    ),
)
"""The system's programs and libraries, without the host's settings, homes and secrets."""


def find_bwrap() -> str:
    """Bubblewrap's executable.

    Raises:
        Unavailable: there is none.
    """
    found = shutil.which("bwrap")
    if found is None:
        raise Unavailable(f"there is no bubblewrap (bwrap) on PATH; {MEND}")
    return found


def state_folder() -> Path:
    """Where the running boxes of this user have their sockets: ``unibench-<uid>`` in the folder for temporary files.

    Raises:
        Unavailable: it is not ours.
    """
    folder = Path(tempfile.gettempdir()) / f"unibench-{os.geteuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    facts = folder.lstat()
    if folder.is_symlink() or not folder.is_dir() or facts.st_uid != os.geteuid():
        raise Unavailable(f"{folder} is not a folder of this user; remove it, or set TMPDIR")
    return folder


def sweep(folder: Path) -> None:
    """Removes what a launcher left that was killed before it could: folders whose lock nobody holds."""
    for each in folder.glob("box-*"):
        with contextlib.suppress(OSError):
            # A minute, so that nobody's folder is taken between its making and its lock.
            if time.time() - each.stat().st_mtime < 60 and not (each / "lock").exists():
                continue
            lock = _locked(each)
            shutil.rmtree(each, ignore_errors=True)
            os.close(lock)


def _locked(folder: Path) -> int:
    """A descriptor that holds a folder's lock. Raises OSError if another process does."""
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


class Box:
    """A running box.

    Args:
        plan: what it is made of.
        stdin, stdout, stderr: as of :class:`subprocess.Popen`.

    Raises:
        Unavailable: bubblewrap is not there, or the system does not let it work; the message says why.
    """

    ports: Mapping[int, int]
    """The box's ports, and the host's loopback port that leads to each."""

    def __init__(self, plan: Plan, *, stdin: int | IO[bytes] | None = None, stdout: int | None = None, stderr: int | None = None) -> None:
        bwrap = find_bwrap()
        folder = state_folder()
        sweep(folder)
        state = Path(tempfile.mkdtemp(prefix="box-", dir=folder))
        lock = _locked(state)
        self.ended = ""
        self.status: int | None = None
        life_r, self._life = os.pipe()
        self._report, report_w = os.pipe()
        self._heard = b""
        try:
            self._launcher = subprocess.Popen(
                [sys.executable, "-I", "-S", str(HERE / "launcher.py"), str(life_r), str(report_w)],
                stdin=subprocess.DEVNULL if stdin is None else stdin,
                stdout=subprocess.DEVNULL if stdout is None else stdout,
                stderr=subprocess.DEVNULL if stderr is None else stderr,
                # The launcher holds the lock as long as it lives.
                pass_fds=(life_r, report_w, lock),
                start_new_session=True,
                env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            )
        except OSError as error:
            shutil.rmtree(state, ignore_errors=True)
            raise Unavailable(f"{sys.executable} cannot be started: {error.strerror}") from None
        finally:
            for fd in (life_r, report_w, lock):
                os.close(fd)
        os.write(self._life, json.dumps(_spelled(plan, bwrap, state)).encode() + b"\n")
        first = self._hear(_START_SECONDS)
        if "ports" not in first:
            self.close()
            reason = self.ended or "the launcher ended"
            raise Unavailable(f"no sandbox can be started here: {reason}; the system must let bubblewrap make user namespaces")
        self.ports = {int(port): host for port, host in first["ports"].items()}

    @property
    def stdin(self) -> IO[bytes] | None:
        return self._launcher.stdin

    @property
    def stdout(self) -> IO[bytes] | None:
        return self._launcher.stdout

    @property
    def stderr(self) -> IO[bytes] | None:
        return self._launcher.stderr

    @property
    def pid(self) -> int:
        """The launcher's process id."""
        return self._launcher.pid

    def _hear(self, seconds: float) -> dict[str, Any]:
        """The launcher's next message; empty at its end or the deadline."""
        until = time.monotonic() + seconds
        while b"\n" not in self._heard:
            readable, _, _ = select.select([self._report], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._report, 65536) if readable else b""
            if not data:
                return {}
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        if "ended" in message:
            self.ended, self.status = message["ended"], message["status"]
        return message

    def wait(self, seconds: float) -> bool:
        """Whether the box has ended by itself, after at most so many seconds."""
        while not self.ended:
            if not self._hear(seconds):
                return self._launcher.poll() is not None
        return True

    @property
    def alive(self) -> bool:
        return self._report >= 0 and not self.wait(0)

    def end(self) -> None:
        """Ends the box; returns when its last process is gone. Its pipes can still be read."""
        if self._life < 0:
            return
        os.close(self._life)
        self._life = -1
        try:
            if not self.wait(20):
                raise EnvironmentFault("a box did not end within 20 s")
        finally:
            try:
                self._launcher.wait(5)
            except subprocess.TimeoutExpired:
                self._launcher.kill()
                self._launcher.wait()

    def close(self) -> None:
        """Ends the box and lets go of its pipes. Safe to call twice."""
        if self._report < 0:
            return
        try:
            self.end()
        finally:
            os.close(self._report)
            self._report = -1
            for pipe in (self.stdin, self.stdout, self.stderr):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _spelled(plan: Plan, bwrap: str, state: Path) -> dict[str, Any]:
    """The plan as the launcher reads it."""
    mounts = [*plan.mounts, Mount("ro", INNER, str(HERE / "inner.py"))]
    options = ["--dir", plan.chdir, "--unshare-user", "--unshare-all", "--die-with-parent", "--new-session"]
    # What bubblewrap makes itself has no bound: read-only, once all is in its place.
    options += ["--remount-ro", "/dev", "--remount-ro", "/"]
    options += ["--uid", str(plan.user), "--gid", str(plan.user), "--hostname", plan.hostname, "--chdir", plan.chdir, "--clearenv"]
    if not plan.nested:
        options += ["--disable-userns"]
    options += _settings(plan.environment)
    return {
        "state": str(state),
        "owner": os.getpid(),
        "user": ROOTS_STAND_IN if os.geteuid() == 0 else None,
        "bwrap": bwrap,
        "mounts": [vars(mount) for mount in mounts],
        "options": options,
        "argv": [plan.python, "-I", "-S", INNER, *plan.argv],
        "environment": {"PATH": os.defpath},
        "ports": list(plan.ports),
        "reach": {str(inside): outside for inside, outside in plan.reach.items()},
        "memory": plan.memory,
        "processes": plan.processes,
        "files": plan.files,
        "limits": dict(plan.limits),
    }


def _settings(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        yield from ("--setenv", name, value)
