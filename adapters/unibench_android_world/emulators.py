"""The emulator's side of a session: find adb and the phone, start the emulator, wait until it is up, bring it to a snapshot."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from unibench.errors import EnvironmentFault, Unavailable, UsageError
from unibench_android_world import SCREEN, AndroidWorldSettings

AS_EMULATOR = "UNIBENCH_TEST_SIMDEVICE_AS_EMULATOR"
"""For tests of this adapter alone: the environment variable that lets a session drive a served simulated device by an emulator's way.

The record then says that the machine is a stand-in.
"""
SIMULATED = "unibench/"
"""How a simulated device's build fingerprint begins."""
ANSWER_SECONDS = 60.0
BOOT_SECONDS = 600.0
"""How long a phone may take until it says that it has booted."""
END_SECONDS = 20.0
_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1
_LAST = 16384
"""Bytes of an emulator's log that are looked at."""
_SDKS = (
    *filter(None, (os.environ.get("ANDROID_HOME"), os.environ.get("ANDROID_SDK_ROOT"))),
    "~/Android/Sdk",
    "~/Library/Android/sdk",
)
"""Where the SDK may be. Asked at import: upstream's loader takes ``ANDROID_HOME`` out of the environment."""


class Phone:
    """An emulator or phone, by adb.

    Args:
        adb: the client.
        console_port: the emulator's console; adb names the phone after it.
    """

    def __init__(self, adb: str, console_port: int) -> None:
        self.adb = adb
        self.serial = f"emulator-{console_port}"

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs ``adb -s SERIAL WORDS``.

        Raises:
            OSError: there is no such adb any more.
            subprocess.TimeoutExpired: it did not end within ``ANSWER_SECONDS``.
        """
        return _said([self.adb, "-s", self.serial, *words])

    def look(self, tries: int) -> str:
        """Empty if adb sees the phone, else what it says. A server that has just started needs a moment to find it."""
        said = "it says nothing"
        for left in reversed(range(tries)):
            try:
                done = self.run("get-state")
                if done.stdout.strip() == "device":  # on stderr it may tell of its server
                    return ""
                said = (done.stdout + done.stderr).strip() or said
            except OSError as error:
                said = str(error)
            except subprocess.TimeoutExpired as late:  # a server that hangs
                return str(late)
            if left:
                time.sleep(0.5)
        return said.splitlines()[-1]

    def build(self) -> str:
        """The build fingerprint. A simulated device that is served as an emulator is none.

        Raises:
            UsageError: it is one, and no test of ours asks for it.
            EnvironmentFault: the phone does not say.
        """
        try:
            done = self.run("shell", "getprop", "ro.build.fingerprint")
        except subprocess.TimeoutExpired:
            raise EnvironmentFault(f"{self.serial} did not say its build within {ANSWER_SECONDS:g} s") from None
        except OSError as error:
            raise EnvironmentFault(f"{self.serial} did not say its build: {error}") from None
        build = done.stdout.strip()
        if done.returncode or not build:
            raise EnvironmentFault(f"{self.serial} does not say its build: {done.stderr.strip() or f'status {done.returncode}'}")
        if build.startswith(SIMULATED) and not os.environ.get(AS_EMULATOR):
            raise UsageError(f"{self.serial} is unibench's simulated device and no emulator; use --substrate simdevice")
        return build

    def check_screen(self) -> None:
        """Raises if the screen has another size than agents are told, for whom each point would be another one.

        Raises:
            Unavailable: it has, or the phone does not say.
        """
        try:
            said = self.run("shell", "wm", "size").stdout
        except subprocess.TimeoutExpired as late:
            said = str(late)
        # A size that was set stands in a second line, "Override size", after the panel's own.
        found = re.findall(r"size: (\d+)x(\d+)", said)
        if not found or tuple(map(int, found[-1])) != SCREEN:
            shown = "x".join(found[-1]) if found else said.strip() or "unknown"
            wanted = "x".join(map(str, SCREEN))
            raise Unavailable(f"{self.serial} has a screen of {shown} pixels, not {wanted}; make it with the hardware Pixel 6")

    def wait_until_booted(self, emulator: Started | None = None) -> None:
        """Waits until Android says that it is up; adb sees a phone long before.

        Args:
            emulator: the program, if this session started it.

        Raises:
            Unavailable: it did not come up within ``BOOT_SECONDS``, or the program ended.
        """
        end, said = time.monotonic() + BOOT_SECONDS, ""
        while time.monotonic() < end:
            if emulator is not None:
                emulator.check()
            try:
                done = self.run("shell", "getprop", "sys.boot_completed")
                if done.stdout.strip() == "1":
                    return
                said = (done.stdout + done.stderr).strip()
            except (OSError, subprocess.TimeoutExpired) as error:
                said = str(error)
            time.sleep(0.5)
        raise Unavailable(
            f"{self.serial} did not boot within {BOOT_SECONDS:g} s; sys.boot_completed is {said.splitlines()[-1:] or 'empty'}"
        )

    def check_avd(self, name: str) -> None:
        """Raises if the emulator that runs there says that it is another virtual device. A console that wants no token says nothing.

        Raises:
            Unavailable: it does.
        """
        try:
            said = self.run("emu", "avd", "name").stdout.split()
        except (OSError, subprocess.TimeoutExpired):
            return
        if said and said[0] not in (name, "OK", "KO:"):
            mend = "end it, or take another port with --set console_port=PORT"
            raise Unavailable(f"{self.serial} is the virtual device {said[0]!r}, not {name!r}; {mend}")

    def save_snapshot(self, name: str) -> None:
        """Keeps the emulator's state as a snapshot, by its console.

        Raises:
            UsageError: the name would be more than one command of the console.
            Unavailable: the console did not take the command.
        """
        self._snapshot("save", name)

    def load_snapshot(self, name: str) -> None:
        """Brings the emulator to a snapshot of its virtual device, by its console.

        Raises:
            UsageError: the name would be more than one command of the console.
            Unavailable: there is no such snapshot, or the console did not take the command.
        """
        self._snapshot("load", name)
        self.wait_until_booted()

    def _snapshot(self, verb: str, name: str) -> None:
        if name != name.strip() or len(name.splitlines()) > 1:
            raise UsageError(f"{name!r} is no name of a snapshot")
        failed = f"{self.serial} did not {verb} the snapshot {name!r}"
        try:
            done = self.run("emu", "avd", "snapshot", verb, name)
        except subprocess.TimeoutExpired:
            raise Unavailable(f"{failed} within {ANSWER_SECONDS:g} s") from None
        except OSError as error:
            raise Unavailable(f"{failed}: {error}") from None
        said = (done.stdout + done.stderr).strip()
        if done.returncode or any(line.startswith("KO") for line in said.splitlines()):
            lines = said.splitlines() or [f"status {done.returncode}"]
            mend = f"see: adb -s {self.serial} emu avd snapshot list"
            raise Unavailable(f"{failed}: {lines[-1]}; {mend}", detail=said)


class Started:
    """An emulator that this session started, and ends. It lives in the session's process group, and is killed if the session is.

    Raises:
        Unavailable: the program cannot be started.
    """

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command = shlex.join(command)
        self._log = folder / "emulator.log"
        try:
            with self._log.open("ab") as log:
                self._child = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    preexec_fn=_go_with_the_parent if sys.platform == "linux" else None,
                )
        except OSError as error:
            raise Unavailable(f"{command[0]} cannot be started: {error.strerror}") from None

    def check(self) -> None:
        """Raises if it has ended.

        Raises:
            Unavailable: it has, with what it said last.
        """
        if (status := self._child.poll()) is None:
            return
        with self._log.open("rb") as log:  # which may have grown for hours
            log.seek(max(0, log.seek(0, os.SEEK_END) - _LAST))
            said = log.read().decode(errors="replace").strip()
        last = (said.splitlines() or ["it said nothing"])[-1]
        raise Unavailable(
            f"the emulator ended with status {status}: {last[-500:]}; it was started with: {self._command}", detail=said[-4000:]
        )

    def close(self) -> None:
        self._child.terminate()
        try:
            self._child.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def _go_with_the_parent() -> None:
    """Linux kills this process when its parent ends in whatever way."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@contextlib.contextmanager
