"""What an adb client does, for a simulated device in this process: the client's own part of push and pull is here too."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from unibench_guests.simdevice import console
from unibench_guests.simdevice.device import Completed, SimulatedDevice


def run(device: SimulatedDevice, args: Sequence[str], *, seconds: float = 60.0) -> Completed:
    """Runs ``adb ARGS``, without the options that choose server and device."""
    match list(args):
        case ["shell", *words]:
            return device.shell(" ".join(words), seconds=seconds)
        case ["push", local, remote]:
            return push(device, Path(local), remote)
        case ["pull", remote, local]:
            return pull(device, remote, Path(local))
        case ["emu", *words]:
            said = console.answer(device, " ".join(words))
            return Completed(0, f"{said}\n".encode())  # the client ends well, whatever the console says
        case ["root"]:
            return Completed(0, b"adbd is already running as root\n")
    device.note(f"adb {' '.join(args)}")
    return Completed(1, b"", b"adb: not simulated\n")


def push(device: SimulatedDevice, local: Path, remote: str) -> Completed:
    """One file to the device, as the client and adbd do it: into a folder under its own name, missing folders made."""
    try:
        with device.lock:
            target = device.path(remote)
            if remote.endswith("/") and not target.is_dir():
                raise IsADirectoryError(21, "remote Is a directory")
            if target.is_dir():
                target = device.path(f"{remote}/{local.name}")
            with local.open("rb"):  # without it, no folder is made
                target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(local, target)
            target.chmod(0o660)
    except (OSError, ValueError) as error:
        return _failed(f"failed to copy '{local}' to '{remote}'", error)
    device.settle_times()
    return Completed(0, f"{local}: 1 file pushed, 0 skipped.\n".encode())


def pull(device: SimulatedDevice, remote: str, local: Path) -> Completed:
    """One file from the device."""
    try:
        source = device.path(remote)
        if not source.exists():
            raise FileNotFoundError(2, "No such file or directory")
    except (OSError, ValueError) as error:
        return _failed(f"failed to stat remote object '{remote}'", error)
    try:
        shutil.copyfile(source, local / source.name if local.is_dir() else local)
    except OSError as error:
        return _failed(f"failed to copy '{remote}' to '{local}'", error)
    device.settle_times()
    return Completed(0, f"{remote}: 1 file pulled, 0 skipped.\n".encode())


def _failed(what: str, error: OSError | ValueError) -> Completed:
    why = getattr(error, "strerror", None) or str(error)
    return Completed(1, b"", f"adb: error: {what}: {why}\n".encode(errors="replace"))
