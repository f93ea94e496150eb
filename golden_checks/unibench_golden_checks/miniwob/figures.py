"""Recipes for figures drawn on a canvas: shapes, letters and digits of several colours and two sizes."""

from __future__ import annotations

import cmath
from dataclasses import dataclass, replace
from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Hand
from unibench_golden_checks.miniwob.pointing import BESIDE, ClickOneOrMiss
from unibench_golden_checks.miniwob.recipe import ClickOne, State, UnexpectedGoal, others, recipe

FIGURES = "#area_svg text, #area_svg rect, #area_svg circle, #area_svg polygon"
SIZES = ("large", "small")
COLOURS = {
    (255, 0, 0): "red",
    (0, 128, 0): "green",
    (0, 0, 255): "blue",
    (0, 255, 255): "aqua",
    (0, 0, 0): "black",
    (255, 0, 255): "magenta",
    (255, 255, 0): "yellow",
}
SHAPES = {"rect": "rectangle", "circle": "circle", "polygon": "triangle"}

# What each figure looks like: its element, its text, its colour, and how tall it is (for text: the letters' height).
_LOOKS = """s => [...document.querySelectorAll(s)].map(e => { const style = getComputedStyle(e);
  return [e.tagName, e.textContent, style.fill.match(/\\d+/g).slice(0, 3).map(Number),
          e.tagName === 'text' ? parseFloat(style.fontSize) : e.getBoundingClientRect().height] })"""

# The directions, in radians, in which ink lies around the middle of the canvas, with how far out the ink reaches there.
_OUTLINE = """() => {
  const canvas = document.querySelector('#c'), {width, height} = canvas;
  const {data} = canvas.getContext('2d').getImageData(0, 0, width, height), reach = {};
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (data[(y * width + x) * 4 + 3] > 100) {
    const dx = x + .5 - width / 2, dy = y + .5 - height / 2, degree = Math.round(Math.atan2(dy, dx) * 180 / Math.PI);
    reach[degree] = Math.max(reach[degree] ?? 0, Math.hypot(dx, dy));
  }
  return Object.entries(reach).map(([degree, far]) => [degree * Math.PI / 180, far]);
}"""


@dataclass(frozen=True)
class Figure:
    """One figure as a user sees it."""

    size: str
    colour: str
    kind: str
    """letter, digit or shape"""
    text: str
    """The letter or the digit itself, or the name of the shape."""

    def __str__(self) -> str:
        return f"{self.size} {self.colour} {self.kind} {self.text}"


@dataclass(frozen=True)
class Description:
    """The goal's words for a figure; an empty word says nothing."""

    size: str
    colour: str
    what: str

    @classmethod
    def parse(cls, words: str) -> Description:
        """Reads words like ``small yellow item``, ``letter``, ``large Q``.

        Raises:
            UnexpectedGoal: there are too many words.
        """
        rest = words.split(" ")
        size = rest.pop(0) if rest[0] in SIZES else ""
        colour = rest.pop(0) if rest[0] in COLOURS.values() else ""
        if len(rest) != 1:
            raise UnexpectedGoal(f"{words!r} does not describe a figure")
        return cls(size, colour, rest[0])

    def size_fits(self, figure: Figure) -> bool:
        return self.size in ("", figure.size)

    def colour_fits(self, figure: Figure) -> bool:
        return self.colour in ("", figure.colour)

    def what_fits(self, figure: Figure) -> bool:
        return self.what in ("item", figure.kind, figure.text)

    def fits(self, figure: Figure) -> bool:
        return self.size_fits(figure) and self.colour_fits(figure) and self.what_fits(figure)


def figures(hand: Hand) -> list[Figure]:
    """The figures on the page, in document order."""
    found = []
    for tag, text, colour, height in hand.read(_LOOKS, FIGURES):
        kind = "shape" if tag in SHAPES else "digit" if text.isdigit() else "letter"
        found.append(Figure("large" if height >= 15 else "small", COLOURS[tuple(colour)], kind, SHAPES.get(tag, text)))
    return found


