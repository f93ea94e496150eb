"""What the path-mapped guest does without: set-up steps that only start or show programs, and what a verifier cannot do without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unibench_osworld.task_check import used_getters
from unibench_osworld.task_files import Step, TaskFile
from unibench_windows_agent_arena.tables import getter

SHOWS = ("launch", "open", "activate_window", "close_window", "chrome_open_tabs", "chrome_close_tabs", "edge_open_tabs")
"""Steps that start a program, or show a window or a page. None of them changes a file that a verifier here looks at."""
KEPT = {"open_tabs_info": "a running browser", "url_dashPart": "a running browser", "active_tab_url_parse": "a running browser"}
"""Getters that ask a program."""
POWERSHELL_READS = "if (Test-Path "


def left_out(step: Step) -> bool:
    """Whether the set-up goes without the step on a guest that has no programs."""
    return step.type in SHOWS or (
        step.type in ("command", "execute") and _line(step.parameters).startswith("cmd /c code --install-extension ")
    )


def definition_without(task: TaskFile) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The task's definition without those steps, and the steps in words."""
    steps = task.config
    kept = [raw for step, raw in zip(steps, task.definition.get("config") or (), strict=True) if not left_out(step)]
    said = tuple(f"{step.type} {_line(step.parameters)}".strip() for step in steps if left_out(step))
    return {**task.definition, "config": kept}, said


def lacking(task: TaskFile) -> Iterator[str]:
    """What of Windows the task cannot be judged or set up without, in words."""
    if task.infeasible:
        return
    for name in used_getters(task):
        if needed := getter(name).windows or KEPT.get(name):
            yield f"the getter {name} needs {needed}"
    for check in task.checks:
        if (result := check.result or {}).get("type") == "vm_command_line":
            yield from _command("its verifier", _line(result))
    for step in task.config:
        if step.type in ("command", "execute") and not left_out(step):
            yield from _command("its set-up", _line(step.parameters))
    for step in task.postconfig:
        if step.type in ("command", "execute"):
            yield from _command("its verifier first", _line(step.parameters))
        if step.type == "open":
            yield f"its verifier first opens {step.parameters.get('path')} in a program"


def _command(who: str, line: str) -> Iterator[str]:
    """What a command needs that the path-mapped guest does not have (``unibench_guests.pathmapped.commands``)."""
    words = line.split()
    program = words[0].lower() if words else ""
    said = f"{who} runs {line[:80]!r}"
    if program == "soffice":
        yield f"{said}, which needs LibreOffice"
    elif program == "cmd" and not (words[2:4] == ["fsutil", "file"] or words[2:3] in (["mkdir"], ["copy"])):
        needs = (
            "the registry" if "reg" in words else "VS Code" if "code" in words else "Windows' user accounts" if "net" in words else "cmd"
        )
        yield f"{said}, which needs {needs}"
    elif program == "powershell" and not (POWERSHELL_READS in line or "New-Item -ItemType Directory" in line):
        yield f"{said}, which needs PowerShell"
    elif program == "python" and "screenshot" in line:
        yield f"{who} takes a picture of the screen"


def _line(parameters: Mapping[str, Any]) -> str:
    command = parameters.get("command", parameters.get("path", parameters.get("window_name", "")))
    return command if isinstance(command, str) else " ".join(map(str, command))
