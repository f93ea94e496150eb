"""What recipes for clicks on one thing share: a spot that belongs to none of the things."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import ClickOne, State

BESIDE = "beside"
"""The state of a pointer that is on none of the candidates."""

# The spot closest to a given point that is in #area, in view, and at least `gap` pixels away from every thing.
_FREE_SPOT = """([sel, near, gap]) => {
  const area = document.querySelector('#area').getBoundingClientRect();
  const boxes = [...document.querySelectorAll(sel)].flatMap(e => [...e.getClientRects()]).filter(b => b.width && b.height);
  let best = null, least = Infinity;
  for (let y = area.y + 3; y < Math.min(area.bottom, innerHeight) - 2; y += 3)
    for (let x = area.x + 3; x < Math.min(area.right, innerWidth) - 2; x += 3) {
      if (boxes.some(b => x > b.x - gap && x < b.right + gap && y > b.y - gap && y < b.bottom + gap)) continue;
      const far = Math.hypot(x - near[0], y - near[1]);
      if (far < least) { least = far; best = [x, y]; }
    }
  return best;
}"""


class ClickOneOrMiss(ClickOne):
    """Like :class:`ClickOne`, with one more mutant: a click close to the right thing, but on none."""

    mutations: ClassVar[tuple[str, ...]] = ("other-target", BESIDE)
    things: ClassVar[str] = ""
    """A CSS selector of what a click beside keeps off; the candidates where it is empty."""
    gap: ClassVar[int] = 4
    """How many pixels it keeps off."""

    def mutant(self, name: str) -> State | None:
        return BESIDE if name == BESIDE else super().mutant(name)

    def construct(self, state: State) -> None:
        if state == BESIDE:
            self.hand.move(*self.free_spot())
        else:
            super().construct(state)

    def read(self) -> State:
        return super().read() or BESIDE

    def free_spot(self) -> tuple[float, float]:
        """The free spot closest to the wanted thing."""
        near = self.hand.rect(self.candidates, self.labels().index(self.wanted)).center
        spot = self.hand.read(_FREE_SPOT, [self.things or self.candidates, list(near), self.gap])
        if spot is None:
            raise HandError(f"there is no spot beside all of {self.things or self.candidates!r}")
        x, y = spot
        return (x, y)
