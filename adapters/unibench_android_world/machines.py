"""The machines: an emulator, or a simulated device in this process or behind adb."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from unibench.errors import EnvironmentFault, Fault, Unavailable
from unibench.record import digest
from unibench_android_world import AndroidWorldSettings, emulators, upstream
from unibench_guests.simdevice import SimulatedDevice


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

    def fresh(self) -> None:
        """Brings a simulated device to its kept state; an emulator's state is what upstream's own snapshots restore."""
        if self.device is not None:
            self.device.restore()

    def state(self) -> dict[str, str] | None:
        """What it holds, by name; None where nobody can say."""
        return None if self.device is None else self.device.digests()

    def check_gaps(self, fault: type[Fault]) -> None:
        """Raises if a simulated device was asked for what it does not do: that makes a verdict worthless.

        Raises:
            Fault: it was; of the given kind.
        """
        if self.device is not None and self.device.gaps:
            gaps = list(self.device.gaps)
            raise fault(f"the simulated device was asked for what it does not simulate: {gaps[0]}", detail="\n".join(gaps))

    def pause(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)

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
    device: SimulatedDevice

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

    def pause(self, seconds: float) -> None:
        """Lets the device's time pass without waiting."""
        self.device.sleep(seconds)

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        with upstream.sleeping(self.device.sleep):
            yield

    def close(self) -> None:
        self.env.close()
        self.device.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def simdevice_digest(device: SimulatedDevice) -> str:
    """Names the simulated device by its code, that of its provisioning, its shell's programs, and its packages."""
    import unibench_guests.simdevice as package

    own = sorted(Path(str(package.__file__)).parent.glob("*.py"))
    # What records and compares transcripts is no part of the device.
    sources = [*(file for file in own if file.stem not in ("recording", "transcript")), Path(__file__).with_name("provision.py")]
    texts = {path.name: path.read_text(encoding="utf-8") for path in sources}
    programs = {name: hashlib.sha256((device.root / "system/bin" / name).read_bytes()).hexdigest() for name in ("mksh", "toybox")}
    return f"simdevice-{digest([texts, programs, device.packages])[:12]}"


class Emulator(Machine):
    """A running emulator or device, reached by adb and gRPC as upstream's ``load_and_setup_env`` does; started first, if it must be."""

    def __init__(self, settings: AndroidWorldSettings, folder: Path) -> None:
        from android_world.env import env_launcher

        emulators.upstreams_server()
        adb = emulators.find_adb(settings.adb_path)
        with contextlib.ExitStack() as stack:
            phone = stack.enter_context(emulators.up(adb, settings, folder))
            self._phone = phone
            self._digest = self._identify(phone)
            phone.check_screen()
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
            self._held = stack.pop_all()

    def _identify(self, phone: emulators.Phone) -> str:
        build = phone.build()
        self.simulated = build.startswith(emulators.SIMULATED)
        return build

    @property
    def digest(self) -> str:
        return self._digest

    def close(self) -> None:
        with self._held:
            self.env.close()


class SimulatedByAdb(Emulator):
    """A simulated device that a real adb client and server reach, with the emulator's gRPC and the forwarder's accessibility stream.

    The same code as for an emulator runs against it. It is brought to its kept state by its console, so that a transcript says so too.
    """

    acts = False
    device: SimulatedDevice
    KEPT = "unibench"
    SLEEP = 0.3
    """Upstream's longer sleeps are cut to so many seconds; the rest passes on the device's clock alone."""

    def __init__(self, settings: AndroidWorldSettings, folder: Path) -> None:
        from unibench_android_world.served import Served

        with contextlib.ExitStack() as stack:
            self._served = Served(folder)
            stack.callback(self._served.close)
            self.device = self._served.device
            ports = {"console_port": self._served.console_port, "grpc_port": self._served.grpc_port}
            nothing = {"avd": "", "snapshot": "", "install_forwarder": False, "first_setup": False}
            super().__init__(settings.model_copy(update=ports | nothing), folder)
            stack.callback(super().close)
            self._phone.save_snapshot(self.KEPT)
            stack.pop_all()

    def _identify(self, phone: emulators.Phone) -> str:
        return simdevice_digest(self.device)

    def fresh(self) -> None:
        before = self.device.loads
        try:
            self._phone.load_snapshot(self.KEPT)
        except Unavailable as error:
            raise EnvironmentFault(str(error)) from None
        if self.device.loads == before:  # adb ends well where the console says nothing
            raise EnvironmentFault(f"the simulated device did not load the snapshot {self.KEPT!r}")
        self.device.gaps.clear()

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        real = time.sleep

        def sleep(seconds: float) -> None:
            self.device.sleep(max(0.0, seconds - self.SLEEP))
            real(min(seconds, self.SLEEP))

        with upstream.sleeping(sleep):
            yield

    def close(self) -> None:
        super().close()
        self._served.close()


def _loaded(load: Callable[[], Any], settings: AndroidWorldSettings) -> Any:
    from android_env.components import errors

    where = f"emulator-{settings.console_port} (gRPC {settings.grpc_port})"
    try:
        return load()
    except (errors.AndroidEnvError, OSError, RuntimeError) as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise Unavailable(f"{where} does not come up: {said}; start it with: {emulators.start_line(settings)}", detail=str(error)) from None