def up(adb: str, settings: AndroidWorldSettings, folder: Path) -> Iterator[Phone]:
    """The emulator on the settings' console port: the one that runs there, or one that is started for as long as this lasts.

    Raises:
        Unavailable: there is none and none can be started, another session has it, or it does not come up.
    """
    phone = Phone(adb, settings.console_port)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_only_one(settings.console_port))
        emulator = None
        if said := phone.look(3 if settings.avd else 10):
            if not settings.avd:
                mend = f"start it with: {start_line(settings)}, or give --set avd=NAME"
                raise Unavailable(
                    f"adb sees no {phone.serial}: {said}; {mend} (without one verifiers can be checked: --substrate simdevice)"
                )
            emulator = Started(_command(settings), folder)
            stack.callback(emulator.close)
        elif settings.avd:
            phone.check_avd(settings.avd)
        phone.wait_until_booted(emulator)
        if settings.snapshot:
            phone.load_snapshot(settings.snapshot)
        yield phone


def _command(settings: AndroidWorldSettings) -> list[str]:
    """How the emulator is started. It boots and keeps nothing: what is loaded is only what was asked for, by the console, which says no."""
    ports = ["-port", str(settings.console_port), "-grpc", str(settings.grpc_port)]
    try:
        more = shlex.split(settings.emulator_arguments)
    except ValueError as error:
        raise UsageError(f"emulator_arguments {settings.emulator_arguments!r}: {error}") from None
    return [find_emulator(settings.emulator_path), "-avd", settings.avd, *ports, "-no-snapshot", *more]


