"""The machines: an emulator, or a simulated device in this process."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from unibench.errors import EnvironmentFault, SetupFault, Unavailable, UsageError
from unibench.record import digest
from unibench_android_world import AndroidWorldSettings, upstream
from unibench_guests.simdevice import SimulatedDevice

SDK = ("~/Android/Sdk/platform-tools/adb", "~/Library/Android/sdk/platform-tools/adb")
"""Where Android Studio puts adb."""

AS_EMULATOR = "UNIBENCH_TEST_SIMDEVICE_AS_EMULATOR"
"""For tests of this adapter alone: the environment variable that lets a session drive a served simulated device by an emulator's way.

The record then says that the machine is a stand-in.
"""
SIMULATED = "unibench/"
"""How a simulated device's build fingerprint begins."""
ANSWER_SECONDS = 60.0


class Machine(ABC):
    """A phone and upstream's environment over it.

    Attributes:
        env: upstream's ``AsyncAndroidEnv``.
        device: the simulated device, if it is one.
        acts: whether actions reach it.
        simulated: whether it is a simulated device, whatever its way is.
    """

    env: Any
    device: SimulatedDevice | None = None
    acts = True
    simulated = True

    @property
    @abstractmethod
    def digest(self) -> str:
        """Names the machine's state before any task."""

    def fresh(self) -> None:  # noqa: B027 - an emulator's state is what upstream's own snapshots restore
        """Brings the machine to its kept state, where it can."""

    def state(self) -> dict[str, str] | None:
        """What it holds, by name; None where nobody can say."""
        return None

    def gaps(self) -> list[str]:
        """What was asked of it that it does not do. Anything here makes a verdict worthless."""
        return []

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """Around calls of upstream's code."""
        yield

    @abstractmethod
    def close(self) -> None:
        """Lets go of it."""


class InProcess(Machine):
    """A simulated device behind android_env's simulator class."""

    acts = False

    def __init__(self, settings: AndroidWorldSettings, folder: Path) -> None:
        from unibench_android_world import inprocess, provision

        self._folder = Path(tempfile.mkdtemp(prefix="device-", dir=folder))
        self.device = SimulatedDevice(self._folder, packages=provision.packages())
        provision.provision(self.device)
        with self.working():
            self.env = inprocess.load(self.device, freeze_datetime=settings.freeze_datetime)
        self.device.keep()
        self._digest = simdevice_digest(self.device)

    @property
    def digest(self) -> str:
        return self._digest

    def fresh(self) -> None:
        assert self.device is not None
        self.device.restore()

    def state(self) -> dict[str, str]:
        assert self.device is not None
        return self.device.digests()

    def gaps(self) -> list[str]:
        assert self.device is not None
        return list(self.device.gaps)

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        assert self.device is not None
        with upstream.sleeping(self.device.sleep):
            yield

    def close(self) -> None:
        assert self.device is not None
        self.env.close()
        self.device.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def simdevice_digest(device: SimulatedDevice) -> str:
    """Names the simulated device: its code, and the state it was provisioned with."""
    import unibench_guests.simdevice as package

    sources = [*sorted(Path(str(package.__file__)).parent.glob("*.py")), Path(__file__).with_name("provision.py")]
    texts = {path.name: path.read_text(encoding="utf-8") for path in sources}
    return f"simdevice-{digest([texts, sorted(device.state.settings), device.packages])[:12]}"


class Emulator(Machine):
    """A running emulator or device, reached by adb and gRPC as upstream's ``load_and_setup_env`` does."""

    def __init__(self, settings: AndroidWorldSettings) -> None:
        from android_world.env import env_launcher

        adb = find_adb(settings.adb_path)
        _look_for(adb, settings)
        self._digest = self._identify(adb, settings)
        self._lock = _only_one(settings.console_port)
        try:
            with self.working(), upstream.forwarder(install=settings.install_forwarder):
                self.env = _loaded(
                    lambda: env_launcher.load_and_setup_env(
                        console_port=settings.console_port,
                        emulator_setup=settings.first_setup,
                        freeze_datetime=settings.freeze_datetime,
                        adb_path=adb,
                        grpc_port=settings.grpc_port,
                    ),
                    settings,
                )
        except BaseException:
            self._lock.close()
            raise

    def _identify(self, adb: str, settings: AndroidWorldSettings) -> str:
        build = build_of(adb, settings.console_port)
        self.simulated = build.startswith(SIMULATED)
        return build

    @property
    def digest(self) -> str:
        return self._digest

    def close(self) -> None:
        self.env.close()
        self._lock.close()


