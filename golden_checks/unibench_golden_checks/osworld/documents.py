"""Documents that a rule judges: edited in the app, as its user would, and saved by the verifier's own Ctrl+S."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from unibench.actions import Done
from unibench.golden.control import BELOW_GOLDEN, PASSED, Control, Provenance, Readback, RecipeFailed, Role
from unibench_golden_checks.osworld import calc_edits, impress_edits, writer_edits
from unibench_golden_checks.osworld.office import in_office
from unibench_golden_checks.osworld.repro import file_step
from unibench_golden_checks.osworld.uno_bridge import saved
from unibench_osworld.session import DesktopHandle
from unibench_osworld.task_files import TaskFile

EDITS = 2
"""An edit that leaves no trace is tried once more: the app may still have been at opening the document."""

Right = Callable[[Any, Any], bool]
"""Whether what was read back is right by the instruction's words: found, and what was there before."""


@dataclass(frozen=True)
class Edit:
    """One call in the app: a function of the modules that run in the guest, and its parameters."""

    function: Callable[..., Any]
    params: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def step(self) -> JsonValue:
        return [self.function.__name__, dict(self.params)]


@dataclass(frozen=True)
class DocumentTask:
    """How to bring one task's document to its right end, and to nearly right ones.

    Attributes:
        path: the document in the guest, open when the episode starts.
        look: reads back what the instruction is about.
        wanted: the right end, in words or values.
        goldens: right ends by name; ``golden`` among them.
        mutants: nearly right ones.
        source: where the right end comes from.
        notes: what a reader must know of a control, by its name.
    """

    path: str
    look: Callable[..., Any]
    right: Right
    wanted: JsonValue
    goldens: Mapping[str, tuple[Edit, ...]]
    mutants: Mapping[str, tuple[Edit, ...]]
    source: str = "instruction"
    notes: Mapping[str, str] = field(default_factory=dict)

    def controls(self) -> list[Control]:
        """The controls of the task."""
        return [
            Control(
                name,
                Role.GOLDEN if name in self.goldens else Role.MUTANT,
                PASSED if name in self.goldens else BELOW_GOLDEN,
                Provenance.model_validate({"source": self.source, "means": "app-api", "note": self.notes.get(name, "")}),
                self._build(edits),
                (Done(),),
                state=name,
            )
            for name, edits in {**self.goldens, **self.mutants}.items()
        ]

    def _build(self, edits: tuple[Edit, ...]) -> Callable[[DesktopHandle], Readback]:
        def build(handle: DesktopHandle) -> Readback:
            found = before = in_office(handle, self.path, self.look)
            for _ in range(EDITS):
                for edit in edits:
                    in_office(handle, self.path, edit.function, **edit.params)
                found = in_office(handle, self.path, self.look)
                if found != before:
                    break
                time.sleep(1)
            steps = [*(edit.step for edit in edits), file_step(self.path, in_office(handle, self.path, saved))]
            back = Readback(wanted=self.wanted, made=found, found=found, right=self.right(found, before), steps=steps)
            if found == before:
                raise RecipeFailed("the edit changed nothing that can be read back", back)
            return back

        return build


def document_controls(task: TaskFile) -> list[Control]:
    """The controls of a task whose document a rule judges; empty if there is no recipe."""
    found = TASKS.get(task.id)
    return found.controls() if found is not None else []


def _all_in(font: str) -> Right:
    return lambda found, before: all(set(each["fonts"]) <= {font} for each in found)


def _heading_centred(found: Any, before: Any) -> bool:
    return bool(found[0]["align"] == "centred" and found[1:] == before[1:])


def _blank_after_first(found: Any, before: Any) -> bool:
    return bool(found == [before[0], "", *before[1:]])


def _numbers_bottom_left(found: Any, before: Any) -> bool:
    return bool(found) and all(each["at"] == "footer" and each["field"] and each["align"] == "left" for each in found)


def _only_first_dissolves(found: Any, before: Any) -> bool:
    return bool(found == [DISSOLVE, *before[1:]])


def _all_blue(found: Any, before: Any) -> bool:
    return all(_is_blue(each) for each in found)


def _is_blue(colour: str) -> bool:
    if colour == "none":
        return False
    red, green, blue = (int(colour[n : n + 2], 16) for n in (0, 2, 4))
    return blue > red + 50 and blue > green + 50


def _numbers_red(found: Any, before: Any) -> bool:
    same = all(found[kind] == before[kind] for kind in found if kind != "slide-number")
    return same and bool(found["slide-number"]) and set(found["slide-number"]) == {"ff0000"}


