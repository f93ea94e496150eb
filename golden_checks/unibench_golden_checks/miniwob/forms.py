"""Recipes for short forms of several kinds of controls."""

from __future__ import annotations

import re
from typing import ClassVar

from unibench_golden_checks.miniwob.fields import ORDINAL, NamedFields, misspelt
from unibench_golden_checks.miniwob.marking_text import hidden_text, scroll_to
from unibench_golden_checks.miniwob.recipe import Recipe, State, others, recipe

TICKED = "s => [...document.querySelectorAll(s)].flatMap((e, k) => e.checked ? [k + 1] : [])"
"""Which of the check boxes or radio buttons are on, counted from 1."""


@recipe("form-sequence")
class SliderAndCheckbox(Recipe):
    """ "Select 7 with the slider, click the 3rd checkbox, then hit Submit."; the state is the slider's number and the ticked boxes."""

    mutations: ClassVar[tuple[str, ...]] = ("number-near-miss", "sign-changed", "other-checkbox", "no-checkbox", "one-too-many")

    def want(self) -> State:
        number = self.match(r"Select (-?\d+) with the slider").group(1)
        return {"number": int(number), "ticked": [int(self.match(ORDINAL + " checkbox").group(1))]}

    def mutant(self, name: str) -> State | None:
        number, (box,) = self.wanted["number"], self.wanted["ticked"]
        other = box % 3 + 1
        if name == "sign-changed":
            return {**self.wanted, "number": -number} if number else None
        if name == "number-near-miss":
            return {**self.wanted, "number": number - 1 if number > 0 else number + 1}
        return {**self.wanted, "ticked": {"other-checkbox": [other], "no-checkbox": [], "one-too-many": sorted([box, other])}[name]}

    def construct(self, state: State) -> None:
        off = state["number"] - self.read()["number"]
        if off:
            self.hand.click("#slider .ui-slider-handle")
            self.hand.press("ArrowRight" if off > 0 else "ArrowLeft", times=abs(off))
        for box in state["ticked"]:
            self.hand.click("#area input[type=checkbox]", box - 1)

    def read(self) -> State:
        return {"number": int(self.hand.texts("#val")[0]), "ticked": self.hand.read(TICKED, "#area input[type=checkbox]")}

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("form-sequence-2")
class RadioAndTextbox(Recipe):
    """ "Check the 1st radio button and enter the number "16" into the 3rd textbox."; the state is the checked button and all texts."""

    mutations: ClassVar[tuple[str, ...]] = ("other-radio", "no-radio", "wrong-place", "wrong-value", "one-too-many", "one-missing")

    def filled(self, *numbers: int) -> list[str]:
        """The three texts with the number in those textboxes."""
        number = self.match(r'enter the number "(-?\d+)"').group(1)
        return [number if k in numbers else "" for k in (1, 2, 3)]

    def place(self) -> int:
        return int(self.match(ORDINAL + " textbox").group(1))

    def want(self) -> State:
        return {"radio": [int(self.match(ORDINAL + " radio button").group(1))], "texts": self.filled(self.place())}

    def mutant(self, name: str) -> State | None:
        radio, place = self.wanted["radio"][0], self.place()
        texts = self.wanted["texts"]
        return {
            "other-radio": {**self.wanted, "radio": [radio % 3 + 1]},
            "no-radio": {**self.wanted, "radio": []},
            "wrong-place": {**self.wanted, "texts": self.filled(place % 3 + 1)},
            "wrong-value": {**self.wanted, "texts": [text and str(int(text) + 1) for text in texts]},
            "one-too-many": {**self.wanted, "texts": self.filled(place, place % 3 + 1)},
            "one-missing": {**self.wanted, "texts": ["", "", ""]},
        }[name]

    def construct(self, state: State) -> None:
        for radio in state["radio"]:
            self.hand.click("#area input[type=radio]", radio - 1)
        for nth, text in enumerate(state["texts"]):
            if text:
                self.hand.fill("#area input[type=text]", text, nth)

    def read(self) -> State:
        return {
            "radio": self.hand.read(TICKED, "#area input[type=radio]"),
            "texts": [self.hand.value("#area input[type=text]", nth) for nth in range(3)],
        }

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("form-sequence-3")
class DropdownAndButton(Recipe):
    """ "Choose 5ft 10in from the dropdown, then click the button labeled "No"."; the state is what is chosen and the button pointed at."""

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("other-option", "none-chosen", "other-button")

    def want(self) -> State:
        option, button = self.match(r'Choose (.*) from the dropdown, then click the button labeled "(\w+)"').groups()
        return {"chosen": option, "button": button}

    def mutant(self, name: str) -> State | None:
        if name == "other-button":
            return {**self.wanted, "button": next(others(self.hand.texts("#buttons button"), self.wanted["button"]))}
        options = self.hand.texts("#dropdown option")
        return {**self.wanted, "chosen": "" if name == "none-chosen" else next(others(options, ["", self.wanted["chosen"]]))}

    def construct(self, state: State) -> None:
        if state["chosen"]:
            self.hand.click(".selectric")
            self.hand.click(".selectric-items li", text=state["chosen"])
        self.hand.point_at("#buttons button", text=state["button"])

    def read(self) -> State:
        under = self.hand.under(*self.hand.at)
        return {"chosen": self.hand.texts(".selectric .label")[0], "button": under["text"] if under else ""}

    def commit(self) -> None:
        self.hand.press_button()


