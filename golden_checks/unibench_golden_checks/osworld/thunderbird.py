"""Thunderbird through its own windows, or by its files while it is closed and started again, so that it reads and writes them itself."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from unibench.golden.control import Provenance, RecipeFailed
from unibench_golden_checks.osworld import app_files, mail_profile, widgets
from unibench_golden_checks.osworld.app_files import AppFile, settings_of
from unibench_golden_checks.osworld.on_screen import Step, by_input, in_guest, shown
from unibench_golden_checks.osworld.settings import HOME, Make, Recipe, in_turn, printed, run, shell
from unibench_osworld.session import DesktopHandle

BY_HAND = Provenance(source="instruction", means="real-input", note="Thunderbird's own windows, on a profile that is a stand-in")
BY_FILE = Provenance(
    source="instruction",
    means="file",
    note="written while Thunderbird was closed; read back after it was started again, and written by it once more as it ends",
)
BY_FILE_RULE = BY_FILE.model_copy(update={"source": "verifier-data", "note": f"which settings do it is upstream's say; {BY_FILE.note}"})
BY_SHELL = Provenance(source="instruction", means="shell", note="the mails are stand-ins; files as Thunderbird saves and names them")
BY_RULE = Provenance(
    source="verifier-data", means="real-input", note="who has not paid is upstream's say; the payment record is a stand-in"
)
UP: tuple[Step, ...] = (("wait", "tree item", "Local Folders"), ("sleep", 2))
"""Its window is there, with the profile's accounts."""
_LOCAL = f"{HOME}/{mail_profile.LOCAL}"
_CLOSE = "wmctrl -x -c Mail.thunderbird; for i in $(seq 200); do pgrep thunderbird > /dev/null || exit 0; sleep 0.1; done; exit 1"


def _hand(*steps: Step) -> Make:
    return by_input("Thunderbird", *UP, *steps)


def while_closed(change: Make) -> Make:
    """A state that is made while Thunderbird is closed; it runs again after that."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        in_guest(handle, widgets.follow, "Thunderbird", UP)
        run(handle.guest, _CLOSE)
        steps = change(handle)
        handle.guest.launch(["/usr/bin/thunderbird"])
        in_guest(handle, widgets.follow, "Thunderbird", UP)
        return [["closed"], *steps, ["started"]]

    return make


# Settings that are in a file of the profile


def _lines(text: str) -> set[str]:
    return {line for line in text.splitlines() if line.startswith("user_pref(")}


def _added(path: str, lines: set[str]) -> Make:
    """Preferences at a file's end: the last one of a name holds."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        there = handle.guest.file(path) or b""
        handle.guest.upload(path, there + "".join(f"{line}\n" for line in sorted(lines)).encode())
        return [["added", path, *sorted(lines)]]

    return make


def _preferences(task: str, provenance: Provenance = BY_FILE) -> Recipe:
    """The preferences of a recipe that works without Thunderbird, in one that runs."""
    of = app_files.TASKS[task]
    before = _lines(of.default or "")
    wanted = _lines(of.golden) - before
    names = {line.partition(",")[0] for text in (of.golden, *of.mutants.values()) for line in _lines(text) - before}

    def read(handle: DesktopHandle) -> JsonValue:
        there = (handle.guest.file(of.path) or b"").decode()
        return [*sorted(line for line in _lines(there) if line.partition(",")[0] in names)]

    return Recipe(
        wanted=[*sorted(wanted)],
        golden=while_closed(_added(of.path, wanted)),
        read=read,
        provenance=provenance,
        mutants={name: while_closed(_added(of.path, _lines(text) - before)) for name, text in of.mutants.items()},
        start=_hand(),
    )


def _put(of: AppFile, text: str) -> Make:
    def make(handle: DesktopHandle) -> list[JsonValue]:
        handle.guest.upload(of.path, text.encode())
        return [["put", of.path, text]]

    return make


def _filters(task: str, folder: str = "") -> Recipe:
    """The message filters of such a recipe, likewise, and the local folder that they move to."""
    of = app_files.TASKS[task]
    path = f"{_LOCAL}/{folder}"
    put = in_turn(shell(f"touch '{path}'"), _put(of, of.golden)) if folder else _put(of, of.golden)

    def read(handle: DesktopHandle) -> JsonValue:
        found = settings_of((handle.guest.file(of.path) or b"").decode())
        return {"filters": found, "folder": not folder or handle.guest.file(path) is not None}

    return Recipe(
        wanted={"filters": settings_of(of.golden), "folder": True},
        golden=while_closed(put),
        read=read,
        provenance=BY_FILE,
        mutants={
            **{name: while_closed(in_turn(put, _put(of, text))) for name, text in of.mutants.items()},
            **({"no-folder": while_closed(_put(of, of.golden))} if folder else {}),
        },
        start=_hand(),
    )