def _upright(found: Any, before: Any) -> bool:
    return all(width < height for width, height in found)


def _earned(found: Any, before: Any) -> bool:
    others = {name: value for name, value in found.items() if name != "E3"}
    is_right = isinstance(found.get("E3"), float) and abs(found["E3"] - 191.666667) < 0.001
    return is_right and others == {name: value for name, value in before.items() if name != "E3"}


DISSOLVE, WIPE = 40, 1
BLUE, PALETTE_BLUE, GREEN, RED = 0x0000FF, 0x2A6099, 0x00FF00, 0xFF0000
SATISFIES = "how many page breaks the task's own file has is not known; the stand-in has four, which the verifier's count supposes"
LIVES = (
    "深圳市福田区益田路5055号信息枢纽大厦西门一楼",
    "深圳市福田区正义街1号",
    "福田区水围村龙景楼一楼",
    "深圳市福田区振兴路108号",
    "深圳市福田区滨河大道2033号",
)
"""Five of the verifier's own addresses."""


def _lines(*texts: str) -> tuple[Edit, ...]:
    return (Edit(writer_edits.append_lines, {"lines": list(texts)}),)


def _five_addresses(found: Any, before: Any) -> bool:
    return [each["text"] for each in found if each["text"]] == [each["text"] for each in before if each["text"]] + [a[:40] for a in LIVES]


