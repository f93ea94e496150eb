"""Which programs a task cannot do without, and which of them the local desktop lacks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from unibench_osworld.task_files import Step, TaskFile

NAMES = {"code": "VS Code", "gimp": "GIMP", "vlc": "VLC", "thunderbird": "Thunderbird", "gnome-terminal": "GNOME Terminal", "nautilus": "GNOME Files"}
_GETTERS = {
    "vlc_config": "vlc",
    "vlc_playing_info": "vlc",
    "vscode_config": "code",
    "gimp_config_file": "gimp",
    "vm_terminal_output": "gnome-terminal",
}
_WINDOWS = {"Terminal": "gnome-terminal", "Visual Studio Code": "code", "Mail.thunderbird": "thunderbird"}
_FOLDERS = "/usr/local/bin:/usr/bin:/bin:/usr/games:/usr/sbin"
_OURS = ("google-chrome", "google-chrome-stable", "python", "sudo", "apt", "apt-get")
"""What the local desktop brings by itself (``unibench_guests/local/guest/bin``)."""


def needed(task: TaskFile) -> list[str]:
    """The programs that set-up and verifier start, or whose windows and files they look at; without a path, in order."""
    found = [name for step in (*task.config, *task.postconfig) for name in _of_step(step)]
    for check in task.checks:
        for config in (check.result, check.expected):
            found += _of_getter(config or {})
    return list(dict.fromkeys(found))


def _of_step(step: Step) -> Iterator[str]:
    parameters = step.parameters
    if step.type == "launch" and (name := _program(parameters)):
        yield name
    if step.type in ("execute", "command") and (name := _program(parameters)) in NAMES:
        yield name
    if step.type in ("activate_window", "close_window"):
        title = str(parameters.get("window_name", ""))
        yield from (name for part, name in _WINDOWS.items() if part in title)


def _of_getter(config: Mapping[str, Any]) -> Iterator[str]:
    if name := _GETTERS.get(str(config.get("type"))):
        yield name
    if config.get("type") in ("vm_command_line", "vm_command_error") and (name := _program(config)) in NAMES:
        yield name


def _program(parameters: Mapping[str, Any]) -> str:
    command = parameters.get("command", "")
    words = command.split() if isinstance(command, str) else [str(each) for each in command]
    return words[0].rpartition("/")[2] if words else ""


def lacking(task: TaskFile) -> list[str]:
    """What of it the local desktop does not have, in words."""
    missing = [name for name in needed(task) if name not in _OURS and shutil.which(name, path=_FOLDERS) is None]
    return [f"the program {NAMES.get(name, name)} ({name}) is not installed on the local desktop" for name in missing]
