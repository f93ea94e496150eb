"""Recipes for text fields as such: focusing, scrolling, highlighting and styling text."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from unibench_golden_checks.miniwob.fields import ORDINAL
from unibench_golden_checks.miniwob.hand import Hand, HandError
from unibench_golden_checks.miniwob.recipe import ClickOne, Recipe, State, others, recipe


class FocusField(ClickOne):
    """Tasks that the focus of a text field decides; the state is which field the pointer is on."""

    mutations: ClassVar[tuple[str, ...]] = ("beside-the-field", "hovered-only")
    candidates: ClassVar[str] = "#area input"

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
    """"Focus into the textbox."."""

    def want(self) -> State:
        return "field 1"


@recipe("focus-text-2")
class FocusNumberedField(FocusField):
    """"Focus into the 3rd input textbox."."""

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
    """"Scroll the textarea to the top of the text hit submit."; the state is what is out of sight, in pixels, above and below."""

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
    hand.drag(tuple(one), tuple(two))


class Highlight(Recipe):
    """Tasks that the selected text decides; the state is that text, its white space folded."""

    paragraphs: ClassVar[str] = ""
    mutations: ClassVar[tuple[str, ...]] = ("first-letter-missing", "last-word-missing", "first-word-only")

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
    """"Highlight the text in the paragraph below and click submit."."""

    paragraphs: ClassVar[str] = "#randomText"


@recipe("highlight-text-2")
class HighlightParagraph(Highlight):
    """"Highlight the text in the 2nd paragraph and click submit."."""

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
        one, _, two = state.partition("\n")
        if not two:
            super().construct(state)
            return
        first = max(self.chosen() - 1, 0)
        drag_over_text(self.hand, (self.paragraphs, first, 0), (self.paragraphs, first + 1, len(two) - 1))


# What the editor shows, run by run: its text and its style.
_RUNS = """() => {
  const walk = document.createTreeWalker(document.querySelector('.ql-editor'), NodeFilter.SHOW_TEXT), runs = [];
  let paragraph = null;
  for (let node; node = walk.nextNode();) {
    const style = getComputedStyle(node.parentElement), styles = [], block = node.parentElement.closest('p');
    if (parseInt(style.fontWeight) >= 600) styles.push('bold');
    if (style.fontStyle === 'italic') styles.push('italics');
    for (let e = node.parentElement; !e.matches('.ql-editor'); e = e.parentElement)
      if (getComputedStyle(e).textDecorationLine.includes('underline')) { styles.push('underlined'); break; }
    if (style.color !== getComputedStyle(document.querySelector('.ql-editor')).color) styles.push(style.color);
    runs.push([(paragraph && block !== paragraph ? '\\n' : '') + node.data, styles]);
    paragraph = block;
  }
  return runs;
}"""

_COLOURS = {
    "red": (255, 0, 0),
    "orange": (255, 165, 0),
    "yellow": (255, 255, 0),
    "green": (0, 128, 0),
    "blue": (0, 0, 255),
    "purple": (128, 0, 128),
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "grey": (128, 128, 128),
}


def _distance(colour: str, name: str) -> int:
    """How far a CSS colour (``rgb(1, 2, 3)``) is from a named one."""
    return sum((int(one) - two) ** 2 for one, two in zip(re.findall(r"\d+", colour)[:3], _COLOURS[name], strict=True))


def _named(colour: str) -> str:
    return min(_COLOURS, key=lambda name: _distance(colour, name))


@recipe("text-editor")
class StyleText(Recipe):
    """"Using the text editor, give the text Nulla. the style bold and press Submit.", or everything, or a colour.

    The state is a list of runs of text with the names of their styles and colours; white space beside a run is ignored.
    """

    mutations: ClassVar[tuple[str, ...]] = ("other-style", "other-word", "letter-missing", "one-too-many", "style-added", "word-broken")
    _BUTTONS: ClassVar[dict[str, str]] = {"bold": ".ql-bold", "italics": ".ql-italic", "underlined": ".ql-underline"}

    def text(self) -> str:
        return "".join(text for text, _ in self.hand.read(_RUNS))

    def want(self) -> State:
        self.style = self.match(r"the (?:style|color) (\w+)").group(1)
        word = re.search(r"give the text (.*) the (?:style|color)", self.goal)
        text = self.text()
        self.span = (0, len(text))
        if word is not None:
            found = re.search(rf"(?<!\S){re.escape(word.group(1))}(?!\S)", text)
            if found is None:
                raise HandError(f"the editor does not say {word.group(1)!r}")
            self.span = found.span()
        return self.state(text, self.span, [self.style])

    def state(self, text: str, span: tuple[int, int], styles: list[str]) -> list[Any]:
        runs = [[text[: span[0]], []], [text[span[0] : span[1]], styles], [text[span[1] :], []]]
        return [[part.strip(), style] for part, style in runs if part.strip()]

    def mutant(self, name: str) -> State | None:
        text, (start, end) = self.text(), self.span
        everything = (start, end) == (0, len(text))
        words = [found.span() for found in re.finditer(r"\S+", text)]
        if name == "other-style":
            pool = list(self._BUTTONS) if self.style in self._BUTTONS else list(_COLOURS)[:6]
            return self.state(text, self.span, [next(others(pool, self.style))])
        if name == "style-added":
            return self.state(text, self.span, sorted([self.style, next(others(list(self._BUTTONS), self.style))]))
        if name == "letter-missing":
            return self.state(text, (start, end - 1), [self.style])
        if name == "other-word":
            return None if everything else self.state(text, next(span for span in words if span != self.span), [self.style])
        if name == "one-too-many":
            # A second word styled; or, where everything is to be styled, a new line that is not.
            if everything:
                return [*self.wanted, ["extra", []]]
            at = words.index(self.span)
            first = max(at - 1, 0)
            return self.state(text, (words[first][0], words[first + 1][1]), [self.style])
        if everything or end - start < 2:
            return None
        middle = (start + end) // 2
        return self.state(text[:middle] + " " + text[middle:], (start, end + 1), [self.style])

    def construct(self, state: State) -> None:
        editor, press = self.hand, self.hand.press
        editor.click(".ql-editor")
        at = text = 0
        del text
        broken = " ".join(part for part, _ in state)
        original = self.text()
        if broken.startswith(original.strip()) and len(broken) > len(original):
            press("Control+End")
            press("Enter")
            editor.type(broken[len(original.strip()) :].strip())
        elif broken != " ".join(original.split()):
            at = next(i for i, (one, two) in enumerate(zip(broken, original, strict=False)) if one != two)
            press("Control+Home")
            press("ArrowRight", times=at)
            editor.type(" ")

    def read(self) -> State:
        runs: list[Any] = []
        for text, styles in self.hand.read(_RUNS):
            runs.append([text.strip(), sorted(_named(style) if style.startswith("rgb") else style for style in styles)])
        return [run for run in runs if run[0]]

    def commit(self) -> None:
        self.hand.click("#subbtn")
