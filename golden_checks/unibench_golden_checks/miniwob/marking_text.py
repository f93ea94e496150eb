"""Recipes for text fields as such: focusing, scrolling and highlighting."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.fields import ORDINAL
from unibench_golden_checks.miniwob.hand import Hand, HandError
from unibench_golden_checks.miniwob.recipe import ClickOne, Recipe, State, others, recipe


class FocusField(ClickOne):
    """Tasks that the focus of a text field decides; the state is which field the pointer is on."""

    mutations: ClassVar[tuple[str, ...]] = ("beside-the-field", "hovered-only")
    candidates: ClassVar[str] = "#area input"
    clicks: bool = True
    """Whether the click is made."""

    def labels(self) -> list[str]:
        return [f"field {k}" for k in range(1, self.hand.count(self.candidates) + 1)]

    def mutant(self, name: str) -> State | None:
        if name == "beside-the-field":
            return "beside"
        return f"{self.wanted}, not clicked" if name == "hovered-only" else super().mutant(name)

    def construct(self, state: State) -> None:
        self.clicks = "not clicked" not in state
        if state != "beside":
            super().construct(state.removesuffix(", not clicked"))
            return
        box = self.hand.rect(self.candidates, self.labels().index(self.wanted))
        self.hand.move(box.x + box.width + 6, box.center[1])

    def read(self) -> State:
        pointed = super().read() or "beside"
        return pointed if self.clicks else f"{pointed}, not clicked"

    def commit(self) -> None:
        if self.clicks:
            super().commit()


@recipe("focus-text")
class FocusOnlyField(FocusField):
    """ "Focus into the textbox."."""

    def want(self) -> State:
        return "field 1"


@recipe("focus-text-2")
class FocusNumberedField(FocusField):
    """ "Focus into the 3rd input textbox."."""

    mutations: ClassVar[tuple[str, ...]] = ("other-target", *FocusField.mutations)

    def want(self) -> State:
        return "field " + self.match(ORDINAL).group(1)


def scroll_to(hand: Hand, selector: str, top: float) -> None:
    """Turns the wheel over a box until that much of its text lies above it; as far as it goes."""
    hand.point_at(selector)
    shown = hand.read("s => { const e = document.querySelector(s); return [e.scrollTop, e.scrollHeight - e.clientHeight] }", selector)
    top = max(0.0, min(top, shown[1]))
    hand.wheel(0, top - shown[0])
    hand.wait_until("([s, top]) => Math.abs(document.querySelector(s).scrollTop - top) < 2", [selector, top])


_ENDS = "s => { const e = document.querySelector(s); return [e.scrollTop, e.scrollHeight - e.clientHeight - e.scrollTop] }"


def hidden_text(hand: Hand, selector: str) -> tuple[int, int]:
    """How many pixels of a scrolled box are out of sight above and below."""
    above, below = hand.read(_ENDS, selector)
    return round(above), round(below)


@recipe("scroll-text-2")
class ScrollText(Recipe):
    """ "Scroll the textarea to the top of the text hit submit."; the state is what is out of sight, in pixels, above and below."""

    mutations: ClassVar[tuple[str, ...]] = ("other-end", "near-miss", "half-way")
    box: ClassVar[str] = "#text-area"

    def want(self) -> State:
        edge = self.match(r"to the (top|bottom)").group(1)
        total = sum(hidden_text(self.hand, self.box))
        return {"above": 0, "below": total} if edge == "top" else {"above": total, "below": 0}

    def right(self, state: State) -> bool:
        edge = "above" if self.wanted["above"] == 0 else "below"
        return bool(state[edge] <= 2)

    def mutant(self, name: str) -> State | None:
        # Two lines of text are 23 pixels high.
        edge, other = ("above", "below") if self.wanted["above"] == 0 else ("below", "above")
        total = self.wanted[other]
        off = {"other-end": total, "near-miss": 23, "half-way": total // 2}[name]
        return {edge: off, other: total - off} if 23 <= off <= total else None

    def construct(self, state: State) -> None:
        scroll_to(self.hand, self.box, state["above"])

    def read(self) -> State:
        above, below = hidden_text(self.hand, self.box)
        return {"above": above, "below": below}

    def commit(self) -> None:
        self.hand.click("#subbtn")


# Where the characters from `first` to `last` of the text in an element lie: the middles of the outer edges.
_CHARACTERS = """([s, n, first, last]) => {
  const walk = document.createTreeWalker(document.querySelectorAll(s)[n], NodeFilter.SHOW_TEXT), edges = [];
  for (let at = 0, node; node = walk.nextNode(); at += node.length)
    for (const i of [first, last])
      if (i >= at && i < at + node.length) {
        const range = document.createRange(); range.setStart(node, i - at); range.setEnd(node, i - at + 1);
        const box = range.getClientRects()[0];
        edges.push(box ? [i === first && edges.length === 0 ? box.left + .3 : box.right - .3, box.top + box.height / 2] : null);
      }
  return edges;
}"""


def drag_over_text(hand: Hand, start: tuple[str, int, int], end: tuple[str, int, int]) -> None:
    """Drags the mouse over text, from a character to a character: each is named by selector, nth element and index."""
    one = hand.read(_CHARACTERS, [*start[:2], start[2], start[2]])[0]
    two = hand.read(_CHARACTERS, [*end[:2], end[2], end[2]])[-1]
    if one is None or two is None:
        raise HandError("a character to be dragged over is not shown")
    hand.drag((one[0], one[1]), (two[0], two[1]))


class Highlight(Recipe):
    """Tasks that the selected text decides; the state is that text, its white space folded."""

    mutations: ClassVar[tuple[str, ...]] = ("first-letter-missing", "last-word-missing", "first-word-only")
    paragraphs: ClassVar[str] = ""

    def chosen(self) -> int:
        """Which paragraph is asked for, counted from 0."""
        return 0

    def text(self, nth: int) -> str:
        found: str = self.hand.read("([s, n]) => document.querySelectorAll(s)[n].textContent", [self.paragraphs, nth])
        return found.rstrip()

    def want(self) -> State:
        return self.text(self.chosen())

    def right(self, state: State) -> bool:
        return bool(state.split() == self.wanted.split())

    def mutant(self, name: str) -> State | None:
        first, _, rest = self.wanted.partition(" ")
        if name == "first-letter-missing":
            return self.wanted[1:]
        return first if name == "first-word-only" else (self.wanted.rpartition(" ")[0] if rest else None)

    def construct(self, state: State) -> None:
        for nth in range(self.hand.count(self.paragraphs)):
            text = self.text(nth)
            if state in text:
                start = text.index(state)
                drag_over_text(self.hand, (self.paragraphs, nth, start), (self.paragraphs, nth, start + len(state) - 1))
                return
        raise HandError(f"no paragraph says {state!r}")

    def read(self) -> State:
        selected: str = self.hand.read("() => getSelection().toString()")
        return " ".join(selected.split())

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("highlight-text")
class HighlightText(Highlight):
    """ "Highlight the text in the paragraph below and click submit."."""

    paragraphs: ClassVar[str] = "#randomText"


@recipe("highlight-text-2")
class HighlightParagraph(Highlight):
    """ "Highlight the text in the 2nd paragraph and click submit."."""

    paragraphs: ClassVar[str] = "#randomText p"
    mutations: ClassVar[tuple[str, ...]] = (*Highlight.mutations, "other-paragraph", "one-too-many")

    def chosen(self) -> int:
        return int(self.match(ORDINAL + " paragraph").group(1)) - 1

    def mutant(self, name: str) -> State | None:
        texts = [self.text(nth) for nth in range(self.hand.count(self.paragraphs))]
        if name == "other-paragraph":
            return next(others(texts, self.wanted))
        if name == "one-too-many":
            first = max(self.chosen() - 1, 0)
            return "\n".join(texts[first : first + 2])
        return super().mutant(name)

    def construct(self, state: State) -> None:
        _, _, two = state.partition("\n")
        if not two:
            super().construct(state)
            return
        first = max(self.chosen() - 1, 0)
        drag_over_text(self.hand, (self.paragraphs, first, 0), (self.paragraphs, first + 1, len(two) - 1))
