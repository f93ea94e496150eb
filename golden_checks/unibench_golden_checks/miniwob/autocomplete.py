"""Recipe for a text field that offers items to choose from; and how to use such a field."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Hand, HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe

# What is offered now: number among all offers of all fields, and words.
_OFFERED = """() => [...document.querySelectorAll('.ui-autocomplete li')].map((e, i) => [i, e.textContent, e.offsetParent])
  .filter(([, , shown]) => shown).map(([i, words]) => [i, words])"""

# Whether offers are shown that go with the whole of the text: until a moment after the last key they still go with a part.
_FRESH = """text => {
  const shown = [...document.querySelectorAll('.ui-autocomplete li')].filter(e => e.offsetParent);
  return shown.length && shown.every(e => e.textContent.toLowerCase().includes(text.toLowerCase()));
}"""


def offers(hand: Hand, field: str, text: str) -> list[str]:
    """Types a text into a field, and returns what the field then offers."""
    close(hand)
    hand.fill(field, "")  # or the offers for what it held would come up once more
    hand.type(text)
    hand.wait_until(_FRESH, text)
    return [words for _, words in hand.read(_OFFERED)]


def take(hand: Hand, item: str) -> None:
    """Clicks an item that is offered."""
    index = next((index for index, words in hand.read(_OFFERED) if words == item), None)
    if index is None:
        raise HandError(f"{item!r} is not offered")
    for _ in range(5):
        hand.point_at(".ui-autocomplete li", index)
        # An item at the edge of the list slides into view as the pointer comes: then another one is there.
        under = hand.under(*hand.at)
        if under is not None and under["text"] == " ".join(item.split()):
            hand.press_button()
            return
    raise HandError(f"{item!r} slips away from the pointer")


def close(hand: Hand) -> None:
    """Turns the offers down; the field keeps the text they are for."""
    if hand.read(_OFFERED):
        hand.press("Escape")


@recipe("use-autocomplete", "use-autocomplete-nodelay")
class UseAutocomplete(Recipe):
    """ "Enter an item that starts with "Bah" and ends with "as"."; the state is the text in the field and whether it is
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
        found = offers(self.hand, "#tags", start)
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
            take(self.hand, text)
        else:
            close(self.hand)
            self.hand.fill("#tags", text)
            self.hand.press("Tab")  # leaves the field, so that nothing more is offered above the button

    def read(self) -> State:
        text = self.hand.value("#tags")
        return {"text": text, "item": text in self.offered}

    def commit(self) -> None:
        self.hand.click("#subbtn")
