"""The simulated device under commands, files and lines that mean it harm: it answers, holds no host resource for ever, and stays one."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from unibench.errors import Unavailable
from unibench_guests.simdevice import SimulatedDevice, client, console, device, programs, userland

pytestmark = pytest.mark.skipif(
    bool(userland.missing()), reason="apt install mksh toybox, then: pytest tests/unit/test_simdevice_hostile.py"
)


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[SimulatedDevice]:
    made = SimulatedDevice(tmp_path / "device")
    made.keep()
    yield made
    made.close()


def inside(phone: SimulatedDevice) -> list[str]:
    """The command lines of what runs in the device's root."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and (process / "root").readlink() == phone.root:
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


@pytest.mark.parametrize("verb", ["echo $X", "settings put global x"])
def test_a_line_longer_than_linux_takes_is_refused(phone: SimulatedDevice, verb: str) -> None:
    done = phone.shell(f"{verb} {'a' * 5_000_000}")
    assert (done.code, done.err) == (126, b"sh: Argument list too long\n")


def test_half_a_character_is_no_crash(phone: SimulatedDevice) -> None:
    assert phone.shell("settings put global x \ud83d").code == 1
    assert phone.shell("echo \ud83d $X").code == 1
    assert phone.framework(["settings", "put", "global", "x", "\ud83d"]).code == 1
    assert phone.shell("settings get global x").out == b"null\n"


def test_a_statement_without_end_ends(phone: SimulatedDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "SQL_SECONDS", 0.2)
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c"
    assert phone.shell(f"sqlite3 /data/x.db '{endless}'").err == b"Error: interrupted\n"
    assert phone.shell("sqlite3 /data/x.db 'SELECT length(zeroblob(900000000))'").err == b"Error: string or blob too big\n"


def test_output_without_end_ends(phone: SimulatedDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MOST_OUTPUT", 1 << 20)
    done = phone.shell("yes $X")
    assert done.code == 124
    assert done.err == b"simulated device: the command wrote more than 1 MB\n"
    assert len(done.out) < 2 << 20
    assert phone.shell("exec >&- 2>&-; sleep 60", seconds=0.2).code == 124


def test_what_a_command_leaves_running_ends_with_the_device_and_with_its_state(tmp_path: Path) -> None:
    phone = SimulatedDevice(tmp_path)
    phone.keep()
    for end in (phone.restore, phone.close):
        phone.shell("sleep 300 >/dev/null 2>&1 & sleep 301 & exit 0", seconds=3)
        assert len(inside(phone)) == 2
        end()
        assert inside(phone) == []


def test_snapshots_are_saved_and_loaded_while_commands_run(phone: SimulatedDevice, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    over = threading.Event()
    commands = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); mkdir -p /data/w/$i/a; echo x > /data/w/$i/a/f; rm -r /data/w; done 2>/dev/null"

    def work() -> None:
        while not over.is_set():
            phone.shell(commands)
            client.push(phone, tmp_path / "file", "/data/p/q/file")

    with ThreadPoolExecutor(2) as pool:
        working = [pool.submit(work) for _ in range(2)]
        said = [console.answer(phone, f"avd snapshot {verb} s") for _ in range(15) for verb in ("save", "load")]
        over.set()
        assert (said, [each.result() for each in working]) == (["OK"] * 30, [None, None])
    phone.restore()
    assert phone.shell("ls /data").out == b"data\nlocal\nmedia\n"


def test_a_snapshot_that_cannot_be_copied_leaves_the_device_and_the_old_one(
    phone: SimulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone.shell("echo one > /data/f")
    assert console.answer(phone, "avd snapshot save s") == "OK"
    phone.shell("echo two > /data/f")
    full = "cp: error writing '/x': No space left on device"
    with monkeypatch.context() as broken:
        broken.setattr(device, "_copy", lambda source, target: device._run("sh", "-c", f'echo "{full}" >&2; exit 1'))
        for verb in ("save", "load"):
            assert console.answer(phone, f"avd snapshot {verb} s") == f"KO: {full}"
    assert phone.shell("cat /data/f").out == b"two\n"
    assert console.answer(phone, "avd snapshot load s") == "OK"
    assert phone.shell("cat /data/f").out == b"one\n"


@pytest.mark.parametrize("break_it", ["echo junk > $D/databases/mmssms.db", "rm -r $D; echo > $D"])
def test_the_console_says_what_it_cannot_do(phone: SimulatedDevice, break_it: str) -> None:
    folder = "/data/data/com.android.providers.telephony"
    phone.shell(f"D={folder}; mkdir -p $D/databases; {break_it}")
    assert console.answer(phone, "sms send 1 x").startswith("KO: ")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["push", "/none", "/data/x"], b"No such file"),
        (["push", "{tmp}", "/data/x"], b"Is a directory"),
        (["push", "{tmp}/file", "/dev/null/x"], b"cannot"),
        (["pull", "/data", "{tmp}/x"], b"Is a directory"),
        (["pull", "/data/pipe", "{tmp}/x"], b"named pipe"),
        (["pull", "/data/file", "/none/x"], b"No such file"),
        (["pull", "/" + "a" * 300, "{tmp}/x"], b"File name too long"),
    ],
)
def test_what_cannot_be_pushed_or_pulled_is_said(phone: SimulatedDevice, tmp_path: Path, words: list[str], says: bytes) -> None:
    (tmp_path / "file").write_text("x")
    phone.shell("mkfifo /data/pipe; echo x > /data/file")
    done = client.run(phone, [word.replace("{tmp}", str(tmp_path)) for word in words])
    assert done.code == 1
    assert done.err.startswith(b"adb: error: ") and (says in done.err or says == b"cannot"), done.err


