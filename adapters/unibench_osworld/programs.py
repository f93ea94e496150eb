"""What of its machine a task cannot do without, and what of that the local desktop lacks."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unibench_osworld.task_files import Step, TaskFile

NAMES = {
    "code": "VS Code",
    "gimp": "GIMP",
    "vlc": "VLC",
    "thunderbird": "Thunderbird",
    "gnome-terminal": "GNOME Terminal",
    "nautilus": "GNOME Files",
    "pactl": "PulseAudio",
    "timedatectl": "systemd",
    "org.gnome.shell": "GNOME Shell",
}
_STARTED = ("code", "gimp", "vlc", "thunderbird", "nautilus")
"""Looked for as a command's first word only; the other names anywhere in it."""
_GETTERS = {
    "vlc_config": "vlc",
    "vlc_playing_info": "vlc",
    "default_video_player": "vlc",
    "vscode_config": "code",
    "gimp_config_file": "gimp",
    "vm_terminal_output": "gnome-terminal",
}
_WINDOWS = {"Terminal": "gnome-terminal", "Visual Studio Code": "code", "Mail.thunderbird": "thunderbird"}
_FOLDERS = "/usr/local/bin:/usr/bin:/bin:/usr/games:/usr/sbin"
_OURS = ("google-chrome", "google-chrome-stable", "python", "sudo", "apt", "apt-get")
"""What the local desktop brings by itself (``unibench_guests/local/guest/bin``)."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
"""What stands before a program in a shell's command line."""
_ANYWHERE = re.compile(r"(?<![\w.-])(" + "|".join(re.escape(name) for name in NAMES if name not in _STARTED) + r")(?![\w-])")


def needed(task: TaskFile) -> list[str]:
    """What set-up and verifier start, or whose windows and files they look at; programs without a path, in order."""
    found = [name for step in (*task.config, *task.postconfig) for name in _of_step(step)]
    for check in task.checks:
        for config in (check.result, check.expected):
            found += _of_getter(config or {})
    return list(dict.fromkeys(found))


def _of_step(step: Step) -> Iterator[str]:
    if step.type == "launch":
        yield _first(step.parameters)
    if step.type in ("execute", "command"):
        yield from _of_command(step.parameters)
    if step.type in ("activate_window", "close_window"):
        title = str(step.parameters.get("window_name", ""))
        yield from (name for part, name in _WINDOWS.items() if part in title)


def _of_getter(config: Mapping[str, Any]) -> Iterator[str]:
    if name := _GETTERS.get(str(config.get("type"))):
        yield name
    if config.get("type") in ("vm_command_line", "vm_command_error"):
        yield from _of_command(config)


def _of_command(parameters: Mapping[str, Any]) -> Iterator[str]:
    if (name := _first(parameters)) in _STARTED:
        yield name
    command = parameters.get("command", "")
    yield from _ANYWHERE.findall(command if isinstance(command, str) else " ".join(map(str, command)))


def _first(parameters: Mapping[str, Any]) -> str:
    command = parameters.get("command", "")
    words = command.split() if isinstance(command, str) else [str(each) for each in command]
    first = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    return first.rpartition("/")[2]


def _here(name: str) -> bool:
    if name == "timedatectl":
        return False  # The program may be there; what it asks is not.
    if name == "org.gnome.shell":
        return Path("/usr/share/glib-2.0/schemas/org.gnome.shell.gschema.xml").exists()
    return shutil.which(name, path=_FOLDERS) is not None


def lacking(task: TaskFile) -> list[str]:
    """What of it the local desktop does not have, in words."""
    return [
        f"the local desktop has no {NAMES.get(name, name)} ({name})"
        for name in needed(task)
        if name and name not in _OURS and not _here(name)
    ]


def installed(task: TaskFile) -> list[str]:
    """The set-up steps that install packages, which a machine without a network lacks, in words."""
    commands = [step.parameters.get("command", "") for step in task.config if step.type in ("execute", "command")]
    texts = [command if isinstance(command, str) else " ".join(map(str, command)) for command in commands]
    return [f"what the set-up installs ({found.group(1)})" for text in texts if (found := re.search(r"\bapt(?:-get)? install (.+)", text))]
