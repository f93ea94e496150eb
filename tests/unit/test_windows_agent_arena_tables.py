"""WindowsAgentArena's tasks: descriptors, owners, levels, and what needs Windows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unibench.errors import UnknownName
from unibench.kinds import check_kind
from unibench_osworld import OsworldSettings
from unibench_osworld.describe import Upstream, describe
from unibench_osworld.task_check import check_tasks
from unibench_osworld.task_files import TaskSet, find_folder
from unibench_windows_agent_arena import EXAMPLES, FACE, FOLDERS, WindowsSettings
from unibench_windows_agent_arena.suite import KNOWN
from unibench_windows_agent_arena.tables import WINDOWS_GETTERS, getter, metric

UPSTREAM = Upstream("desktop_env", "x", metric, getter)
DATA = os.environ.get("UNIBENCH_TEST_DATA", "")
needs_data = pytest.mark.skipif(not DATA, reason="UNIBENCH_TEST_DATA names no folder with upstream's task files")


def tasks(level: str) -> TaskSet:
    return TaskSet.load(find_folder(Path(DATA) / "windows_agent_arena", FOLDERS), examples=EXAMPLES[level])


@needs_data
def test_all_154_descriptors_have_kinds_and_owners() -> None:
    found = {task.id: describe(task, UPSTREAM) for task in tasks("normal").tasks.values()}
    assert len(found) == 154
    for descriptor in found.values():
        check_kind(descriptor)
    leaves = [leaf for d in found.values() for leaf in (d.children or (d,))]
    owners = {leaf.owner for leaf in leaves}
    assert owners == {"xlang-ai/OSWorld", "microsoft/WindowsAgentArena"}
    assert all(leaf.owner == "xlang-ai/OSWorld" for leaf in leaves if leaf.name == "compare_table")
    clock = next(d for name, d in found.items() if name.startswith("clock/"))
    assert (clock.owner, clock.kind) == ("microsoft/WindowsAgentArena", "runtime-gui")


@needs_data
def test_hard_mode_changes_what_is_set_up_but_not_what_judges() -> None:
    normal, hard = tasks("normal"), tasks("hard")
    assert list(normal.tasks) == list(hard.tasks)
    changed = [name for name in normal.tasks if normal[name].digest != hard[name].digest]
    assert len(changed) > 40
    for name in normal.tasks:
        assert describe(normal[name], UPSTREAM).digest == describe(hard[name], UPSTREAM).digest


@needs_data
def test_no_task_names_a_function_or_getter_that_the_tables_lack() -> None:
    assert {p.rule for p in check_tasks(tasks("normal"), None, KNOWN)} == {"id-differs"}


def test_what_needs_windows_says_so_and_what_reads_files_does_not() -> None:
    assert WINDOWS_GETTERS["night_light_state"].windows and WINDOWS_GETTERS["check_if_timer_started"].windows
    assert not WINDOWS_GETTERS["favorites"].windows and not WINDOWS_GETTERS["is_file_saved_desktop"].windows


def test_a_table_of_osworlds_does_not_know_windows_getters() -> None:
    from unibench_osworld.getters import getter as osworlds

    with pytest.raises(UnknownName, match="night_light_state"):
        osworlds("night_light_state")


def test_the_screen_is_upstreams_own() -> None:
    settings = WindowsSettings()
    assert (settings.screen, OsworldSettings().screen) == ((1920, 1200), (1920, 1080))
    assert FACE.offers(settings).screen == (1920, 1200)
    assert not any("screen" in said for said in settings.not_upstreams())
    assert any("screen_height" in said for said in WindowsSettings(screen_height=1080).not_upstreams())
