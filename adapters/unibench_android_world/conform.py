"""Replays a transcript on a fresh simulated device: ``python -m unibench_android_world.conform TRANSCRIPT [--bare]``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from unibench.errors import UnibenchError
from unibench_android_world import upstream
from unibench_guests.simdevice import SimulatedDevice, recording, transcript


def main(arguments: list[str]) -> int:
    """Writes every difference to stdout; 1 if there are any.

    Raises:
        Unavailable: there is no simulated device on this machine.
    """
    path = Path(arguments[0])
    about, calls = transcript.read(path)
    upstream.sweep(Path(tempfile.gettempdir()))
    folder = upstream.own_folder()
    try:
        found = list(_differences(folder, calls, path, bare="--bare" in arguments))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for difference in found:
        sys.stdout.write(f"{difference}\n")
    differing = len({difference.number for difference in found})
    if about.simulated:
        sys.stdout.write(f"recorded on a simulated device ({about.device}): this tells what has changed since, and nothing about phones\n")
    sys.stdout.write(f"recorded on {about.device}: {len(calls)} commands, {len(calls) - differing} the same, {differing} not\n")
    return 1 if found else 0


def _differences(folder: Path, calls: list[transcript.Call], path: Path, *, bare: bool) -> Iterator[transcript.Difference]:
    place = folder / "device"
    place.mkdir()
    if bare:
        device = SimulatedDevice(place)
    else:
        from unibench_android_world import provision

        device = SimulatedDevice(place, packages=provision.packages())
        provision.provision(device)
    try:
        yield from transcript.conform(device, calls, recording.files_of(path))
    finally:
        device.close()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UnibenchError as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(problem.exit_code)
