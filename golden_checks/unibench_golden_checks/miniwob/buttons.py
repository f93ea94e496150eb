"""Recipes for buttons and links: one click decides."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import ClickOne, Recipe, State, quoted, recipe


@recipe("click-button", "unicode-test")
class ClickButton(ClickOne):
    """ "Click on the "Okay" button."."""

    candidates: ClassVar[str] = "#area button"

    def want(self) -> State:
        return quoted(self.goal)


@recipe("click-test-2", "click-test-transfer")
class ClickNamedButton(ClickOne):
    """ "Click button ONE."."""

    candidates: ClassVar[str] = "#area button"

    def want(self) -> State:
        return self.match(r"button (\w+)").group(1)


@recipe("click-test")
class ClickTest(ClickOne):
    """ "Click the button."; the nearly right end is a click beside it."""

    candidates: ClassVar[str] = "#subbtn"
    mutations: ClassVar[tuple[str, ...]] = ("beside-the-button",)

    def want(self) -> State:
        return "Click Me!"

    def mutant(self, name: str) -> State | None:
        return "beside"

    def construct(self, state: State) -> None:
        if state == "beside":
            box = self.hand.rect(self.candidates)
            self.hand.move(box.x + box.width + 8, box.y + box.height + 8)
        else:
            super().construct(state)

    def read(self) -> State:
        return super().read() or "beside"


@recipe("click-button-sequence")
class ClickButtonSequence(Recipe):
    """ "Click button ONE, then click button TWO."; the state is what was clicked, in order."""

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("other-order", "one-missing")

    def want(self) -> State:
        return list(self.match(r"button (\w+), then click button (\w+)").groups())

    def mutant(self, name: str) -> State | None:
        first, second = self.wanted
        return [second, first] if name == "other-order" else [second]

    def construct(self, state: State) -> None:
        for label in state[:-1]:
            self.hand.click("#area button", text=label)
        self.hand.point_at("#area button", text=state[-1])

    def read(self) -> State:
        aimed = self.hand.under(*self.hand.at)
        return [c["text"] for c in self.hand.clicked] + ([aimed["text"]] if aimed else [])

    def commit(self) -> None:
        self.hand.press_button()
