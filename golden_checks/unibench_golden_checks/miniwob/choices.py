"""Recipes for lists, radio buttons and rows of buttons of which some are to be chosen."""

from __future__ import annotations

import difflib
from typing import ClassVar

from unibench_golden_checks.miniwob.pointing import BESIDE, ClickOneOrMiss
from unibench_golden_checks.miniwob.recipe import Recipe, State, UnexpectedGoal, others, recipe


def likest(labels: list[str], wanted: str) -> str | None:
    """Of the other labels the one that is spelled most like the wanted one."""
    wrong = list(others(labels, wanted))
    return max(wrong, key=lambda label: difflib.SequenceMatcher(None, label.lower(), wanted.lower()).ratio(), default=None)


class SubmitsChoice(Recipe):
    """What the tasks with a Submit button and one list of labels share."""

    def commit(self) -> None:
        self.hand.click("#area button", text="Submit")


@recipe("choose-list")
class ChooseList(SubmitsChoice):
    """ "Select Ertha from the list and click Submit."; the state is what the closed drop-down list shows."""

    mutations: ClassVar[tuple[str, ...]] = ("near-miss", "other-target")

    def want(self) -> State:
        return self.match(r"Select (.+) from the list and click Submit").group(1)

    def mutant(self, name: str) -> State | None:
        labels = self.hand.texts("#options option")
        near = likest(labels, self.wanted)
        return near if name == "near-miss" else next(others(labels, [self.wanted, near]), None)

    def construct(self, state: State) -> None:
        self.hand.choose("#options", state)

    def read(self) -> State:
        return self.hand.read("() => document.querySelector('#options').selectedOptions[0]?.textContent")


@recipe("click-scroll-list")
class ClickScrollList(SubmitsChoice):
    """ "Select Ertha, Aurel from the scroll list and click Submit."; the state is the marked entries, sorted."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-wrong", "one-too-many")
    options: ClassVar[str] = "#options option"

    def want(self) -> State:
        words = self.match(r"Select (.+) from the scroll list and click Submit").group(1)
        labels = self.hand.texts(self.options)
        # An entry might hold a comma itself.
        found = [words] if words in labels else sorted(words.split(", "))
        if not set(found) <= set(labels):
            raise UnexpectedGoal(f"the list does not have all of {words!r}")
        return found

    def mutant(self, name: str) -> State | None:
        if name == "one-missing":
            return self.wanted[1:]
        extra = next(others(self.hand.texts(self.options), self.wanted))
        return sorted([*(self.wanted[1:] if name == "one-wrong" else self.wanted), extra])

    def construct(self, state: State) -> None:
        for label in state:
            # Scrolls before the key goes down, for with Control the wheel would zoom.
            self.hand.point_at(self.options, text=label)
            self.hand.hold_key("Control", self.hand.press_button)

    def read(self) -> State:
        marked: list[str] = self.hand.read("() => [...document.querySelector('#options').selectedOptions].map(o => o.textContent)")
        return sorted(marked)


@recipe("click-option")
class ClickOption(SubmitsChoice):
    """ "Select QWS1FL and click Submit."; the state is the label of the radio button that is on."""

    mutations: ClassVar[tuple[str, ...]] = ("near-miss", "other-target")

    def want(self) -> State:
        return self.match(r"Select (\w+) and click Submit").group(1)

    def mutant(self, name: str) -> State | None:
        labels = self.hand.texts("#area label")
        near = likest(labels, self.wanted)
        return near if name == "near-miss" else next(others(labels, [self.wanted, near]), None)

    def construct(self, state: State) -> None:
        self.hand.click("#area label", text=state)

    def read(self) -> State:
        return self.hand.read(
            "() => [...document.querySelectorAll('#area label')].find(l => l.querySelector('input').checked)?.textContent.trim()"
        )


@recipe("odd-or-even")
class OddOrEven(Recipe):
    """ "Mark the numbers below as odd or even and press submit when done."; the state is each row's mark."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-wrong", "two-missing", "two-wrong", "all-wrong")

    def want(self) -> State:
        return ["Odd" if int(number) % 2 else "Even" for number in self.hand.texts(".display-number")]

    def mutant(self, name: str) -> State | None:
        opposite = {"Odd": "Even", "Even": "Odd"}
        many = {"one": 1, "two": 2, "all": len(self.wanted)}[name.split("-")[0]]
        wrong = [None] * many if name.endswith("missing") else [opposite[mark] for mark in self.wanted[:many]]
        return [*wrong, *self.wanted[many:]]

    def construct(self, state: State) -> None:
        for row, mark in enumerate(state):
            if mark is not None:
                self.hand.click(f"#numbers .row button.{mark.lower()}", row)

    def read(self) -> State:
        return self.hand.read(
            "() => [...document.querySelectorAll('#numbers .row')].map(row => row.querySelector('button.selected')?.textContent ?? null)"
        )

    def commit(self) -> None:
        self.hand.click("#submit")


@recipe("click-widget")
class ClickWidget(ClickOneOrMiss):
    """ "Click on a "button" widget."; the state is the kind of the widget clicked (its label is part of it)."""

    candidates: ClassVar[str] = "#area label, #area input[type=input], #area textarea, #area button"
    gap: ClassVar[int] = 3

    def labels(self) -> list[str]:
        kinds: list[str] = self.hand.read(
            """s => [...document.querySelectorAll(s)].map(e => { const field = e.querySelector('input') ?? e;
               return field.tagName === 'INPUT' && field.type === 'text' ? 'text' : field.type.replace('submit', 'button') })""",
            self.candidates,
        )
        return kinds

    def want(self) -> State:
        return self.match(r'Click on a "(radio|checkbox|text|textarea|button)" widget').group(1)

    def free_spot(self) -> tuple[float, float]:
        """To the right of the widget, on a level with it."""
        box = self.hand.rect(self.candidates, self.labels().index(self.wanted))
        return (box.x + box.width + 12, box.center[1])

    def mutant(self, name: str) -> State | None:
        if name == BESIDE:
            return BESIDE
        # The text field and the text area are the likest kinds.
        twin = {"text": "textarea", "textarea": "text"}.get(self.wanted)
        return twin if twin in self.labels() else super().mutant(name)
