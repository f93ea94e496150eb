"""Recipes for dragging things to places: boxes, shapes into boxes, a shape in a direction."""

from __future__ import annotations

import math
from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Hand, HandError, Rect
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe

Point = tuple[float, float]


def carry(hand: Hand, selector: str, nth: int, to: Point) -> None:
    """Drags an element until its middle is at a point; corrects for how the page attaches it to the pointer."""
    hand.point_at(selector, nth)
    hand.down()
    x, y = hand.rect(selector, nth).center
    start = hand.at
    for share in (0.1, 0.5, 1.0):
        hand.move(start[0] + (to[0] - x) * share, start[1] + (to[1] - y) * share)
    for _ in range(5):
        x, y = hand.rect(selector, nth).center
        if math.dist((x, y), to) < 0.75:
            hand.up()
            return
        hand.move(hand.at[0] + to[0] - x, hand.at[1] + to[1] - y)
    raise HandError(f"element {selector!r} number {nth} does not follow the pointer")


def contains(outer: Rect, inner: Rect) -> bool:
    """Whether a box lies completely in another, edges apart."""
    return (
        inner.x > outer.x
        and inner.y > outer.y
        and inner.x + inner.width < outer.x + outer.width
        and inner.y + inner.height < outer.y + outer.height
    )


def apart(a: Rect, b: Rect) -> bool:
    return a.x >= b.x + b.width or b.x >= a.x + a.width or a.y >= b.y + b.height or b.y >= a.y + a.height


@recipe("drag-box")
class DragBox(Recipe):
    """Drag the smaller box so that it is completely inside the larger box.

    The state is where the smaller box's middle is, relative to that of the larger one.
    """

    mutations: ClassVar[tuple[str, ...]] = ("sticking-out", "half-inside", "beside")
    small: ClassVar[str] = "#draggableSmall"
    large: ClassVar[str] = "#draggableLarge"

    def want(self) -> State:
        return [0, 0]

    def play(self) -> tuple[float, float]:
        """How far the smaller box can be off the middle of the larger one and still lie inside."""
        small, large = self.hand.rect(self.small), self.hand.rect(self.large)
        return (large.width - small.width) / 2, (large.height - small.height) / 2

    def right(self, state: State) -> bool:
        play_x, play_y = self.play()
        return bool(abs(state[0]) < play_x and abs(state[1]) < play_y)

    def mutant(self, name: str) -> State | None:
        play_x, play_y = self.play()
        small = self.hand.rect(self.small)
        middle = self.hand.rect(self.large).center
        # Towards the side of the drawing where there is more room.
        box = self.hand.rect("#draggable").center
        x = 1 if middle[0] < box[0] else -1
        y = 1 if middle[1] < box[1] else -1
        if name == "sticking-out":
            return [x * (play_x + 5), 0]
        if name == "half-inside":
            return [0, y * (play_y + small.height / 2)]
        return [x * (play_x + small.width + 4), 0]

    def construct(self, state: State) -> None:
        x, y = self.hand.rect(self.large).center
        carry(self.hand, self.small, 0, (x + state[0], y + state[1]))

    def read(self) -> State:
        small, large = self.hand.rect(self.small).center, self.hand.rect(self.large).center
        return [round(small[0] - large[0], 1), round(small[1] - large[1], 1)]

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("drag-circle", "drag-single-shape")
class DragInDirection(Recipe):
    """Drag the circle left then press Submit.

    The state is how far the shape has moved, right and down, in pixels.
    """

    mutations: ClassVar[tuple[str, ...]] = ("opposite", "mostly-elsewhere", "elsewhere")
    shape: ClassVar[str] = "#area svg > *"
    ways: ClassVar[dict[str, Point]] = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}

    def want(self) -> State:
        self.start = self.hand.rect(self.shape).center
        self.way = self.ways[self.match(r"Drag the (?:circle|item) (left|right|up|down) then").group(1)]
        return [24 * self.way[0], 24 * self.way[1]]

    def right(self, state: State) -> bool:
        there = state[0] * self.way[0] + state[1] * self.way[1]
        aside = abs(state[0] * self.way[1]) + abs(state[1] * self.way[0])
        return bool(there >= 8 and aside <= there / 2)

    def mutant(self, name: str) -> State | None:
        if name == "opposite":
            return [-20 * self.way[0], -20 * self.way[1]]
        # Across the asked direction, towards the middle of the drawing.
        middle = self.hand.rect("#area svg").center
        across = (0, 1 if self.start[1] < middle[1] else -1) if self.way[0] else (1 if self.start[0] < middle[0] else -1, 0)
        slip = 3 if name == "mostly-elsewhere" else -3
        return [30 * across[0] + slip * self.way[0], 30 * across[1] + slip * self.way[1]]

    def construct(self, state: State) -> None:
        carry(self.hand, self.shape, 0, (self.start[0] + state[0], self.start[1] + state[1]))

    def read(self) -> State:
        x, y = self.hand.rect(self.shape).center
        return [round(x - self.start[0], 1), round(y - self.start[1], 1)]

    def commit(self) -> None:
        self.hand.click("#subbtn")


