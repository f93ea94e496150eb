"""Recipe for a text field that offers items to choose from."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Hand
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe

_OPEN = "() => [...document.querySelectorAll('.ui-autocomplete li')].some(e => e.offsetParent)"
_OFFERED = "() => [...document.querySelectorAll('.ui-autocomplete li')].filter(e => e.offsetParent).map(e => e.textContent)"


@recipe("use-autocomplete", "use-autocomplete-nodelay")
class UseAutocomplete(Recipe):
    """"Enter an item that starts with "Bah" and ends with "as"."; the state is the text in the field and whether it is
    an item, that is, one that the field offers. Every item that starts and ends so is right."""

    mutations: ClassVar[tuple[str, ...]] = ("not-an-item", "wrong-end", "wrong-start", "unfinished", "lower-case")

    def __init__(self, hand: Hand, goal: str) -> None:
        super().__init__(hand, goal)
        self.offered: list[str] = []

    def want(self) -> State:
        start, end = self.match(r'starts with "(.*?)"(?: and ends with "(.*?)")?\.').groups()
        self.start, self.end = start, end or ""
        return {"starts": start, "ends": end, "item": True}

    def fits(self, text: str) -> bool:
        return text.startswith(self.start) and text.endswith(self.end)

    def right(self, state: State) -> bool:
        return self.fits(state["text"]) and bool(state["item"])

    def look(self, start: str) -> list[str]:
        """What the field offers for a beginning."""
        if self.hand.read(_OPEN):
            self.hand.press("Escape")
        self.hand.fill("#tags", start)
        self.hand.wait_until(_OPEN)
        found: list[str] = self.hand.read(_OFFERED)
        self.offered += found
        return found

    def mutant(self, name: str) -> State | None:
        items = self.look(self.start)
        if name == "wrong-end":
            text = next((item for item in items if item.startswith(self.start) and not item.endswith(self.end)), None)
        elif name == "wrong-start":
            text = next((item for item in self.look(self.start[0]) if not item.startswith(self.start)), None)
        elif name == "unfinished":
            text = None if self.fits(self.start) else self.start
        elif name == "lower-case":
            text = next(item for item in items if self.fits(item)).lower()
        else:
            # What no field would offer: the goal's own letters put together.
            text = next(made for made in (f"{self.start}{self.end}", f"{self.start}q{self.end}") if made not in items)
        return text and {"text": text, "item": text in self.offered}

    def construct(self, state: State) -> None:
        items = self.look(self.start)
        text = state["text"] if "text" in state else next(item for item in items if self.fits(item))
        if not text.startswith(self.start):
            items = self.look(text[0])
        if text in items:
            self.hand.click(".ui-autocomplete li", items.index(text))
        else:
            self.hand.press("Escape")
            self.hand.fill("#tags", text)
            self.hand.press("Tab")  # leaves the field, so that nothing more is offered above the button

    def read(self) -> State:
        text = self.hand.value("#tags")
        return {"text": text, "item": text in self.offered}

    def commit(self) -> None:
        self.hand.click("#subbtn")
