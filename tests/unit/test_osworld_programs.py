"""OSWorld's recipes for GIMP and Thunderbird, as far as they need neither: stand-ins, which recipe a machine gets, input by widget."""

from __future__ import annotations

import configparser
import json
import mailbox
import os
import struct
import sys
from email.header import decode_header, make_header
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from unibench.golden.control import Role
from unibench_golden_checks.osworld import app_files, controls, gimp, mail_profile, make_file, stand_ins, thunderbird, widgets
from unibench_golden_checks.osworld.controls import MODULE, recipe_of
from unibench_osworld import FOLDERS as TASK_FOLDERS
from unibench_osworld.task_files import TaskFile, TaskSet, find_folder

THEME = "gimp/7767eef2-56a3-4cea-8c9f-48c070c7d65b"
FOLDERS = "thunderbird/a10b69e1-6034-4a2b-93e1-571d45194f75"
DATA = os.environ.get("UNIBENCH_TEST_DATA", "")
TASKS = [*gimp.TABLE, *thunderbird.TABLE]


@pytest.mark.skipif(not DATA, reason="UNIBENCH_TEST_DATA names no folder with upstream's task files")
def test_every_recipe_for_a_program_is_for_a_task_that_upstream_has() -> None:
    tasks = TaskSet.load(find_folder(Path(DATA) / "osworld", TASK_FOLDERS))
    assert [task for task in TASKS if task not in tasks.tasks or tasks[task].infeasible] == []


