"""Recipes for coloured boxes."""

from __future__ import annotations

import colorsys
from typing import ClassVar

from unibench_golden_checks.miniwob.pointing import BESIDE, ClickOneOrMiss
from unibench_golden_checks.miniwob.recipe import Recipe, State, UnexpectedGoal, others, recipe

COLOURS = {
    "red": (255, 0, 0),
    "blue": (0, 0, 255),
    "olive": (128, 128, 0),
    "lime": (0, 255, 0),
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "grey": (128, 128, 128),
    "purple": (128, 0, 128),
    "orange": (255, 165, 0),
    "yellow": (255, 255, 0),
    "cyan": (0, 255, 255),
    "pink": (255, 192, 203),
    "magenta": (255, 0, 255),
}
HUES = {"red": 0, "green": 120, "blue": 240}

_BACKGROUNDS = "s => [...document.querySelectorAll(s)].map(e => getComputedStyle(e).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number))"


@recipe("click-color")
class ClickColor(ClickOneOrMiss):
    """ "Click on the olive colored box."; the state is the colour of the box clicked."""

    candidates: ClassVar[str] = "#area .color"
    mutations: ClassVar[tuple[str, ...]] = ("near-miss", "other-target", BESIDE)

    def labels(self) -> list[str]:
        return [
            min(COLOURS, key=lambda name: distance(COLOURS[name], tuple(seen))) for seen in self.hand.read(_BACKGROUNDS, self.candidates)
        ]

    def want(self) -> State:
        colour = self.match(r"the (\w+) colored box").group(1)
        if colour not in COLOURS:
            raise UnexpectedGoal(f"{colour!r} is no colour")
        return colour

    def mutant(self, name: str) -> State | None:
        if name == BESIDE:
            return BESIDE
        wrong = sorted(others(self.labels(), self.wanted), key=lambda label: distance(COLOURS[label], COLOURS[self.wanted]))
        return wrong[0] if name == "near-miss" else wrong[-1]


@recipe("click-shades")
class ClickShades(Recipe):
    """ "Select all the shades of red and press Submit."; the state is the numbers of the swatches that bear a frame."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-wrong", "one-too-many", "other-colour")
    swatches: ClassVar[str] = "#area span"

    def shades(self) -> list[str]:
        """The name of each swatch's colour: that with the nearest hue on the colour wheel."""
        return [min(HUES, key=lambda name: turn(HUES[name], tuple(seen))) for seen in self.hand.read(_BACKGROUNDS, self.swatches)]

    def of_colour(self, colour: str) -> list[int]:
        return [number for number, shade in enumerate(self.shades()) if shade == colour]

    @property
    def colour(self) -> str:
        return self.match(r"shades of (red|green|blue) ").group(1)

    def want(self) -> State:
        return self.of_colour(self.colour)

    def mutant(self, name: str) -> State | None:
        if name == "one-missing":
            return self.wanted[1:]
        another = next(others(list(HUES), self.colour))
        if name == "other-colour":
            return self.of_colour(another)
        extra = self.of_colour(another)[0]
        return sorted([*(self.wanted[1:] if name == "one-wrong" else self.wanted), extra])

    def construct(self, state: State) -> None:
        for number in state:
            self.hand.click(self.swatches, number)

    def read(self) -> State:
        framed: list[bool] = self.hand.read(
            "s => [...document.querySelectorAll(s)].map(e => parseFloat(getComputedStyle(e).borderTopWidth) > 0)", self.swatches
        )
        return [number for number, frame in enumerate(framed) if frame]

    def commit(self) -> None:
        self.hand.click("#submit")


def distance(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """How far apart two colours are."""
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def turn(hue: int, seen: tuple[int, ...]) -> float:
    """How many degrees of the colour wheel lie between a hue and a colour."""
    apart = abs(hue - 360 * colorsys.rgb_to_hsv(*seen)[0]) % 360
    return min(apart, 360 - apart)
