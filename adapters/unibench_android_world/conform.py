"""Replays a transcript on a fresh simulated device: ``python -m unibench_android_world.conform TRANSCRIPT [--bare]``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from unibench.errors import UnibenchError
from unibench_guests.simdevice import SimulatedDevice, recording, transcript


def main(arguments: list[str]) -> int:
    """Writes every difference to stdout; 1 if there are any.

    Raises:
        Unavailable: there is no simulated device on this machine.
    """
    path = Path(arguments[0])
    about, calls = transcript.read(path)
    with tempfile.TemporaryDirectory() as folder:
        if "--bare" in arguments:
            device = SimulatedDevice(Path(folder))
        else:
            from unibench_android_world import provision

            device = SimulatedDevice(Path(folder), packages=provision.packages())
            provision.provision(device)
        try:
            found = list(transcript.conform(device, calls, recording.files_of(path)))
        finally:
            device.close()
    for difference in found:
        sys.stdout.write(f"{difference}\n")
    differing = len({difference.number for difference in found})
    if about.simulated:
        sys.stdout.write(f"recorded on a simulated device ({about.device}): this tells what has changed since, and nothing about phones\n")
    sys.stdout.write(f"recorded on {about.device}: {len(calls)} commands, {len(calls) - differing} the same, {differing} not\n")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UnibenchError as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(problem.exit_code)
