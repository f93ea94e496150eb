"""The framework's verbs, by name. Each knows some uses, and says of every other that it is not simulated."""

from __future__ import annotations

import re
import time
from calendar import timegm
from typing import TYPE_CHECKING

from unibench_guests.simdevice.activities import am, input_, monkey
from unibench_guests.simdevice.device import Completed, NotSimulated
from unibench_guests.simdevice.packages import pm
from unibench_guests.simdevice.providers import content, sqlite3_

if TYPE_CHECKING:
    from unibench_guests.simdevice.device import SimulatedDevice, Verb

_PROPERTIES = {
    "ro.build.version.sdk": "33",
    "ro.build.version.release": "13",
    "ro.product.model": "simdevice",
    "ro.product.device": "simdevice",
    "ro.hardware": "simdevice",
    "ro.build.fingerprint": "unibench/simdevice",
    "sys.boot_completed": "1",
}


def whoami(device: SimulatedDevice, words: list[str]) -> str:
    return "root\n"


def getprop(device: SimulatedDevice, words: list[str]) -> str:
    if not words:
        return "".join(f"[{name}]: [{value}]\n" for name, value in _PROPERTIES.items())
    return _PROPERTIES.get(words[0], words[1] if len(words) > 1 else "") + "\n"


def settings(device: SimulatedDevice, words: list[str]) -> Completed | str:
    verb, space = words[0], words[1]
    if space not in device.state.settings:
        return Completed(255, b"", f"Invalid namespace '{space}'\n".encode())
    values = device.state.settings[space]
    match [verb, *words[2:]]:
        case ["get", name]:
            return values.get(name, "null") + "\n"
        case ["put", name, value] | ["put", name, value, "default"]:
            values[name] = value
            return ""
        case ["delete", name]:
            return f"Deleted {int(values.pop(name, None) is not None)} rows\n"
        case ["list"]:
            return "".join(f"{name}={value}\n" for name, value in sorted(values.items()))
    raise NotSimulated(f"settings {verb} with {len(words) - 2} arguments")


def svc(device: SimulatedDevice, words: list[str]) -> str:
    """Radios go on and off at once; a real device takes a moment."""
    what, verb = words
    names = {"wifi": "wifi_on", "bluetooth": "bluetooth_on", "data": "mobile_data"}
    if what not in names or verb not in ("enable", "disable"):
        raise NotSimulated("only wifi, bluetooth and data, enable and disable")
    device.state.settings["global"][names[what]] = str(int(verb == "enable"))
    return ""


def date(device: SimulatedDevice, words: list[str]) -> Completed | str:
    """Toybox's ``date`` over the device's own clock: no argument, ``+FORMAT``, or ``MMDDhhmm[[CC]YY][.ss]``."""
    if device.state.timezone not in ("UTC", "GMT"):
        raise NotSimulated(f"the time zone {device.state.timezone}")
    if len(words) > 1:
        raise NotSimulated("more than one argument")
    if words and words[0].startswith("+"):
        now = device.now()
        return time.strftime(words[0][1:].replace("%s", str(int(now))), time.gmtime(now)) + "\n"
    if words:
        found = re.fullmatch(r"(\d\d)(\d\d)(\d\d)(\d\d)(?:(\d\d)?(\d\d))?(?:\.(\d\d))?", words[0])
        if found is None:
            return Completed(1, b"", f"date: bad date '{words[0]}'\n".encode())
        month, day, hour, minute, century, year, second = found.groups()
        full = int(f"{century or 20}{year}") if year else time.gmtime(device.now()).tm_year
        wanted = (full, int(month), int(day), int(hour), int(minute), int(second or 0))
        seconds = timegm((*wanted, 0, 0, 0))
        if tuple(time.gmtime(seconds)[:6]) != wanted:
            return Completed(1, b"", f"date: bad date '{words[0]}'\n".encode())
        device.set_time(seconds)
    return time.strftime("%a %b %e %H:%M:%S UTC %Y\n", time.gmtime(device.now()))


def service(device: SimulatedDevice, words: list[str]) -> str:
    """``service call alarm 3 s16 ZONE`` sets the time zone (AlarmManager.setTimeZone on API 33)."""
    if words[:4] != ["call", "alarm", "3", "s16"]:
        raise NotSimulated("only the time zone is")
    device.state.timezone = words[4]
    return "Result: Parcel(00000000    '....')\n"


def wm(device: SimulatedDevice, words: list[str]) -> str:
    if words != ["size"]:
        raise NotSimulated("only 'wm size' is")
    return f"Physical size: {device.size[0]}x{device.size[1]}\n"


def dumpsys(device: SimulatedDevice, words: list[str]) -> str:
    width, height = device.size
    match words:
        case ["input"]:
            frame = f"[0, 0, {width}, {height}]"
            return (
                f"    Viewport INTERNAL: displayId=0, orientation=0, logicalFrame={frame}, physicalFrame={frame}, "
                f"deviceSize=[{width}, {height}]\n      SurfaceOrientation: 0\n"
            )
        case ["window"]:
            return "    mCurrentRotation=ROTATION_0\n"
        case ["activity", "recents"]:
            tasks = [f"  * Recent #{n}: Task{{abc #{n + 10} type=standard id={n + 10}}}\n" for n, _ in enumerate(device.state.stack[1:])]
            return "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n" + "".join(tasks)
        case ["telephony.registry"]:
            return "  mCallState=0\n"
    raise NotSimulated(f"dumpsys {' '.join(words)}")


def logcat(device: SimulatedDevice, words: list[str]) -> str:
    """Nothing is ever logged, so clearing the log is all there is to do."""
    if "-c" not in words:
        raise NotSimulated("only 'logcat -c' is")
    return ""


def restorecon(device: SimulatedDevice, words: list[str]) -> Completed | str:
    """There is no SELinux here, so contexts are always right; a path must exist all the same."""
    for path in (word for word in words if not word.startswith("-")):
        if not device.path(path).exists():
            return Completed(1, b"", f"restorecon: {path}: No such file or directory\n".encode())
    return ""


VERBS: dict[str, Verb] = {
    "am": am,
    "content": content,
    "date": date,
    "dumpsys": dumpsys,
    "getprop": getprop,
    "input": input_,
    "logcat": logcat,
    "monkey": monkey,
    "pm": pm,
    "restorecon": restorecon,
    "service": service,
    "settings": settings,
    "sqlite3": sqlite3_,
    "svc": svc,
    "whoami": whoami,
    "wm": wm,
}
