"""A desktop in a box: real programs, a home of its own, and OSWorld's REST API on a loopback port."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import httpx

from unibench.errors import EnvironmentFault
from unibench_guests.box import SYSTEM, Box, Mount, Plan
from unibench_guests.local import programs
from unibench_guests.local.home_template import prepared

SERVER, BROWSER, VLC = 5000, 9222, 8080
_GIB = 1 << 30
_DESKTOP_ETC = ("X11", "fonts", "xdg", "gtk-2.0", "gtk-3.0", "dbus-1", "dconf", "ssl", "ca-certificates")
_PROGRAMS_ETC = ("libreoffice", "vlc", "gimp", "thunderbird")
_BOOT_SECONDS = 30.0


@dataclass(frozen=True)
class Desktop:
    """How a local desktop is made.

    Attributes:
        screen: width and height in pixels.
        home: the folder below the home's fresh writable layer; the desktop's own template by default.
        reach: loopback ports of the guest, and the host's loopback port that each leads to; there is no other network.
        memory: bytes that the guest's processes may hold; ``disk``: bytes of its home's writable layer, in memory too.
        processes: most processes and threads.
        files: most files and folders in each writable file system.
        environment: environment variables of its programs, beside the session's own.
    """

    screen: tuple[int, int] = (1920, 1080)
    home: Path = programs.HOME
    reach: Mapping[int, int] = field(default_factory=dict)
    memory: int = 6 * _GIB
    disk: int = 2 * _GIB
    processes: int = 2048
    files: int = 100_000
    environment: Mapping[str, str] = field(default_factory=dict)


class LocalDesktop:
    """A running desktop; a context manager. Nothing of it outlives the process that made it.

    Raises:
        Unavailable: programs are missing, or this system does not let bubblewrap work; the message has the mend.
        EnvironmentFault: the session did not come up.
    """

    def __init__(self, desktop: Desktop | None = None) -> None:
        self.desktop = desktop or Desktop()
        programs.check_installed()
        self._box: Box | None = None
        self.boot()

    def boot(self) -> None:
        """Ends the machine, if it runs, and starts a fresh one with an untouched home. Its ports change."""
        self.close()
        self._box = Box(_plan(self.desktop), stderr=subprocess.PIPE)
        try:
            self._wait()
        except BaseException:
            self.close()
            raise

    reset = boot

    def _wait(self) -> None:
        assert self._box is not None
        until = time.monotonic() + _BOOT_SECONDS
        with httpx.Client(base_url=self.url, timeout=_BOOT_SECONDS, trust_env=False) as client:
            while True:
                try:
                    if client.get("/platform").status_code == 200:
                        return
                except httpx.TransportError:
                    pass
                if not self._box.alive:
                    said = self._box.stderr.read().decode(errors="replace") if self._box.stderr else ""
                    last = said.strip().splitlines()[-1:] or [self._box.ended or "killed"]
                    raise EnvironmentFault(f"the local desktop ended while it started: {last[0]}", detail=said[-4000:])
                if time.monotonic() > until:
                    raise EnvironmentFault(f"the local desktop did not answer within {_BOOT_SECONDS:g} s")
                time.sleep(0.01)

    @property
    def ports(self) -> Mapping[int, int]:
        """The guest's ports (5000 server, 9222 browser, 8080 VLC), and the loopback port here that leads to each."""
        if self._box is None:
            raise EnvironmentFault("the local desktop is closed")
        return self._box.ports

    @property
    def url(self) -> str:
        """The address of its REST API."""
        return f"http://127.0.0.1:{self.ports[SERVER]}"

    @property
    def alive(self) -> bool:
        return self._box is not None and self._box.alive

    @property
    def ended(self) -> str:
        """Why it ended: ``exit``, ``memory``, ``closed``; empty while it runs."""
        return self._box.ended if self._box else "closed"

    def close(self) -> None:
        """Ends it; returns when its last process is gone. Safe to call twice."""
        box, self._box = self._box, None
        if box is not None:
            box.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _plan(desktop: Desktop) -> Plan:
    width, height = desktop.screen
    return Plan(
        argv=[str(programs.SYSTEM_PYTHON), "/opt/unibench/guest/session.py"],
        mounts=_mounts(desktop),
        environment={**_environment(), "UNIBENCH_SCREEN": f"{width}x{height}", **desktop.environment},
        ports=(SERVER, BROWSER, VLC),
        reach=desktop.reach,
        hostname="user-virtual-machine",
        memory=desktop.memory,
        processes=desktop.processes,
        files=desktop.files,
        chdir="/home/user",
        nested=True,
    )


