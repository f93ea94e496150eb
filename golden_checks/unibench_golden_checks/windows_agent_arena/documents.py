"""Rules over a Writer document, with documents of ours: the programs are not here, so python-docx makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from pydantic import JsonValue

from unibench.golden.control import Provenance
from unibench_golden_checks.osworld.settings import Recipe
from unibench_golden_checks.windows_agent_arena.making import DOWNLOADS, made, put

BY_LIBRARY = Provenance(source="instruction", means="file", note="written by python-docx, not saved by LibreOffice")
TEXT = ("Introduction", "The first paragraph of the text.", "The second paragraph of the text.")
Document = dict[str, JsonValue]


@dataclass(frozen=True)
class Rule:
    """One task's document: as it is found, right, and nearly right."""

    file: str
    start: Document
    golden: Document
    mutants: Mapping[str, Document]

    def recipe(self) -> Recipe:
        """The recipe, which knows each document by what it was made from."""
        path = f"{DOWNLOADS}\\{self.file}"
        states = {"golden": self.golden, **self.mutants}
        makes = {name: put(path, partial(_made, state)) for name, state in states.items()}
        return Recipe(
            wanted=self.golden,
            golden=makes.pop("golden"),
            read=lambda handle: next((state for state in states.values() if handle.guest.file(path) == _made(state)), None),
            provenance=BY_LIBRARY,
            mutants=makes,
        )


def _made(document: Document) -> bytes:
    return made(kind="styled_docx", **document)


def _text(*fonts: str, first: str = "left") -> list[JsonValue]:
    """The paragraphs, in these fonts (the last one for the rest); the first with this alignment."""
    found: list[JsonValue] = []
    for number, text in enumerate(TEXT):
        font = fonts[min(number, len(fonts) - 1)] if fonts else "Calibri"
        found.append({"text": text, "font": font, "align": first if number == 0 else "left"})
    return found


_PLAIN: Document = {"paragraphs": _text()}
_TIMES = "Times New Roman"
_NUMBER: dict[str, JsonValue] = {"field": "PAGE", "text": "1", "align": "left"}


def _second_centred() -> list[JsonValue]:
    return [{"text": text, "font": "Calibri", "align": "center" if number == 1 else "left"} for number, text in enumerate(TEXT)]


RULES: dict[str, Rule] = {
    "libreoffice_writer/0e763496-b6bb-4508-a427-fad0b6c3e195-WOS": Rule(
        "Dublin_Zoo_Intro.docx",
        _PLAIN,
        {"paragraphs": _text(_TIMES)},
        {
            "one-paragraph-left": {"paragraphs": _text(_TIMES, _TIMES, "Calibri")},
            "first-paragraph-only": {"paragraphs": _text(_TIMES, "Calibri")},
            "other-font": {"paragraphs": _text("Liberation Serif")},
        },
    ),
    "libreoffice_writer/3ef2b351-8a84-4ff2-8724-d86eae9b842e-WOS": Rule(
        "Constitution_Template_With_Guidelines.docx",
        _PLAIN,
        {"paragraphs": _text(first="center")},
        {"next-paragraph": {"paragraphs": _second_centred()}, "to-the-right": {"paragraphs": _text(first="right")}},
    ),
    "libreoffice_writer/0e47de2a-32e0-456c-a366-8c607ef7a9d2-WOS": Rule(
        "LibreOffice_Open_Source_Word_Processing.docx",
        _PLAIN,
        {"paragraphs": _text(), "footer": _NUMBER},
        {
            "at-the-top": {"paragraphs": _text(), "header": _NUMBER},
            "at-the-right": {"paragraphs": _text(), "footer": {**_NUMBER, "align": "right"}},
            "typed-one-on-every-page": {"paragraphs": _text(), "footer": {"text": "1"}},
            "number-of-pages": {"paragraphs": _text(), "footer": {**_NUMBER, "field": "NUMPAGES"}},
        },
    ),
}

TABLE: dict[str, Recipe] = {task: rule.recipe() for task, rule in RULES.items()}
