"""Transcripts: recorded through adb's place, replayed on a fresh device, every difference shown."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from unibench.errors import FileProblem
from unibench_guests.simdevice import SimulatedDevice, transcript, userland
from unibench_guests.simdevice.recording import files_of, normalised, recorder, stripped
from unibench_guests.simdevice.transcript import Call, conform, read

# What a real adb would say, here by a shell script: the recorder must pass it on and write it down.
FAKE_ADB = """#!/bin/sh
while [ "$1" = -P ] || [ "$1" = -s ]; do shift 2; done
case "$*" in
"shell echo one") echo one ;;
"shell settings get global wifi_on") echo 1 ;;
"shell date") echo "Sun Oct 15 15:34:00 UTC 2023" ;;
"shell getprop ro.build.fingerprint") echo google/sdk_gphone ;;
"shell exit 3") echo bad >&2; exit 3 ;;
"push "*) echo "$2: 1 file pushed, 0 skipped. 1.2 MB/s (4 bytes in 0.001s)" ;;
"pull "*) printf text > "$3"; echo "$2: 1 file pulled, 0 skipped." ;;
*) exit 1 ;;
esac
"""


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    fake = tmp_path / "real-adb"
    fake.write_text(FAKE_ADB)
    fake.chmod(0o755)
    file = tmp_path / "transcript.jsonl"
    adb = recorder(tmp_path, str(fake), file)
    (tmp_path / "a file").write_text("text")
    for words, code in (
        (["shell", "echo one"], 0),
        (["-P", "5037", "-s", "emulator-5554", "shell", "settings", "get", "global", "wifi_on"], 0),
        (["shell", "date"], 0),
        (["shell", "exit 3"], 3),
        (["shell", "echo \udcff"], 1),
        (["push", str(tmp_path / "a file"), "/data/a file"], 0),
        (["pull", "/data/a file", str(tmp_path / "back")], 0),
    ):
        done = subprocess.run([str(adb), *words], capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        if words[-1] == "echo one":
            assert done.stdout == "one\n"
    return file


@pytest.fixture
def device(tmp_path: Path) -> Iterator[SimulatedDevice]:
    if userland.missing():
        pytest.skip("apt install mksh toybox, then: pytest tests/unit/test_adb_transcript.py")
    made = SimulatedDevice(tmp_path / "device")
    yield made
    made.close()


def test_what_was_said_is_written_down(recorded: Path) -> None:
    about, calls = read(recorded)
    assert (about.device, about.simulated) == ("google/sdk_gphone", False)
    assert [call.code for call in calls] == [0, 0, 0, 3, 1, 0, 0]
    assert calls[1].args == ("shell", "settings", "get", "global", "wifi_on")
    assert calls[2].out == "<date>"
    assert calls[3].out == "bad"
    assert calls[4].args == ("shell", "echo \ufffd")
    assert calls[5].file == calls[6].file
    assert (files_of(recorded) / calls[5].file).read_text() == "text"


def test_every_difference_is_shown_and_nothing_else(recorded: Path, device: SimulatedDevice) -> None:
    """The device runs ``exit 3`` without a word, where the recorded one said "bad"; all else is the same."""
    found = list(conform(device, read(recorded)[1], files_of(recorded)))
    assert [(each.number, each.what, each.recorded, each.simulated) for each in found if each.number != 5] == [(4, "output", "bad", "")]


def test_a_lie_is_found(recorded: Path, device: SimulatedDevice) -> None:
    calls = read(recorded)[1]
    lies = [
        calls[0].model_copy(update={"out": "two"}),
        calls[1].model_copy(update={"code": 1}),
        calls[5],
        calls[6].model_copy(update={"file": "0" * 32}),
        Call(args=("shell", "am", "kill", "x"), code=0, out=""),
        Call(args=("push", "lost", "/data/lost"), code=0, out="", file="1" * 32),
    ]
    found = [(each.number, each.what) for each in conform(device, lies, files_of(recorded))]
    assert found == [
        (1, "output"),
        (2, "exit code"),
        (4, "file"),
        (5, "exit code"),
        (5, "output"),
        (5, "not simulated"),
        (6, "file"),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"args": ()},
        {"args": ("push",)},
        {"args": ("pull", "/data/x")},
        {"args": ("push", "a", "b", "c")},
        {"args": ("push", "/etc/cron.d/x", "/data/x")},
        {"args": ("push", "../x", "/data/x")},
        {"args": ("push", "..", "/data/x")},
        {"args": ("push", "x" * 300, "/data/x")},
        {"args": ("push", "x", "/data/x"), "file": "../../etc/passwd"},
    ],
)
def test_a_transcript_from_anyone_names_no_place_on_this_machine(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Call.model_validate({"code": 0, "out": "", **wrong})


def test_the_order_of_find_is_the_file_systems(device: SimulatedDevice, tmp_path: Path) -> None:
    device.shell("mkdir /data/f; echo > /data/f/a; echo > /data/f/b")
    find = Call(args=("shell", "find /data/f -type f"), code=0, out="/data/f/a\n/data/f/b")
    listed = [find, find.model_copy(update={"out": "/data/f/b\n/data/f/a"}), find.model_copy(update={"out": "/data/f/a"})]
    assert [each.number for each in conform(device, listed, tmp_path)] == [3]
    ordered = Call(args=("shell", "ls -1 /data/f"), code=0, out="b\na")
    assert [each.what for each in conform(device, [ordered], tmp_path)] == ["output"]


def test_the_consoles_last_ok_is_an_affair_of_adbs_version(device: SimulatedDevice, tmp_path: Path) -> None:
    save = Call(args=("emu", "avd", "snapshot", "save", "x"), code=0, out="")
    listed = Call(args=("emu", "avd", "snapshot", "list"), code=0, out="x")
    refused = Call(args=("emu", "avd", "snapshot", "load", "y"), code=0, out="KO: there is no snapshot y")
    calls = [save, save.model_copy(update={"out": "OK"}), listed, refused, listed.model_copy(update={"out": "y"})]
    assert [each.number for each in conform(device, calls, tmp_path)] == [5]


def test_what_changes_from_run_to_run_is_left_out() -> None:
    listing = "total 8\n-rw-rw---- 1 0 0 4 2026-11-30 04:14:01.120752527 +0000 a\n"
    assert normalised(listing) == "total <n>\n-rw-rw---- 1 0 0 4 <time> a"
    assert normalised("Row: 0 _id=1, date=1697384040000, body=x") == "Row: 0 _id=1, date=<epoch>, body=x"
    assert normalised("  taskId=12: a/b visible=true\r\n") == "taskId=<n>: a/b visible=true"


def test_options_that_choose_a_device_are_left_out() -> None:
    assert stripped(["-P", "5037", "-s", "emulator-5554", "shell", "-t", "ls"]) == ["shell", "-t", "ls"]


def test_a_transcript_names_files_by_digest_alone(tmp_path: Path) -> None:
    for file in ("../secret", "/etc/hostname", "A" * 32):
        (tmp_path / "x").write_text(f'{{"device": "x"}}\n{{"args": ["push", "a", "/a"], "code": 0, "out": "", "file": "{file}"}}\n')
        with pytest.raises(FileProblem, match="line 2"):
            read(tmp_path / "x")


@pytest.mark.parametrize("odd", ["\u2028", "\x85", "\x0c", "\x1e"])
def test_an_output_with_other_line_ends_is_one_line(tmp_path: Path, odd: str) -> None:
    call = Call(args=("shell", f"echo a{odd}b"), code=0, out=f"a{odd}b")
    (tmp_path / "x").write_text('{"device": "x"}\n' + call.model_dump_json() + "\n", encoding="utf-8")
    assert read(tmp_path / "x")[1] == [call]


def test_what_is_no_transcript_is_said(tmp_path: Path) -> None:
    for text, line in (
        ("", 1),
        ('{"args": 1}\n', 1),
        ('{"device": "x"}\n{"args": 1}\n', 2),
        ('{"device": "x"}\n{"args": [], "code": 0, "out": ""}\n', 2),
    ):
        (tmp_path / "x").write_text(text)
        with pytest.raises(FileProblem, match=f"line {line}"):
            read(tmp_path / "x")
    with pytest.raises(FileProblem, match="cannot be read"):
        transcript.read(tmp_path / "none")


def test_the_order_in_a_folder_is_the_file_systems(device: SimulatedDevice) -> None:
    device.shell("mkdir -p /data/x; touch /data/x/a /data/x/b; echo one > /data/x/list; echo two >> /data/x/list")
    calls = [
        Call(args=("shell", "cd /data/x && find . -type f -name '[ab]'"), code=0, out=out)
        for out in ("./a\n./b", "./b\n./a", "./b\n./b", "./b")
    ]
    found = list(conform(device, [*calls, Call(args=("shell", "cat /data/x/list"), code=0, out="two\none")], Path("none")))
    assert [each.number for each in found] == [3, 4, 5]