def start_line(settings: AndroidWorldSettings) -> str:
    """The command that a user starts it with."""
    return f"emulator -avd {settings.avd or 'AndroidWorldAvd'} -no-snapshot -port {settings.console_port} -grpc {settings.grpc_port}"


def virtual_devices(settings: AndroidWorldSettings) -> str:
    """Which virtual devices this machine could start, in words."""
    try:
        program = find_emulator(settings.emulator_path)
        done = _said([program, "-list-avds"])
    except Unavailable as none:
        return str(none)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the emulator does not say which virtual devices there are: {error}"
    names = [line.strip() for line in done.stdout.splitlines() if line.strip() and "|" not in line]  # its log lines have bars
    return f"virtual devices here: {', '.join(names)}" if names else "there is no virtual device here; make one in Android Studio"


def upstreams_server() -> None:
    """Lets this process's adb clients ask the server on port 5037: upstream's ask no other, and forget these variables too.

    (android_env/components/adb_controller.py, 1.2.3.)
    """
    for name in ("ANDROID_ADB_SERVER_PORT", "ANDROID_ADB_SERVER_ADDRESS", "ADB_SERVER_SOCKET"):
        os.environ.pop(name, None)


def find_adb(said: str) -> str:
    """The adb client.

    Raises:
        Unavailable: there is none.
    """
    if found := _find("adb", said, "platform-tools/adb"):
        return found
    raise Unavailable(f"there is no adb {_where(said)}; apt install adb, or --set adb_path=PATH")


def find_emulator(said: str) -> str:
    """The emulator.

    Raises:
        Unavailable: there is none.
    """
    if found := _find("emulator", said, "emulator/emulator"):
        return found
    raise Unavailable(f"there is no emulator {_where(said)}; install it with Android Studio, or --set emulator_path=PATH")


def _said(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=ANSWER_SECONDS, check=False)


def _find(name: str, said: str, in_the_sdk: str) -> str:
    for candidate in [said] if said else [shutil.which(name) or "", *(f"{sdk}/{in_the_sdk}" for sdk in _SDKS)]:
        path = Path(candidate)
        with contextlib.suppress(RuntimeError):  # a user without a home
            path = path.expanduser()
        if candidate and path.is_file() and os.access(path, os.X_OK):
            return str(path)
    return ""


def _where(said: str) -> str:
    return f"at {said}" if said else "on PATH or in the SDK's usual places"


@contextlib.contextmanager
def _only_one(port: int) -> Iterator[IO[str]]:
    """Holds the console port against other sessions of this user: two of them on one phone would spoil each other's episodes.

    Raises:
        Unavailable: another session drives that phone.
    """
    place = Path("/tmp") if Path("/tmp").is_dir() else Path.home()  # whatever TMPDIR is: sessions have their own
    path = place / f"unibench-emulator-{os.getuid()}-{port}.lock"
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Unavailable(f"the lock {path} cannot be had: {error.strerror}") from None
    with os.fdopen(opened, "w", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Unavailable(
                f"another session drives emulator-{port}; use --jobs 1, or another one with --set console_port=PORT"
            ) from None
        yield handle