@recipe("multi-layouts", "multi-orderings")
class SearchMovies(NamedFields):
    """ "Search for crime movies directed by Holcomb from year 2010."; the state is what each field holds, by what its label speaks of."""

    mutations: ClassVar[tuple[str, ...]] = (
        "genre-missing",
        "director-missing",
        "year-missing",
        "wrong-place",
        "genre-wrong",
        "director-wrong",
        "year-wrong",
    )
    _LABELS: ClassVar[dict[str, str]] = {"genre": "genre", "director": "director", "year": "year|date"}

    def boxes(self) -> dict[str, int]:
        # Before or after its field, a label is what else its row says.
        rows: list[str] = self.hand.read(
            """() => [...document.querySelectorAll('#area input')].map(e => {
                 let row = e; while (!row.textContent.trim()) row = row.parentElement; return row.textContent.toLowerCase() })"""
        )
        return {name: next(nth for nth, row in enumerate(rows) if re.search(label, row)) for name, label in self._LABELS.items()}

    def want(self) -> State:
        genre, director, year = self.match(r"Search for (.*) movies directed by (.*) from year (\d+)").groups()
        return {"genre": genre, "director": director, "year": year}

    def mutant(self, name: str) -> State | None:
        genre, director, year = self.wanted.values()
        if name == "wrong-place":
            return self.changed(genre=director, director=genre)
        field, _, kind = name.partition("-")
        wrong = {"genre": misspelt("letter-missing", genre), "director": misspelt("letter-added", director), "year": str(int(year) + 1)}
        return self.changed(**{field: "" if kind == "missing" else wrong[field]})

    def commit(self) -> None:
        self.hand.click("#area button, #area .final, #area .ui-submit")


@recipe("sign-agreement")
class SignAgreement(Recipe):
    """ "Scroll to the bottom of the textarea, enter the name "Alan" then press "Agree"", or "Click the cancel button.".

    The state is how many pixels of the text are out of sight below (0: all read), the name, and the button pointed at.
    The name field and Agree are disabled until the text has been scrolled.
    """

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("other-button", "name-missing", "name-misspelt", "not-quite-scrolled")
    box: ClassVar[str] = "#text-area"

    def want(self) -> State:
        found = re.search(r'enter the name "(.*?)" then press "(\w+)"', self.goal)
        if found is not None:
            return {"unread": 0, "name": found.group(1), "button": found.group(2)}
        self.match("Click the cancel button")
        return {"unread": hidden_text(self.hand, self.box)[1], "name": "", "button": "Cancel"}

    def right(self, state: State) -> bool:
        if not self.wanted["name"]:
            return bool(state["button"] == "Cancel")
        return bool({**state, "unread": 0} == self.wanted and state["unread"] <= 2)

    def mutant(self, name: str) -> State | None:
        if name == "other-button":
            return {**self.wanted, "unread": 0, "button": "Agree" if self.wanted["button"] == "Cancel" else "Cancel"}
        if not self.wanted["name"]:
            return None
        return {
            "name-missing": {**self.wanted, "name": ""},
            "name-misspelt": {**self.wanted, "name": misspelt("letter-added", self.wanted["name"])},
            # The last line, 15 pixels high, and the box's inner margin, 2 pixels, are still out of sight.
            "not-quite-scrolled": {**self.wanted, "unread": 18},
        }[name]

    def construct(self, state: State) -> None:
        above, below = hidden_text(self.hand, self.box)
        scroll_to(self.hand, self.box, above + below - state["unread"])
        if state["name"]:
            self.hand.wait_until("() => !document.querySelector('#name').disabled")
            self.hand.fill("#name", state["name"])
        self.hand.point_at("#area button", text=state["button"])

    def read(self) -> State:
        under = self.hand.under(*self.hand.at)
        return {"unread": hidden_text(self.hand, self.box)[1], "name": self.hand.value("#name"), "button": under["text"] if under else ""}

    def commit(self) -> None:
        self.hand.press_button()
