"""The emulator's console: text messages come in through it, and snapshots are kept and loaded."""

from __future__ import annotations

import re
import sqlite3

from unibench_guests.simdevice.device import SimulatedDevice
from unibench_guests.simdevice.providers import RECEIVED, add_message

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


def answer(device: SimulatedDevice, line: str) -> str:
    """Does what a line asks for. A line that is not known leaves a gap.

    Returns:
        What the console says; its last line begins with OK or KO.
    """
    try:
        return _done(device, line)
    except (OSError, sqlite3.Error) as error:
        return f"KO: {error}"


def _done(device: SimulatedDevice, line: str) -> str:
    match line.strip().split(" ", 3):
        case ["sms", "send", number, text]:
            add_message(device, number, text, RECEIVED)
            return "OK"
        case ["avd", "name"]:
            return "simdevice\nOK"
        case ["avd", "snapshot", "list"]:
            return "\n".join([*device.snapshots(), "OK"])
        case ["avd", "snapshot", "save", name] if _NAME.fullmatch(name):
            device.keep(name)
            return "OK"
        case ["avd", "snapshot", "load", name]:
            if name not in device.snapshots():
                return f"KO: there is no snapshot {name}"
            device.load(name)
            return "OK"
    device.note(f"emulator console: {line.strip()}")
    return "KO: not simulated"
