"""The desktop session inside the guest: X server, D-Bus, window manager, accessibility, then the REST server.

Runs as the guest's user on Debian's own Python, with the standard library and ``python3-xlib``.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

HOME = Path("/home/user")
RUNTIME = Path("/run/user/1000")
LOGS = Path("/tmp/session")
START_SECONDS = 20.0
LESS_GREATER = 94


def write_xauthority(path: Path) -> None:
    """A real cookie: without one, python-xlib prints a warning to stdout, into the answers of upstream's controllers."""

    def field(data: bytes) -> bytes:
        return struct.pack(">H", len(data)) + data

    local = 256
    fields = (socket.gethostname().encode(), b"0", b"MIT-MAGIC-COOKIE-1", secrets.token_bytes(16))
    path.write_bytes(struct.pack(">H", local) + b"".join(field(each) for each in fields))
    path.chmod(0o600)


def start(*command: str, **more: object) -> subprocess.Popen[bytes]:
    with (LOGS / f"{Path(command[0]).name}.log").open("ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **more)  # type: ignore[call-overload, no-any-return]


def start_display() -> int:
    """Starts the X server; returns a descriptor that becomes readable when it answers."""
    ready, tell = os.pipe()
    width, height = os.environ["UNIBENCH_SCREEN"].split("x")
    start(
        *("Xvfb", ":0", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-auth", os.environ["XAUTHORITY"]),
        *("-fbdir", str(RUNTIME), "-displayfd", str(tell), "-noreset"),
        pass_fds=(tell,),
    )
    os.close(tell)
    return ready


def wait_for_path(path: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while not path.exists():
        if time.monotonic() > until:
            raise SystemExit(f"{path} did not appear within {START_SECONDS:g} s")
        time.sleep(0.005)


def wait_for_window_manager() -> None:
    from Xlib import X, display

    until = time.monotonic() + START_SECONDS
    shown = display.Display()
    # The key beside the left Shift of European keyboards: pyautogui would type "<" with it and Shift, which makes ">".
    shown.change_keyboard_mapping(LESS_GREATER, [(0, 0)])
    root, atom = shown.screen().root, shown.intern_atom("_NET_SUPPORTING_WM_CHECK")
    while root.get_full_property(atom, X.AnyPropertyType) is None:
        if time.monotonic() > until:
            raise SystemExit("no window manager came up")
        time.sleep(0.005)
    shown.close()


def keep_log() -> None:
    """From here on nobody reads our stderr: a full pipe would stop us."""
    log = os.open(LOGS / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)


def pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def carry(listening: socket.socket, port: int) -> None:
    """Leads each connection to a port of the guest's loopback."""

    def one(near: socket.socket) -> None:
        try:
            far = socket.create_connection(("127.0.0.1", port), timeout=10)
        except OSError:
            near.close()
            return
        far.settimeout(None)
        back = threading.Thread(target=pump, args=(far, near), daemon=True)
        back.start()
        pump(near, far)
        back.join()
        near.close()
        far.close()

    while True:
        near, _ = listening.accept()
        threading.Thread(target=one, args=(near,), daemon=True).start()


def main() -> None:
    ports = {int(port): socket.socket(fileno=fd) for port, fd in json.loads(os.environ.pop("UNIBENCH_PORTS")).items()}
    for folder in (RUNTIME, Path("/tmp/.X11-unix"), HOME / "Desktop", LOGS):
        folder.mkdir(parents=True, exist_ok=True)
    RUNTIME.chmod(0o700)
    Path("/tmp/.X11-unix").chmod(0o1777)
    os.chdir(HOME)
    write_xauthority(Path(os.environ["XAUTHORITY"]))
    ready = start_display()
    start("dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={os.environ['DBUS_SESSION_BUS_ADDRESS']}")
    import server  # while the two start

    # It writes the number and the end of the line one after the other, and ends if it cannot.
    with os.fdopen(ready, "rb") as answer:
        if not answer.readline().endswith(b"\n"):
            raise OSError("the X server ended while it started")
    start("openbox", "--config-file", str(Path(__file__).parent / "openbox.xml"))
    wait_for_path(RUNTIME / "bus")
    status = ["--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus", "--method", "org.freedesktop.DBus.Properties.Set"]
    enabling = start("gdbus", "call", "--session", *status, "org.a11y.Status", "IsEnabled", "<true>")
    wait_for_window_manager()
    enabling.wait(START_SECONDS)
    for port, listening in ports.items():
        if port != server.PORT:
            threading.Thread(target=carry, args=(listening, port), daemon=True).start()
    keep_log()
    server.serve(ports[server.PORT])


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        main()
    except Exception:
        for log in sorted(LOGS.glob("*.log")):
            sys.stderr.write(f"{log.name}: {log.read_text(errors='replace')[-1000:]}\n")
        raise
