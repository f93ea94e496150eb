"""The browser's history, cleared on its own page by the keyboard."""

from __future__ import annotations

from pydantic import JsonValue

from unibench.golden.control import Provenance
from unibench_golden_checks.osworld.settings import HOME, Make, Recipe, by_hand, keys, printed

BY_PAGE = Provenance(source="instruction", means="gui", note="chrome://history, by its own keys; the history's database is a stand-in")
_FILE = f"{HOME}/.config/google-chrome/Default/History"
# The browser writes changes to its file seconds later, and holds it: a copy is read.
_READ = (
    f"sleep 12; cp {_FILE}* /tmp/; python3 -c \"import sqlite3; c = sqlite3.connect('/tmp/History'); "
    "print(*sorted(r[0] for r in c.execute('select url from urls')), sep=chr(10))\""
)


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
