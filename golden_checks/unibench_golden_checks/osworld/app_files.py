"""Settings that an application keeps in a file of its own, written as the application writes them.

For machines on which the application is not installed: with ``stand_ins`` the set-up's attempts to start it may fail, which the
record says. The initial state then is the application's file with its defaults.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from unibench.actions import Done, Infeasible
from unibench.golden.control import BELOW_GOLDEN, NOT_PASSED, PASSED, Control, NotApplicable, Provenance, Readback, RecipeFailed, Role
from unibench_golden_checks.osworld.repro import file_step
from unibench_golden_checks.osworld.settings import run
from unibench_osworld.session import DesktopHandle
from unibench_osworld.task_files import TaskFile

NOTE = "the application need not be there: its file is put where it keeps it, in its own form"
HOME = "/home/user"
_WRITERS = {"/.config/GIMP/": "gimp", "/.thunderbird/": "thunderbird"}


@dataclass(frozen=True)
class AppFile:
    """One task's file.

    Attributes:
        path: where the application keeps it.
        default: what is in it before; None if it is not there before.
        golden: what is in it in the right end.
        mutants: what is in it in nearly right ones, by name.
    """

    path: str
    default: str | None
    golden: str
    mutants: Mapping[str, str] = field(default_factory=dict)

    @property
    def _writes_it_itself(self) -> str:
        """The application, if it writes the file anew when it ends."""
        return next((name for part, name in _WRITERS.items() if part in self.path), "")

    def controls(self) -> list[Control]:
        """The controls of the task; the standard ones too where the application's defaults must be there first."""
        by = Provenance(source="instruction", means="file", note=NOTE)
        made = [Control("golden", Role.GOLDEN, PASSED, by, self._build(self.golden), (Done(),), state="golden")]
        made += [Control(n, Role.MUTANT, BELOW_GOLDEN, by, self._build(text), (Done(),), state=n) for n, text in self.mutants.items()]
        if self.default is None:
            return made
        before = self._build(self.default)
        standard = (
            ("untouched", Role.UNTOUCHED, ()),
            ("idle", Role.TRIVIAL, ()),
            ("claims-done", Role.TRIVIAL, (Done(),)),
            ("claims-infeasible", Role.TRIVIAL, (Infeasible(reason="this task cannot be done"),)),
        )
        return [*(Control(name, role, NOT_PASSED, by, before, final) for name, role, final in standard), *made]

    def _build(self, text: str) -> Callable[[DesktopHandle], Readback]:
        def build(handle: DesktopHandle) -> Readback:
            import base64

            if (program := self._writes_it_itself) and run(handle.guest, f"pgrep -c {program} || true").strip() != "0":
                raise NotApplicable(f"{program} runs here, and would write over the file that this recipe puts")
            handle.guest.upload(self.path, text.encode())
            there = handle.guest.file(self.path)
            if there != text.encode():
                raise RecipeFailed(f"{self.path} is not what was put there")
            wanted, found = settings_of(self.golden), settings_of(text)
            steps = [file_step(self.path, base64.b64encode(there).decode())]
            return Readback(wanted=wanted, made=found, found=found, right=found == wanted, steps=steps)

        return build


def settings_of(text: str) -> JsonValue:
    """What a configuration says: JSON, or its lines without comments."""
    try:
        found: JsonValue = json.loads(text)
        return found
    except ValueError:
        return [*sorted(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))]


def app_file_controls(task: TaskFile) -> list[Control]:
    """The controls of a task whose verifier reads one file of an application; empty if there is no recipe."""
    found = TASKS.get(task.id)
    return found.controls() if found is not None else []


# VS Code


def _code(wanted: dict[str, JsonValue], **mutants: dict[str, JsonValue]) -> AppFile:
    return _json(f"{HOME}/.config/Code/User/settings.json", wanted, mutants)


def _keys(wanted: dict[str, JsonValue], **mutants: dict[str, JsonValue]) -> AppFile:
    comment = "// Place your key bindings in this file to override the defaults\n"
    made = {name.replace("_", "-"): comment + json.dumps([value], indent=4) for name, value in mutants.items()}
    return AppFile(f"{HOME}/.config/Code/User/keybindings.json", None, comment + json.dumps([wanted], indent=4), made)


def _json(path: str, wanted: dict[str, JsonValue], mutants: Mapping[str, dict[str, JsonValue]]) -> AppFile:
    made = {name.replace("_", "-"): json.dumps(value, indent=4) for name, value in mutants.items()}
    return AppFile(path, None, json.dumps(wanted, indent=4), made)


def _workspace(*folders: str) -> str:
    return json.dumps({"folders": [{"path": folder} for folder in folders]}, indent=1)


# VLC

_VLC = {
    "input-record-path": "",
    "qt-max-volume": "125",
    "qt-bgcone": "1",
    "qt-minimal-view": "0",
    "qt-slider-colours": "153;210;153;20;210;20;255;199;15;245;39;29",
    "global-key-play-pause": "",
    "one-instance-when-started-from-file": "1",
}
"""Settings and their defaults, which VLC writes as comments."""


