"""LibreOffice's settings: changed in its own configuration while it runs, as its options dialog does, and written by it."""

from __future__ import annotations

from pydantic import JsonValue

from unibench.golden.control import Provenance
from unibench_golden_checks.osworld.office import configured
from unibench_golden_checks.osworld.settings import Make, Read, Recipe, by_hand, keys
from unibench_osworld.session import DesktopHandle

BY_CONFIGURATION = Provenance(
    source="app", means="app-api", note="LibreOffice's own configuration, as its options dialog changes it; it wrote its file"
)


def _split(option: str) -> list[str]:
    path, _, name = option.rpartition("/")
    return [path, name]


def options(values: dict[str, JsonValue]) -> Make:
    """Options by their path in the configuration are given values."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        configured(handle, [[*_split(option), value] for option, value in values.items()], [])
        return [[option, value] for option, value in values.items()]

    return make


def options_of(*names: str) -> Read:
    """Options, as LibreOffice holds them."""
    return lambda handle: dict(zip(names, configured(handle, [], [_split(name) for name in names]), strict=True))


def option_recipe(wanted: dict[str, JsonValue], **mutants: dict[str, JsonValue]) -> Recipe:
    """Options that must have these values; the mutants set others."""
    return Recipe(
        wanted=wanted,
        golden=options(wanted),
        read=options_of(*wanted),
        provenance=BY_CONFIGURATION,
        mutants={name.replace("_", "-"): options(values) for name, values in mutants.items()},
    )


_SAVE = "/org.openoffice.Office.Common/Save/Document/"
_FONT = "/org.openoffice.Office.Writer/DefaultFont/"
_START = "/org.openoffice.Office.Impress/Misc/Start/"

_PANEL = (
    "pyautogui.press('f10')",
    "time.sleep(0.5)",
    "pyautogui.press('right', presses=2, interval=0.1)",
    "time.sleep(0.5)",
    "pyautogui.press('down', presses=11, interval=0.1)",
    "pyautogui.press('enter')",
    "time.sleep(2)",
)
"""View > Slide Pane, by the keyboard."""


def _parts(handle: DesktopHandle) -> JsonValue:
    """Which of the panels at the sides are to be seen."""
    tree = handle.guest.accessibility_tree()
    return {"slides": 'name="Slides View"' in tree, "sidebar": 'name="Master Slide:"' in tree}


TABLE: dict[str, Recipe] = {
    "libreoffice_impress/2cd43775-7085-45d8-89fa-9e35c0a915cf": option_recipe(
        {_SAVE + "AutoSave": True, _SAVE + "AutoSaveTimeIntervall": 3},
        other_time={_SAVE + "AutoSave": True, _SAVE + "AutoSaveTimeIntervall": 30},
        switched_off={_SAVE + "AutoSave": False, _SAVE + "AutoSaveTimeIntervall": 3},
        no_time={_SAVE + "AutoSave": True},
    ),
    "libreoffice_impress/0f84bef9-9790-432e-92b7-eece357603fb": option_recipe(
        {_START + "EnablePresenterScreen": False},
        other_setting={_START + "EnableSdremote": False},
        on_again={_START + "EnablePresenterScreen": True},
    ),
    "libreoffice_writer/f178a4a9-d090-4b56-bc4c-4b72a61a035d": option_recipe(
        {_FONT + "Standard": "Times New Roman"},
        other_font={_FONT + "Standard": "Arial"},
        headings_only={_FONT + "Heading": "Times New Roman"},
    ),
    "libreoffice_impress/ef9d12bd-bcee-4ba0-a40e-918400f43ddf": Recipe(
        wanted="the panel with the slides is to be seen",
        golden=by_hand(*_PANEL),
        read=_parts,
        right=lambda found: isinstance(found, dict) and found["slides"] is True,
        provenance=Provenance(source="app", means="real-input", note="the menu's own entry, by the keyboard"),
        mutants={"other-panel": by_hand(keys("ctrl", "f5"), "time.sleep(2)"), "shown-and-closed": by_hand(*_PANEL, *_PANEL)},
    ),
}
