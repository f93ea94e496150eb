"""Recipe for drawing a digit in a grid of checkboxes after a picture."""

from __future__ import annotations

import io
from typing import ClassVar

from PIL import Image

from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe

ROWS, COLUMNS = 7, 4
TICKED, UNTICKED = 180, 60
"""How bright, of 255, the middle of a box is at least in the picture if it is ticked, or just is a box."""


@recipe("number-checkboxes")
class NumberCheckboxes(Recipe):
    """Draw the number "7" in the checkboxes using the example on the right and press Submit when finished.

    The state is the rows of the grid, 1 for a ticked box and 0 for another.
    """

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-too-many", "mirrored", "upside-down")
    box: ClassVar[str] = "#checkboxes input"

    def want(self) -> State:
        self.match(r'Draw the number "\d" in the checkboxes using the example on the right')
        rect = self.hand.wait_until(
            """() => { const shown = [...document.querySelectorAll('#area aside img')].find(e => e.complete && e.getClientRects().length);
               if (!shown) return null; const r = shown.getBoundingClientRect(); return [r.x, r.y, r.width, r.height] }"""
        )
        clip = dict(zip(("x", "y", "width", "height"), rect, strict=True))
        shot = self.hand.page.screenshot(clip=clip)  # type: ignore[arg-type]
        picture = Image.open(io.BytesIO(shot)).convert("L")
        boxes = picture.point([255 if level > UNTICKED else 0 for level in range(256)]).getbbox()
        if boxes is None:
            raise HandError("the example shows no boxes")
        left, top, right, bottom = boxes
        width, height = (right - left) / COLUMNS, (bottom - top) / ROWS
        return [
            "".join(
                "1" if picture.getpixel((int(left + (x + 0.5) * width), int(top + (y + 0.5) * height))) > TICKED else "0"  # type: ignore[operator]
                for x in range(COLUMNS)
            )
            for y in range(ROWS)
        ]

    def mutant(self, name: str) -> State | None:
        if name == "mirrored":
            mutant = [row[::-1] for row in self.wanted]
        elif name == "upside-down":
            mutant = self.wanted[::-1]
        else:
            text = "".join(self.wanted)
            change = text.index("1") if name == "one-missing" else text.rindex("0")
            text = text[:change] + ("0" if name == "one-missing" else "1") + text[change + 1 :]
            mutant = [text[k : k + COLUMNS] for k in range(0, ROWS * COLUMNS, COLUMNS)]
        return mutant if mutant != self.wanted else None

    def construct(self, state: State) -> None:
        now = "".join(self.read())
        for nth, (old, new) in enumerate(zip(now, "".join(state), strict=True)):
            if old != new:
                self.hand.click(self.box, nth)

    def read(self) -> State:
        ticks: list[bool] = self.hand.read("s => [...document.querySelectorAll(s)].map(e => e.checked)", self.box)
        text = "".join("1" if tick else "0" for tick in ticks)
        return [text[k : k + COLUMNS] for k in range(0, len(text), COLUMNS)]

    def commit(self) -> None:
        self.hand.click("#subbtn")