TASKS: dict[str, DocumentTask] = {
    "libreoffice_writer/0e763496-b6bb-4508-a427-fad0b6c3e195": DocumentTask(
        path="/home/user/Desktop/Dublin_Zoo_Intro.docx",
        look=writer_edits.paragraphs,
        right=_all_in("Times New Roman"),
        wanted="all text in Times New Roman",
        goldens={"golden": (Edit(writer_edits.set_font, {"font": "Times New Roman"}),)},
        mutants={
            "one-paragraph-left": (Edit(writer_edits.set_font, {"font": "Times New Roman", "leave": 1}),),
            "first-paragraph-only": (Edit(writer_edits.set_font, {"font": "Times New Roman", "only": 1}),),
            "other-font": (Edit(writer_edits.set_font, {"font": "Liberation Serif"}),),
        },
    ),
    "libreoffice_writer/3ef2b351-8a84-4ff2-8724-d86eae9b842e": DocumentTask(
        path="/home/user/Desktop/Constitution_Template_With_Guidelines.docx",
        look=writer_edits.paragraphs,
        right=_heading_centred,
        wanted="the heading centred, all else as it was",
        goldens={"golden": (Edit(writer_edits.align, {"paragraph": 0, "command": "CenterPara"}),)},
        mutants={
            "next-paragraph": (Edit(writer_edits.align, {"paragraph": 1, "command": "CenterPara"}),),
            "to-the-right": (Edit(writer_edits.align, {"paragraph": 0, "command": "RightPara"}),),
        },
    ),
    "libreoffice_writer/ecc2413d-8a48-416e-a3a2-d30106ca36cb": DocumentTask(
        path="/home/user/Desktop/Sample_Statutory_Declaration.docx",
        look=writer_edits.pages,
        right=_blank_after_first,
        wanted="a blank page after the first one",
        goldens={"golden": (Edit(writer_edits.add_blank_pages, {"after_page": 1}),)},
        mutants={
            "two-blank-pages": (Edit(writer_edits.add_blank_pages, {"after_page": 1, "count": 2}),),
            "blank-at-the-end": (Edit(writer_edits.add_blank_pages, {"after_page": -1}),),
        },
        source="verifier-data",
        notes={"golden": SATISFIES, "blank-at-the-end": SATISFIES},
    ),
    "libreoffice_writer/0e47de2a-32e0-456c-a366-8c607ef7a9d2": DocumentTask(
        path="/home/user/Desktop/LibreOffice_Open_Source_Word_Processing.docx",
        look=writer_edits.page_numbers,
        right=_numbers_bottom_left,
        wanted="the page number's field at the left of every page's footer",
        goldens={"golden": (Edit(writer_edits.number_pages, {"place": "Footer"}),)},
        mutants={
            "at-the-top": (Edit(writer_edits.number_pages, {"place": "Header"}),),
            "at-the-right": (Edit(writer_edits.number_pages, {"place": "Footer", "align": 1}),),
            "typed-one-on-every-page": (Edit(writer_edits.number_pages, {"place": "Footer", "typed": "1"}),),
        },
    ),
    "multi_apps/7ff48d5b-2df2-49da-b500-a5150ffc7f18": DocumentTask(
        path="/home/user/Desktop/AllLocations.docx",
        look=writer_edits.paragraphs,
        right=_five_addresses,
        wanted="five addresses, a paragraph each",
        goldens={"golden": _lines(*LIVES)},
        mutants={
            "three-addresses": _lines(*LIVES[:3]),
        },
        source="verifier-data",
        notes={"golden": "five addresses of the verifier's own list; the instruction asks for five"},
    ),
    "libreoffice_impress/21760ecb-8f62-40d2-8d85-0cee5725cb72": DocumentTask(
        path="/home/user/Desktop/Ch4 Video Effect.pptx",
        look=impress_edits.transitions,
        right=_only_first_dissolves,
        wanted="dissolve on the first slide, all else as it was",
        goldens={"golden": (Edit(impress_edits.set_transition, {"slides": [0], "kind": DISSOLVE}),)},
        mutants={
            "next-slide": (Edit(impress_edits.set_transition, {"slides": [1], "kind": DISSOLVE}),),
            "other-transition": (Edit(impress_edits.set_transition, {"slides": [0], "kind": WIPE, "subtype": 1}),),
        },
    ),
    "libreoffice_impress/3b27600c-3668-4abd-8f84-7bcdebbccbdb": DocumentTask(
        path="/home/user/Desktop/lec17-gui-events.pptx",
        look=impress_edits.backgrounds,
        right=_all_blue,
        wanted="a blue background on every slide",
        goldens={
            "golden": (Edit(impress_edits.set_background, {"slides": [], "colour": BLUE}),),
            "golden-palette-blue": (Edit(impress_edits.set_background, {"slides": [], "colour": PALETTE_BLUE}),),
        },
        mutants={
            "first-slide-only": (Edit(impress_edits.set_background, {"slides": [0], "colour": BLUE}),),
            "green": (Edit(impress_edits.set_background, {"slides": [], "colour": GREEN}),),
        },
        notes={"golden-palette-blue": "the colour that LibreOffice's standard palette names Blue (2A6099)"},
    ),
    "libreoffice_impress/ac9bb6cb-1888-43ab-81e4-a98a547918cd": DocumentTask(
        path="/home/user/Desktop/saa-format-guide.pptx",
        look=impress_edits.master_colours,
        right=_numbers_red,
        wanted="the slide number red, all else as it was",
        goldens={"golden": (Edit(impress_edits.colour_on_masters, {"kind": "slide-number", "colour": RED}),)},
        mutants={
            "date-red": (Edit(impress_edits.colour_on_masters, {"kind": "date", "colour": RED}),),
            "footer-red": (Edit(impress_edits.colour_on_masters, {"kind": "footer", "colour": RED}),),
            "green": (Edit(impress_edits.colour_on_masters, {"kind": "slide-number", "colour": GREEN}),),
        },
    ),
    "libreoffice_impress/ce88f674-ab7a-43da-9201-468d38539e4a": DocumentTask(
        path="/home/user/Desktop/AM_Last_Page_Template.pptx",
        look=impress_edits.sizes,
        right=_upright,
        wanted="slides higher than wide",
        goldens={"golden": (Edit(impress_edits.set_size, {"width": 19050, "height": 25400}),)},
        mutants={
            "square": (Edit(impress_edits.set_size, {"width": 19050, "height": 19050}),),
            "wider": (Edit(impress_edits.set_size, {"width": 33867, "height": 19050}),),
        },
    ),
    "libreoffice_calc/357ef137-7eeb-4c80-a3bb-0951f26a8aff": DocumentTask(
        path="/home/user/Multiply_Time_Number.xlsx",
        look=calc_edits.used_cells,
        right=_earned,
        wanted="E3 holds total hours times rate, 191.6667; all else as it was",
        goldens={"golden": (Edit(calc_edits.set_cells, {"cells": {"E3": "=C3*24*D3"}, "plain": True}),)},
        mutants={
            "plain-product": (Edit(calc_edits.set_cells, {"cells": {"E3": "=C3*D3"}, "plain": True}),),
            "next-cell": (Edit(calc_edits.set_cells, {"cells": {"E4": "=C3*24*D3"}, "plain": True}),),
            "blank-region-touched": (Edit(calc_edits.set_cells, {"cells": {"E3": "=C3*24*D3", "H12": "junk"}, "plain": True}),),
        },
        notes={"golden": "total hours and rate of the stand-in were chosen to give the verifier's 191.6667"},
    ),
}