class SortShapes(Recipe):
    """Shapes to drag into boxes; the state says for each shape, in document order, what it is and where.

    A shape is "out" (of every box), "partly", or in the box of that name.
    """

    shape: ClassVar[str] = "#area_svg > :is(circle, polygon, rect:not([fill=none]))"
    box: ClassVar[str] = "#area_svg > rect[fill=none]"
    box_names: ClassVar[tuple[str, ...]] = ()
    kinds: ClassVar[dict[str, str]] = {"rect": "rectangles", "circle": "circles", "polygon": "triangles"}

    def boxes(self) -> dict[str, Rect]:
        return {name: self.hand.rect(self.box, nth) for nth, name in enumerate(self.box_names)}

    def read(self) -> State:
        looks = self.hand.read("s => [...document.querySelectorAll(s)].map(e => [e.tagName, e.getAttribute('fill')])", self.shape)
        boxes = self.boxes()
        state = []
        for nth, (tag, color) in enumerate(looks):
            rect = self.hand.rect(self.shape, nth)
            inside = [name for name, box in boxes.items() if contains(box, rect)]
            place = inside[0] if inside else "out" if all(apart(box, rect) for box in boxes.values()) else "partly"
            state.append([self.kinds[tag], color, place])
        return state

    def place(self, nth: int, box: Rect, slot: int) -> None:
        """Drags a shape to a slot of a box, so that up to six shapes do not cover one another."""
        columns = 3
        x = box.x + box.width * (slot % columns + 0.5) / columns
        y = box.y + box.height * (slot // columns + 0.5) / 2
        carry(self.hand, self.shape, nth, (x, y))

    def construct(self, state: State) -> None:
        boxes = self.boxes()
        taken = dict.fromkeys(boxes, 0)
        before = self.read()
        for nth, (_, _, place) in enumerate(state):
            if place == before[nth][2]:
                continue
            if place == "partly":
                # Only the corner that is nearest to the window's origin lies in the box.
                box = list(boxes.values())[-1]
                rect = self.hand.rect(self.shape, nth)
                carry(self.hand, self.shape, nth, (box.x + box.width - 3 + rect.width / 2, box.y + box.height / 2))
            else:
                self.place(nth, boxes[place], taken[place])
                taken[place] += 1

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("drag-shapes")
class DragShapes(SortShapes):
    """Drag all circles into the black box."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-too-many", "mostly-outside")
    box_names: ClassVar[tuple[str, ...]] = ("box",)

    def want(self) -> State:
        kind = self.match(r"Drag all (\w+) into the black box").group(1)
        return [[k, color, "box" if k == kind else "out"] for k, color, _ in self.read()]

    def mutant(self, name: str) -> State | None:
        asked = [nth for nth, (_, _, place) in enumerate(self.wanted) if place == "box"]
        rest = [nth for nth, (_, _, place) in enumerate(self.wanted) if place == "out"]
        changed = rest if name == "one-too-many" else asked
        if not changed:
            return None
        place = {"one-missing": "out", "one-too-many": "box", "mostly-outside": "partly"}[name]
        return [[k, color, place if nth == changed[-1] else old] for nth, (k, color, old) in enumerate(self.wanted)]


@recipe("drag-shapes-2")
class DragShapesInto2(SortShapes):
    """Drag all circles (or: all red shapes) into the left box, and everything else into the right box."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "wrong-place", "two-missing", "mostly-outside", "swapped")
    box_names: ClassVar[tuple[str, ...]] = ("left", "right")

    def want(self) -> State:
        word = self.match(r"Drag all (\w+)(?: shapes)? into the left box, and everything else into the right box").group(1)
        return [[kind, color, "left" if word in (kind, color) else "right"] for kind, color, _ in self.read()]

    def mutant(self, name: str) -> State | None:
        other = {"left": "right", "right": "left"}
        places = [place for _, _, place in self.wanted]
        if name == "swapped":
            places = [other[place] for place in places]
        elif name == "two-missing":
            places[-2:] = ["out", "out"]
        elif name == "mostly-outside":
            if "right" not in places:
                return None
            places[places.index("right")] = "partly"
        else:
            places[-1] = "out" if name == "one-missing" else other[places[-1]]
        return [[kind, color, place] for (kind, color, _), place in zip(self.wanted, places, strict=True)]