@recipe("click-shape")
class ClickShape(ClickOneOrMiss):
    """ "Click on a small yellow item"; the state says what the figure clicked looks like."""

    candidates: ClassVar[str] = FIGURES
    mutations: ClassVar[tuple[str, ...]] = ("other-target", "other-size", "other-colour", "other-kind", BESIDE)

    @property
    def description(self) -> Description:
        return Description.parse(self.match(r"Click on a (.+)$").group(1))

    def labels(self) -> list[str]:
        return [str(figure) for figure in figures(self.hand)]

    def want(self) -> State:
        for figure in figures(self.hand):
            if self.description.fits(figure):
                return str(figure)
        raise UnexpectedGoal(f"no figure fits {self.goal!r}")

    def right(self, state: State) -> bool:
        return state in [str(figure) for figure in figures(self.hand) if self.description.fits(figure)]

    def mutant(self, name: str) -> State | None:
        if name == BESIDE:
            return BESIDE
        asked = self.description
        for figure in figures(self.hand):
            # Of the words for size, colour and kind those that do not fit.
            wrong = [
                word
                for word, fits in (
                    ("other-size", asked.size_fits(figure)),
                    ("other-colour", asked.colour_fits(figure)),
                    ("other-kind", asked.what_fits(figure)),
                )
                if not fits
            ]
            if (wrong if name == "other-target" else wrong == [name]) and not self.doubtful(figure):
                return str(figure)
        return None

    def doubtful(self, figure: Figure) -> bool:
        """Whether ``small letter`` might mean a lower-case letter, and this would be one (or ``large`` and upper case)."""
        asked = self.description
        return asked.size != "" and asked.what == "letter" and figure.text.islower() == (asked.size == "small")


@recipe("count-shape")
class CountShape(ClickOneOrMiss):
    """ "How many blue digits are there?"; the state is the number on the button clicked."""

    candidates: ClassVar[str] = "#count-buttons button"
    mutations: ClassVar[tuple[str, ...]] = ("near-miss", "one-word-forgotten", BESIDE)

    @property
    def description(self) -> Description:
        return Description.parse(self.match(r"How many (.+)s are there\?").group(1))

    def want(self) -> State:
        return self.count(self.description)

    def count(self, asked: Description) -> str:
        return str(sum(asked.fits(figure) for figure in figures(self.hand)))

    def mutant(self, name: str) -> State | None:
        wrong = list(others(self.labels(), self.wanted))
        if name == "near-miss":
            return min(wrong, key=lambda label: abs(int(label) - int(self.wanted)))
        if name == BESIDE:
            return BESIDE
        asked = self.description
        wider = [replace(asked, size=""), replace(asked, colour=""), replace(asked, what="item")]
        return next((number for number in map(self.count, wider) if number in wrong), None)


@recipe("identify-shape")
class IdentifyShape(ClickOneOrMiss):
    """ "Click the button that best describes the figure below."; the state is the button's label."""

    candidates: ClassVar[str] = "#area-buttons button"

    def want(self) -> State:
        (figure,) = figures(self.hand)
        return {"shape": figure.text.capitalize(), "digit": "Number", "letter": "Letter"}[figure.kind]


@recipe("count-sides")
class CountSides(ClickOne):
    """ "Press the button that correctly denotes how many sides the shape has."; the state is the button's number."""

    candidates: ClassVar[str] = "#form button"
    mutations: ClassVar[tuple[str, ...]] = ("near-miss", "other-target")

    def want(self) -> State:
        # How far the ink reaches rises to every corner and falls to every side: the number of waves in a full turn.
        outline: list[tuple[float, float]] = self.hand.read(_OUTLINE)
        mean = sum(far for _, far in outline) / len(outline)
        return max(
            self.labels(), key=lambda sides: abs(sum((far - mean) * cmath.exp(1j * int(sides) * direction) for direction, far in outline))
        )

    def mutant(self, name: str) -> State | None:
        wrong = sorted(others(self.labels(), self.wanted), key=lambda label: abs(int(label) - int(self.wanted)))
        return wrong[0] if name == "near-miss" else wrong[-1]
