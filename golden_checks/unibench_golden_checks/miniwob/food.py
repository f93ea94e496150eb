"""Recipe for a menu on which one orders."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import Recipe, State, others, recipe

# Every dish with what its icons say (their tooltips).
_MENU = """() => [...document.querySelectorAll('.food-item')].map(e => [
  e.querySelector('.item-name').textContent.trim(), [...e.querySelectorAll('.types img')].map(i => i.title)])"""

# How many of each dish are ordered.
_ORDERED = """() => [...document.querySelectorAll('.food-item')].map(e => [
  e.querySelector('.item-name').textContent.trim(), Number(e.querySelector('.quantity').textContent)]).filter(([, n]) => n)"""

# Whether the icons have come, which push the dishes apart.
_ICONS = "() => [...document.images].every(e => e.complete && e.naturalWidth)"


@recipe("order-food")
class OrderFood(Recipe):
    """ "Order one of each item: Cheese wheel, Garlic bread" or "Order 3 items that are vegan"; the state is how many of
    which dish. Several of one vegan dish are vegan items too: the menu has too few of some kinds to do without."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-wrong", "one-too-many", "one-twice")

    def want(self) -> State:
        self.menu: dict[str, list[str]] = dict(self.hand.read(_MENU))
        self.kind = ""
        if ":" in self.goal:
            names = self.match(r"Order one of each item: (.*)").group(1).split(", ")
            return {name.strip(): 1 for name in names}
        number, self.kind = self.match(r"Order (\d+) items that are (.*)").groups()
        fits = [name for name, kinds in self.menu.items() if self.kind in kinds]
        order = dict.fromkeys(fits[: int(number)], 1)
        order[fits[0]] += int(number) - len(order)
        return order

    def right(self, state: State) -> bool:
        if not self.kind:
            return bool(state == self.wanted)
        return sum(state.values()) == sum(self.wanted.values()) and all(self.kind in self.menu[name] for name in state)

    def mutant(self, name: str) -> State | None:
        first, *rest = self.wanted
        if name == "one-missing":
            return {dish: self.wanted[dish] for dish in rest}
        if name == "one-twice":
            return {**self.wanted, first: self.wanted[first] + 1}
        unfit = [dish for dish, kinds in self.menu.items() if not self.kind or self.kind not in kinds]
        wrong = next(others(unfit, list(self.wanted)))
        if name == "one-wrong":
            return {wrong: self.wanted[first], **{dish: self.wanted[dish] for dish in rest}}
        return {**self.wanted, wrong: 1}

    def construct(self, state: State) -> None:
        self.hand.wait_until(_ICONS)
        for dish, number in state.items():
            for _ in range(number):
                self.hand.click(".food-item .add", list(self.menu).index(dish))

    def read(self) -> State:
        return dict(self.hand.read(_ORDERED))

    def commit(self) -> None:
        self.hand.click("#submit-order button")