def _mounts(desktop: Desktop) -> list[Mount]:
    guest = programs.GUEST
    version = f"python3.{_minor()}"
    mounts = [
        *SYSTEM,
        *(Mount("ro", f"/etc/{name}", f"/etc/{name}", optional=True) for name in _DESKTOP_ETC + _PROGRAMS_ETC),
        *(Mount("ro", f"/etc/{name}", str(guest / "etc" / name)) for name in ("passwd", "group", "hosts", "machine-id", "shells")),
        Mount("ro", "/var/cache/fontconfig", "/var/cache/fontconfig", optional=True),
        Mount("ro", "/var/lib/libreoffice", "/var/lib/libreoffice", optional=True),
        Mount("ro", "/var/lib/dbus", str(guest / "etc"), optional=True),
        Mount("tmpfs", "/var/tmp", size=_GIB // 4),
        Mount("tmpfs", "/tmp", size=_GIB),
        Mount("tmpfs", "/run", size=_GIB // 8),
        Mount("tmpfs", "/dev/shm", size=_GIB),
        Mount("tmpfs", "/usr/local", size=1 << 20),
        Mount("ro", "/usr/local/bin", str(guest / "bin")),
        Mount("tmpfs", "/opt", size=1 << 20),
        Mount("ro", "/opt/unibench/guest", str(guest)),
        Mount("overlay", "/home/user", str(prepared(desktop.home)), size=desktop.disk),
    ]
    for name, folder in programs.python_packages().items():
        mounts.append(Mount("ro", f"/usr/local/lib/{version}/dist-packages/{name}", str(folder)))
    # A process that is named chrome: tasks end it by that name, and a link would not change it.
    for file in sorted(Path("/usr/lib/chromium").glob("*")):
        name = "chrome" if file.name == "chromium" else file.name
        mounts.append(Mount("ro", f"/opt/google/chrome/{name}", str(file)))
    return mounts


def _minor() -> int:
    """The minor version of the system's Python 3: the folder of its packages is named after it."""
    return max(int(path.name.rpartition(".")[2]) for path in Path("/usr/lib").glob("python3.[0-9]*"))


def _environment() -> dict[str, str]:
    return {
        "HOME": "/home/user",
        "USER": "user",
        "LOGNAME": "user",
        "SHELL": "/bin/bash",
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/games",
        "LANG": "C.UTF-8",
        "DISPLAY": ":0",
        "XAUTHORITY": "/home/user/.Xauthority",
        "XDG_RUNTIME_DIR": "/run/user/1000",
        "XDG_SESSION_TYPE": "x11",
        "XDG_CURRENT_DESKTOP": "X-Generic",
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
        "GTK_MODULES": "gail:atk-bridge",
        "GNOME_ACCESSIBILITY": "1",
        "QT_ACCESSIBILITY": "1",
        "SAL_USE_VCLPLUGIN": "gtk3",
        "LIBGL_ALWAYS_SOFTWARE": "1",
        # Its windows' class is Mail.thunderbird, as on OSWorld's machine and in its tasks, and not Debian's Mail.thunderbird-default.
        "MOZ_APP_REMOTINGNAME": "thunderbird",
    }