class SimulatedByAdb(Emulator):
    """A simulated device that a real adb client and server reach, with the emulator's gRPC and the forwarder's accessibility stream.

    The same code as for an emulator runs against it.
    """

    acts = False
    SLEEP = 0.3
    """Upstream's longer sleeps are cut to so many seconds; the rest passes on the device's clock alone."""

    def __init__(self, settings: AndroidWorldSettings, folder: Path) -> None:
        from unibench_android_world.served import Served

        self._served = Served(folder)
        self.device = self._served.device
        ports = {"console_port": self._served.console_port, "grpc_port": self._served.grpc_port}
        try:
            super().__init__(settings.model_copy(update={**ports, "install_forwarder": False, "first_setup": False}))
        except BaseException:
            self._served.close()
            raise
        self.device.keep()

    def _identify(self, adb: str, settings: AndroidWorldSettings) -> str:
        assert self.device is not None
        return simdevice_digest(self.device)

    def fresh(self) -> None:
        assert self.device is not None
        self.device.restore()

    def state(self) -> dict[str, str]:
        assert self.device is not None
        return self.device.digests()

    def gaps(self) -> list[str]:
        assert self.device is not None
        return list(self.device.gaps)

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        device, real = self.device, time.sleep
        assert device is not None

        def sleep(seconds: float) -> None:
            device.sleep(max(0.0, seconds - self.SLEEP))
            real(min(seconds, self.SLEEP))

        with upstream.sleeping(sleep):
            yield

    def close(self) -> None:
        super().close()
        self._served.close()


def build_of(adb: str, console_port: int) -> str:
    """The phone's build fingerprint. A simulated device that is served as an emulator is none.

    Raises:
        UsageError: it is one, and no test of ours asks for it.
        EnvironmentFault: the phone does not say.
    """
    serial = f"emulator-{console_port}"
    command = [adb, "-s", serial, "shell", "getprop", "ro.build.fingerprint"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ANSWER_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise EnvironmentFault(f"{serial} did not say its build within {ANSWER_SECONDS:g} s") from None
    build = done.stdout.strip()
    if done.returncode or not build:
        raise EnvironmentFault(f"{serial} does not say its build: {done.stderr.strip() or f'status {done.returncode}'}")
    if build.startswith(SIMULATED) and not os.environ.get(AS_EMULATOR):
        raise UsageError(f"{serial} is unibench's simulated device and no emulator; use --substrate simdevice")
    return build


def _loaded(load: Callable[[], Any], settings: AndroidWorldSettings) -> Any:
    from android_env.components import errors

    where = f"emulator-{settings.console_port} (gRPC {settings.grpc_port})"
    try:
        return load()
    except (errors.AndroidEnvError, OSError, RuntimeError) as error:
        raise Unavailable(
            f"{where} does not come up: {str(error).splitlines()[0]}; start it with: emulator -avd Pixel_6_API_33 -no-snapshot -grpc "
            f"{settings.grpc_port}",
            detail=str(error),
        ) from None


def _look_for(adb: str, settings: AndroidWorldSettings) -> None:
    """Asks adb for the phone before upstream's loader does, which takes minutes to say that there is none.

    Raises:
        Unavailable: adb sees no such phone, or one that does not answer.
    """
    serial, said = f"emulator-{settings.console_port}", ""
    for _ in range(10):
        try:
            done = subprocess.run([adb, "-s", serial, "get-state"], capture_output=True, text=True, timeout=20, check=False)
            said = (done.stdout + done.stderr).strip()
        except (OSError, subprocess.TimeoutExpired) as error:
            said = str(error)
        if said == "device":
            return
        time.sleep(0.5)
    start = f"emulator -avd Pixel_6_API_33 -no-snapshot -port {settings.console_port} -grpc {settings.grpc_port}"
    raise Unavailable(f"adb sees no {serial}: {said.splitlines()[-1] if said else 'it says nothing'}; start it with: {start}")


def find_adb(said: str) -> str:
    """The adb client.

    Raises:
        Unavailable: there is none.
    """
    for candidate in [said] if said else [shutil.which("adb") or "", *SDK]:
        path = Path(candidate).expanduser()
        if candidate and path.is_file() and os.access(path, os.X_OK):
            return str(path)
    where = f"at {said}" if said else "on PATH or in the SDK's usual places"
    raise Unavailable(f"there is no adb {where}; apt install adb, or --set adb_path=PATH")


def _only_one(port: int) -> IO[str]:
    """Holds the console port against other sessions of this user: two of them on one phone would spoil each other's episodes.

    Raises:
        Unavailable: another session drives that phone.
    """
    path = Path("/tmp") if Path("/tmp").is_dir() else Path.home()
    handle = (path / f"unibench-emulator-{os.getuid()}-{port}.lock").open("w", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        raise Unavailable(f"another session drives emulator-{port}; use --jobs 1, or another one with --set console_port=PORT") from None
    return handle


def check_gaps(machine: Machine, during: str) -> None:
    """Raises if the machine was asked for what it does not do.

    Raises:
        SetupFault, EnvironmentFault: it was; the first while a task was being set up.
    """
    if gaps := machine.gaps():
        kind = SetupFault if during == "reset" else EnvironmentFault
        raise kind(f"the simulated device was asked for what it does not simulate: {gaps[0]}", detail="\n".join(gaps))


def pause(machine: Machine, seconds: float) -> None:
    """Waits on the machine's own clock."""
    if machine.device is not None and isinstance(machine, InProcess):
        machine.device.sleep(seconds)
    else:
        time.sleep(seconds)