def _vlcrc(key: str = "", value: str = "") -> str:
    lines = [f"{name}={value}" if name == key else f"#{name}={default}" for name, default in _VLC.items()]
    return "[core]\n" + "\n\n".join(lines) + "\n"


def _vlc(key: str, wanted: str, **mutants: str) -> AppFile:
    made = {name.replace("_", "-"): _vlcrc(key, value) for name, value in mutants.items()}
    return AppFile(f"{HOME}/.config/vlc/vlcrc", _vlcrc(), _vlcrc(key, wanted), made)


# GIMP


def _gimp(key: str, default: str, wanted: str, file: str = "gimprc", **mutants: str) -> AppFile:
    def text(value: str) -> str:
        head = '# GIMP gimprc\n\n(icon-theme "Symbolic")\n' if file == "gimprc" else "# GIMP sessionrc\n\n(single-window-mode yes)\n"
        return head + (f"({key} {value})\n" if value else "")

    made = {name.replace("_", "-"): text(value) for name, value in mutants.items()}
    return AppFile(f"{HOME}/.config/GIMP/2.10/{file}", text(default), text(wanted), made)


# Thunderbird

_PROFILE = f"{HOME}/.thunderbird/t5q2a5hp.default-release"


def _prefs(default: dict[str, JsonValue], wanted: dict[str, JsonValue], **mutants: dict[str, JsonValue]) -> AppFile:
    def text(values: dict[str, JsonValue]) -> str:
        kept = {"app.update.lastUpdateTime.addon-background-update-timer": 1700000000, **default, **values}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in sorted(kept.items())]
        return "// Mozilla User Preferences\n\n" + "\n".join(lines) + "\n"

    made = {name.replace("_", "-"): text(value) for name, value in mutants.items()}
    return AppFile(f"{_PROFILE}/prefs.js", text({}), text(wanted), made)


def _filter(**values: str) -> str:
    lines = {"name": "f", "enabled": "yes", "type": "17", **values}
    return 'version="9"\nlogging="no"\n' + "".join(f'{name}="{value}"\n' for name, value in lines.items())


def _filters(wanted: dict[str, str], **mutants: dict[str, str]) -> AppFile:
    made = {name.replace("_", "-"): _filter(**{**wanted, **change}) for name, change in mutants.items()}
    path = f"{_PROFILE}/ImapMail/outlook.office365.com/msgFilterRules.dat"
    return AppFile(path, 'version="9"\nlogging="no"\n', _filter(**wanted), made)


_MOVE = {
    "action": "Move to folder",
    "actionValue": "mailbox://nobody@Local%20Folders/Promotions",
    "condition": "AND (subject,contains,discount)",
}
_FORWARD = {"action": "Forward", "actionValue": "anonym-x2024@gmail.com", "condition": "ALL"}
_BINDING: dict[str, JsonValue] = {"key": "ctrl+j", "command": "workbench.action.focusActiveEditorGroup", "when": "terminalFocus"}
_REMOVED: dict[str, JsonValue] = {"key": "ctrl+f", "command": "-list.find", "when": "listFocus && listSupportsFind"}
_THEME, _SIGNATURE = "extensions.activeThemeID", "mail.identity.id1.htmlSigText"
_SUBFOLDERS: dict[str, JsonValue] = {"mail.server.default.applyIncomingFilters": True, "mail.imap.use_status_for_biff": False}

