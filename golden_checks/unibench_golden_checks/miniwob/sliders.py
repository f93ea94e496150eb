"""Recipes for widgets that hold a number: sliders, a spinner; and for resizing a text area."""

from __future__ import annotations

import re
from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Hand
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe


def shown(hand: Hand, output: str) -> int:
    """The number that a slider's text shows."""
    return int(hand.texts(output)[0])


def slide(hand: Hand, slider: str, output: str, value: int) -> None:
    """Brings a slider to a value: a click on its handle, then the keyboard."""
    hand.click(f"{slider} .ui-slider-handle")
    start = shown(hand, output)
    if value == start:
        return
    # The nearer end first, if that is nearer than where the slider is.
    hand.press("End" if value > start else "Home")
    end = shown(hand, output)
    if abs(end - value) > abs(start - value):
        hand.press("Home" if value > start else "End")
        back = shown(hand, output)
        hand.press("ArrowRight" if value > back else "ArrowLeft", times=abs(value - back))
    else:
        hand.press("ArrowLeft" if value < end else "ArrowRight", times=abs(value - end))


@recipe("use-slider")
class UseSlider(Recipe):
    """Select 103 with the slider and hit Submit."""

    mutations: ClassVar[tuple[str, ...]] = ("one-more", "one-less", "wrong-sign")

    def want(self) -> State:
        return int(self.match(r"Select (-?\d+) with the slider").group(1))

    def ends(self) -> tuple[int, int]:
        self.hand.click("#slider .ui-slider-handle")
        self.hand.press("Home")
        first = shown(self.hand, "#val")
        self.hand.press("End")
        return first, shown(self.hand, "#val")

    def mutant(self, name: str) -> State | None:
        value = {"one-more": self.wanted + 1, "one-less": self.wanted - 1, "wrong-sign": -self.wanted}[name]
        first, last = self.ends()
        return value if first <= value <= last and value != self.wanted else None

    def construct(self, state: State) -> None:
        slide(self.hand, "#slider", "#val", state)

    def read(self) -> State:
        return shown(self.hand, "#val")

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("use-slider-2")
class UseThreeSliders(Recipe):
    """Set the sliders to the combination [7,0,12] and submit."""

    mutations: ClassVar[tuple[str, ...]] = ("one-wrong", "one-missing", "other-order")

    def want(self) -> State:
        numbers = self.match(r"combination \[([\d,]+)\]").group(1)
        return [int(number) for number in numbers.split(",")]

    def mutant(self, name: str) -> State | None:
        if name == "one-wrong":
            return [*self.wanted[:-1], self.wanted[-1] + (1 if self.wanted[-1] < 20 else -1)]
        mutant = [*self.wanted[:-1], self.read()[-1]] if name == "one-missing" else self.wanted[::-1]
        return mutant if mutant != self.wanted else None

    def construct(self, state: State) -> None:
        for nth, value in enumerate(state, start=1):
            slide(self.hand, f"#slider-{nth}", f"#val-{nth}", value)

    def read(self) -> State:
        return [shown(self.hand, f"#val-{nth}") for nth in (1, 2, 3)]

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("use-spinner")
class UseSpinner(Recipe):
    """Select -4 with the spinner and hit Submit."""

    mutations: ClassVar[tuple[str, ...]] = ("one-more", "one-less", "wrong-sign")

    def want(self) -> State:
        return int(self.match(r"Select (-?\d+) with the spinner").group(1))

    def mutant(self, name: str) -> State | None:
        value: int = {"one-more": self.wanted + 1, "one-less": self.wanted - 1, "wrong-sign": -self.wanted}[name]
        return value if value != self.wanted else None

    def construct(self, state: State) -> None:
        away = state - self.read()
        for _ in range(abs(away)):
            self.hand.click(".ui-spinner-up" if away > 0 else ".ui-spinner-down")

    def read(self) -> State:
        value = self.hand.value("#spinner").strip()
        return int(value) if re.fullmatch(r"-?\d+", value) else value

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("resize-textarea")
class ResizeTextarea(Recipe):
    """Resize the textarea so that the width is larger than its initial size then press Submit.

    The state is by how many pixels the width and the height have grown.
    """

    mutations: ClassVar[tuple[str, ...]] = ("opposite", "wrong-place", "both-wrong")
    handles: ClassVar[dict[str, str]] = {"width": ".ui-resizable-e", "height": ".ui-resizable-s"}

    def size(self) -> dict[str, float]:
        rect = self.hand.rect("#tt")
        return {"width": rect.width, "height": rect.height}

    def prepare(self) -> State:
        self.before = self.size()
        return super().prepare()

    def want(self) -> State:
        self.side, way = self.match(r"the (width|height) is (smaller|larger) than its initial size").groups()
        self.sign = 1 if way == "larger" else -1
        return self.grown(15 * self.sign, 0)

    def grown(self, asked: int, other: int) -> State:
        return {side: asked if side == self.side else other for side in self.handles}

    def right(self, state: State) -> bool:
        return bool(self.sign * state[self.side] >= 5)

    def mutant(self, name: str) -> State | None:
        away = 15 * self.sign
        return {"opposite": self.grown(-away, 0), "wrong-place": self.grown(0, away), "both-wrong": self.grown(-away, away)}[name]

    def construct(self, state: State) -> None:
        for side, handle in self.handles.items():
            if state[side]:
                x, y = self.hand.aim(handle)
                self.hand.drag((x, y), (x + state[side], y) if side == "width" else (x, y + state[side]), steps=3)

    def read(self) -> State:
        return {side: round(value - self.before[side], 1) for side, value in self.size().items()}

    def commit(self) -> None:
        self.hand.click("#submit")
