"""Recipes for one result or contact per click, with a pager below: a search engine, a phone book."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Hand
from unibench_golden_checks.miniwob.recipe import Recipe, State, others, recipe

_PAGE_SIZE = 3
_LAST = 9

# Which page of results is open, and which of its links lies under a point.
_RESULT = """([x, y]) => {
  const hit = document.elementFromPoint(x, y);
  const index = [...document.querySelectorAll('#page-content .search-title')].findIndex(e => e === hit);
  const open = document.querySelector('#pagination .active');
  return index < 0 || !open ? null : [Number(open.textContent), index];
}"""

# The open contact's name and the label before the link that lies under a point.
_PROPERTY = """([x, y]) => {
  const hit = document.elementFromPoint(x, y);
  const row = hit && hit.closest('#contact .property a') ? hit.closest('.property') : null;
  const name = document.querySelector('#contact .name').textContent;
  return {name, property: row ? row.querySelector('.property-name').textContent.trim() : null};
}"""


@recipe("search-engine")
class SearchEngine(Recipe):
    """ "Use the textbox to enter "Kenda" and press "Search", then find and click the 4th search result.".

    The state is what the box held each time Search was pressed, what it holds now, and which result, counted over
    all pages, the pointer is on.
    """

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("near-miss", "wrong-place", "wrong-value", "one-missing", "other-order")

    def __init__(self, hand: Hand, goal: str) -> None:
        super().__init__(hand, goal)
        self.searched: list[str] = []

    def want(self) -> State:
        text, number = self.match(r'enter "(.*)" and press "Search", then find and click the (\d+)\w\w search result').groups()
        return {"searched": [text], "box": text, "result": int(number)}

    def mutant(self, name: str) -> State | None:
        text, number = self.wanted["box"], self.wanted["result"]
        if name == "near-miss":
            return {**self.wanted, "result": number - 1 if number == _LAST else number + 1}
        if name == "wrong-place":  # the same place on another page
            return {**self.wanted, "result": number - _PAGE_SIZE if number > _PAGE_SIZE else number + _PAGE_SIZE}
        if name == "wrong-value":
            return {**self.wanted, "searched": [text[:-1]], "box": text[:-1]}
        if name == "one-missing":
            return {**self.wanted, "searched": [""], "box": ""}
        return {**self.wanted, "searched": [""]}

    def construct(self, state: State) -> None:
        hand = self.hand
        for text in state["searched"]:
            if text:
                hand.fill("#search-text", text)
            self.searched.append(hand.value("#search-text"))
            hand.click("#search")
        if state["box"] != hand.value("#search-text"):
            hand.fill("#search-text", state["box"])
            hand.click("#pagination a", text="2")  # a new page shows results for what the box holds now
        page, index = divmod(state["result"] - 1, _PAGE_SIZE)
        if hand.texts("#pagination .active") != [str(page + 1)]:
            hand.click("#pagination a", text=str(page + 1))
        hand.point_at("#page-content .search-title", index)

    def read(self) -> State:
        found = self.hand.read(_RESULT, self.hand.at)
        number = None if found is None else (found[0] - 1) * _PAGE_SIZE + found[1] + 1
        return {"searched": self.searched, "box": self.hand.value("#search-text"), "result": number}

    def commit(self) -> None:
        self.hand.press_button()


@recipe("phone-book")
class PhoneBook(Recipe):
    """ "Find Ann in the contact book and click on their phone number."; the state is whose contact is open and what
    the pointer is on."""

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("wrong-property", "other-person", "other-person-and-property")

    def shown(self) -> str:
        return self.hand.texts("#contact .name")[0]

    def turn(self) -> None:
        """Turns to the next contact."""
        self.hand.click("#pagination .next a")

    def want(self) -> State:
        name, what = self.match(r"Find (.+) in the contact book and click on their (phone|email|address)").groups()
        return {"name": name, "property": f"{what.capitalize()}:"}

    def mutant(self, name: str) -> State | None:
        wrong = next(others(self.hand.texts("#contact .property-name"), self.wanted["property"]))
        if name == "wrong-property":
            return {**self.wanted, "property": wrong}
        if self.shown() == self.wanted["name"]:
            self.turn()
        if self.shown() == self.wanted["name"]:
            return None
        return {"name": self.shown(), "property": wrong if name == "other-person-and-property" else self.wanted["property"]}

    def construct(self, state: State) -> None:
        while self.shown() != state["name"]:
            self.turn()
        self.hand.point_at("#contact .property a", self.hand.texts("#contact .property-name").index(state["property"]))

    def read(self) -> State:
        return self.hand.read(_PROPERTY, self.hand.at)

    def commit(self) -> None:
        self.hand.press_button()
