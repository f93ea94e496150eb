"""``pm``: which packages are there, and their data."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from unibench_guests.simdevice.device import Completed, NotSimulated

if TYPE_CHECKING:
    from unibench_guests.simdevice.device import SimulatedDevice

PROVIDERS = ("com.android.providers.contacts", "com.android.providers.telephony")
"""Packages of the framework itself, which own the content providers' databases."""


def pm(device: SimulatedDevice, words: list[str]) -> Completed | str:
    from unibench_guests.simdevice.activities import force_stop

    match words:
        case ["list", "packages"] | ["list", "packages", "-f"]:
            return "".join(f"package:{package}\n" for package in device.packages)
        case ["clear", package]:
            if package not in device.packages and package not in PROVIDERS:
                return Completed(1, b"Failed\n")
            folder = device.path(f"/data/data/{package}")
            for entry in list(folder.iterdir()) if folder.is_dir() else []:
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
            force_stop(device, package)
            return "Success\n"
        case ["grant" | "revoke" as verb, package, permission]:
            if package not in device.packages:
                return Completed(255, b"", f"Exception occurred while executing '{verb}': Unknown package: {package}\n".encode())
            change = device.state.granted.add if verb == "grant" else device.state.granted.discard
            change((package, permission))
            return ""
    raise NotSimulated(f"pm {' '.join(words)}")
