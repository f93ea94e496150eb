"""Settings of VS Code, VLC and LibreOffice, in the file and the form in which the application keeps them on Windows."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import JsonValue

from unibench_golden_checks.osworld.app_files import AppFile
from unibench_golden_checks.osworld.settings import Recipe
from unibench_golden_checks.windows_agent_arena.making import BY_FILES, DESKTOP, DOCUMENTS, DOWNLOADS, put, text_of
from unibench_guests.pathmapped.paths import HOME

# VS Code

_SETTINGS = f"{HOME}\\AppData\\Roaming\\Code\\User\\settings.json"
_KEYBINDINGS = f"{HOME}\\AppData\\Roaming\\Code\\User\\keybindings.json"
_COMMENT = "// Place your key bindings in this file to override the defaults\n"
Values = dict[str, JsonValue]


def _code(wanted: Values, **mutants: Values) -> AppFile:
    made = {name.replace("_", "-"): json.dumps(value, indent=4) for name, value in mutants.items()}
    return AppFile(_SETTINGS, "{}\n", json.dumps(wanted, indent=4), made)


def _keys(wanted: Values, **mutants: Values) -> AppFile:
    made = {name.replace("_", "-"): _COMMENT + json.dumps([value], indent=4) for name, value in mutants.items()}
    return AppFile(_KEYBINDINGS, _COMMENT + "[]\n", _COMMENT + json.dumps([wanted], indent=4), made)


_BINDING: Values = {"key": "ctrl+j", "command": "workbench.action.focusActiveEditorGroup", "when": "terminalFocus"}
_REMOVED: Values = {"key": "ctrl+f", "command": "-list.find", "when": "listFocus && listSupportsFind"}

# VLC

_VLC = {
    "input-record-path": "",
    "qt-max-volume": "125",
    "qt-bgcone": "1",
    "qt-minimal-view": "0",
    "qt-video-autoresize": "1",
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
    return AppFile(f"{HOME}\\AppData\\Roaming\\vlc\\vlcrc", _vlcrc(), _vlcrc(key, wanted), made)


# LibreOffice

_ITEM = '<item oor:path="/org.openoffice.Office.Writer/DefaultFont"><prop oor:name="{}" oor:op="fuse"><value>{}</value></prop></item>\n'


def _xcu(fonts: Mapping[str, str]) -> str:
    items = "".join(_ITEM.format(name, font) for name, font in fonts.items())
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">\n'
    seen = (
        '<item oor:path="/org.openoffice.Setup/Office"><prop oor:name="ooSetupInstCompleted" oor:op="fuse">'
        "<value>true</value></prop></item>\n"
    )
    return f"{head}{seen}{items}</oor:items>\n"


FILES: dict[str, AppFile] = {
    "vs_code/70745df8-f2f5-42bd-8074-fbc10334fcc5-2-WOS": _code(
        {"files.autoSave": "afterDelay", "files.autoSaveDelay": 1000},
        only_switched_on={"files.autoSave": "afterDelay"},
        seconds_for_milliseconds={"files.autoSave": "afterDelay", "files.autoSaveDelay": 1},
    ),
    "vs_code/70745df8-f2f5-42bd-8074-fbc10334fcc5-WOS": _code(
        {"files.autoSave": "afterDelay", "files.autoSaveDelay": 500},
        delay_left={"files.autoSave": "afterDelay"},
        seconds_for_milliseconds={"files.autoSave": "afterDelay", "files.autoSaveDelay": 500000},
    ),
    "vs_code/e2b5e914-ffe1-44d2-8e92-58f8c5d92bb2-WOS": _code(
        {"python.analysis.diagnosticSeverityOverrides": {"reportMissingImports": "none"}},
        as_warning={"python.analysis.diagnosticSeverityOverrides": {"reportMissingImports": "warning"}},
        other_report={"python.analysis.diagnosticSeverityOverrides": {"reportMissingModuleSource": "none"}},
    ),
    "vs_code/9d425400-e9b2-4424-9a4b-d4c7abac4140-WOS": _code(
        {"workbench.editor.wrapTabs": True}, off={"workbench.editor.wrapTabs": False}
    ),
    "vs_code/276cc624-87ea-4f08-ab93-f770e3790175-2-WOS": _code({"editor.wordWrapColumn": 100}, other_length={"editor.wordWrapColumn": 80}),
    "vs_code/276cc624-87ea-4f08-ab93-f770e3790175-WOS": _code({"editor.wordWrapColumn": 50}, other_length={"editor.wordWrapColumn": 80}),
    "vs_code/982d12a5-beab-424f-8d38-d2a48429e511-2-WOS": _code(
        {"workbench.colorTheme": "Solarized Dark"}, other_theme={"workbench.colorTheme": "Solarized Light"}
    ),
    "vs_code/982d12a5-beab-424f-8d38-d2a48429e511-WOS": _code(
        {"workbench.colorTheme": "Visual Studio Dark"}, other_theme={"workbench.colorTheme": "Visual Studio Light"}
    ),
    "vs_code/c6bf789c-ba3a-4209-971d-b63abf0ab733-WOS": _code(
        {"files.exclude": {"**/__pycache__": True}},
        shown={"files.exclude": {"**/__pycache__": False}},
        other_folder={"files.exclude": {"**/.pytest_cache": True}},
    ),
    "vs_code/9439a27b-18ae-42d8-9778-5f68f891805e-WOS": _code({"debug.focusEditorOnBreak": False}, on={"debug.focusEditorOnBreak": True}),
    "vs_code/930fdb3b-11a8-46fe-9bac-577332e2640e-WOS": _keys(
        _BINDING, other_key={**_BINDING, "key": "ctrl+k"}, the_other_way={**_BINDING, "command": "workbench.action.terminal.focus"}
    ),
    "vs_code/ea98c5d7-3cf9-4f9b-8ad3-366b58e0fcae-WOS": _keys(_REMOVED, other_key={**_REMOVED, "key": "ctrl+g"}),
    "vlc/215dfd39-f493-4bc3-a027-8a97d72c61bf-WOS": _vlc("qt-bgcone", "0", still_on="1"),
    "vlc/386dbd0e-0241-4a0a-b6a2-6704fba26b1c-WOS": _vlc("global-key-play-pause", "Ctrl+p", unset=""),
    "vlc/8ba5ae7a-5ae5-4eab-9fcc-5dd4fe3abf89-2-WOS": _vlc("input-record-path", DOWNLOADS, other_folder=DOCUMENTS),
    "vlc/8ba5ae7a-5ae5-4eab-9fcc-5dd4fe3abf89-WOS": _vlc("input-record-path", DESKTOP, other_folder=DOCUMENTS),
    "vlc/9195653c-f4aa-453d-aa95-787f6ccfaae9-WOS": _vlc("qt-max-volume", "200", less="150"),
    "vlc/9195653c-f4aa-453d-aa95-787f6ccfaae9-2-WOS": _vlc("qt-max-volume", "100", more="110"),
    "vlc/a5bbbcd5-b398-4c91-83d4-55e1e31bbb81-WOS": _vlc("qt-minimal-view", "1", still_off="0"),
    "vlc/d06f0d4d-2cd5-4ede-8de9-598629438c6e-WOS": _vlc(
        "qt-slider-colours", "0;0;0;10;10;10;20;20;20;30;30;30", one_colour_left="0;0;0;10;10;10;20;20;20;245;39;29"
    ),
    "vlc/f3977615-2b45-4ac5-8bba-80c17dbe2a37-WOS": _vlc("one-instance-when-started-from-file", "0", still_on="1"),
    "vlc/fcd3d211-80f9-53eg-bf85-c603529e65g5-1-WOS": _vlc("qt-video-autoresize", "0", still_on="1"),
    "libreoffice_writer/f178a4a9-d090-4b56-bc4c-4b72a61a035d-WOS": AppFile(
        f"{HOME}\\AppData\\Roaming\\LibreOffice\\4\\user\\registrymodifications.xcu",
        _xcu({}),
        _xcu({"Standard": "Times New Roman"}),
        {"other-font": _xcu({"Standard": "Arial"}), "headings-only": _xcu({"Heading": "Times New Roman"})},
    ),
}
"""Tasks whose verifier reads one file of an application."""

_TEST = f"{DESKTOP}\\test.py"
_WORKSPACE = f"{DOWNLOADS}\\project\\project.code-workspace"


def _folders(*names: str) -> str:
    return json.dumps({"folders": [{"path": name} for name in names]}, indent="\t")


TABLE: dict[str, Recipe] = {
    "vs_code/57242fad-77ca-454f-b71b-f187181a9f23-WOS": Recipe(
        wanted="",
        golden=put(_TEST, ""),
        read=text_of(_TEST),
        provenance=BY_FILES,
        also={"with-a-line": put(_TEST, "print(1)\n")},
        right=lambda found: found is not None,
        mutants={"in-documents": put(f"{DOCUMENTS}\\test.py", ""), "other-name": put(f"{DESKTOP}\\test.py.txt", "")},
    ),
    "vs_code/5e2d93d8-8ad0-4435-b150-1692aacaa994-WOS": Recipe(
        wanted=_folders("."),
        golden=put(_WORKSPACE, _folders(".")),
        read=text_of(_WORKSPACE),
        provenance=BY_FILES,
        mutants={
            "on-the-desktop": put(f"{DESKTOP}\\project.code-workspace", _folders("../Downloads/project")),
            "other-project": put(_WORKSPACE, _folders("..")),
            "no-folder": put(_WORKSPACE, _folders()),
        },
    ),
}
"""Tasks whose verifier asks whether a file is there."""
