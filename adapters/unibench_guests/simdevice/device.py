"""The device: its files, its framework's state, its clock, its shell."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shlex
import shutil
import socketserver
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from unibench.errors import Unavailable
from unibench_guests.simdevice import userland
from unibench_guests.simdevice.paths import inside
from unibench_guests.simdevice.programs import Programs
from unibench_guests.simdevice.times import AccessTimes

LAUNCHER = "com.google.android.apps.nexuslauncher/com.google.android.apps.nexuslauncher.NexusLauncherActivity"
SQL_SECONDS = 30.0
"""How long the statements of one connection may take."""
_DEEPEST = 320
"""Bytes of the root's path: SQLite opens no path of more than 512."""
_LARGEST_VALUE = 64 * 1024 * 1024
_LONGEST = 128 * 1024 - 1
"""Bytes of a command line: Linux takes no longer argument."""
_GAPS = 50
_SHELL_SYNTAX = re.compile(r"[|&;<>()$`*?\[\]\n{}~!#\"']")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\$`])*\"|\\.")


class NotSimulated(Exception):
    """The simulated device does not know this verb, or not this use of it."""


@dataclass(frozen=True)
class Completed:
    """What became of a command: exit code, stdout, stderr."""

    code: int
    out: bytes = b""
    err: bytes = b""


@dataclass(frozen=True)
class View:
    """One thing on the simulated screen: texts, its box (left, top, right, bottom), and what a tap does."""

    text: str
    bounds: tuple[int, int, int, int]
    description: str = ""
    hint: str = ""
    on_tap: Callable[[], None] | None = None


@dataclass
class State:
    """All that is not files. ``stack`` holds the activities, the foreground last."""

    settings: dict[str, dict[str, str]] = field(
        default_factory=lambda: {
            "system": {"screen_brightness": "102"},
            "secure": {},
            "global": {"airplane_mode_on": "0", "wifi_on": "1", "bluetooth_on": "1", "zen_duration": "0", "mobile_data": "1"},
        }
    )
    stack: list[str] = field(default_factory=lambda: [LAUNCHER])
    clipboard: str = ""
    clock: float = 1_697_384_040.0  # 15 October 2023, 15:34 UTC: the day on which AndroidWorld's tasks begin
    timezone: str = "UTC"
    screen: tuple[View, ...] = ()
    granted: set[tuple[str, str]] = field(default_factory=set)

    def copy(self) -> State:
        return replace(
            self,
            settings={space: dict(values) for space, values in self.settings.items()},
            stack=list(self.stack),
            granted=set(self.granted),
        )


Verb = Callable[["SimulatedDevice", list[str]], "Completed | str"]
Intent = Callable[["SimulatedDevice", "Mapping[str, object]"], "Completed | str"]


class SimulatedDevice:
    """One device on a folder of this machine.

    Args:
        folder: an empty folder; the device's root and the kept state are made in it.
        packages: the installed packages.
        size: width and height of the screen in pixels.
        clock_runs: whether the device's clock goes with this machine's. If not, only ``date`` and :meth:`sleep` move it, so that equal
            commands leave equal states.

    Attributes:
        gaps: what was asked of the device that it does not simulate; anything here makes a verdict worthless.
        receivers: what answers a broadcast, by action.
        activities: what answers an intent without a component, by action.
        launched: called with the package after an activity was started.
        loads: how often it was brought back to what was kept.

    Raises:
        Unavailable: mksh or toybox is not installed, nothing can be run in the device's root here, or its path is too long.
    """

    def __init__(
        self, folder: Path, *, packages: Sequence[str] = (), size: tuple[int, int] = (1080, 2400), clock_runs: bool = False
    ) -> None:
        from unibench_guests.simdevice.verbs import VERBS

        self.root = folder / "root"
        if len(os.fsencode(self.root.absolute())) > _DEEPEST:
            raise Unavailable(f"the folder {folder} is too deep for a simulated device, whose databases SQLite must open; set TMPDIR")
        self._kept = folder / "kept"
        self.verbs: dict[str, Verb] = dict(VERBS)
        self.packages = sorted(packages)
        self.size = size
        self._clock_runs = clock_runs
        self._started = time.monotonic()
        self.state = State()
        self._kept_states: dict[str, State] = {}
        self.loads = 0
        self.lock = threading.RLock()
        self.gaps: list[str] = []
        self.receivers: dict[str, Intent] = {}
        self.activities: dict[str, Intent] = {}
        self.launched: Callable[[SimulatedDevice, str], None] = lambda device, package: None
        userland.make(self.root, self.verbs)
        for package in self.packages:
            (self.root / "data/data" / package).mkdir(parents=True, exist_ok=True)
        self._prefix = _prefix(self.root)
        self._programs = Programs(self.root)
        self._times = AccessTimes(self.root / "data/media")
        self._null = self.root / "dev/null"
        self._server = _serve_framework(self)
        self._try_out()

    def _try_out(self) -> None:
        """Where every command fails, each verdict would be about that.

        Raises:
            Unavailable: the shell, or a framework verb out of it, does not run.
        """
        done = self.shell("echo $(whoami)")
        if done.out != b"root\n":
            self.close()
            said = (done.err or done.out).decode(errors="replace").strip() or f"status {done.code}"
            mend = "it needs root with the right to chroot, or user namespaces, and a TMPDIR that is not mounted noexec"
            raise Unavailable(f"nothing runs in the simulated device's root {self.root}: {said}; {mend}")
        self.calls = 0

    # -- files ---------------------------------------------------------------------------------

    def path(self, path: str) -> Path:
        """The file on this machine that a path on the device means; never one outside the device's root."""
        return inside(self.root, path)

    def database(self, path: str) -> sqlite3.Connection:
        """A database on the device. Statements that name other files are refused."""
        connection = sqlite3.connect(self.path(path), timeout=2.0)
        connection.set_authorizer(_no_other_files)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
        end = time.monotonic() + SQL_SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > end, 100_000)
        return connection

    def settle_times(self) -> None:
        """To be called after what reads or writes the device's files from outside: reading leaves access times alone."""
        self._times.keep()

    # -- time ----------------------------------------------------------------------------------

    def now(self) -> float:
        """The device's clock, in seconds of the epoch. This machine's clock is never touched."""
        return self.state.clock + (time.monotonic() - self._started if self._clock_runs else 0.0)

    def set_time(self, seconds: float) -> None:
        self._started = time.monotonic()
        self.state.clock = seconds

    def sleep(self, seconds: float) -> None:
        """Lets time pass on the device without waiting."""
        self.state.clock += max(0.0, seconds)

    # -- commands ------------------------------------------------------------------------------

    def shell(self, command: str, *, seconds: float = 60.0) -> Completed:
        """Runs a command line as ``adb shell`` does."""
        try:
            line = command.encode(errors="surrogateescape")
        except UnicodeEncodeError:
            return Completed(1, b"", b"simulated device: a command line cannot hold half a character\n")
        if b"\0" in line:
            return Completed(1, b"", b"simulated device: a command line cannot hold a NUL byte\n")
        if len(line) > _LONGEST:
            return Completed(126, b"", b"sh: Argument list too long\n")
        argv = self._plain(command)
        if argv is not None:
            return self.framework(argv)
        environment = {
            "PATH": "/system/bin",
            "HOME": "/",
            "LC_ALL": "C",
            "TZ": self.state.timezone,
            "LD_LIBRARY_PATH": "/lib",
            "ANDROID_DATA": "/data",
        }
        try:
            if not self._null.is_char_device():
                self._null.write_bytes(b"")
            code, out, err = self._programs.run([*self._prefix, "/system/bin/sh", "-c", line], environment, seconds)
        except (OSError, ValueError) as error:  # the root is gone; the time zone holds what no variable can
            code, out, err = 126, b"", f"simulated device: {error}\n".encode(errors="replace")
            self.note(f"{command}: {error}")
        self._times.keep()
        if code == 127 or b"inaccessible or not found" in err:
            self.note(f"{command}: {err.decode(errors='replace').strip()}")
        return Completed(code & 255, out, err)

    def framework(self, argv: Sequence[str]) -> Completed:
        """Runs one of the framework's verbs."""
        name = Path(argv[0]).name
        verb = self.verbs.get(name)
        try:
            for word in argv:
                word.encode(errors="surrogateescape")  # half a character fails here, and not when it is read back
            if verb is None:
                raise NotSimulated(f"no verb {name!r}")
            with self.lock:
                said = verb(self, list(argv[1:]))
        except (NotSimulated, IndexError, KeyError, ValueError) as error:
            why = str(error) if isinstance(error, NotSimulated) else f"arguments that are not simulated ({type(error).__name__}: {error})"
            self.note(f"{' '.join(argv)}: {why}")
            return Completed(1, b"", _bytes(f"{name}: not simulated: {' '.join(argv)}: {why}\n"))
        except (OSError, sqlite3.Error) as error:
            return Completed(1, b"", f"{name}: {error}\n".encode(errors="surrogateescape"))
        return said if isinstance(said, Completed) else Completed(0, said.encode(errors="surrogateescape"))

    def _plain(self, command: str) -> list[str] | None:
        """The words of a command line that is one framework verb and uses no shell syntax; None for all others."""
        if _SHELL_SYNTAX.search(_QUOTED.sub("", command)):
            return None
        try:
            words = shlex.split(command)
        except ValueError:
            return None
        return words if words and words[0] in self.verbs else None

    def note(self, gap: str) -> None:
        """Adds a gap; of very many, the first are kept."""
        if len(self.gaps) < _GAPS:
            self.gaps.append(gap[:500])

    # -- state ---------------------------------------------------------------------------------

    @property
    def foreground(self) -> str:
        """The component in the foreground."""
        return self.state.stack[-1]

    def keep(self, name: str = "") -> None:
        """Keeps the state as it is now: for :meth:`restore`, or as a snapshot of that name. Commands that run stand still meanwhile.

        Raises:
            OSError: it cannot be copied; what was kept before is still there.
        """
        with self.lock, self._programs.halted():
            self._times.keep()
            self._kept.mkdir(exist_ok=True)
            fresh, place = self._kept / "fresh", self._kept / f"{name}.snapshot"
            _remove(fresh)
            _copy(self.root / "data", fresh)
            _remove(place)
            fresh.rename(place)
            self._times.keep()
            self._kept_states[name] = self.state.copy()

    def snapshots(self) -> list[str]:
        """The names of what was kept under one."""
        return sorted(filter(None, self._kept_states))

    def load(self, name: str) -> None:
        """Brings files, settings, foreground, clipboard and clock back to what was kept under a name.

        Commands that run are ended, as on an emulator.

        Raises:
            KeyError: nothing was.
            OSError: it cannot be copied; the device is as it was.
        """
        with self.lock, self._programs.ended():
            state = self._kept_states[name].copy()
            fresh, place = self._kept / "fresh", self.root / "data"
            _remove(fresh)
            _copy(self._kept / f"{name}.snapshot", fresh)
            _remove(place, *(self.root / "tmp").iterdir())
            fresh.rename(place)
            self._times.forget()
            self.state = state
            self._started = time.monotonic()
            self.loads += 1

    def restore(self) -> None:
        """Brings the device back to what :meth:`keep` kept without a name, and forgets its gaps."""
        self.load("")
        self.gaps.clear()

    def digests(self) -> dict[str, str]:
        """What the device holds, by name: each file's digest (a database's by its rows), each setting, the foreground, the clipboard.

        Not the clock.
        """
        found = {f"file {path}": digest for path, digest in _digests(self.root / "data", "/data")}
        for space, values in self.state.settings.items():
            found |= {f"setting {space} {name}": value for name, value in values.items()}
        self.settle_times()
        return {**found, "foreground": self.foreground, "clipboard": self.state.clipboard}

    def close(self) -> None:
        """Ends the framework's socket and what still runs; the folder is the caller's."""
        self._server.shutdown()
        self._server.server_close()
        with self._programs.ended():
            pass


def _prefix(root: Path) -> list[str]:
    """How to run something with the device's root as ``/``: as root by chroot, else in a user namespace."""
    if os.geteuid() == 0:
        return [shutil.which("chroot") or "/usr/sbin/chroot", str(root)]
    return [shutil.which("unshare") or "/usr/bin/unshare", "--map-root-user", "--root", str(root)]


def _no_other_files(action: int, *about: object) -> int:
    return sqlite3.SQLITE_DENY if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH) else sqlite3.SQLITE_OK


def _bytes(text: str) -> bytes:
    """UTF-8; what came in as other bytes goes out as them, and half a character as a question mark."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="replace")


def _copy(source: Path, target: Path) -> None:
    _run("cp", "-a", str(source), str(target))


def _remove(*paths: Path) -> None:
    if paths:
        _run("rm", "-rf", *map(str, paths))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise OSError((done.stderr.decode(errors="replace").strip().splitlines() or [f"{command[0]} failed"])[-1])


def _digests(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir()):
        inner = f"{name}/{entry.name}"
        if entry.is_symlink():
            yield inner, f"link to {entry.readlink()}"
        elif entry.is_dir():
            yield f"{inner}/", "folder"
            yield from _digests(entry, inner)
        elif entry.is_file():
            yield inner, _content(entry)


def _content(file: Path) -> str:
    """A digest of what a file holds; of a database's schema and rows, for its bytes tell how it came about as well."""
    data = file.read_bytes()
    name = hashlib.sha256(data).hexdigest()[:32]
    if not data.startswith(b"SQLite format 3\0"):
        return name
    if name not in _DATABASES:
        try:
            with contextlib.closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as base:
                text = "\n".join(base.iterdump())
            _DATABASES[name] = hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:32]
        except (sqlite3.Error, UnicodeError):
            return name
    return _DATABASES[name]


_DATABASES: dict[str, str] = {}
"""The digest of a database's content, by that of its bytes."""


class _Framework(socketserver.StreamRequestHandler):
    """Serves the stubs in ``/system/bin``: NUL-ended words in; the exit code, a newline and the output back."""

    device: SimulatedDevice

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):
            words = self._words()
            if not words:
                return
            done = self.device.framework(words)
            self.wfile.write(f"{done.code}\n".encode() + done.out + done.err)

    def _words(self) -> list[str]:
        return self.rfile.read().decode(errors="surrogateescape").split("\0")[:-1]


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


def _serve_framework(device: SimulatedDevice) -> _Server:
    path = device.root / userland.SOCKET
    path.unlink(missing_ok=True)
    # A socket's path may hold 107 bytes; through /proc/self/fd a longer one fits.
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        server = _Server(f"/proc/self/fd/{folder}/{path.name}", type("Bound", (_Framework,), {"device": device}))
    finally:
        os.close(folder)
    path.chmod(0o666)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True, name="simdevice-framework").start()
    return server
