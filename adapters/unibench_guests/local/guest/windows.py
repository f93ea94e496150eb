"""Windows: found, raised and closed by ``wmctrl``, whose rules for titles and classes are part of upstream's API."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from Xlib import X, display, error

# Debian's browser says Chromium in its titles; 28 of OSWorld's tasks look for the name that Ubuntu's image shows.
CHROME = ("Google Chrome", "Chromium")

SESSION = frozenset(("bwrap", "Xvfb", "openbox", "dbus-daemon", "at-spi-bus-laun", "at-spi2-registr", "dconf-service"))
"""What a session consists of, as the kernel names it (15 characters); beside it only the server."""


def titles() -> dict[str, str]:
    """The id and title of every window."""
    listed = subprocess.run(["wmctrl", "-l"], capture_output=True, check=False)
    found = {}
    for line in listed.stdout.decode(errors="replace").splitlines():
        fields = line.split(None, 3)
        if len(fields) >= 3:
            found[fields[0]] = fields[3] if len(fields) == 4 else ""
    return found


def act(action: str, name: str, *, strict: bool, by_class: bool, seconds: float = 0.0) -> bool:
    """Activates (``a``) or closes (``c``) a window; false if there is no such window after ``seconds``.

    Args:
        name: a part of the title, in any case; of the class where ``by_class``.
        strict: the whole title, with its case.
    """
    options = "-" + "x" * by_class + "F" * strict + action
    until = time.monotonic() + seconds
    while True:
        for each in dict.fromkeys((name, name.replace(*CHROME))):
            if subprocess.run(["wmctrl", options, each], capture_output=True, check=False).returncode == 0:
                return True
        if time.monotonic() >= until or not programs_run():
            return False
        time.sleep(0.1)


def programs_run() -> bool:
    """Whether anything but the session itself runs; else no window will ever come up."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "comm").read_text().strip()
        except OSError:
            continue
        if name not in SESSION and int(process.name) != os.getpid():
            return True
    return False


def wait_for(*parts: str, seconds: float) -> bool:
    """Waits for a window whose title contains one of the texts, and activates it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for window, title in titles().items():
            if any(part in title for part in parts):
                return subprocess.run(["wmctrl", "-i", "-a", window], capture_output=True, check=False).returncode == 0
        time.sleep(0.1)
    return False


def size_of(name: str) -> tuple[int, int] | None:
    """Width and height of the first window of a class, in any case."""
    shown = display.Display()
    try:
        root = shown.screen().root
        listed = root.get_full_property(shown.intern_atom("_NET_CLIENT_LIST"), X.AnyPropertyType)
        for window in listed.value if listed else ():
            try:
                each = shown.create_resource_object("window", window)
                if name.lower() in [part.lower() for part in each.get_wm_class() or ()]:
                    geometry = each.get_geometry()
                    return geometry.width, geometry.height
            except error.XError:
                continue
        return None
    finally:
        shown.close()
