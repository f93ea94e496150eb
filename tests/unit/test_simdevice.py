"""The simulated device: what it knows it does as Android does, what it does not know fails loudly, and nothing leaves its root."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench_guests.simdevice import SimulatedDevice, client, userland
from unibench_guests.simdevice.paths import inside

needs_userland = pytest.mark.skipif(bool(userland.missing()), reason="apt install mksh toybox, then: pytest tests/unit/test_simdevice.py")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedDevice]:
    device = SimulatedDevice(tmp_path_factory.mktemp("device"), packages=("org.example.notes", "org.example.other"))
    device.keep()
    yield device
    device.close()


@pytest.fixture
def device(built: SimulatedDevice) -> SimulatedDevice:
    built.restore()
    return built


@needs_userland
class TestKnownThings:
    def test_the_shell_is_toyboxs(self, device: SimulatedDevice) -> None:
        device.shell("mkdir -p '/data/a b'; echo one > '/data/a b/x'; echo two > /data/y")
        assert device.shell("cat '/data/a b/x' /data/y | sort -r").out == b"two\none\n"
        assert device.shell("ls /no-such-file").code == 1
        assert device.shell("exit 7").code == 7
        assert b"+0000" in device.shell("ls -ll /data").out, "toybox's long listing, which GNU's ls has not"

    def test_a_host_reading_agrees_with_the_devices(self, device: SimulatedDevice) -> None:
        """Were the shell faked, a file would be told apart from what lies on the disk."""
        data = bytes(range(256)) * 50
        device.path("/data/blob").write_bytes(data)
        host = subprocess.run(["md5sum"], input=data, capture_output=True, check=True).stdout.split()[0]
        assert device.shell("md5sum < /data/blob").out.split()[0] == host
        device.shell("head -c 100 /data/blob > /data/part; rm /data/blob")
        assert device.path("/data/part").read_bytes() == data[:100]
        assert not device.path("/data/blob").exists()

    def test_settings_are_kept_by_namespace(self, device: SimulatedDevice) -> None:
        assert device.shell("settings get global brand_new").out == b"null\n"
        device.shell("settings put system brand_new 'two words'")
        assert device.shell("settings get system brand_new").out == b"two words\n"
        assert device.shell("settings get global brand_new").out == b"null\n"
        assert device.shell("settings get no_such_space x").code != 0

    def test_framework_verbs_work_inside_pipes(self, device: SimulatedDevice) -> None:
        device.shell("svc wifi disable")
        assert device.shell("for k in wifi_on bluetooth_on; do settings get global $k; done | sort -r").out == b"1\n0\n"
        assert device.shell("wm size | grep -c Physical").out == b"1\n"

    def test_the_clock_is_the_devices_own(self, device: SimulatedDevice) -> None:
        host = time.time()
        assert device.shell("date 1015153423.00").out == b"Sun Oct 15 15:34:00 UTC 2023\n"
        device.sleep(61)
        assert device.shell("date +%s").out == b"1697384101\n"
        assert device.shell("date 1399000023.00").code != 0, "there is no 99th day"
        assert abs(time.time() - host) < 30

    def test_databases_are_real(self, device: SimulatedDevice) -> None:
        device.shell("""sqlite3 /data/a.db "CREATE TABLE t(a, b); INSERT INTO t VALUES('x;y', 1), (NULL, 2.5);" """)
        assert device.shell("sqlite3 /data/a.db 'SELECT * FROM t'").out == b"x;y|1\n|2.5\n"
        assert device.path("/data/a.db").read_bytes().startswith(b"SQLite format 3\0")
        failed = device.shell("sqlite3 /data/a.db 'SELECT * FROM no_table'")
        assert (failed.code, failed.err) == (1, b"Error: no such table: no_table\n")

    def test_messages_and_contacts_go_through_the_providers(self, device: SimulatedDevice) -> None:
        sent = "--bind address:s:+1555 --bind 'body:s:Hello, you' --bind type:i:2 --bind date:l:5"
        assert device.shell("content query --uri content://sms").out == b"No result found.\n"
        device.shell(f"content insert --uri content://sms {sent}")
        shown = device.shell("content query --uri content://sms/sent --projection address:body").out
        assert shown == b"Row: 0 address=+1555, body=Hello, you\n"
        assert device.shell("content query --uri content://sms/inbox").out == b"No result found.\n"
        assert device.shell("content query --uri content://sms --projection no_column").code != 0

    def test_activities_stack(self, device: SimulatedDevice) -> None:
        assert device.shell("am start -n org.example.notes/.Main").code == 0
        assert device.foreground == "org.example.notes/org.example.notes.Main"
        device.shell("input keyevent KEYCODE_HOME")
        assert "launcher" in device.foreground
        assert device.shell("am start -n org.not.there/.Main").code == 1

    def test_restore_brings_everything_back(self, device: SimulatedDevice) -> None:
        before = device.digests()
        device.shell(
            "settings put global wifi_on 0; echo x > /data/new; rm -r /data/data/org.example.notes; am start -n org.example.other/.A"
        )
        device.shell("no-such-command")
        assert device.digests() != before
        device.restore()
        assert device.digests() == before
        assert device.gaps == []


@needs_userland
class TestUnknownThings:
    """A device that says yes to what it does not know would make any verifier look right."""

    @pytest.mark.parametrize(
        "command",
        [
            "am kill org.example.notes",
            "am start -a org.example.UNKNOWN",
            "am broadcast -a org.example.UNKNOWN",
            "pm install /data/x.apk",
            "pm uninstall org.example.notes",
            "settings reset global trusted_defaults",
            "svc nfc enable",
            "wm density",
            "dumpsys battery",
            "service call phone 1",
            "content query --uri content://calendar/events",
            "content update --uri content://sms --bind read:i:1",
            "input text hello",
            "input tap 5 5",
            "input keyevent KEYCODE_POWER",
            "sqlite3 -json /data/a.db 'SELECT 1'",
            "screencap -p /sdcard/x.png",
            "uiautomator dump",
            "ime list",
            "cmd package list packages",
            "logcat -d",
        ],
    )
    def test_fails_and_is_noted(self, device: SimulatedDevice, command: str) -> None:
        done = device.shell(command)
        assert done.code != 0
        assert b"not simulated" in done.err or b"not found" in done.err
        assert len(device.gaps) == 1

    def test_is_noted_even_where_the_caller_swallows_the_failure(self, device: SimulatedDevice) -> None:
        assert device.shell("am kill org.example.notes || true").code == 0
        device.shell("screencap > /dev/null 2>&1 || echo fine")
        assert len(device.gaps) >= 1

    def test_what_is_known_leaves_no_gap(self, device: SimulatedDevice) -> None:
        device.shell("settings get global wifi_on; whoami; date; pm list packages; am stack list | grep -c taskId")
        assert device.gaps == []


@needs_userland
class TestTheRoot:
    def test_databases_cannot_name_other_files(self, device: SimulatedDevice, tmp_path: Path) -> None:
        outside = tmp_path / "outside.db"
        for statement in (f"ATTACH '{outside}' AS x", f"VACUUM INTO '{outside}'"):
            assert device.shell(f'sqlite3 /data/a.db "CREATE TABLE IF NOT EXISTS t(a); {statement}"').code == 1
        assert not outside.exists()

    def test_links_lead_nowhere_else(self, device: SimulatedDevice) -> None:
        device.shell("ln -s /etc/passwd /data/link; ln -s ../../../../../../etc /data/up")
        for path in ("/data/link", "/data/up/passwd", "/../../etc/passwd"):
            assert device.path(path) == device.root / "etc/passwd"
        assert device.shell("cat /data/link").code == 1

    def test_an_endless_link_is_an_error(self, device: SimulatedDevice) -> None:
        device.shell("ln -s /data/loop /data/loop")
        with pytest.raises(OSError, match="symbolic links"):
            device.path("/data/loop/x")


@given(st.text(alphabet="a./\\ ~é\n", max_size=40))
def test_no_path_leads_out_of_the_root(path: str) -> None:
    root = Path("/nowhere/root")
    assert inside(root, path).is_relative_to(root)
    assert ".." not in inside(root, path).parts


@needs_userland
def test_a_database_is_digested_by_its_rows(device: SimulatedDevice) -> None:
    device.shell("sqlite3 /data/a.db 'CREATE TABLE t(a); INSERT INTO t VALUES(1)'")
    before = device.digests()
    device.shell("sqlite3 /data/a.db 'INSERT INTO t VALUES(2)'")
    assert device.digests() != before
    bytes_before = device.path("/data/a.db").read_bytes()
    device.shell("sqlite3 /data/a.db 'DELETE FROM t WHERE a=2'")
    assert device.path("/data/a.db").read_bytes() != bytes_before
    assert device.digests() == before


@needs_userland
def test_reading_a_file_leaves_its_times_alone(device: SimulatedDevice, tmp_path: Path) -> None:
    """Android's storage is mounted with noatime, and upstream sorts notes by the access time (``ls -u``)."""
    device.shell("echo x > /data/media/0/note")
    listed = device.shell("ls -ll -u /data/media/0").out
    time.sleep(0.02)
    device.shell("cat /data/media/0/note")
    device.digests()
    client.pull(device, "/data/media/0/note", tmp_path / "note")
    assert device.shell("ls -ll -u /data/media/0").out == listed