def programs(monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    path = sys.executable if there else "/nowhere"
    monkeypatch.setattr(controls, "MORE_APPLICATIONS", {"gimp": path, "thunderbird": path})


@pytest.mark.parametrize("task", TASKS)
def test_a_recipe_for_a_program_has_a_golden_and_mutants(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    programs(monkeypatch, there=True)
    found = recipe_of(task)
    assert found is not None
    made = found[0].controls()
    assert len({control.name for control in made}) == len(made)
    assert [control for control in made if control.role is Role.MUTANT]
    assert not MODULE.without_programs(task)


def test_without_the_program_its_file_does_and_other_tasks_have_no_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    programs(monkeypatch, there=True)
    with_program = MODULE.recipe_digest(THEME)
    programs(monkeypatch, there=False)
    assert recipe_of(THEME) is None
    assert MODULE.without_programs(THEME)
    assert MODULE.recipe_digest(THEME) != with_program
    domain, _, name = THEME.partition("/")
    task = TaskFile(domain, name, {"instruction": "x", "evaluator": {"func": "check_config_status"}})
    assert {"golden", "other-theme"} <= {control.name for control in MODULE._controls(task)}
    assert not MODULE.without_programs(FOLDERS)


def test_the_stand_in_profile_has_what_thunderbird_looks_for(tmp_path: Path) -> None:
    for path, text in mail_profile.files(accounts=True).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    known = configparser.ConfigParser()
    known.read(tmp_path / ".thunderbird/profiles.ini")
    folder = tmp_path / ".thunderbird" / known["Profile0"]["Path"]
    assert folder == tmp_path / mail_profile.FOLDER
    assert [known[name]["Default"] for name in known.sections() if name.startswith("Install")] == [folder.name]
    lines = [line for line in (folder / "prefs.js").read_text().splitlines() if line.startswith("user_pref(")]
    values = dict(json.loads(f"[{line.removeprefix('user_pref(').removesuffix(');')}]") for line in lines)
    for account in values["mail.accountmanager.accounts"].split(","):
        server = values[f"mail.account.{account}.server"]
        assert values[f"mail.server.{server}.directory-rel"].startswith("[ProfD]")
    assert values["mail.server.server1.login_at_startup"] is False


@pytest.mark.parametrize(("name", "subjects"), [("Inbox", mail_profile.INBOX), ("Bills", mail_profile.BILLS)])
def test_the_stand_in_mails_are_mails(name: str, subjects: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / name).write_text(mail_profile.files(accounts=True)[f"{mail_profile.LOCAL}/{name}"])
    mails = list(mailbox.mbox(tmp_path / name))
    assert [str(make_header(decode_header(mail["Subject"]))) for mail in mails] == list(subjects)
    assert len({mail["Message-ID"] for mail in mails}) == len(mails)
    assert all(str(mail.get_payload()).startswith("This is mail") for mail in mails)


def test_a_profile_is_made_for_its_name_and_the_blank_one_has_no_account() -> None:
    found = stand_ins.recipe("thunderbird/x/thunderbird-profile.tar.gz")
    blank = stand_ins.recipe("thunderbird/x/thunderbird-profile-blank.tar.gz")
    other = stand_ins.recipe("os/x/other.tar.gz")
    assert found is not None and blank is not None and other is not None
    prefs = f"{mail_profile.FOLDER}/prefs.js"
    assert "accountmanager" in found["files"][prefs]
    assert "accountmanager" not in blank["files"][prefs]
    assert prefs not in other["files"]


def test_a_gimp_picture_has_its_layers_where_they_belong() -> None:
    pytest.importorskip("PIL")
    wanted = stand_ins.recipe("gimp/f4aec372-4fb0-4df5-a52b-79e0e2a5d6ce/Triangle_On_The_Side.xcf")
    assert wanted is not None
    data = make_file.xcf(**{name: value for name, value in wanted.items() if name != "kind"})
    assert data.startswith(b"gimp xcf file\0")
    assert struct.unpack_from(">III", data, 14) == (480, 320, 0)
    first, second, end = struct.unpack_from(">III", data, 14 + 12 + 9 + 8)
    assert end == 0
    layers = []
    for at in (first, second):
        width, height, kind, length = struct.unpack_from(">IIII", data, at)
        layers.append((data[at + 16 : at + 15 + length].decode(), width, height, kind))
        hierarchy = _after_properties(data, at + 16 + length)
        level = struct.unpack_from(">I", data, struct.unpack_from(">I", data, hierarchy)[0] + 12)[0]
        tile = struct.unpack_from(">I", data, level + 8)[0]
        assert tile < len(data)
        if kind == 1 and width == 480:
            assert data[tile : tile + 4] == b"\xff\xff\xff\xff"
    assert layers == [("Triangle", 100, 80, 1), ("Background", 480, 320, 1)]


def _after_properties(data: bytes, at: int) -> int:
    while True:
        kind, size = struct.unpack_from(">II", data, at)
        at += 8 + size
        if kind == 0:
            return at


def test_only_what_a_preference_recipe_adds_is_read_back() -> None:
    task = "thunderbird/f201fbc3-44e6-46fc-bcaa-432f9815454c"
    path = app_files.TASKS[task].path
    there = 'user_pref("mail.identity.id1.auto_quote", false);\nuser_pref("mail.other", 1);\n'
    handle: Any = SimpleNamespace(guest=SimpleNamespace(file=lambda name: there.encode() if name == path else None))
    recipe = thunderbird.TABLE[task]
    assert recipe.read(handle) == recipe.wanted
    there = 'user_pref("mail.identity.id2.auto_quote", false);\n'
    assert recipe.read(handle) != recipe.wanted


# Input by widget


class Widget:
    """A node of the accessibility tree, as pyatspi gives it."""

    def __init__(self, role: str, name: str, box: tuple[int, int, int, int], *children: Widget, showing: bool = True) -> None:
        self.role, self.name, self.box, self.children, self.showing = role, name, box, children, showing
        self.childCount = len(children)
        self.done = 0

    def getChildAtIndex(self, index: int) -> Widget:
        return self.children[index]

    def getRoleName(self) -> str:
        return self.role

    def getState(self) -> Any:
        return SimpleNamespace(contains=lambda state: self.showing)

    def queryComponent(self) -> Any:
        return SimpleNamespace(getExtents=lambda kind: SimpleNamespace(**dict(zip(("x", "y", "width", "height"), self.box, strict=True))))

    def queryAction(self) -> Any:
        def do(number: int) -> None:
            self.done += 1

        return SimpleNamespace(doAction=do)


@pytest.fixture
def clicks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    made: list[tuple[Any, ...]] = []
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    mouse = SimpleNamespace(
        click=lambda x, y, clicks=1, button="left": made.append((x, y, clicks, button)),
        hotkey=lambda *keys: made.append(keys),
        write=lambda text, interval: made.append((text,)),
    )
    monkeypatch.setitem(sys.modules, "pyautogui", mouse)
    monkeypatch.setitem(sys.modules, "gi.repository", SimpleNamespace(GLib=SimpleNamespace(Error=OSError)))
    return made


def desktop(monkeypatch: pytest.MonkeyPatch, *children: Widget) -> None:
    app = Widget("application", "Editor", (0, 0, 0, 0), *children)
    tree = SimpleNamespace(Registry=SimpleNamespace(getDesktop=lambda number: [None, app]), STATE_SHOWING=1, STATE_CHECKED=2)
    monkeypatch.setitem(sys.modules, "pyatspi", tree)


def test_input_goes_to_the_widget_that_is_shown(monkeypatch: pytest.MonkeyPatch, clicks: list[tuple[Any, ...]]) -> None:
    hidden = Widget("push button", "OK", (0, 0, 9, 9), showing=False)
    closed = Widget("menu item", "Open...", (0, 0, 0, 0), showing=False)
    row = Widget("label", "Levels:", (10, 100, 50, 20))
    spins = [Widget("spin button", "", (100, y, 60, 20)) for y in (60, 100)]
    tree = Widget("tree item", "Folders", (30, 300, 90, 400))
    desktop(monkeypatch, hidden, closed, Widget("push button", "OK", (300, 400, 90, 30)), *spins, row, tree)
    steps = [["click", "push button", "O."], ["beside", "spin button", "Levels:"], ["type", "7"], ["right", "tree item", "Folders"]]
    widgets.follow("editor", [*steps, ["choose", "menu item", r"Open\.\.\."], ["press", "ctrl", "q"]])
    assert clicks == [(330, 414, 1, "left"), (120, 110, 2, "left"), ("7",), (60, 314, 1, "right"), ("ctrl", "q")]
    assert closed.done == 1
    assert widgets.names("Editor", "push button") == ["OK"]


def test_a_widget_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, clicks: list[tuple[Any, ...]]) -> None:
    desktop(monkeypatch, Widget("push button", "OK and more", (0, 0, 9, 9)))
    with pytest.raises(LookupError, match="Editor shows no push button 'OK'"):
        widgets.find("Editor", "push button", "OK", seconds=0.0)
