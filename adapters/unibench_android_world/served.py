"""A simulated device with AndroidWorld's apps, served as an emulator is: adb, console, gRPC, and the forwarder's accessibility stream.

``python -m unibench_android_world.served [--console-port PORT] [--grpc-port PORT]`` serves one until it is interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path

from unibench.errors import UnibenchError
from unibench_guests.simdevice import SimulatedDevice
from unibench_guests.simdevice.adbd import AdbDevice


class Served:
    """The device and its servers, on loopback.

    Args:
        folder: where the device's files go.
        console_port, grpc_port: the ports; a free pair and a free one else.

    Attributes:
        device: the simulated device.
        console_port, grpc_port: what upstream's ``load_and_setup_env`` asks for; adb's port is the console's plus one.
    """

    def __init__(self, folder: Path, console_port: int | None = None, grpc_port: int = 0) -> None:
        from unibench_android_world import front, provision

        place = Path(tempfile.mkdtemp(prefix="device-", dir=folder))
        with contextlib.ExitStack() as stack:
            stack.callback(shutil.rmtree, place, ignore_errors=True)
            self.device = SimulatedDevice(place, packages=provision.packages(), clock_runs=True)
            stack.callback(self.device.close)
            provision.provision(self.device)
            adbd = AdbDevice(self.device, console_port)
            stack.callback(adbd.close)
            adbd.announce()
            served = front.Front(self.device, grpc_port)
            stack.callback(served.close)
            self._open = stack.pop_all()
        self.console_port: int = adbd.console_port
        self.grpc_port: int = served.port

    def close(self) -> None:
        self._open.close()


def main() -> int:
    """Serves a device, says on stdout where, and waits until it is interrupted."""
    parser = argparse.ArgumentParser(description="A simulated device, served as an emulator is.")
    parser.add_argument("--console-port", type=int)
    parser.add_argument("--grpc-port", type=int, default=0)
    asked = parser.parse_args()
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    from unibench_android_world import upstream

    upstream.sweep(Path(tempfile.gettempdir()))
    folder = upstream.own_folder()
    try:
        served = Served(folder, asked.console_port, asked.grpc_port)
    except UnibenchError as error:
        shutil.rmtree(folder, ignore_errors=True)
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    try:
        sys.stdout.write(f"a simulated device, no emulator: emulator-{served.console_port}\n")
        sys.stdout.write(f"for a repro.py: --console-port {served.console_port} --grpc-port {served.grpc_port} --has-forwarder\n")
        sys.stdout.write(f"for adb: -s emulator-{served.console_port}; Ctrl-C ends it\n")
        sys.stdout.flush()
        over.wait()
    finally:
        served.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
