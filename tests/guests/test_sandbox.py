"""Untrusted code in the sandbox: what it can see, and that it cannot get out, get at the network, or take the machine along."""

from __future__ import annotations

import http.server
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from unibench_guests.box import state_folder
from unibench_guests.sandbox import Limits, Ran, Sees, run, run_python

pytestmark = pytest.mark.usefixtures("sandboxed")
MIB = 1 << 20


def shell(script: str, **more: object) -> Ran:
    return run(["sh", "-c", script], **more)  # type: ignore[arg-type]


def test_output_and_status_come_back() -> None:
    ran = run(["sh", "-c", "cat; echo no >&2; exit 3"], stdin=b"hello")
    assert (ran.ended, ran.returncode, ran.stdout, ran.stderr) == ("exit", 3, b"hello", b"no\n")
    assert not ran.ok


def test_a_signal_is_told_apart_from_a_status() -> None:
    assert (shell("kill -9 $$").ended, shell("kill -9 $$").returncode) == ("signal", 137)


def test_this_python_and_its_packages_run_inside() -> None:
    ran = run_python(["-c", "import pydantic, unibench.record; print(unibench.record.digest(1))"])
    assert ran.ok, ran.stderr
    assert ran.stdout.strip() == b"6b86b273ff34fce19d6b804eff5a3f57"


def test_it_sees_no_home_no_secrets_and_no_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    monkeypatch.setenv("API_KEY", "swordfish")
    ran = shell(f"cat {secret} ~/.* {Path.home()}/.bashrc /etc/shadow /etc/passwd /proc/1/environ; env; ls / {Path.home()}")
    assert b"swordfish" not in ran.stdout + ran.stderr
    assert b"root:" not in ran.stdout
    assert b"root\n" not in ran.stdout and b"home\n" not in ran.stdout


def test_it_writes_nowhere_but_in_its_scratch_folder(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    seen.chmod(0o777)
    places = f"/usr/x /etc/x /x /dev/x /run/x {seen}/x"
    ran = shell(f"for f in {places} {tmp_path}/x; do echo no > $f && echo wrote; done; echo yes > x && cat x", sees=Sees([seen]))
    assert ran.stdout.split() == [b"wrote", b"yes"], "the folder above a named one is in memory, and may be written"
    assert list(seen.iterdir()) == [] and list(tmp_path.iterdir()) == [seen]


def test_a_link_it_makes_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("swordfish")
    assert (
        b"swordfish"
        not in shell(f"ln -s {tmp_path}/target link; cat link; cat /proc/1/root{tmp_path}/target; cat /proc/self/cwd/link").stdout
    )


def test_it_has_no_network_but_the_ports_that_are_named() -> None:
    class Hello(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    ask = ["python3", "-c", f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{port}/', timeout=5).read())"]
    try:
        assert not run(ask).ok
        ran = run(ask, sees=Sees(ports=[port]))
        assert ran.ok and b"hello" in ran.stdout, ran.stderr
    finally:
        server.shutdown()
        server.server_close()
    outside = run(["python3", "-c", "import socket; s = socket.socket(); s.settimeout(3); s.connect(('192.0.2.1', 80))"])
    assert not outside.ok and b"unreachable" in outside.stderr
    assert b"lo" in run(["python3", "-c", "import socket; print([n for _, n in socket.if_nameindex()])"]).stdout


def test_no_unix_socket_of_the_host_is_reached(tmp_path: Path) -> None:
    name = f"unibench-test-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{name}")
        listening.listen()
        ran = run(["python3", "-c", f"import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}')"])
    assert not ran.ok


def test_a_fork_bomb_is_bounded_and_leaves_nothing() -> None:
    word = secrets.token_hex(8)
    code = f"import os, time  # {word}\nwhile True:\n try: os.fork()\n except OSError: time.sleep(0.01)"
    ran = run(["python3", "-c", code], limits=Limits(seconds=1.5, processes=50))
    assert ran.ended == "deadline"
    assert _none_left(word)


def test_endless_output_is_read_and_thrown_away() -> None:
    ran = shell("yes", limits=Limits(seconds=5, output=1000))
    assert (ran.ended, ran.truncated, len(ran.stdout)) == ("deadline", True, 1000)


def test_a_hang_ends_at_the_deadline_with_its_children() -> None:
    sleep = _sleep()
    ran = shell(f"trap '' TERM INT; (setsid {sleep} &) ; {sleep}", limits=Limits(seconds=0.5))
    assert ran.ended == "deadline"
    assert _none_left(sleep)


@pytest.mark.parametrize("one_each", [False, True], ids=["one process", "many"])
def test_memory_is_bounded(one_each: bool) -> None:
    one = "x = []\nwhile True: x.append(bytes(b'1') * (10 << 20)); time.sleep(0.005)"
    many = "for _ in range(40):\n if not os.fork(): x = b'1' * (20 << 20); time.sleep(100)\ntime.sleep(100)"
    ran = run(["python3", "-c", f"import os, time\n{many if one_each else one}"], limits=Limits(seconds=20, memory=300 * MIB))
    assert ran.ended == "memory"


def test_disk_is_bounded() -> None:
    ran = shell("cat /dev/zero > a; cat /dev/zero > b; stat -c %s a b", limits=Limits(scratch=8 * MIB))
    assert sum(int(size) for size in ran.stdout.split()) <= 8 * MIB


def test_it_makes_no_user_namespaces() -> None:
    assert not shell("unshare -Ur id").ok


def test_nothing_is_left_when_the_owner_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sleep = _sleep()
    code = f"from unibench_guests.sandbox import run\nprint('x', flush=True)\nrun({sleep.split()!r})"
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert owner.stdout and owner.stdout.readline()
    until = time.monotonic() + 20
    while not (found := any(line.startswith(sleep) for line in _running(sleep))) and time.monotonic() < until:
        time.sleep(0.02)
    assert found
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    assert _none_left(sleep)
    until = time.monotonic() + 20
    while list(state_folder().glob("box-*")) and time.monotonic() < until:
        time.sleep(0.02)
    assert not list(state_folder().glob("box-*"))


def _sleep() -> str:
    """A command that no other test of this machine runs."""
    return f"sleep {10**5 + secrets.randbelow(10**8)}"


def _running(words: str) -> list[str]:
    """The command lines with the words in them."""
    shown = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in shown.splitlines() if words in line]


def _none_left(words: str) -> bool:
    until = time.monotonic() + 20
    while (left := _running(words)) and time.monotonic() < until:
        time.sleep(0.02)
    return not left
