"""Recipe for putting an event into a calendar of one day by dragging over its half-hours."""

from __future__ import annotations

import re
from typing import ClassVar

from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, UnexpectedGoal, recipe

# Which half-hours of the day an event covers, of those that were there before.
_BUSY = """() => {
  const events = [...document.querySelectorAll('#area .event:not(#newEvent)')].map(e => e.getBoundingClientRect());
  return [...document.querySelectorAll('#area .half-hour')].map(e => e.getBoundingClientRect())
    .map(r => events.some(v => Math.min(v.bottom, r.bottom) - Math.max(v.top, r.top) > 4));
}"""


def hours(clock: str) -> float:
    """``"3:30pm"`` or ``"3PM"`` as hours of the day."""
    found = re.fullmatch(r"(\d+)(?::(\d\d))?([ap])m", clock.strip().lower())
    if found is None:
        raise UnexpectedGoal(f"{clock!r} is no time of the day")
    hour, minute, half = found.groups()
    return int(hour) % 12 + (12 if half == "p" else 0) + int(minute or 0) / 60


@recipe("daily-calendar")
class DailyCalendar(Recipe):
    """Create a 1.5 hours event named "Gym", between 8AM and 12PM.

    The state is the name and the hours of the event that Create would make.
    """

    mutations: ClassVar[tuple[str, ...]] = (
        "wrong-name",
        "wrong-case",
        "too-long",
        "too-short",
        "before-the-window",
        "starts-too-early",
        "ends-too-late",
    )

    def want(self) -> State:
        amount, unit, self.name, first, last = self.match(
            r'Create a ([\d.]+) (hours?|mins) event named "(.*)", between (\w+) and (\w+)'
        ).groups()
        self.length = float(amount) / (60 if unit == "mins" else 1)
        self.first, self.last = hours(first), hours(last)
        self.busy: list[bool] = self.hand.read(_BUSY)
        starts = [self.first + k / 2 for k in range(int((self.last - self.first - self.length) * 2) + 1)]
        # Apart from the other events if possible.
        start = next((s for s in starts if self.free(s - 0.5, s + self.length + 0.5)), None)
        if start is None:
            start = next((s for s in starts if self.free(s, s + self.length)), None)
        if start is None:
            raise HandError(f"no room for {self.goal!r}")
        return self.event(start, start + self.length)

    def free(self, start: float, end: float) -> bool:
        return not any(self.busy[int(start * 2) : int(end * 2)])

    def event(self, start: float, end: float, name: str | None = None) -> State:
        return {"name": self.name if name is None else name, "from": start, "to": end}

    def right(self, state: State) -> bool:
        return bool(
            state is not None
            and state["name"] == self.name
            and state["to"] - state["from"] == self.length
            and self.first <= state["from"]
            and state["to"] <= self.last
        )

    def mutant(self, name: str) -> State | None:
        start, end = self.wanted["from"], self.wanted["to"]
        if name == "wrong-name":
            return self.event(start, end, "Dentist")
        if name == "wrong-case":
            return self.event(start, end, self.name.swapcase())
        if name == "too-short":
            return self.event(start, end - 0.5) if self.length > 0.5 else None
        if name == "too-long":
            options = [(start, end + 0.5), (start - 0.5, end)]
        elif name == "before-the-window":
            options = [(self.first - self.length - k, self.first - k) for k in (0, 0.5)]
        elif name == "starts-too-early":
            options = [(self.first - 0.5, self.first - 0.5 + self.length)] if self.length > 0.5 else []
        else:
            options = [(self.last + k - self.length, self.last + k) for k in (0.5, 1.0)]
        return next((self.event(a, b) for a, b in options if self.free(a, b)), None)

    def construct(self, state: State) -> None:
        hand = self.hand
        first, last = f"#hh-{int(state['from'] * 2)}", f"#hh-{int(state['to'] * 2) - 1}"
        # Scrolls so that both are in view; three half-hours fit.
        hand.aim(last)
        start = hand.aim(first)
        hand.move(*start)
        hand.down()
        hand.move(start[0] + 2, start[1] + 2)
        if last != first:
            hand.move(*hand.aim(last))
        hand.up()
        hand.fill("#event-name", state["name"])

    def read(self) -> State:
        if not self.hand.count("#create-event"):
            return None
        start, _, end = self.hand.texts("#create-event label")
        return {"name": self.hand.value("#event-name"), "from": hours(start), "to": hours(end)}

    def commit(self) -> None:
        if self.hand.count("#create-event"):
            self.hand.click("#create-event button.create")
