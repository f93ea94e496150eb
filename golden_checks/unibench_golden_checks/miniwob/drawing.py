"""Recipes for drawing a stroke with the mouse: a circle, a line."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe

Point = list[float]

# The middle of the marked point, and points along the stroke as it is drawn, relative to that.
_STROKE = """() => {
  const dot = document.querySelector('#area svg circle'), path = document.querySelector('#area svg path');
  const r = dot.getBoundingClientRect();
  const mark = [r.x + r.width / 2, r.y + r.height / 2];
  if (!path || !path.getAttribute('d')) return {mark: mark, stroke: null};
  const frame = path.getScreenCTM(), length = path.getTotalLength();
  const points = [...Array(25).keys()].map(k => { const p = path.getPointAtLength(length * k / 24);
    return [frame.a * p.x + frame.e - mark[0], frame.d * p.y + frame.f - mark[1]] });
  return {mark: mark, stroke: points.map(p => p.map(v => Math.round(v * 10) / 10))};
}"""


def along(start: Point, end: Point, steps: int) -> list[Point]:
    """Points along a straight line, both ends included."""
    shares = [k / steps for k in range(steps + 1)]
    return [[round(start[0] + (end[0] - start[0]) * k, 1), round(start[1] + (end[1] - start[1]) * k, 1)] for k in shares]


def arc(center: Point, radius: float, degrees: float, steps: int, start: float = 0.0) -> list[Point]:
    turns = [math.radians(start + degrees * k / steps) for k in range(steps + 1)]
    return [[round(center[0] + radius * math.cos(t), 1), round(center[1] + radius * math.sin(t), 1)] for t in turns]


class Stroke(Recipe):
    """The state is the stroke that is drawn: points relative to the marked point, in pixels; None without a stroke."""

    def construct(self, state: State) -> None:
        mark_x, mark_y = self.hand.read(_STROKE)["mark"]
        # A mouse moves by whole pixels.
        points = [(round(mark_x + x), round(mark_y + y)) for x, y in state]
        self.hand.move(*points[0])
        self.hand.down()
        for point in points[1:]:
            self.hand.move(*point)
        self.hand.up()

    def read(self) -> State:
        return self.hand.read(_STROKE)["stroke"]

    def commit(self) -> None:
        self.hand.click("#controls button")

    def room(self) -> tuple[float, float, float, float]:
        """How far the drawing reaches from the marked point: left, right, up, down."""
        mark_x, mark_y = self.hand.read(_STROKE)["mark"]
        box = self.hand.rect("#area svg")
        margin = 3
        return (
            mark_x - box.x - margin,
            box.x + box.width - mark_x - margin,
            mark_y - box.y - margin,
            box.y + box.height - mark_y - margin,
        )


@recipe("draw-circle")
class DrawCircle(Stroke):
    """Draw a circle centered around the marked point by dragging the mouse. Press submit when done."""

    mutations: ClassVar[tuple[str, ...]] = ("half-circle", "triangle", "off-center", "wrong-place", "straight-line")
    steps: ClassVar[int] = 20

    def want(self) -> State:
        self.radius = min(20.0, *self.room())
        return arc([0, 0], self.radius, 360, self.steps)

    def right(self, state: State) -> bool:
        if state is None:
            return False
        distances = [math.hypot(x, y) for x, y in state]
        mean = sum(distances) / len(distances)
        if mean < 8 or max(distances) - min(distances) > 0.3 * mean:
            return False
        turns = [math.atan2(y, x) for x, y in state]
        steps = [(b - a + math.pi) % (2 * math.pi) - math.pi for a, b in pairwise(turns)]
        return abs(sum(steps)) >= math.radians(330)

    def mutant(self, name: str) -> State | None:
        radius = self.radius
        left, right, up, down = self.room()
        if name == "half-circle":
            return arc([0, 0], radius, 180, self.steps // 2)
        if name == "triangle":
            corners = arc([0, 0], radius, 360, 3, start=90)
            # Slow sides, so that the page's smoothing leaves the corners.
            return [p for a, b in pairwise(corners) for p in along(a, b, 8)[1:]]
        if name == "straight-line":
            return along([-radius, 0], [radius, 0], 10)
        # A round circle, but about another point: still around the marked one, or beside it.
        size = 18.0 if name == "off-center" else 14.0
        away = 11.0 if name == "off-center" else 32.0
        for reach, direction in ((right, (1, 0)), (left, (-1, 0)), (down, (0, 1)), (up, (0, -1))):
            if reach >= away + size and min(self.radius + 2, 20) >= size:
                return arc([away * direction[0], away * direction[1]], size, 360, self.steps)
        return None


@recipe("draw-line")
class DrawLine(Stroke):
    """Draw a vertical line that runs through the dot, then press submit."""

    mutations: ClassVar[tuple[str, ...]] = ("wrong-direction", "diagonal", "beside-the-dot", "stops-short", "mere-dot")

    def turned(self, points: list[Point]) -> list[Point]:
        """Points (along, across) the asked direction as (x, y)."""
        return [[b, a] for a, b in points] if self.vertical else points

    def want(self) -> State:
        self.vertical = self.match(r"Draw a (vertical|horizontal) line that runs through the dot").group(1) == "vertical"
        left, right, up, down = self.room()
        self.before, self.after, self.across = (up, down, right) if self.vertical else (left, right, down)
        return self.turned(along([-min(self.before, 40), 0], [min(self.after, 40), 0], 12))

    def right(self, state: State) -> bool:
        if state is None:
            return False
        points = [(y, x) if self.vertical else (x, y) for x, y in state]
        ends = [a for a, _ in points]
        # The dot has a radius of 4 pixels, the pen one of 2.5.
        return bool(max(abs(b) for _, b in points) <= 3 and min(ends) <= -5 and max(ends) >= 5)

    def mutant(self, name: str) -> State | None:
        if name == "wrong-direction":
            # A short line, drawn slowly.
            return self.turned(along([0, -12], [0, 12], 40))
        if name == "diagonal":
            return along([-14, -14], [14, 14], 40)
        if name == "mere-dot":
            return self.turned(along([-1, 0], [1, 0], 2))
        if name == "beside-the-dot":
            away = 20 if self.across > 24 else -20
            return self.turned(along([-min(self.before, 40), away], [min(self.after, 40), away], 12))
        start, end = (-min(self.before, 40.0), -12.0) if self.before > self.after else (12.0, min(self.after, 40.0))
        return self.turned(along([start, 0], [end, 0], 12))
