"""Recipe for a list of tickets, each with a duration and a price on its button."""

from __future__ import annotations

import re
from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import Recipe, State, UnexpectedGoal, others, recipe

_TICKETS = """() => [...document.querySelectorAll('.flight')].map(t => [
  t.querySelector('.time-duration').textContent, t.querySelector('button').textContent])"""

# The number of the ticket whose button lies under a point.
_UNDER = """([x, y]) => {
  const hit = document.elementFromPoint(x, y), button = hit && hit.closest('.flight button');
  return button ? [...document.querySelectorAll('.flight button')].indexOf(button) : -1;
}"""


def minutes(shown: str) -> int:
    """A duration as the page shows it, ``12h 5m``."""
    hours, rest = re.fullmatch(r"(\d+)h (\d+)m", shown.strip()).groups()  # type: ignore[union-attr]
    return int(hours) * 60 + int(rest)


def dollars(shown: str) -> int:
    """The price in a button's words, ``Book for $99``."""
    return int(re.search(r"\$(\d+)", shown).group(1))  # type: ignore[union-attr]


@recipe("buy-ticket")
class BuyTicket(Recipe):
    """ "Buy the ticket with the cheapest cost."; the state is the price and the duration of the ticket that the pointer
    is on. Of tickets that show the same, each is right."""

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("second-best", "opposite", "other-measure")

    def tickets(self) -> list[dict[str, int]]:
        return [{"price": dollars(price), "minutes": minutes(duration)} for duration, price in self.hand.read(_TICKETS)]

    def want(self) -> State:
        words = self.match(r"Buy the ticket with the (.*)\.").group(1)
        meant = {
            "cheapest cost": ("price", 1),
            "most expensive cost": ("price", -1),
            "shortest duration": ("minutes", 1),
            "longest duration": ("minutes", -1),
        }
        if words not in meant:
            raise UnexpectedGoal(f"which ticket is the one with the {words}?")
        self.measure, self.sign = meant[words]
        return self.ranked(self.measure)[0]

    def ranked(self, measure: str) -> list[dict[str, int]]:
        return sorted(self.tickets(), key=lambda ticket: self.sign * ticket[measure])

    def right(self, state: State) -> bool:
        return state is not None and state[self.measure] == self.wanted[self.measure]

    def mutant(self, name: str) -> State | None:
        ranked = [ticket for ticket in self.ranked(self.measure) if not self.right(ticket)]
        if name == "other-measure":
            other = next(others(["price", "minutes"], self.measure))
            best = self.ranked(other)[0]
            return None if self.right(best) else best
        return ranked[0 if name == "second-best" else -1] if ranked else None

    def construct(self, state: State) -> None:
        self.hand.point_at(".flight button", self.tickets().index(state))

    def read(self) -> State:
        index = self.hand.read(_UNDER, self.hand.at)
        return None if index < 0 else self.tickets()[index]

    def commit(self) -> None:
        self.hand.press_button()
