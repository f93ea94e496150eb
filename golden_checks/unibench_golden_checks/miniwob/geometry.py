"""Recipes for placing one point in a figure: a centre, a midpoint, a right angle, a bisector."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe

Point = tuple[float, float]

# The middle of every element that matches, in viewport pixels.
_MIDDLES = """s => [...document.querySelectorAll(s)].map(e => {
  const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })"""


def angle(a: Point, vertex: Point, b: Point) -> float:
    """The angle between two arms, in degrees from 0 to 180."""
    turn = math.atan2(a[1] - vertex[1], a[0] - vertex[0]) - math.atan2(b[1] - vertex[1], b[0] - vertex[0])
    turn = abs(math.degrees(turn)) % 360
    return min(turn, 360 - turn)


class PlacePoint(Recipe):
    """Tasks where a click on the drawing sets the one blue dot, and a second click moves it.

    The state is the middle of the dot, in whole pixels of the viewport, or None.
    """

    dot: ClassVar[str] = "#svg-grid circle[fill=blue].blue"
    tolerance: ClassVar[float]
    """How far :meth:`miss` may be from nought; a pixel of the drawing must stay well inside."""

    def middles(self, selector: str) -> list[Point]:
        return [(x, y) for x, y in self.hand.read(_MIDDLES, selector)]

    def prepare(self) -> State:
        self.look()
        return super().prepare()

    @abstractmethod
    def look(self) -> None:
        """Reads the given figure from the page."""

    @abstractmethod
    def miss(self, point: Point) -> float:
        """How far a point is from the right place, in pixels or degrees."""

    def pick(self, cost: Callable[[Point], float], most: float) -> State | None:
        """The pixel of the drawing that costs least; None if even that costs more than ``most``."""
        box = self.hand.rect("#svg-grid")
        margin = 6
        pixels = [
            (float(x), float(y))
            for x in range(math.ceil(box.x) + margin, math.floor(box.x + box.width) - margin)
            for y in range(math.ceil(box.y) + margin, math.floor(box.y + box.height) - margin)
        ]
        best = min(pixels, key=cost)
        return list(best) if cost(best) <= most else None

    def want(self) -> State:
        return self.pick(self.miss, math.inf)

    def right(self, state: State) -> bool:
        return state is not None and self.miss((state[0], state[1])) <= self.tolerance

    def construct(self, state: State) -> None:
        x, y = state
        self.hand.click_at(x, y)
        dot_x, dot_y = self.read()
        if math.dist((dot_x, dot_y), (x, y)) > 0.75:
            # The page draws the dot a little beside the click; a user who looks corrects that.
            self.hand.click_at(2 * x - dot_x, 2 * y - dot_y)

    def read(self) -> State:
        found = self.middles(self.dot)
        return [round(found[0][0], 1), round(found[0][1], 1)] if found else None

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("circle-center")
class CircleCenter(PlacePoint):
    """Find and click on the center of the circle, then press submit."""

    mutations: ClassVar[tuple[str, ...]] = ("half-way-out", "near-the-edge", "outside-the-circle")
    tolerance: ClassVar[float] = 4

    def look(self) -> None:
        given = "#svg-grid circle:not(.blue)"
        self.center = self.middles(given)[0]
        self.radius = self.hand.rect(given).width / 2

    def miss(self, point: Point) -> float:
        return math.dist(point, self.center)

    def mutant(self, name: str) -> State | None:
        away = {"half-way-out": 0.5, "near-the-edge": 0.85, "outside-the-circle": 1.25}[name] * self.radius
        return self.pick(lambda p: abs(self.miss(p) - away), 1)


@recipe("find-midpoint")
class FindMidpoint(PlacePoint):
    """Find and click on the shortest mid-point between the two points, then press submit."""

    mutations: ClassVar[tuple[str, ...]] = ("quarter-point", "on-one-point", "equidistant-but-not-between")
    tolerance: ClassVar[float] = 4

    def look(self) -> None:
        self.a, self.b = self.middles("#svg-grid circle[fill=black]")
        self.middle = ((self.a[0] + self.b[0]) / 2, (self.a[1] + self.b[1]) / 2)

    def miss(self, point: Point) -> float:
        return math.dist(point, self.middle)

    def mutant(self, name: str) -> State | None:
        if name == "equidistant-but-not-between":
            return self.pick(lambda p: abs(math.dist(p, self.a) - math.dist(p, self.b)) + abs(self.miss(p) - 22), 2)
        share = 0.25 if name == "quarter-point" else 0.0
        place = (self.a[0] + (self.b[0] - self.a[0]) * share, self.a[1] + (self.b[1] - self.a[1]) * share)
        return self.pick(lambda p: math.dist(p, place), 2)


class PlaceArm(PlacePoint):
    """The dot ends a line from a blue vertex; what counts is the direction of that line."""

    vertex_selector: ClassVar[str] = "#svg-grid circle[fill=blue]:not(.blue)"
    shortest: ClassVar[float] = 20
    """A shorter line would have no clear direction on whole pixels."""

    def look(self) -> None:
        self.vertex = self.middles(self.vertex_selector)[0]
        self.arms = self.middles("#svg-grid circle[fill=black]")

    def too_short(self, point: Point) -> bool:
        return math.dist(point, self.vertex) < self.shortest

    def want(self) -> State:
        return self.pick(lambda p: math.inf if self.too_short(p) else self.miss(p), self.tolerance)


@recipe("right-angle")
class RightAngle(PlaceArm):
    """Add a third point to create a right angle, then press submit."""

    mutations: ClassVar[tuple[str, ...]] = ("acute-angle", "obtuse-angle", "straight-line")
    tolerance: ClassVar[float] = 4

    def miss(self, point: Point) -> float:
        return abs(angle(self.arms[0], self.vertex, point) - 90)

    def mutant(self, name: str) -> State | None:
        if name == "straight-line":
            return self.pick(lambda p: math.inf if self.too_short(p) else 90 - self.miss(p), 5)
        degrees = 60 if name == "acute-angle" else 125
        return self.pick(lambda p: math.inf if self.too_short(p) else abs(angle(self.arms[0], self.vertex, p) - degrees), 2)


@recipe("bisect-angle")
class BisectAngle(PlaceArm):
    """Create a line that bisects the angle evenly in two, then press submit."""

    mutations: ClassVar[tuple[str, ...]] = ("uneven", "along-one-side", "outside-the-angle")
    tolerance: ClassVar[float] = 3

    def look(self) -> None:
        super().look()
        self.whole = angle(self.arms[0], self.vertex, self.arms[1])

    def parts(self, point: Point) -> tuple[float, float]:
        return angle(self.arms[0], self.vertex, point), angle(self.arms[1], self.vertex, point)

    def miss(self, point: Point) -> float:
        first, second = self.parts(point)
        # Beyond the angle the two parts differ by the whole angle or add up to more than it.
        return abs(first - second) / 2 + abs(first + second - self.whole) / 2

    def right(self, state: State) -> bool:
        if state is None:
            return False
        # In a narrow angle a few degrees are much: each part must be near half of the whole.
        return self.miss((state[0], state[1])) <= min(self.tolerance, 0.25 * self.whole)

    def mutant(self, name: str) -> State | None:
        if name == "outside-the-angle":
            if self.whole > 140:
                return None
            return self.pick_parts(self.whole + 20, 20)
        if self.whole < 40:
            # Too narrow for an uneven line to be uneven beyond doubt.
            return None
        share = 0.25 if name == "uneven" else 0.08
        return self.pick_parts(share * self.whole, (1 - share) * self.whole)

    def pick_parts(self, first: float, second: float) -> State | None:
        """A pixel whose line makes about these angles with the two arms."""

        def cost(point: Point) -> float:
            a, b = self.parts(point)
            return math.inf if self.too_short(point) else abs(a - first) + abs(b - second)

        return self.pick(cost, 4)
