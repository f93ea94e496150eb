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
from unibench_osworld.task_files import TaskFile, TaskSet, find_folder
from unibench_osworld.upstream_source import Function, UpstreamSource
from unibench_windows_agent_arena import EXAMPLES, FACE, FOLDERS, WindowsSettings
from unibench_windows_agent_arena import suite as arena
from unibench_windows_agent_arena.suite import KNOWN, WindowsAgentArenaSuite
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


@pytest.mark.parametrize(
    ("judges", "mend"), [("osworld", "; its own evaluators: unibench install windows-agent-arena --from CHECKOUT"), (FACE.name, "")]
)
def test_what_osworlds_evaluators_lack_names_the_suites_own(tmp_path: Path, judges: str, mend: str) -> None:
    evaluator = {"func": ["exact_match", "match_in_list"], "result": {"type": "vm_file", "path": "a", "dest": "a"}}
    task = TaskFile("clock", "1", {"id": "1", "evaluator": evaluator})
    suite = WindowsAgentArenaSuite()
    suite.grader_suite = judges
    suite.files = TaskSet(tmp_path, tasks={task.id: task})
    suite.source = UpstreamSource(tmp_path, "1.0.2", getters={"vm_file": Function("get_vm_file", "g.py")})
    lacks = "version-skew: desktop-env 1.0.2 has no function"
    assert suite.unavailable("clock/1", WindowsSettings(), "remote") == (f"{lacks} exact_match", f"{lacks} match_in_list{mend}")


def test_without_any_evaluators_the_command_is_one_that_works(tmp_path: Path) -> None:
    task = TaskFile("clock", "1", {"id": "1", "evaluator": {"func": "infeasible"}})
    suite = WindowsAgentArenaSuite()
    suite.files, suite.source = TaskSet(tmp_path, tasks={task.id: task}), None
    assert suite.unavailable("clock/1", WindowsSettings(), "remote") == (
        "the evaluators are not installed; run `unibench install windows-agent-arena --from CHECKOUT`",
    )


@needs_data
def test_the_check_and_the_doctor_take_the_evaluators_that_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(DATA) / "windows_agent_arena"
    source = UpstreamSource(tmp_path, "1.0.2", getters={"vm_file": Function("get_vm_file", "g.py")})
    monkeypatch.setattr(arena, "site_packages", lambda suite: None)
    monkeypatch.setattr(arena, "installed_source", {"osworld": source}.get)
    suite = WindowsAgentArenaSuite()
    suite.files, suite.source = tasks("normal"), source
    assert list(arena.check_folder(root)) == suite.problems()
    assert any(problem.rule == "version-skew" for problem in suite.problems())
    assert suite.judges == f"OSWorld's {suite.package_version} in place of its own"
    install = "unibench install windows-agent-arena --from CHECKOUT"
    assert arena.left_unchecked() == f"checked with OSWorld's 1.0.2 in place of its own -> {install}"
    monkeypatch.setattr(arena, "installed_source", lambda suite: None)
    assert arena.left_unchecked().endswith(f"were left unchecked, as the evaluators are not installed -> {install}")
    monkeypatch.setattr(arena, "site_packages", lambda suite: tmp_path)
    monkeypatch.setattr(arena, "installed_source", {FACE.name: source}.get)
    assert arena.left_unchecked() == ""
