"""A check of one's own for a phone, without any benchmark: a note is written, a row added, and brightness at its maximum.

    python phone_check.py emulator-5554

Any adb will do: an emulator's, a phone's, or that of unibench's simulated device (`unibench android phone`). The phone must have the
database before, as the app would have made it:

    adb -s emulator-5554 shell 'mkdir -p /data/data/org.example.notes'
    adb -s emulator-5554 shell 'sqlite3 /data/data/org.example.notes/notes.db "CREATE TABLE notes(id INTEGER PRIMARY KEY, title)"'
"""

import subprocess
import sys

from unibench_verifiers.device_state import DeviceState, File, Rows, Setting, ShellFailed

CHECK = DeviceState(
    "bright-note",
    [
        Setting(namespace="system", name="screen_brightness", expected="255"),
        File(path="/sdcard/Documents/note.txt", text="buy milk", match="contains"),
        Rows(
            database="/data/data/org.example.notes/notes.db", table="notes", columns=("id", "title"), key="id", added=({"title": "milk"},)
        ),
    ],
    owner="examples",
)


class AdbShell:
    """A phone, by its adb serial."""

    def __init__(self, serial: str) -> None:
        self.serial = serial

    def shell(self, command: str) -> str:
        done = subprocess.run(["adb", "-s", self.serial, "shell", command], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise ShellFailed(f"{command}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout


def main(serial: str, wait: str = "now do it, and press Enter: ") -> float:
    """Looks before and after, and gives the score."""
    phone = AdbShell(serial)
    before = CHECK.before(phone)
    input(wait)
    verdict = CHECK.verify(phone, before)
    sys.stdout.write(f"{verdict.status}: {verdict.evidence.found}\n")
    return verdict.score or 0.0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("which phone? python phone_check.py SERIAL; `adb devices` lists them")
    try:
        main(sys.argv[1])
    except ShellFailed as error:
        sys.exit(f"the phone cannot be looked at: {error}")
