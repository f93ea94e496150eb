"""Our own device-state checks, over a scripted shell and over the simulated device."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unibench.verdict import Status
from unibench_guests.simdevice import SimulatedDevice, userland
from unibench_verifiers.device_state import Condition, Content, DeviceState, File, Foreground, Rows, Setting, ShellFailed

OWNER = "unibench-tests"
DATABASE = "/data/data/org.example.notes/notes.db"


class SimulatedShell:
    def __init__(self, device: SimulatedDevice) -> None:
        self.device = device

    def shell(self, command: str) -> str:
        done = self.device.shell(command)
        if done.code:
            raise ShellFailed(done.err.decode())
        return done.out.decode()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedDevice]:
    if userland.missing():
        pytest.skip("apt install mksh toybox, then: pytest tests/unit/test_device_state.py")
    device = SimulatedDevice(tmp_path_factory.mktemp("device"), packages=("org.example.notes",))
    device.shell(f"sqlite3 {DATABASE} \"CREATE TABLE notes(id INTEGER PRIMARY KEY, title, stars); INSERT INTO notes VALUES(1,'old',2)\"")
    device.keep()
    yield device
    device.close()


@pytest.fixture
def phone(built: SimulatedDevice) -> SimulatedShell:
    built.restore()
    return SimulatedShell(built)


def judged(phone: SimulatedShell, condition: Condition, *commands: str) -> bool:
    check = DeviceState("one", [condition], owner=OWNER)
    before = check.before(phone)
    for command in commands:
        phone.shell(command)
    return check.verify(phone, before).passed


NOTES = {"database": DATABASE, "table": "notes", "columns": ("id", "title", "stars"), "key": "id"}
SQL = f"sqlite3 {DATABASE} "


@pytest.mark.parametrize(
    ("condition", "right", "wrong"),
    [
        (
            Setting(namespace="system", name="screen_brightness", expected="255"),
            "settings put system screen_brightness 255",
            "settings put system screen_brightness 254",
        ),
        (File(path="/data/media/0/a b.txt", text="one\n"), "echo one > '/data/media/0/a b.txt'", "echo One > '/data/media/0/a b.txt'"),
        (File(path="/data/x", text="ne", match="contains"), "echo one > /data/x", "echo two > /data/x"),
        (File(path="/data/x", text="ne", match="lacks"), "echo two > /data/x", "echo one > /data/x"),
        (File(path="/data/data/org.example.notes", exists=False), "rm -r /data/data/org.example.notes", "true"),
        (Foreground(package="org.example.notes"), "am start -n org.example.notes/.Main", "input keyevent KEYCODE_HOME"),
        (Rows(**NOTES, added=({"title": "new", "stars": 3},)), SQL + "\"INSERT INTO notes(title,stars) VALUES('new',3)\"", "true"),
        (
            Rows(**NOTES, added=({"title": "new", "stars": 3},)),
            SQL + "\"INSERT INTO notes(title,stars) VALUES('new',3)\"",
            SQL + "\"INSERT INTO notes(title,stars) VALUES('new','3')\"",
        ),
        (
            Rows(**NOTES, added=({"title": "new"},)),
            SQL + "\"INSERT INTO notes(title,stars) VALUES('new',9)\"",
            SQL + "\"DELETE FROM notes; INSERT INTO notes(title,stars) VALUES('new',9)\"",
        ),
        (Rows(**NOTES, removed=({"title": "old"},)), SQL + '"DELETE FROM notes"', SQL + '"UPDATE notes SET stars=0"'),
        (
            Content(uri="content://sms/sent", columns=("address", "body"), values={"address": "+1", "body": "a, b=c"}),
            "content insert --uri content://sms --bind address:s:+1 --bind 'body:s:a, b=c' --bind type:i:2",
            "content insert --uri content://sms --bind address:s:+1 --bind 'body:s:a, b=c' --bind type:i:1",
        ),
    ],
)
def test_a_condition_tells_right_from_wrong(phone: SimulatedShell, condition: Condition, right: str, wrong: str) -> None:
    assert judged(phone, condition, right)
    phone.device.restore()
    assert not judged(phone, condition, wrong)


def test_a_text_of_several_lines_is_one_rows(phone: SimulatedShell) -> None:
    two = Rows(**NOTES, added=({"title": "first\nsecond\u2028third"},))
    assert judged(phone, two, SQL + "\"INSERT INTO notes(title) VALUES('first\nsecond\u2028third')\"")
    phone.device.restore()
    assert not judged(phone, two, SQL + "\"INSERT INTO notes(title) VALUES('first'),('second')\"")


def test_added_rows_go_together_one_to_one(phone: SimulatedShell) -> None:
    two = Rows(**NOTES, added=({"stars": 3}, {"title": "new"}))
    assert judged(phone, two, SQL + "\"INSERT INTO notes(title,stars) VALUES('new',3),('x',3)\"")
    phone.device.restore()
    assert not judged(phone, two, SQL + "\"INSERT INTO notes(title,stars) VALUES('new',3),('y',4)\"")


def test_all_conditions_must_hold(phone: SimulatedShell) -> None:
    wifi, file = Setting(namespace="global", name="wifi_on", expected="1"), File(path="/data/nothing")
    verdict = DeviceState("both", [wifi, file], owner=OWNER).verify(phone)
    assert verdict.status is Status.FAIL
    assert verdict.evidence.found == [{"holds": True, "found": "1"}, {"holds": False, "found": None}]
    assert verdict.descriptor.reads == ("setting global wifi_on", "file /data/nothing")


def test_a_device_that_cannot_be_read_gives_no_score() -> None:
    class Broken:
        def shell(self, command: str) -> str:
            raise ShellFailed("no device")

    with pytest.raises(ShellFailed):
        DeviceState("one", [File(path="/x")], owner=OWNER).verify(Broken())


def test_rows_without_a_before_are_refused(phone: SimulatedShell) -> None:
    with pytest.raises(ValueError, match=r"before\(\)"):
        DeviceState("rows", [Rows(**NOTES)], owner=OWNER).verify(phone)


def test_a_check_without_conditions_is_refused() -> None:
    with pytest.raises(ValueError, match="accept any device"):
        DeviceState("none", [], owner=OWNER)
