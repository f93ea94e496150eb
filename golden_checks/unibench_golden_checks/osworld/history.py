"""The browser's history, cleared on its own page by the keyboard."""

from __future__ import annotations

import shlex

from pydantic import JsonValue

from unibench.golden.control import Provenance
from unibench_golden_checks.osworld.settings import HOME, Make, Recipe, by_hand, keys, printed

BY_PAGE = Provenance(source="instruction", means="gui", note="chrome://history, by its own keys; the history's database is a stand-in")
_FILE = f"{HOME}/.config/google-chrome/Default/History"
# The browser holds its file locked: a copy is read, and taken again where the browser wrote meanwhile.
_CODE = f"""
import glob, os, shutil, sqlite3, sys, tempfile, time
def stamps():
    return [(f, os.stat(f).st_mtime_ns, os.stat(f).st_size) for f in sorted(glob.glob({_FILE!r} + "*"))]
for n in range(20):
    try:
        before = stamps()
        folder = tempfile.mkdtemp()
        for f, *_ in before:
            shutil.copy(f, folder)
        urls = [r[0] for r in sqlite3.connect(folder + "/History").execute("select url from urls")]
        if stamps() == before:
            break
    except (OSError, sqlite3.DatabaseError) as error:
        print(error, file=sys.stderr)
    time.sleep(0.5)
else:
    raise SystemExit("no whole copy of the history")
print(*sorted(urls), sep=chr(10))
"""
# Chromium commits changes of its history 10 s after the first of them (``HistoryBackend::ScheduleCommit``), and tells nobody.
_READ = f"sleep 12; python3 -c {shlex.quote(_CODE)}"


def deleted(words: str, rounds: int = 1) -> Make:
    """All entries that a search for these words finds are deleted.

    Args:
        rounds: how often; the set-up writes each address four times over, and the browser deletes one of them at a time.
    """
    return by_hand(*rounds * _round(words))


def _round(words: str) -> list[str]:
    return [
        keys("ctrl", "l"),
        f"pyautogui.write('chrome://history/?q={words}', interval=0.01)",
        "pyautogui.press('enter')",
        "time.sleep(4)",
        "pyautogui.click(1750, 700)",
        keys("ctrl", "a"),
        "time.sleep(0.5)",
        "pyautogui.press('delete')",
        "time.sleep(1)",
        "pyautogui.press('enter')",
        "time.sleep(1)",
    ]


def _right(found: JsonValue) -> bool:
    """No video site, and all the others."""
    lines = str(found).splitlines()
    return not any("youtube" in line for line in lines) and {"https://www.nytimes.com/", "https://www.bbc.co.uk/"} <= set(lines)


TABLE: dict[str, Recipe] = {
    "chrome/44ee5668-ecd5-4366-a6ce-c1c9b8d4e938": Recipe(
        wanted="all but youtube.com",
        golden=deleted("youtube", rounds=5),
        read=printed(_READ),
        right=_right,
        provenance=BY_PAGE,
        mutants={"one-of-them": deleted("Adele"), "another-site": deleted("nytimes"), "all-of-it": deleted("", rounds=5)},
    ),
}
