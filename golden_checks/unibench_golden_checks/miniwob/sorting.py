"""Recipes for lists and grids whose items are dragged to another position."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Hand, HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, UnexpectedGoal, recipe

ITEM = "#sortable > li"

# The texts in the order in which they would lie if the button went up now; the dragged item counts where its gap is.
_ORDER = """() => {
  const all = [...document.querySelectorAll('#sortable > li')], text = e => e.textContent.trim();
  const held = all.find(e => e.classList.contains('ui-sortable-helper'));
  const order = all.filter(e => e !== held).map(e => e.classList.contains('ui-sortable-placeholder') ? text(held) : text(e));
  return {dragged: held ? text(held) : null, order: order};
}"""


def order(hand: Hand) -> list[str]:
    found: list[str] = hand.read(_ORDER)["order"]
    return found


def moved(items: list[str], item: str, position: int) -> list[str]:
    """A list with one item moved to a position, counted from nought."""
    rest = [other for other in items if other != item]
    return [*rest[:position], item, *rest[position:]]


def drag_to(hand: Hand, start: int, end: int, after: list[str]) -> None:
    """Picks an item up and drags it until the order is as given; the button stays down."""
    target = hand.rect(ITEM, end).center
    hand.point_at(ITEM, start)
    hand.down()
    x, y = hand.at
    hand.move(x + 3, y + 3)
    if start == end:
        return
    for share in (0.5, 1.0):
        hand.move(x + (target[0] - x) * share, y + (target[1] - y) * share)
    sign = 1 if end > start else -1
    for _ in range(8):
        if order(hand) == after:
            return
        # The gap follows only when the item has covered enough of its neighbour.
        hand.move(hand.at[0] + sign, hand.at[1] + 2 * sign)
    raise HandError(f"the item at {start} does not go to {end}: {order(hand)}")


class DragItem(Recipe):
    """One item is dragged; the release of the button decides.

    The state is which item is dragged and the order that a release now gives.
    """

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("wrong-place", "other-item", "put-back")

    def target(self, index: int, words: str, count: int) -> int:
        """The position, counted from nought, that the instruction's words mean for the item at ``index``."""
        raise NotImplementedError

    def want(self) -> State:
        items = order(self.hand)
        name = next((item for item in items if self.goal.startswith(f"Drag {item} ")), None)
        if name is None:
            raise UnexpectedGoal(f"the goal {self.goal!r} names none of {', '.join(items)}")
        self.items, self.index = items, items.index(name)
        words = self.goal.removeprefix(f"Drag {name} ").rstrip(".")
        self.end = self.target(self.index, words, len(items))
        return self.after(name, self.end)

    def after(self, item: str, position: int) -> State:
        return {"dragged": item, "order": moved(self.items, item, position)}

    def mutant(self, name: str) -> State | None:
        count = len(self.items)
        if name == "put-back":
            return self.after(self.items[self.index], self.index)
        if name == "wrong-place":
            end = next(k for k in (self.end + 1, self.end - 1, self.end + 2, self.end - 2) if 0 <= k < count and k != self.index)
            return self.after(self.items[self.index], end)
        # Another item to the same position, from farther away than a neighbour: that gives another order.
        other = next(k for k in range(count) if k != self.index and abs(k - self.end) >= 2)
        return self.after(self.items[other], self.end)

    def construct(self, state: State) -> None:
        item, after = state["dragged"], state["order"]
        drag_to(self.hand, self.items.index(item), after.index(item), after)

    def read(self) -> State:
        return self.hand.read(_ORDER)

    def commit(self) -> None:
        self.hand.up()


@recipe("drag-items")
class DragItemInList(DragItem):
    """Drag Mella to the 3rd position."""

    def target(self, index: int, words: str, count: int) -> int:
        ordinals = {f"to the {k}{ending} position": k - 1 for k, ending in zip(range(1, 6), ("st", "nd", "rd", "th", "th"), strict=True)}
        places = {
            "to the top": 0,
            "to the bottom": count - 1,
            "up by one position": index - 1,
            "down by one position": index + 1,
            **ordinals,
        }
        if words not in places:
            raise UnexpectedGoal(f"the goal {self.goal!r} names no position")
        return places[words]


@recipe("drag-items-grid")
class DragItemInGrid(DragItem):
    """Drag Mella to the top right. / Drag Mella down by one."""

    columns: ClassVar[int] = 3

    def target(self, index: int, words: str, count: int) -> int:
        steps = {"up": -self.columns, "down": self.columns, "left": -1, "right": 1}
        way = words.removesuffix(" by one")
        if way in steps:
            return index + steps[way]
        rows = {"top": 0, "center": 1, "bottom": 2}
        columns = {"left": 0, "center": 1, "right": 2}
        row, _, column = words.removeprefix("to the ").partition(" ")
        if row not in rows or (column or "center") not in columns:
            raise UnexpectedGoal(f"the goal {self.goal!r} names no cell")
        return self.columns * rows[row] + columns[column or "center"]


@recipe("drag-sort-numbers")
class DragSortNumbers(Recipe):
    """Sort the numbers in increasing order, starting with the lowest number at the top of the list.

    The state is the numbers from top to bottom.
    """

    mutations: ClassVar[tuple[str, ...]] = ("decreasing", "two-swapped", "lowest-last", "signs-ignored", "sorted-as-text")

    def want(self) -> State:
        self.match(r"Sort the numbers in increasing order, starting with the lowest number at the top")
        return sorted(self.read())

    def mutant(self, name: str) -> State | None:
        numbers: list[int] = self.wanted
        if name == "two-swapped":
            mutant = [*numbers[:1], numbers[2], numbers[1], *numbers[3:]]
        elif name == "lowest-last":
            mutant = [*numbers[1:], numbers[0]]
        elif name == "signs-ignored":
            mutant = sorted(numbers, key=abs)
        elif name == "sorted-as-text":
            mutant = sorted(numbers, key=str)
        else:
            mutant = numbers[::-1]
        return mutant if mutant != numbers else None

    def construct(self, state: State) -> None:
        for position, number in enumerate(state):
            now = self.read()
            if now[position] != number:
                start = now.index(number, position + 1)
                after = [*now[:position], number, *now[position:start], *now[start + 1 :]]
                drag_to(self.hand, start, position, [str(n) for n in after])
                self.hand.up()

    def read(self) -> State:
        return [int(text) for text in order(self.hand)]

    def commit(self) -> None:
        self.hand.click("#subbtn")