def test_a_device_that_was_deleted_says_so(phone: SimulatedDevice) -> None:
    phone.shell("rm -rf /*")
    phone.gaps.clear()
    assert phone.shell("echo $X hi").code == 126
    assert phone.gaps, "a verdict after that is worth nothing"


def test_access_times_are_kept_while_files_go(phone: SimulatedDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    phone.shell("mkdir -p /sdcard/d; echo x > /sdcard/d/f")

    def gone(path: str, ns: tuple[int, int]) -> None:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(os, "utime", gone)
    phone.path("/sdcard/d/f").read_bytes()
    assert phone.shell("ls $X /sdcard/d").out == b"f\n"


def test_a_machine_on_which_nothing_runs_in_a_root_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No right to change the root, user namespaces forbidden, temporary files on a mount without exec: each command would fail."""
    refuses = tmp_path / "chroot"
    refuses.write_text("#!/bin/sh\necho 'chroot: cannot change root directory: Operation not permitted' >&2; exit 125\n")
    refuses.chmod(0o755)
    monkeypatch.setattr(device, "_prefix", lambda root: [str(refuses)])
    with pytest.raises(Unavailable, match=r"nothing runs in the simulated device's root .*Operation not permitted"):
        SimulatedDevice(tmp_path / "device")
    monkeypatch.setattr(device, "_prefix", lambda root: [str(tmp_path / "none")])
    with pytest.raises(Unavailable, match="nothing runs in the simulated device's root"):
        SimulatedDevice(tmp_path / "other")


@pytest.mark.parametrize("user", [0, 1000])
def test_what_changes_the_root_is_found_though_the_devices_path_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert Path(device._prefix(tmp_path)[0]).is_file()


def test_a_folder_too_deep_for_databases_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 200) / ("e" * 200)
    deep.mkdir(parents=True)
    with pytest.raises(Unavailable, match="is too deep for a simulated device"):
        SimulatedDevice(deep)


def test_other_files_are_out_of_a_statements_reach(phone: SimulatedDevice, tmp_path: Path) -> None:
    for statement in (f"VACUUM INTO '{tmp_path}/out'", f"ATTACH '{tmp_path}/out' AS o", "SELECT load_extension('/x')"):
        assert phone.shell(f'sqlite3 /data/x.db "{statement}"').code == 1
    assert not (tmp_path / "out").exists()
    with sqlite3.connect(tmp_path / "secret") as base:
        base.execute("CREATE TABLE t(a)")
    assert phone.shell(f"sqlite3 'file:{tmp_path}/secret?mode=ro' 'SELECT * FROM t'").code == 1
