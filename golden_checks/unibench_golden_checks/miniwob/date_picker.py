"""Recipes for choosing a date in a pop-up calendar."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
PICKER = "#ui-datepicker-div"


@recipe("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
class ChooseDate(Recipe):
    """Select 12/05/2016 as the date and hit submit."""

    mutations: ClassVar[tuple[str, ...]] = ("wrong-day", "wrong-month", "day-and-month-swapped")

    def want(self) -> State:
        return self.match(r"Select (\d\d/\d\d/\d{4}) as the date").group(1)

    def mutant(self, name: str) -> State | None:
        month, day, year = (int(part) for part in self.wanted.split("/"))
        if name == "wrong-day":
            day += 1 if day < 28 else -1
        elif name == "day-and-month-swapped":
            if day > 12 or day == month or not self.offers(day):
                return None
            month, day = day, month
        else:
            month = next((m for m in (month - 1, month + 1) if 1 <= m <= 12 and day <= 28 and self.offers(m)), 0)
            if not month:
                return None
        return f"{month:02}/{day:02}/{year}"

    def offers(self, month: int) -> bool:
        """Whether the calendar lets the user go to a month of the year; leaves it open there."""
        self.open()
        return self.turn_to(month)

    def open(self) -> None:
        if self.hand.read("s => getComputedStyle(document.querySelector(s)).display === 'none'", PICKER):
            self.hand.click("#datepicker")
            self.hand.still(PICKER)

    def closed(self) -> None:
        self.hand.wait_until("s => getComputedStyle(document.querySelector(s)).display === 'none'", PICKER)

    def turn_to(self, month: int) -> bool:
        """Leafs to a month of the year that is open; False if the calendar does not go that far."""
        while True:
            here = MONTHS.index(self.hand.texts(f"{PICKER} .ui-datepicker-month")[0]) + 1
            if here == month:
                return True
            way = "prev" if month < here else "next"
            if self.hand.count(f"{PICKER} .ui-datepicker-{way}.ui-state-disabled"):
                return False
            self.hand.click(f"{PICKER} .ui-datepicker-{way}")

    def construct(self, state: State) -> None:
        month, day, _ = (int(part) for part in state.split("/"))
        self.open()
        if not self.turn_to(month):
            raise HandError(f"the calendar does not offer month {month}")
        self.hand.click(f"{PICKER} td a", text=str(day))
        self.closed()

    def read(self) -> State:
        return self.hand.value("#datepicker")

    def commit(self) -> None:
        self.hand.click("#subbtn")
