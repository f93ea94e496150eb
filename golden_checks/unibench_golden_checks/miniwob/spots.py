"""Recipes for numbered spots on a plane: hidden numbers and grid points."""

from __future__ import annotations

import re
from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Rect
from unibench_golden_checks.miniwob.pointing import BESIDE, ClickOneOrMiss
from unibench_golden_checks.miniwob.recipe import Recipe, State, others, recipe


@recipe("ascending-numbers")
class AscendingNumbers(Recipe):
    """ "Click on the numbers in ascending order."; the state is the numbers clicked, in order.

    The click on the 1 covers all other numbers: where they are is to be remembered.
    """

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "first-only", "wrong-second", "other-order", "descending")

    def want(self) -> State:
        texts = self.hand.texts("#area_svg text")
        self.places: dict[int, Rect] = {int(text): self.hand.rect("#area_svg text", nth) for nth, text in enumerate(texts)}
        self.clicks: list[tuple[float, float]] = []
        return sorted(self.places)

    def mutant(self, name: str) -> State | None:
        numbers = list(self.wanted)
        return {
            "one-missing": numbers[:-1],
            "first-only": numbers[:1],
            "wrong-second": [numbers[0], numbers[2]],
            "other-order": [*numbers[:-2], numbers[-1], numbers[-2]],
            "descending": numbers[::-1],
        }[name]

    def construct(self, state: State) -> None:
        for number in state[:-1]:
            self.click_at(*self.places[number].center)
        self.hand.move(*self.places[state[-1]].center)

    def click_at(self, x: float, y: float) -> None:
        self.hand.click_at(x, y)
        self.clicks.append((x, y))

    def read(self) -> State:
        # What was clicked is gone, so that only where the clicks went says which numbers they hit.
        return [self.number_at(x, y) for x, y in [*self.clicks, self.hand.at]]

    def number_at(self, x: float, y: float) -> int | None:
        for number, box in self.places.items():
            if box.x <= x <= box.x + box.width and box.y <= y <= box.y + box.height:
                return number
        return None

    def commit(self) -> None:
        self.hand.press_button()


# The crossing of the two axes, and the distance between neighbouring labels (from the middles of "1" and "2" on each axis).
_AXES = """() => {
  const middle = e => { const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] };
  const lines = [...document.querySelectorAll('#area svg line')].map(e => e.getBoundingClientRect());
  const upright = lines.find(b => b.height > b.width), level = lines.find(b => b.width > b.height);
  const label = (axis, text) => middle([...document.querySelectorAll(axis + ' > div')].find(e => e.textContent === text));
  return {origin: [upright.x + upright.width / 2, level.y + level.height / 2],
          unit: [label('#x-labels', '2')[0] - label('#x-labels', '1')[0], label('#y-labels', '1')[1] - label('#y-labels', '2')[1]],
          points: [...document.querySelectorAll('#area svg circle')].map(middle)};
}"""


@recipe("grid-coordinate")
class GridCoordinate(ClickOneOrMiss):
    """ "Click on the grid coordinate (2,-2)."; the state is the coordinates of the point clicked, from axes and labels."""

    candidates: ClassVar[str] = "#area svg circle"
    mutations: ClassVar[tuple[str, ...]] = ("swapped", "other-x-sign", "other-y-sign", "near-miss", BESIDE)

    def want(self) -> State:
        return self.match(r"\(-?\d+,-?\d+\)").group(0)

    def labels(self) -> list[str]:
        seen = self.hand.read(_AXES)
        return [
            "({},{})".format(
                round((x - seen["origin"][0]) / seen["unit"][0]),
                round((seen["origin"][1] - y) / seen["unit"][1]),
            )
            for x, y in seen["points"]
        ]

    def mutant(self, name: str) -> State | None:
        if name == BESIDE:
            return BESIDE
        x, y = map(int, re.findall(r"-?\d+", self.wanted))
        if name == "near-miss":
            x, y = next((u, v) for u, v in ((x + 1, y), (x - 1, y)) if f"({u},{v})" in self.labels())
        else:
            x, y = {"swapped": (y, x), "other-x-sign": (-x, y), "other-y-sign": (x, -y)}[name]
        return next(others([f"({x},{y})"], self.wanted), None)
