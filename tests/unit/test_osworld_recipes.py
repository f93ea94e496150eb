"""OSWorld's recipes, as far as they need no desktop: which tasks have one, what counts as right, what a machine lacks."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pydantic import JsonValue

from unibench.golden.control import Control, Provenance, RecipeFailed, Role, all_controls
from unibench.task import InstanceSpec
from unibench_golden_checks.osworld import address_bar, chromium, device, make_file, office_settings, terminal, vlc
from unibench_golden_checks.osworld.controls import MODULE, recipe_of
from unibench_golden_checks.osworld.refusals import refusal_controls
from unibench_golden_checks.osworld.settings import Recipe
from unibench_guests.local.programs import GUEST
from unibench_osworld import FOLDERS, programs
from unibench_osworld.grader.client import not_fetched
from unibench_osworld.session import DesktopHandle
from unibench_osworld.task_check import check_task
from unibench_osworld.task_files import TaskFile, TaskSet, find_folder
from unibench_osworld.upstream_source import read_upstream

DATA = os.environ.get("UNIBENCH_TEST_DATA", "")
needs_data = pytest.mark.skipif(not DATA, reason="UNIBENCH_TEST_DATA names no folder with upstream's task files")
TABLES = (chromium.TABLE, address_bar.TABLE, device.TABLE, office_settings.TABLE, terminal.TABLE, vlc.TABLE)
TASKS = [task for table in TABLES for task in table]
NO_MACHINE = cast(DesktopHandle, None)


@needs_data
def test_every_recipe_is_for_a_task_that_upstream_has_and_that_can_be_done() -> None:
    tasks = TaskSet.load(find_folder(Path(DATA) / "osworld", FOLDERS))
    assert len(TASKS) == len(set(TASKS))
    assert [task for task in TASKS if task not in tasks.tasks or tasks[task].infeasible] == []
    mine = [task for task in tasks.tasks.values() if task.infeasible]
    assert len(mine) == 29


@pytest.mark.parametrize("task", TASKS)
def test_a_recipe_has_a_golden_and_mutants_of_distinct_names(task: str) -> None:
    found = recipe_of(task)
    assert found is not None
    controls = found[0].controls()
    names = [control.name for control in controls]
    assert len(names) == len(set(names))
    assert "golden" in names
    assert [c for c in controls if c.role is Role.MUTANT]
    assert MODULE.recipe_digest(task) != MODULE.recipe_digest("os/none")


def recipe(found: JsonValue, **more: Any) -> Recipe:
    def read(handle: DesktopHandle) -> JsonValue:
        return found

    return Recipe(
        wanted="on",
        golden=lambda handle: ["set"],
        read=read,
        provenance=Provenance(source="app", means="shell"),
        mutants={"off": lambda handle: []},
        **more,
    )


def built(controls: list[Control], name: str) -> bool | None:
    control = next(each for each in controls if each.name == name)
    assert control.build is not None
    return cast(bool | None, control.build(NO_MACHINE).right)


def test_a_state_is_right_by_what_is_read_back_and_not_by_what_was_done() -> None:
    assert built(recipe("on").controls(), "golden") is True
    assert built(recipe("off").controls(), "golden") is False
    assert built(recipe("off").controls(), "off") is False
    assert built(recipe("ON", right=lambda found: str(found).lower() == "on").controls(), "golden") is True


def test_where_the_machine_must_rest_the_standard_controls_do(monkeypatch: pytest.MonkeyPatch) -> None:
    rested = recipe("off", start=lambda handle: []).controls()
    assert {c.name for c in rested if c.role in (Role.UNTOUCHED, Role.TRIVIAL)} == {"untouched", "idle", "claims-done", "claims-infeasible"}
    assert {c.state for c in rested if c.role in (Role.UNTOUCHED, Role.TRIVIAL)} == {"at-rest"}
    assert [c for c in recipe("off").controls() if c.role in (Role.UNTOUCHED, Role.TRIVIAL)] == []


def test_a_refusal_passes_only_as_the_last_word() -> None:
    finals = {c.name: [a.type for a in c.final] for c in refusal_controls() if c.expect.type != "passed"}
    assert finals == {"takes-it-back": ["infeasible", "done"], "only-answers": ["answer", "done"]}
    assert [c.name for c in refusal_controls() if c.expect.type == "passed"] == ["golden", "claims-infeasible"]


def addresses() -> Iterator[tuple[str, Recipe]]:
    for task, make in address_bar.TABLE.items():
        yield task, make()


@pytest.mark.parametrize(("task", "made"), list(addresses()), ids=lambda each: each if isinstance(each, str) else "")
def test_an_address_is_right_with_and_without_what_the_bar_leaves_out(task: str, made: Recipe) -> None:
    assert made.right is not None
    wanted = str(made.wanted)
    assert made.right(wanted)
    assert made.right(wanted.removeprefix("https://").removeprefix("www."))
    assert not made.right("chrome://new-tab-page/")
    assert not made.right(wanted + "x")


@pytest.mark.parametrize(("arrives", "entered"), [(["https://a.b"], 1), (["https://a.", "https://a.b"], 2), (["https://a."] * 3, 3)])
def test_an_address_that_did_not_arrive_is_entered_again(monkeypatch: pytest.MonkeyPatch, arrives: list[str], entered: int) -> None:
    typed: list[JsonValue] = []
    monkeypatch.setattr(address_bar, "by_hand", lambda *lines: lambda handle: typed.append("") or ["typed"])
    monkeypatch.setattr(address_bar, "in_front", lambda handle: arrives[len(typed) - 1])
    make = address_bar.visited("https://www.a.b/")
    if arrives[-1] == "https://a.b":
        assert make(NO_MACHINE) == ["typed"] * entered
    else:
        with pytest.raises(RecipeFailed, match=r"'https://a\.'"):
            make(NO_MACHINE)
    assert len(typed) == entered


@pytest.mark.parametrize("right", [True, False])
def test_bookmarks_are_read_once_the_browsers_file_has_them(monkeypatch: pytest.MonkeyPatch, right: bool) -> None:
    bar = [{"type": "folder", "name": "F", "children": [{"type": "url", "name": "x", "url": "https://a.b/"}]}]
    files = ["{}", json.dumps({"roots": {"bookmark_bar": {"children": bar}, "other": {"children": []}}})]
    monkeypatch.setattr(chromium, "run", lambda guest, script: files.pop(0) if len(files) > 1 else files[0])
    monkeypatch.setattr(chromium.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(chromium, "_BOOKMARKS_SECONDS", 20 if right else 0)
    tree = {"1": [{"F": ["https://a.b/"]}], "2": []} if right else {"1": ["https://c.d/"], "2": []}
    page = SimpleNamespace(script=lambda expression: tree)
    monkeypatch.setattr(chromium, "Browser", lambda handle: SimpleNamespace(page=lambda url: nullcontext(page)))
    handle = cast(DesktopHandle, SimpleNamespace(guest=None))
    if right:
        assert chromium.bookmarks(handle) == {"bar": tree["1"], "other": []}
    else:
        with pytest.raises(RecipeFailed, match="its file"):
            chromium.bookmarks(handle)


@pytest.mark.parametrize(
    ("today", "monday", "tenth"),
    [
        (date(2026, 11, 30), date(2026, 12, 7), date(2026, 12, 10)),
        (date(2026, 12, 6), date(2026, 12, 7), date(2027, 1, 10)),
        (date(2027, 1, 31), date(2027, 2, 1), date(2027, 2, 10)),
    ],
)
def test_days_that_addresses_speak_of(today: date, monday: date, tenth: date) -> None:
    assert address_bar._next_monday(today) == monday
    assert address_bar._next_month(10, today) == tenth


def test_sorted_files_are_right_only_where_each_lies_in_its_folder() -> None:
    def listing(papers: tuple[str, ...], top: str = "") -> str:
        others = "\n".join("abcdefg")
        parts = {"Miscellaneous": others, "Paper_reading": "\n".join(papers), "Projects": "2-if-for-array/\nassign1-data_python3/"}
        shown = "\n\n".join(f"{name}:\n{content}" for name, content in parts.items())
        return f".:\nMiscellaneous/\nPaper_reading/\nProjects/{top}\n\n{shown}"

    assert device._sorted_well(listing(device._PAPERS))
    assert not device._sorted_well(listing(device._PAPERS[:-1]))
    assert not device._sorted_well(listing(device._PAPERS, "\nleft.docx"))


def task(config: list[dict[str, Any]], **evaluator: Any) -> TaskFile:
    return TaskFile("os", "x", {"id": "x", "instruction": "do", "config": config, "evaluator": evaluator})


def test_what_a_task_needs_of_its_machine_is_told_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs.shutil, "which", lambda name, path: None)
    steps = [
        {"type": "launch", "parameters": {"command": ["/usr/bin/thunderbird"]}},
        {"type": "launch", "parameters": {"command": ["google-chrome", "--x"]}},
        {"type": "launch", "parameters": {"command": "VLC_VERBOSE=-1 /usr/bin/gimp", "shell": True}},
        {"type": "execute", "parameters": {"command": "export A=1\ngnome-terminal --maximize", "shell": True}},
        {"type": "execute", "parameters": {"command": ["python", "-c", "code = 'vlc'"]}},
    ]
    found = task(steps, func="f", result={"type": "vlc_config", "dest": "vlcrc"})
    assert programs.needed(found) == ["thunderbird", "google-chrome", "gimp", "gnome-terminal", "vlc"]
    assert programs.lacking(found) == [
        "the local desktop has no Thunderbird (thunderbird)",
        "the local desktop has no GIMP (gimp)",
        "the local desktop has no GNOME Terminal (gnome-terminal)",
        "the local desktop has no VLC (vlc)",
    ]
    clock = task([], func="is_utc_0", result={"type": "vm_command_line", "command": "timedatectl status", "shell": True})
    assert programs.lacking(clock) == ["the local desktop has no systemd (timedatectl)"]


@pytest.mark.parametrize(
    ("host", "path", "needed"),
    [
        ("publicsuffix.org", "/list/public_suffix_list.dat", False),
        ("raw.githubusercontent.com", "/publicsuffix/list/main/public_suffix_list.dat", False),
        ("raw.githubusercontent.com", "/rogeriobonatti/winarenafiles/main/gold.docx", True),
        ("huggingface.co", "/x", True),
    ],
)
def test_only_what_upstream_does_without_may_be_out_of_reach(host: str, path: str, needed: bool) -> None:
    assert bool(not_fetched([{"host": host, "path": path, "error": "refused"}])) is needed


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["sudo", "-S", "echo", "-n", "hi"], 0, "hi"),
        (["sudo", "-p", "x", "-u", "root", "--", "false"], 1, ""),
        (["apt-get", "install", "-y", "bash"], 0, ""),
        (["apt-get", "install", "no-such-package"], 100, ""),
        (["apt-get", "update"], 0, ""),
        (["apt-get", "remove", "bash"], 100, ""),
    ],
)
def test_the_desktops_sudo_and_apt_do_what_needs_no_root_and_no_network(command: list[str], code: int, said: str) -> None:
    done = subprocess.run(["/bin/sh", str(GUEST / "bin" / command[0]), *command[1:]], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, said)


def test_the_module_gives_a_task_its_recipes_controls(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "os/f9be0997-4b7c-45c5-b05c-4612b44a6118"
    monkeypatch.setitem(
        MODULE.__dict__, "_tasks", {name: TaskFile("os", name[3:], {"instruction": "x", "evaluator": {"func": "exact_match"}})}
    )
    spec = InstanceSpec(suite="osworld", task=name, seed=0, index=0, params={})
    assert {"untouched", "golden", "other-setting"} <= {control.name for control in all_controls(MODULE, spec)}


@pytest.mark.parametrize(("body", "skewed"), [("return rule", True), ("return isinstance(rule, list)", False)])
def test_alternatives_in_a_rule_on_days_are_skew_where_the_installed_getter_tells_no_lists(tmp_path: Path, body: str, skewed: bool) -> None:
    folder = tmp_path / "desktop_env" / "evaluators"
    (folder.parent / "controllers").mkdir(parents=True)
    for kind in ("metrics", "getters"):
        (folder / kind).mkdir(parents=True)
        (folder / kind / "__init__.py").write_text(f"from .all import {'exact_match' if kind == 'metrics' else 'get_rule_relativeTime'}\n")
    (folder.parent / "__init__.py").touch()
    (folder.parent / "controllers" / "setup.py").write_text("class SetupController:\n    pass\n")
    (folder / "metrics" / "all.py").write_text("def exact_match(a, b):\n    pass\n")
    (folder / "getters" / "all.py").write_text(f"def get_rule_relativeTime(env, rule):\n    {body}\n")
    source = read_upstream(folder.parent)
    days = {"type": "rule_relativeTime", "rules": {"expected": {"time": ["{Year}"]}, "relativeTime": {"from": "tomorrow"}}}
    problems = check_task(task([], func="exact_match", expected=days), source)
    assert any("alternatives" in problem.message for problem in problems) is skewed


def test_a_stand_in_film_is_a_whole_avi() -> None:
    film = make_file.video(seconds=3, rate=2)
    kind, size, form = struct.unpack("<4sI4s", film[:12])
    assert (kind, size, form) == (b"RIFF", len(film) - 8, b"AVI ")
    at, parts = 12, []
    while at < len(film):
        name, length = struct.unpack("<4sI", film[at : at + 8])
        parts.append((name, film[at + 8 : at + 12]))
        at += 8 + length + length % 2
    assert at == len(film)
    assert [name for name, _ in parts] == [b"LIST", b"LIST", b"idx1"]
    movi = film.index(b"movi")
    for number in range(6):
        entry = film[len(film) - 16 * (6 - number) :][:16]
        name, _, offset, length = struct.unpack("<4s3I", entry)
        assert film[movi + offset : movi + offset + 8] == struct.pack("<4sI", name, length)
        assert film[movi + offset + 8 :].startswith(b"\xff\xd8")
