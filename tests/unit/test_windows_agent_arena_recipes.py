"""WindowsAgentArena's golden recipes: every task that the path-mapped guest can judge has one, and no other."""

from __future__ import annotations

import os
import struct
import types
from pathlib import Path
from typing import cast

import pytest

from unibench_golden_checks.osworld.artefacts import end_applications
from unibench_golden_checks.windows_agent_arena import app_files, browsers, documents, explorer, making, stand_ins
from unibench_golden_checks.windows_agent_arena.artefacts import NothingRuns, artefact_controls
from unibench_guests.errors import GuestRefused
from unibench_guests.pathmapped import PathMappedGuest
from unibench_osworld.assets import needs, place_of
from unibench_osworld.session import DesktopHandle
from unibench_osworld.task_check import used_getters
from unibench_osworld.task_files import TaskFile, TaskSet, find_folder
from unibench_windows_agent_arena import EXAMPLES, FOLDERS
from unibench_windows_agent_arena.tables import getter
from unibench_windows_agent_arena.without_programs import definition_without, lacking

DATA = os.environ.get("UNIBENCH_TEST_DATA", "")
needs_data = pytest.mark.skipif(not DATA, reason="UNIBENCH_TEST_DATA names no folder with upstream's task files")
RECIPES = {**app_files.FILES, **app_files.TABLE, **browsers.TABLE, **documents.TABLE, **explorer.TABLE}


def tasks(level: str = "normal") -> TaskSet:
    return TaskSet.load(find_folder(Path(DATA) / "windows_agent_arena", FOLDERS), examples=EXAMPLES[level])


def live(task: TaskFile) -> bool:
    return any(getter(name).live for name in used_getters(task))


def gold(task: TaskFile) -> bool:
    return any(need.role == "gold" for need in needs(task))


@needs_data
def test_every_task_is_a_refusal_has_a_recipe_or_says_what_it_lacks() -> None:
    found = tasks().tasks
    assert set(RECIPES) <= set(found)
    for name, task in found.items():
        wants = [*lacking(task)]
        assert (name in RECIPES) is not bool(wants or live(task) or gold(task) or task.infeasible), (name, wants)
    counts = {
        "refusal": sum(task.infeasible for task in found.values()),
        "recipe": len(RECIPES),
        "gold": sum(gold(task) and not [*lacking(task)] and not live(task) for task in found.values()),
        "lacks": sum(bool([*lacking(task)]) or live(task) for task in found.values()),
    }
    assert counts == {"refusal": 13, "recipe": 65, "gold": 43, "lacks": 33}
    assert sum(counts.values()) == 154


@needs_data
def test_most_gold_files_can_be_put_where_the_result_is_looked_for() -> None:
    placeable = [task for task in tasks().tasks.values() if gold(task) and artefact_controls(task)]
    assert len(placeable) == 45


@needs_data
def test_the_steps_that_are_left_out_only_start_or_show_programs() -> None:
    left = [said.split()[0] for task in tasks().tasks.values() for said in definition_without(task)[1]]
    assert set(left) == {"launch", "open", "activate_window", "chrome_open_tabs", "chrome_close_tabs", "command"}
    commands = {said for task in tasks().tasks.values() for said in definition_without(task)[1] if said.startswith("command")}
    assert commands == {"command cmd /c code --install-extension ms-python.python"}


@needs_data
def test_what_the_recipes_tasks_download_can_be_stood_in_for() -> None:
    for name in RECIPES:
        for need in needs(tasks()[name]):
            assert stand_ins.recipe(str(place_of(need.url))) is not None, need.url


@needs_data
def test_hard_cuts_the_set_up_and_what_is_said_and_nothing_else() -> None:
    normal, hard = tasks("normal"), tasks("hard")
    cut, reworded = 0, 0
    for name, task in normal.tasks.items():
        other = hard[name]
        assert other.evaluator == task.evaluator
        steps = [(step.type, str(step.parameters)) for step in task.config]
        kept = [(step.type, str(step.parameters)) for step in other.config]
        cut += kept != steps
        reworded += other.instruction != task.instruction
    assert (cut, reworded) == (40, 17)


def test_a_shortcut_is_in_windows_form() -> None:
    data = explorer.lnk(r"C:\Users\Docker\Documents\Projects", "a description")
    size, clsid, flags = struct.unpack_from("<I16sI", data)
    assert (size, clsid.hex(), flags) == (0x4C, "0114020000000000c000000000000046", 0x04 | 0x08 | 0x10 | 0x80)
    length = struct.unpack_from("<H", data, 0x4C)[0]
    assert data[0x4E : 0x4E + 2 * length].decode("utf-16-le") == "a description"


def test_every_mutant_of_a_file_differs_from_the_golden_and_the_default() -> None:
    for name, file in app_files.FILES.items():
        states = [file.default, file.golden, *file.mutants.values()]
        assert len(set(map(str, states[1:]))) == len(states) - 1 and file.golden != file.default, name


def test_settings_are_read_back_by_their_names() -> None:
    assert browsers.nested({"a.b": 1, "a.c": 2, "d": None}) == {"a": {"b": 1, "c": 2}, "d": None}
    data = browsers._cookies("b.com", "a.com")
    assert browsers.rows(data, "SELECT host_key FROM cookies ORDER BY host_key") == ["a.com", "b.com"]


def test_where_nothing_runs_applications_have_ended_and_what_else_is_removed_is_a_gap() -> None:
    with PathMappedGuest() as machine, NothingRuns(machine.url) as guest:
        end_applications(cast(DesktopHandle, types.SimpleNamespace(guest=guest)))
        assert machine.gaps == []
        for command in ("rm -rf C:/Users/Docker/Desktop", ["rm", "a"], "pkill -9 -x gimp", ["pkill", "gimp"]):
            with pytest.raises(GuestRefused):
                guest.execute(command, shell=True)
        assert len(machine.gaps) == 4


def test_the_kind_alone_says_which_program_makes_a_file_and_it_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def made(program: Path, suite: str, /, **wanted: object) -> bytes:
        asked.append((program.parent.name, wanted))
        return str(len(asked)).encode()

    monkeypatch.setattr(making.osworlds, "made", made)
    making._once.cache_clear()
    try:
        for _ in range(2):
            assert making.made(kind="docx", paragraphs=["a"]) == b"1"
            assert making.made(kind="seven_zip", files={"a": "b"}) == b"2"
        assert making.made(kind="styled_docx", paragraphs=[{"text": "a"}]) == b"3"
    finally:
        making._once.cache_clear()
    assert [folder for folder, _ in asked] == ["osworld", "windows_agent_arena", "windows_agent_arena"]
    assert asked[0][1] == {"kind": "docx", "paragraphs": ["a"]}
