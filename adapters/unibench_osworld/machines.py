"""The machines that a desktop suite runs on: a local desktop, one at an address, one that upstream's providers start."""

from __future__ import annotations

import json
import socket
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from unibench.errors import EnvironmentFault, InvalidSetting, Unavailable, UnknownName
from unibench.settings import Substrate
from unibench_osworld import DesktopSettings

SERVER, BROWSER, VNC, VLC = 5000, 9222, 8006, 8080
START_SECONDS = 1200.0
CONNECT_SECONDS = 5.0


class Machine(ABC):
    """A guest that speaks OSWorld's REST API."""

    @abstractmethod
    def fresh(self) -> None:
        """Brings it to its untouched state, running or not before.

        Raises:
            EnvironmentFault: it does not come up.
        """

    @property
    @abstractmethod
    def targets(self) -> Mapping[int, tuple[str, int]]:
        """Host and port of each of the guest's services, by the guest's own port."""

    @abstractmethod
    def close(self) -> None:
        """Lets go of it; safe to call twice."""

    def substrate(self, named: Substrate) -> Substrate:
        """The substrate with its digest."""
        return named

    @property
    def gaps(self) -> Sequence[str]:
        """What it was asked for since it was fresh that it does not do: no verdict may come of that."""
        return ()

    @property
    def url(self) -> str:
        """The address of its REST API."""
        host, port = self.targets[SERVER]
        return f"http://{host}:{port}"


class Local(Machine):
    """A desktop in a sandbox on this machine; a fresh one each episode."""

    def __init__(self, screen: tuple[int, int]) -> None:
        from unibench_guests.local import Desktop, LocalDesktop, substrate

        self._plan = Desktop(screen=screen)
        self._start = LocalDesktop
        self._named = substrate
        self._desktop: LocalDesktop | None = None

    def fresh(self) -> None:
        if self._desktop is None:
            self._desktop = self._start(self._plan)
        else:
            self._desktop.boot()

    @property
    def targets(self) -> Mapping[int, tuple[str, int]]:
        if self._desktop is None:
            raise EnvironmentFault("the local desktop is not running; reset first")
        return {port: ("127.0.0.1", here) for port, here in self._desktop.ports.items()}

    def substrate(self, named: Substrate) -> Substrate:
        return named.model_copy(update={"digest": self._named().digest})

    def close(self) -> None:
        if self._desktop is not None:
            self._desktop.close()
            self._desktop = None


class Remote(Machine):
    """A guest at an address. It cannot be reverted from here: its owner sees to its initial state.

    Raises:
        InvalidSetting: it is no address.
        Unavailable: nobody listens there.
    """

    def __init__(self, address: str) -> None:
        self._targets = parse_address(address)
        if why := self._silent():
            raise Unavailable(why)

    def _silent(self) -> str:
        """Why its server cannot be reached, asked by one connection: upstream and the client try for minutes. Empty if it can."""
        host, port = self._targets[SERVER]
        try:
            socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
        except TimeoutError:
            why = f"no connection within {CONNECT_SECONDS:g} s"
        except (OSError, UnicodeError) as error:
            said = getattr(error, "strerror", None) or str(error)
            why = said[:1].lower() + said[1:]
        else:
            return ""
        return f"no guest answers at {host}:{port}: {why}; is its server up?"

    def fresh(self) -> None:
        if why := self._silent():
            raise EnvironmentFault(why)

    @property
    def targets(self) -> Mapping[int, tuple[str, int]]:
        return self._targets

    def close(self) -> None:
        pass


def parse_address(address: str) -> dict[int, tuple[str, int]]:
    """``HOST[:SERVER[:CHROMIUM[:VNC[:VLC]]]]``, in upstream's order (``desktop_env.py``, ``_start_emulator``).

    Raises:
        InvalidSetting: it is no such address.
    """
    host, *ports = address.split(":")
    names = (SERVER, BROWSER, VNC, VLC)
    if not host or len(ports) > len(names) or not all(port.isdecimal() and 0 < int(port) < 65536 for port in ports):
        raise InvalidSetting(f"address {address!r} is no HOST[:SERVER[:CHROMIUM[:VNC[:VLC]]]]; set it with --set address=…")
    found = {name: (host, name) for name in names}
    found.update({name: (host, int(port)) for name, port in zip(names, ports, strict=False)})
    return found


class Provided(Machine):
    """A machine that one of upstream's providers starts and reverts (docker, vmware, virtualbox, aws …).

    The provider's code runs in the suite's environment, outside of the grader's box: it needs the host's tools and accounts.
    """

    def __init__(self, python: Path, settings: DesktopSettings) -> None:
        program = Path(__file__).parent / "grader" / "provider.py"
        self._child = subprocess.Popen(
            [str(python), str(program), json.dumps([settings.provider, settings.region, settings.vm_path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._targets: dict[int, tuple[str, int]] = {}

    def _ask(self, what: str) -> str:
        assert self._child.stdin is not None and self._child.stdout is not None
        try:
            self._child.stdin.write(what + "\n")
            self._child.stdin.flush()
            answer = json.loads(self._child.stdout.readline() or "{}")
        except (OSError, ValueError):
            answer = {}
        if "address" not in answer:
            error = answer.get("error", "upstream's provider ended")
            raise Unavailable(f"upstream's provider cannot {what} the machine: {error}", detail=str(answer.get("detail", "")))
        return str(answer["address"])

    def fresh(self) -> None:
        self._targets = parse_address(self._ask("revert" if self._targets else "start"))

    @property
    def targets(self) -> Mapping[int, tuple[str, int]]:
        if not self._targets:
            raise EnvironmentFault("the machine is not running; reset first")
        return self._targets

    def close(self) -> None:
        if self._child.poll() is None:
            try:
                self._child.communicate("stop\n", timeout=120)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()


SETTINGS_OF = {"address": "remote", "provider": "vm", "vm_path": "vm", "region": "vm"}
"""The settings that one substrate alone reads."""


def check_settings(substrate: str, settings: DesktopSettings, providers: Sequence[str] = ()) -> None:
    """Refuses what this substrate would ignore, and a provider that upstream does not have.

    Args:
        providers: upstream's; empty if they are not known.

    Raises:
        InvalidSetting: a setting is given that is another substrate's.
        UnknownName: there is no such provider.
    """
    for name, owner in SETTINGS_OF.items():
        if substrate != owner and getattr(settings, name) != type(settings).model_fields[name].default:
            raise InvalidSetting(f"{name} needs --substrate {owner}; this is {substrate}, which does not read it")
    if substrate == "vm" and providers and settings.provider.lower().strip() not in providers:
        raise UnknownName.among("provider", settings.provider, providers)


def make(substrate: str, settings: DesktopSettings, screen: tuple[int, int], python: Path) -> Machine:
    """The machine of a substrate.

    Raises:
        InvalidSetting: the substrate needs a setting that is not given.
    """
    if substrate == "remote":
        if not settings.address:
            raise InvalidSetting("the substrate remote needs the guest's address: --set address=HOST:PORT")
        return Remote(settings.address)
    if substrate == "vm":
        return Provided(python, settings)
    return Local(screen)