TASKS: dict[str, AppFile] = {
    "vs_code/276cc624-87ea-4f08-ab93-f770e3790175": _code({"editor.wordWrapColumn": 50}, other_length={"editor.wordWrapColumn": 80}),
    "vs_code/70745df8-f2f5-42bd-8074-fbc10334fcc5": _code(
        {"files.autoSave": "afterDelay", "files.autoSaveDelay": 500},
        delay_left={"files.autoSave": "afterDelay"},
        seconds_for_milliseconds={"files.autoSave": "afterDelay", "files.autoSaveDelay": 500000},
    ),
    "vs_code/9439a27b-18ae-42d8-9778-5f68f891805e": _code({"debug.focusEditorOnBreak": False}, on={"debug.focusEditorOnBreak": True}),
    "vs_code/9d425400-e9b2-4424-9a4b-d4c7abac4140": _code({"workbench.editor.wrapTabs": True}, off={"workbench.editor.wrapTabs": False}),
    "vs_code/c6bf789c-ba3a-4209-971d-b63abf0ab733": _code(
        {"files.exclude": {"**/__pycache__": True}},
        shown={"files.exclude": {"**/__pycache__": False}},
        other_folder={"files.exclude": {"**/.pytest_cache": True}},
    ),
    "vs_code/930fdb3b-11a8-46fe-9bac-577332e2640e": _keys(
        _BINDING, other_key={**_BINDING, "key": "ctrl+k"}, the_other_way={**_BINDING, "command": "workbench.action.terminal.focus"}
    ),
    "vs_code/ea98c5d7-3cf9-4f9b-8ad3-366b58e0fcae": _keys(_REMOVED, other_key={**_REMOVED, "key": "ctrl+g"}),
    "vs_code/e2b5e914-ffe1-44d2-8e92-58f8c5d92bb2": _code(
        {"python.analysis.diagnosticSeverityOverrides": {"reportMissingImports": "none"}},
        as_warning={"python.analysis.diagnosticSeverityOverrides": {"reportMissingImports": "warning"}},
        other_report={"python.analysis.diagnosticSeverityOverrides": {"reportMissingModuleSource": "none"}},
    ),
    "vs_code/982d12a5-beab-424f-8d38-d2a48429e511": AppFile(
        f"{HOME}/.config/Code/User/settings.json",
        '{"workbench.colorTheme": "Red"}\n',
        '{"workbench.colorTheme": "Visual Studio Dark"}\n',
        {"other-theme": '{"workbench.colorTheme": "Visual Studio Light"}\n'},
    ),
    "vs_code/6ed0a554-cbee-4b44-84ea-fd6c042f4fe1": AppFile(
        f"{HOME}/project.code-workspace",
        _workspace("project"),
        _workspace("project", "data1", "data2"),
        {"one-folder-missing": _workspace("project", "data1"), "project-gone": _workspace("data1", "data2")},
    ),
    "vlc/215dfd39-f493-4bc3-a027-8a97d72c61bf": _vlc("qt-bgcone", "0", still_on="1"),
    "vlc/386dbd0e-0241-4a0a-b6a2-6704fba26b1c": _vlc("global-key-play-pause", "Ctrl+p", unset=""),
    "vlc/8ba5ae7a-5ae5-4eab-9fcc-5dd4fe3abf89": _vlc("input-record-path", f"{HOME}/Desktop", other_folder=f"{HOME}/Documents"),
    "vlc/9195653c-f4aa-453d-aa95-787f6ccfaae9": _vlc("qt-max-volume", "200", less="150"),
    "vlc/a5bbbcd5-b398-4c91-83d4-55e1e31bbb81": _vlc("qt-minimal-view", "1", still_off="0"),
    "vlc/d06f0d4d-2cd5-4ede-8de9-598629438c6e": _vlc(
        "qt-slider-colours", "0;0;0;10;10;10;20;20;20;30;30;30", one_colour_left="0;0;0;10;10;10;20;20;20;245;39;29"
    ),
    "vlc/f3977615-2b45-4ac5-8bba-80c17dbe2a37": _vlc("one-instance-when-started-from-file", "0", still_on="1"),
    "gimp/7767eef2-56a3-4cea-8c9f-48c070c7d65b": _gimp("theme", '"Dark"', '"Light"', other_theme='"System"'),
    "gimp/7b7617bd-57cc-468e-9c91-40c4ec2bcb3d": _gimp("undo-levels", "5", "100", less="10"),
    "gimp/b148e375-fe0b-4bec-90e7-38632b0d73c2": _gimp("layer-new-name", "", '"Square"', other_name='"Circle"'),
    "gimp/d52d6308-ec58-42b7-a2c9-de80e4837b2b": _gimp("hide-docks", "no", "yes", "sessionrc"),
    "thunderbird/10a730d5-d414-4b40-b479-684bed1ae522": _prefs(
        {_THEME: "default-theme@mozilla.org"},
        {_THEME: "thunderbird-compact-dark@mozilla.org"},
        light={_THEME: "thunderbird-compact-light@mozilla.org"},
    ),
    "thunderbird/f201fbc3-44e6-46fc-bcaa-432f9815454c": _prefs(
        {"mail.identity.id1.auto_quote": True},
        {"mail.identity.id1.auto_quote": False},
        other_account={"mail.identity.id2.auto_quote": False},
    ),
    "thunderbird/3f28fe4f-5d9d-4994-a456-efd78cfae1a3": _prefs(
        {},
        {_SIGNATURE: "Anonym\nXYZ Lab"},
        one_line={_SIGNATURE: "Anonym XYZ Lab"},
        name_only={_SIGNATURE: "Anonym"},
        as_html={_SIGNATURE: "Anonym\nXYZ Lab", "mail.identity.id1.htmlSigFormat": True},
    ),
    "thunderbird/08c73485-7c6d-4681-999d-919f5c32dcfa": _prefs(
        {}, _SUBFOLDERS, one_of_two={"mail.server.default.applyIncomingFilters": True}
    ),
    "thunderbird/5203d847-2572-4150-912a-03f062254390": _filters(
        _MOVE,
        disabled={"enabled": "no"},
        other_folder={"actionValue": "mailbox://nobody@Local%20Folders/Trash"},
        other_word={"condition": "AND (subject,contains,count)"},
    ),
    "thunderbird/9b7bc335-06b5-4cd3-9119-1a649c478509": _filters(
        _FORWARD,
        disabled={"enabled": "no"},
        to_itself={"actionValue": "anonym-x2024@outlook.com"},
        some_only={"condition": "AND (subject,contains,a)"},
    ),
}