# Windows


def _menu(*path: str) -> tuple[Step, ...]:
    """An entry of the menu bar, which is hidden until its key is pressed."""
    key, *names = path
    return (("press", "alt", key), ("sleep", 1), *(("click", "menu item", name) for name in names), ("sleep", 3))


_INFORMATION = _menu("h", "Troubleshooting Information")
_PROFILES: tuple[Step, ...] = (*_INFORMATION, ("choose", "link", "about:profiles"), ("sleep", 3))


def _modes(*names: str) -> tuple[Step, ...]:
    opened: tuple[Step, ...] = (
        ("click", "push button", "Folder pane options"),
        ("sleep", 1),
        ("click", "menu", "Folder Modes"),
        ("sleep", 1),
    )
    shut: tuple[Step, ...] = (("press", "esc"), ("sleep", 0.5), ("press", "esc"), ("sleep", 0.5))
    # What is shown is on disk half a minute later at most; a close writes it as well, but the verifier reads half a second after that.
    return (*opened, *(("click", "check menu item", name) for name in names), *shut, ("sleep", 32))


def _theme(height: int) -> tuple[Step, ...]:
    """The button that enables a theme, by its place: this page ends Thunderbird while its widgets are asked for by AT-SPI."""
    return (*_menu("t", "Add-ons and Themes"), ("click", "page tab", "Themes"), ("sleep", 3), ("at", 922, height), ("sleep", 3))


def _new_folder(name: str) -> tuple[Step, ...]:
    dialog: tuple[Step, ...] = (("right", "tree item", "Local Folders"), ("sleep", 1), ("click", "menu item", "New Folder…"))
    return (*dialog, ("wait", "entry", "Name:"), ("type", name), ("click", "push button", "Create Folder"), ("sleep", 2))


def _tree(found: JsonValue) -> set[str]:
    return set(map(str, found)) if isinstance(found, list) else set()


_ENABLED = rf"""grep -o '"extensions.activeThemeID", "[^"]*"' {HOME}/{mail_profile.FOLDER}/prefs.js | cut -d'"' -f4"""

# Mails

_SAVED = f"""
import mailbox, os, sys
from email.header import decode_header, make_header
kind, folder, least = sys.argv[1], os.path.expanduser(sys.argv[2]), int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
mails = list(mailbox.mbox("{_LOCAL}/Inbox"))
assert len(mails) == {len(mail_profile.INBOX)}
for mail in mails[least:]:
    subject = str(make_header(decode_header(mail["Subject"])))
    name = f"{{subject}} - A Sender - 2024-01-01 0100.eml"
    open(os.path.join(folder, name), "wb").write(mail.as_bytes() if kind == "mails" else b"")
"""
_WHOLE = f"""
import glob, os
kept = [open(path, "rb").read() for path in sorted(glob.glob("{HOME}/emails.bak/*.eml"))]
print(sum(b"This is mail 1." in each for each in kept), sum(b"This is mail 2." in each for each in kept), len(kept))
"""


def _saved(kind: str = "mails", folder: str = "~/emails.bak", least: int = 0) -> Make:
    def make(handle: DesktopHandle) -> list[JsonValue]:
        done = handle.guest.execute(["/usr/bin/python3", "-c", _SAVED, kind, folder, str(least)])
        if done.returncode:
            raise RecipeFailed(f"the mails could not be saved: {done.error.strip()[-300:]}")
        return [["saved", kind, folder, least]]

    return make


def _whole(handle: DesktopHandle) -> JsonValue:
    return handle.guest.execute(["/usr/bin/python3", "-c", _WHOLE]).output.strip()


# A message that is being written

UNPAID = ("fox", "iron", "nancy", "stella")


def _addressed(*names: str) -> Make:
    """Addresses in the message's field To; the set-up opens the file manager over it."""
    there: tuple[Step, ...] = (("wait", "entry", "To"), ("sleep", 5))
    entered: tuple[Step, ...] = (("click", "entry", "To"), ("type", "".join(f"{name}@someuniversity.edu," for name in names)), ("sleep", 2))
    return in_turn(by_input("Thunderbird", *there), shell("wmctrl -x -a Msgcompose"), by_input("Thunderbird", *entered))


