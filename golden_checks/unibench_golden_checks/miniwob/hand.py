"""A user's hand on a MiniWoB++ page: real mouse and keyboard input, every input recorded.

JavaScript only *reads* here (where things are, what they say). Each input is recorded in viewport
coordinates, so that the same steps can be replayed by a script that imports nothing but upstream.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from playwright.sync_api import Page

Button = Literal["left", "middle", "right"]
Step = list[Any]
"""One recorded input, e.g. ``["move", x, y]``, ``["down", "left"]``, ``["type", "text"]``."""


class HandError(Exception):
    """The page does not offer what the recipe reaches for (a missing or covered element)."""


@dataclass(frozen=True)
class Rect:
    """A box in CSS pixels of the viewport."""

    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> tuple[float, float]:
        return (self.x + self.width / 2, self.y + self.height / 2)


# Finds the nth element that matches a selector and, if given, whose white-space-folded text equals `text`.
_FIND = """([sel, nth, text]) => {
  const fold = s => String(s ?? '').replace(/\\s+/g, ' ').trim();
  let all = [...document.querySelectorAll(sel)];
  if (text !== null) all = all.filter(e => fold(e.textContent) === fold(text) || (e.value !== undefined && fold(e.value) === fold(text)));
  const e = all.at(nth);
  if (!e) return {missing: true, count: all.length};
"""

_RECT = (
    _FIND
    + """
  const r = e.getBoundingClientRect();
  return {rect: [r.x, r.y, r.width, r.height]};
}"""
)

# The point a user would aim at: the middle of the first line box that really is this element, not something on top.
_AIM = (
    _FIND
    + """
  const own = p => {
    const h = document.elementFromPoint(p[0], p[1]);
    return h && (h === e || e.contains(h) || h.contains(e) && h.tagName === 'LABEL');
  };
  const boxes = [...e.getClientRects()];
  if (!boxes.length) return {hidden: true};
  const parts = [[.5,.5],[.5,.25],[.25,.5],[.75,.5],[.1,.5],[.9,.5],[.5,.75],[.5,.1],[.5,.9]];
  const points = boxes.flatMap(b => parts.map(f => [b.x + b.width*f[0], b.y + b.height*f[1]]));
  const hit = points.find(own);
  if (hit) return {point: hit};
  const b = boxes[0], mid = [b.x + b.width/2, b.y + b.height/2];
  const scrolls = b => {
    const style = getComputedStyle(b);
    const larger = b.scrollHeight > b.clientHeight + 1 || b.scrollWidth > b.clientWidth + 1;
    return larger && /(auto|scroll)/.test(style.overflowY + style.overflowX);
  };
  let box = e.parentElement;
  while (box && !scrolls(box)) box = box.parentElement;
  const root = document.scrollingElement;
  const view = box ? box.getBoundingClientRect() : {x: 0, y: 0, width: innerWidth, height: innerHeight};
  const over = document.elementFromPoint(mid[0], mid[1]);
  return {covered: over ? over.outerHTML.slice(0, 80) : 'nothing (outside the viewport)', scroll: !!box || root.scrollHeight > innerHeight,
          over: [view.x + view.width/2, view.y + view.height/2],
          delta: [mid[0] - (view.x + view.width/2), mid[1] - (view.y + view.height/2)]};
}"""
)

_UNDER = """([x, y]) => {
  const e = document.elementFromPoint(x, y); if (!e) return null;
  const fold = s => String(s ?? '').replace(/\\s+/g, ' ').trim();
  return {tag: e.tagName.toLowerCase(), id: e.id, classes: [...e.classList], text: fold(e.textContent).slice(0, 200),
          value: e.value === undefined ? null : String(e.value)};
}"""


class Hand:
    """Real input on one page, with a record of it.

    Args:
        page: the live task page, its viewport at scale 1.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps: list[Step] = []
        self.clicked: list[dict[str, Any]] = []
        """What lay under the pointer at each click: tag, id, classes, text, value."""
        self.at: tuple[float, float] = (0.0, 0.0)
        self.waited: dict[int, float] = {}
        """How many seconds each ``wait_until`` took, by its place in ``steps``."""

    # -- looking -------------------------------------------------------------------------------

    def read(self, script: str, arg: object = None) -> Any:
        """Evaluates a JavaScript function that only reads, and returns its JSON value."""
        return self.page.evaluate(script, arg)

    def count(self, selector: str) -> int:
        return int(self.read("s => document.querySelectorAll(s).length", selector))

    def texts(self, selector: str) -> list[str]:
        """The white-space-folded texts of all elements that match, in document order."""
        found: list[str] = self.read(
            "s => [...document.querySelectorAll(s)].map(e => e.textContent.replace(/\\s+/g, ' ').trim())", selector
        )
        return found

    def value(self, selector: str, nth: int = 0) -> str:
        """What a form field shows now."""
        script = "([s, n]) => { const e = document.querySelectorAll(s)[n]; return e ? e.value : null }"
        found: str | None = self.read(script, [selector, nth])
        if found is None:
            raise HandError(f"no field {selector!r} number {nth}")
        return found

    def rect(self, selector: str, nth: int = 0, *, text: str | None = None) -> Rect:
        found = self.read(_RECT, [selector, nth, text])
        if "rect" not in found:
            raise HandError(f"no element {selector!r} number {nth}" + (f" saying {text!r}" if text is not None else ""))
        return Rect(*found["rect"])

    def aim(self, selector: str, nth: int = 0, *, text: str | None = None) -> tuple[float, float]:
        """A point that really hits the element; scrolls its container with the wheel where needed."""
        what = f"{selector!r} number {nth}" + (f" saying {text!r}" if text is not None else "")
        for _ in range(40):
            found = self.read(_AIM, [selector, nth, text])
            if "point" in found:
                x, y = found["point"]
                return (x, y)
            if "missing" in found:
                raise HandError(f"no element {what} (there are {found['count']})")
            if "hidden" in found:
                raise HandError(f"element {what} is not shown")
            dx, dy = found["delta"]
            if not found["scroll"] or (abs(dx) < 1 and abs(dy) < 1):
                raise HandError(f"element {what} is covered by {found['covered']}")
            self.move(*found["over"])
            self.wheel(dx if abs(dx) > 1 else 0, dy if abs(dy) > 1 else 0)
        raise HandError(f"element {what} does not scroll into view")

    def under(self, x: float, y: float) -> dict[str, Any] | None:
        """The topmost element at a point: tag, id, classes, text, value."""
        found: dict[str, Any] | None = self.read(_UNDER, [x, y])
        return found

    def wait_until(self, script: str, arg: object = None, *, timeout: float = 5.0) -> Any:
        """Waits until a reading function returns a true value, and returns it; seconds."""
        self.steps.append(["wait_until", script, arg])
        place, start = len(self.steps) - 1, time.monotonic()
        end = start + timeout
        while True:
            value = self.read(script, arg)
            if value:
                self.waited[place] = time.monotonic() - start
                return value
            if time.monotonic() > end:
                raise HandError(f"waited {timeout:g} s in vain for {script[:120]}")
            self.page.wait_for_timeout(20)

    def still(self, selector: str, nth: int = 0, *, text: str | None = None, timeout: float = 5.0) -> Rect:
        """Waits until an element's box has stopped moving (an animation has ended)."""
        end = time.monotonic() + timeout
        last = self.rect(selector, nth, text=text)
        since = time.monotonic()
        while time.monotonic() < end:
            self.wait(40)
            now = self.rect(selector, nth, text=text)
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > 0.1:
                return now
        raise HandError(f"element {selector!r} does not come to rest")

    # -- the mouse -----------------------------------------------------------------------------

    def move(self, x: float, y: float) -> None:
        self.page.mouse.move(x, y)
        self.at = (x, y)
        self.steps.append(["move", x, y])

    def down(self, button: Button = "left") -> None:
        self.page.mouse.down(button=button)
        self.steps.append(["down", button])

    def up(self, button: Button = "left") -> None:
        self.page.mouse.up(button=button)
        self.steps.append(["up", button])

    def wheel(self, dx: float, dy: float) -> None:
        """Turns the wheel at the pointer; waits until the scrolled box has come to rest."""
        self.page.mouse.wheel(dx, dy)
        self.steps.append(["wheel", dx, dy])
        self.wait(60)

    def press_button(self, button: Button = "left", *, count: int = 1) -> None:
        """Clicks where the pointer is."""
        found = self.under(*self.at)
        if found is not None:
            self.clicked.append(found)
        for k in range(1, count + 1):
            self.page.mouse.down(button=button, click_count=k)
            self.page.mouse.up(button=button, click_count=k)
        self.steps.append(["click", button, count])

    def click_at(self, x: float, y: float, *, button: Button = "left", count: int = 1) -> None:
        self.move(x, y)
        self.press_button(button, count=count)

    def point_at(self, selector: str, nth: int = 0, *, text: str | None = None) -> None:
        """Moves the pointer onto an element."""
        self.move(*self.aim(selector, nth, text=text))

    def click(self, selector: str, nth: int = 0, *, text: str | None = None, button: Button = "left", count: int = 1) -> None:
        """Clicks an element: the nth that matches, or the nth of those with exactly this text."""
        self.click_at(*self.aim(selector, nth, text=text), button=button, count=count)

    def drag(self, start: tuple[float, float], end: tuple[float, float], *, steps: int = 10, hold: int = 0) -> None:
        """Drags from a point to a point along a straight line; ``hold`` milliseconds before the release."""
        self.move(*start)
        self.down()
        # Drag libraries start only after a few pixels.
        self.move(start[0] + 3 * (1 if end[0] >= start[0] else -1), start[1] + 3 * (1 if end[1] >= start[1] else -1))
        for k in range(1, steps + 1):
            self.move(start[0] + (end[0] - start[0]) * k / steps, start[1] + (end[1] - start[1]) * k / steps)
        if hold:
            self.wait(hold)
        self.up()

    # -- the keyboard --------------------------------------------------------------------------

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)
        self.steps.append(["type", text])

    def press(self, key: str, *, times: int = 1) -> None:
        """Presses a key or a chord (``"Control+A"``, Playwright's names)."""
        for _ in range(times):
            self.page.keyboard.press(key)
            self.steps.append(["press", key])

    def hold_key(self, key: str, action: Callable[[], None]) -> None:
        """Does something while a key is held."""
        self.page.keyboard.down(key)
        self.steps.append(["keydown", key])
        try:
            action()
        finally:
            self.page.keyboard.up(key)
            self.steps.append(["keyup", key])

    def fill(self, selector: str, value: str, nth: int = 0) -> None:
        """Clicks a text field, selects what it holds and types over it."""
        self.click(selector, nth)
        self.press("Control+A")
        if value:
            self.type(value)
        else:
            self.press("Delete")

    def wait(self, milliseconds: int) -> None:
        self.page.wait_for_timeout(milliseconds)
        self.steps.append(["wait", milliseconds])

    def choose(self, selector: str, option: str, nth: int = 0) -> None:
        """Chooses in a drop-down ``<select>`` with the keyboard: opens it, walks to the option, presses Enter."""
        options: Sequence[str] = self.read(
            "([s, n]) => [...document.querySelectorAll(s)[n].options].map(o => o.textContent.trim())", [selector, nth]
        )
        if option not in options:
            raise HandError(f"{selector!r} has no option {option!r}; it has {', '.join(options)}")
        self.click(selector, nth)
        self.press("Home")
        self.press("ArrowDown", times=options.index(option))
        self.press("Enter")
