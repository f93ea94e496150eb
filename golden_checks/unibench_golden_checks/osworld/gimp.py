"""GIMP through its own windows, or through Script-Fu in the running program (its D-Bus method ``BatchRun``)."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue

from unibench.golden.control import Provenance
from unibench_golden_checks.osworld import widgets
from unibench_golden_checks.osworld.on_screen import Step, by_input, in_guest, shown
from unibench_golden_checks.osworld.settings import Make, Read, Recipe, in_turn, run
from unibench_osworld.session import DesktopHandle

BY_HAND = Provenance(source="instruction", means="real-input", note="GIMP's own windows; read back from GIMP, not from the judged file")
BY_SCRIPT = Provenance(source="app", means="app", note="Script-Fu in the running GIMP; the verifier exports the picture from there")
UP: tuple[Step, ...] = (("wait", "menu", "File"), ("sleep", 1))
"""GIMP's window is there. Before that the verifier's keys would go nowhere."""
_BATCH = "gdbus call --session --dest org.gimp.GIMP.UI --object-path /org/gimp/GIMP/UI --method org.gimp.GIMP.UI.BatchRun"
_ANSWER = "/tmp/script-fu"
_IMAGE = "(image (aref (cadr (gimp-image-list)) 0))"


def _hand(*steps: Step) -> Make:
    return by_input("gimp", *UP, *steps)


def script_fu(handle: DesktopHandle, expression: str) -> str:
    """What a Scheme expression gives in the running GIMP, as Scheme writes it; ``image`` is the open picture in it.

    Raises:
        RecipeFailed: GIMP does not answer.
    """
    program = f'(let* ((file (open-output-file "{_ANSWER}.part"))) (write {expression} file) (close-output-port file))'
    done = f"{_BATCH} plug-in-script-fu-eval '{program}' > /dev/null"
    return run(
        handle.guest,
        f"rm -f {_ANSWER}.part; {done}; for i in $(seq 50); do test -s {_ANSWER}.part && break; sleep 0.1; done; cat {_ANSWER}.part",
    )


def scripted(expression: str) -> Make:
    """A state that Script-Fu makes of the open picture."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        script_fu(handle, f"(let* ({_IMAGE}) {expression} (gimp-displays-flush) 1)")
        return [["script-fu", expression]]

    return in_turn(_hand(), make)


def told(expression: str) -> Read:
    """What Script-Fu tells of the open picture."""
    return lambda handle: script_fu(handle, f"(let* ({_IMAGE}) {expression})")


# Settings

_PREFERENCES: Step = ("choose", "menu item", "Preferences")
_OK: tuple[Step, ...] = (("click", "push button", "OK"), ("sleep", 1))
_CANCEL: tuple[Step, ...] = (("click", "push button", "Cancel"), ("sleep", 1))


def _preference(key: str, wanted: str, value: str, *steps: Step, **others: tuple[Step, ...]) -> Recipe:
    """A setting of the preferences' window; the same steps without OK are a mutant."""
    return Recipe(
        wanted=wanted,
        golden=_hand(_PREFERENCES, *steps, *_OK),
        read=lambda handle: script_fu(handle, f'(catch "?" (car (gimp-gimprc-query "{key}")))').strip('"'),
        provenance=BY_HAND,
        mutants={
            **{name.replace("_", "-"): _hand(_PREFERENCES, *other, *_OK) for name, other in others.items()},
            "cancelled": _hand(_PREFERENCES, *steps, *_CANCEL),
        },
        start=_hand(),
    )


def _theme(name: str) -> tuple[Step, ...]:
    return (("click", "table cell", "Theme"), ("click", "table cell", name), ("sleep", 1))


def _undo(levels: str) -> tuple[Step, ...]:
    return (("beside", "spin button", "Minimal number of undo levels:"), ("type", levels), ("press", "tab"))


def _hides_docks(handle: DesktopHandle) -> JsonValue:
    return bool(in_guest(handle, widgets.checked, "gimp", "check menu item", "Hide Docks"))


def _new_layer(name: str) -> tuple[Step, ...]:
    dialog: tuple[Step, ...] = (("press", "shift", "ctrl", "n"), ("wait", "dialog", "New Layer"), ("press", "ctrl", "a"))
    return (*dialog, ("type", name), *_OK)


_LAYERS = "(map (lambda (layer) (car (gimp-item-get-name layer))) (vector->list (cadr (gimp-image-get-layers image))))"
_RENAMED = '(gimp-item-set-name (car (gimp-image-get-active-layer image)) "Square")'


# Pictures


def _layer(name: str) -> str:
    return f'(car (gimp-image-get-layer-by-name image "{name}"))'


def _at(layer: str, x: int, y: int) -> Make:
    return scripted(f"(gimp-layer-set-offsets {_layer(layer)} {x} {y})")


