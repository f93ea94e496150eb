"""Recipe for booking a flight: a form with suggestions and a calendar, then a list of flights."""

from __future__ import annotations

from datetime import date, timedelta
from typing import ClassVar

from unibench_golden_checks.miniwob.autocomplete import close, offers, take
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe
from unibench_golden_checks.miniwob.tickets import dollars, minutes

_FLIGHTS = """() => [...document.querySelectorAll('.flight')].map(t => [
  t.querySelector('.time-duration').textContent, t.querySelector('button').textContent])"""

# The number of the flight whose button lies under a point.
_UNDER = """([x, y]) => {
  const hit = document.elementFromPoint(x, y), button = hit && hit.closest('.flight button');
  return button ? [...document.querySelectorAll('.flight button')].indexOf(button) : -1;
}"""

# Whether the calendar has faded out: until then it lies over what is below.
_CLOSED = "() => !document.querySelector('#ui-datepicker-div').offsetParent"

_MONTHS = ["October 2016", "November 2016", "December 2016"]


def code(place: str) -> str:
    """The airport code of an offered place, ``Bend, OR (RDM)``."""
    return place[-4:-1]


def names(place: str, words: str) -> bool:
    """Whether an offered place is what the goal's words name: a city or an airport code."""
    return words in (code(place), place[: place.rindex(" (")])


@recipe("book-flight", "book-flight-nodelay")
class BookFlight(Recipe):
    """ "Book the cheapest one-way flight from: Bend, OR to: ANC on 11/09/2016."; the state is what was searched for and
    in which ways the flight that the pointer is on is the best of those listed."""

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("wrong-origin", "wrong-destination", "other-order", "wrong-day", "wrong-month", "other-target")

    def want(self) -> State:
        best, start, end, day = self.match(r"Book the (\w+) one-way flight from: (.+) to: (.+) on (\d\d/\d\d/\d{4})\.").groups()
        return {"from": start, "to": end, "date": day, "flight": best}

    def right(self, state: State) -> bool:
        wanted = self.wanted
        return (
            names(state["from"], wanted["from"])
            and names(state["to"], wanted["to"])
            and state["date"] == wanted["date"]
            and wanted["flight"] in state["flight"]
        )

    def mutant(self, name: str) -> State | None:
        wanted = self.wanted
        if name in ("wrong-origin", "wrong-destination"):
            field = {"wrong-origin": "from", "wrong-destination": "to"}[name]
            place = self.lookalike(field)
            return place and {**wanted, field: place}
        if name == "other-order":
            return None if wanted["from"] == wanted["to"] else {**wanted, "from": wanted["to"], "to": wanted["from"]}
        month, day, year = (int(part) for part in wanted["date"].split("/"))
        if name == "wrong-day":
            step = 1 if date(year, month, day) < date(2016, 12, 31) else -1
            return {**wanted, "date": f"{date(year, month, day) + timedelta(step):%m/%d/%Y}"}
        if name == "wrong-month":
            return None if day == 31 else {**wanted, "date": f"{month - 1 if month > 10 else month + 1:02}/{day:02}/{year}"}
        return {**wanted, "flight": f"not {wanted['flight']}"}

    # -- the form ------------------------------------------------------------------------------

    def lookalike(self, field: str) -> str | None:
        """An offered place that is not the one the goal means, nor another name of its airport."""
        words = self.wanted[field]
        whole = offers(self.hand, f"#flight-{field}", words)
        airports = {code(place) for place in whole if names(place, words)}
        more = [*whole, *offers(self.hand, f"#flight-{field}", words[:1])]
        close(self.hand)
        return next((place for place in more if code(place) not in airports), None)

    def choose(self, field: str, words: str) -> None:
        """Types a place and takes it from what is offered."""
        places = offers(self.hand, f"#flight-{field}", words)
        take(self.hand, next(place for place in places if place == words or names(place, words)))

    def pick_day(self, day: str) -> None:
        hand = self.hand
        month, number, _ = (int(part) for part in day.split("/"))
        hand.click("#datepicker")
        hand.still("#ui-datepicker-div")  # it fades in, and moves a moment after
        while (shown := hand.texts(".ui-datepicker-title")[0]) != _MONTHS[month - 10]:
            hand.click(".ui-datepicker-prev" if _MONTHS.index(shown) > month - 10 else ".ui-datepicker-next")
        hand.click(".ui-datepicker-calendar td a", text=str(number))
        hand.wait_until(_CLOSED)

    def construct(self, state: State) -> None:
        for field in ("from", "to"):
            self.choose(field, state[field])
        self.pick_day(state["date"])
        self.hand.click("#search")
        self.hand.point_at(".flight button", self.find(state["flight"]))

    # -- the list ------------------------------------------------------------------------------

    def find(self, best: str) -> int:
        """The number of the flight that is the best; or of one that is not, but looks good otherwise."""
        listed = self.listed()
        fits = [i for i, good in enumerate(listed) if (best.removeprefix("not ") in good) != best.startswith("not ")]
        return max(fits, key=lambda i: len(listed[i]))

    def listed(self) -> list[list[str]]:
        """In which ways each listed flight is the best, going by what the list shows."""
        flights = [(dollars(price), minutes(duration)) for duration, price in self.hand.read(_FLIGHTS)]
        return [
            [word for k, word in enumerate(("cheapest", "shortest")) if flight[k] == min(other[k] for other in flights)]
            for flight in flights
        ]

    def read(self) -> State:
        index = self.hand.read(_UNDER, self.hand.at)
        return {
            "from": self.hand.value("#flight-from"),
            "to": self.hand.value("#flight-to"),
            "date": self.hand.value("#datepicker"),
            "flight": [] if index < 0 else self.listed()[index],
        }

    def commit(self) -> None:
        self.hand.press_button()