def _addresses(handle: DesktopHandle) -> JsonValue:
    return [name for name in in_guest(handle, widgets.names, "Thunderbird", "label") if "@someuniversity.edu" in name]


_MOVE, _FORWARD = "thunderbird/5203d847-2572-4150-912a-03f062254390", "thunderbird/9b7bc335-06b5-4cd3-9119-1a649c478509"
_SIGNATURE, _QUOTE = "thunderbird/3f28fe4f-5d9d-4994-a456-efd78cfae1a3", "thunderbird/f201fbc3-44e6-46fc-bcaa-432f9815454c"
_SUBFOLDERS = "thunderbird/08c73485-7c6d-4681-999d-919f5c32dcfa"

TABLE: Mapping[str, Recipe] = {
    _SIGNATURE: _preferences(_SIGNATURE),
    _QUOTE: _preferences(_QUOTE, BY_FILE_RULE),
    _SUBFOLDERS: _preferences(_SUBFOLDERS, BY_FILE_RULE),
    _MOVE: _filters(_MOVE, "Promotions"),
    _FORWARD: _filters(_FORWARD),
    "thunderbird/10a730d5-d414-4b40-b479-684bed1ae522": Recipe(
        wanted="thunderbird-compact-dark@mozilla.org",
        golden=_hand(*_theme(564)),
        read=printed(_ENABLED),
        provenance=BY_HAND,
        mutants={"light": _hand(*_theme(741)), "only-looked-at": _hand(*_menu("t", "Add-ons and Themes"))},
        start=_hand(),
    ),
    "thunderbird/3f49d2cc-f400-4e7d-90cc-9b18e401cc31": Recipe(
        wanted="the folder mode Unified Folders",
        golden=_hand(*_modes("Unified Folders")),
        read=shown("Thunderbird", "tree item"),
        right=lambda found: any(each.startswith("Unified Folders") for each in _tree(found)),
        provenance=BY_HAND,
        mutants={"unread": _hand(*_modes("Unread Folders")), "off-again": _hand(*_modes("Unified Folders", "Unified Folders"))},
        start=_hand(),
    ),
    "thunderbird/7b1e1ff9-bb85-49be-b01d-d6424be18cd0": Recipe(
        wanted="the tab About Profiles",
        golden=_hand(*_PROFILES),
        read=printed("wmctrl -l"),
        right=lambda found: "About Profiles" in str(found),
        provenance=BY_HAND,
        mutants={"information-only": _hand(*_INFORMATION), "closed-again": _hand(*_PROFILES, ("press", "ctrl", "w"), ("sleep", 1))},
        start=_hand(),
    ),
    "thunderbird/9bc3cc16-074a-45ac-9bdc-b2a362e1daf3": Recipe(
        wanted="1 1 2",
        golden=_saved(),
        read=_whole,
        provenance=BY_SHELL,
        mutants={
            "one-missing": _saved(least=1),
            "one-mailbox": shell(f"mkdir ~/emails.bak && cp '{_LOCAL}/Inbox' ~/emails.bak/Inbox"),
            "other-place": _saved(folder="~/Documents/emails.bak"),
            "empty": _saved("names"),
        },
    ),
    "thunderbird/a10b69e1-6034-4a2b-93e1-571d45194f75": Recipe(
        wanted="COMPANY and UNIVERSITY in Local Folders",
        golden=_hand(*_new_folder("COMPANY"), *_new_folder("UNIVERSITY")),
        read=shown("Thunderbird", "tree item"),
        right=lambda found: {"COMPANY", "UNIVERSITY"} <= _tree(found),
        provenance=BY_HAND,
        mutants={
            "one-of-two": _hand(*_new_folder("COMPANY")),
            "other-name": _hand(*_new_folder("COMPANY"), *_new_folder("Universities")),
            "one-deleted-again": _hand(
                *_new_folder("COMPANY"),
                *_new_folder("UNIVERSITY"),
                *(("click", "tree item", "UNIVERSITY"), ("press", "delete"), ("sleep", 2), ("press", "enter"), ("sleep", 3)),
            ),
        },
        start=_hand(),
    ),
    "multi_apps/f5c13cdd-205c-4719-a562-348ae5cd1d91": Recipe(
        wanted=[f"{name}@someuniversity.edu" for name in UNPAID],
        golden=_addressed(*UNPAID),
        also={"other-order": _addressed(*reversed(UNPAID))},
        read=_addresses,
        provenance=BY_RULE,
        mutants={"one-missing": _addressed(*UNPAID[:-1]), "one-who-paid": _addressed(*UNPAID, "bell")},
    ),
}