def _offsets(*layers: str) -> Read:
    """Left and top of each layer, by name."""

    def read(handle: DesktopHandle) -> JsonValue:
        places = " ".join(f"(gimp-drawable-offsets {_layer(name)})" for name in layers)
        numbers = told(f"(append {places})")(handle)
        found = [int(each) for each in str(numbers).strip("()").split()]
        return {name: [found[2 * n], found[2 * n + 1]] for n, name in enumerate(layers)}

    return read


SIZE = (480, 320)
TRIANGLE = (100, 80)
TEXT = (180, 140, 160, 48)
_PLACE = ((SIZE[0] - TRIANGLE[0]) // 2, (SIZE[1] - TRIANGLE[1]) // 2)
"""Where a triangle of that size is in the middle of the picture."""


def _vignette_open(found: JsonValue) -> bool:
    return isinstance(found, list) and "Vignette" in found


TABLE: dict[str, Recipe] = {
    "gimp/7767eef2-56a3-4cea-8c9f-48c070c7d65b": _preference("theme", "Light", "Light", *_theme("Light"), other_theme=_theme("Gray")),
    "gimp/7b7617bd-57cc-468e-9c91-40c4ec2bcb3d": _preference(
        "undo-levels", "100", "100", *_undo("100"), less=_undo("10"), more=_undo("1000")
    ),
    "gimp/d52d6308-ec58-42b7-a2c9-de80e4837b2b": Recipe(
        wanted=True,
        golden=_hand(("press", "tab")),
        also={"by-menu": _hand(("choose", "check menu item", "Hide Docks"))},
        read=_hides_docks,
        provenance=BY_HAND,
        mutants={
            "shown-again": _hand(("press", "tab"), ("sleep", 1), ("press", "tab")),
            "docks-apart": _hand(("choose", "check menu item", "Single-Window Mode"), ("sleep", 2)),
        },
        start=_hand(),
    ),
    "gimp/b148e375-fe0b-4bec-90e7-38632b0d73c2": Recipe(
        wanted='("Square" "Background")',
        golden=_hand(*_new_layer("Square")),
        also={"named-afterwards": in_turn(_hand(*_new_layer("Layer")), scripted(_RENAMED))},
        read=told(_LAYERS),
        provenance=BY_HAND,
        mutants={
            "other-name": _hand(*_new_layer("Circle")),
            "undone": _hand(*_new_layer("Square"), ("press", "ctrl", "z"), ("sleep", 1)),
            "background-renamed": scripted(_RENAMED),
        },
        start=_hand(),
    ),
    "gimp/a746add2-cab0-4740-ac36-c3769d9bfb46": Recipe(
        wanted="the dialog Vignette",
        golden=_hand(("choose", "menu item", r"Vignette\.\.\."), ("wait", "dialog", "Vignette")),
        also={
            "by-search": _hand(
                ("press", "/"), ("sleep", 2), ("type", "vignette"), ("sleep", 2), ("press", "enter"), ("wait", "dialog", "Vignette")
            )
        },
        read=shown("gimp", "dialog"),
        right=_vignette_open,
        provenance=BY_HAND,
        mutants={
            "other-filter": _hand(("choose", "menu item", r"Softglow\.\.\."), ("wait", "dialog", "Softglow")),
            "closed-again": _hand(("choose", "menu item", r"Vignette\.\.\."), ("wait", "dialog", "Vignette"), *_CANCEL),
        },
        start=_hand(),
    ),
    "gimp/e2dd0213-26db-4349-abe5-d5667bfd725c": Recipe(
        wanted={"Text box": [5, TEXT[1]], "Background": [0, 0]},
        golden=_at("Text box", 5, TEXT[1]),
        also={"at-the-edge": _at("Text box", 0, TEXT[1])},
        read=_offsets("Text box", "Background"),
        right=lambda found: bool(isinstance(found, dict) and found["Background"] == [0, 0] and _number(found["Text box"]) < 10),
        provenance=BY_SCRIPT,
        mutants={
            "to-the-right": _at("Text box", SIZE[0] - TEXT[2], TEXT[1]),
            "up": _at("Text box", TEXT[0], 5),
            "picture-dragged": _at("Background", -120, -10),
        },
        start=_hand(),
    ),
    "gimp/f4aec372-4fb0-4df5-a52b-79e0e2a5d6ce": Recipe(
        wanted={"Triangle": list(_PLACE), "Background": [0, 0]},
        golden=_at("Triangle", *_PLACE),
        read=_offsets("Triangle", "Background"),
        provenance=BY_SCRIPT,
        mutants={
            "only-across": _at("Triangle", _PLACE[0], 20),
            "a-tenth-off": _at("Triangle", _PLACE[0] + SIZE[0] // 10, _PLACE[1]),
            "other-layer": _at("Background", 100, 40),
        },
        start=_hand(),
    ),
}


def _number(found: Any) -> int:
    return int(found[0])
