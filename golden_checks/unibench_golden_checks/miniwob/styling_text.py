"""The recipe for the rich-text editor."""

from __future__ import annotations

import re
from typing import ClassVar

from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, others, recipe

# What the editor shows, run by run: its text and its styles; a run that begins a new line begins with a line feed.
_RUNS = """() => {
  const editor = document.querySelector('.ql-editor'), plain = getComputedStyle(editor).color, runs = [];
  const walk = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT);
  let line = null;
  for (let node; node = walk.nextNode();) {
    const style = getComputedStyle(node.parentElement), styles = [], block = node.parentElement.closest('p');
    if (parseInt(style.fontWeight) >= 600) styles.push('bold');
    if (style.fontStyle === 'italic') styles.push('italics');
    for (let e = node.parentElement; e !== editor; e = e.parentElement)
      if (getComputedStyle(e).textDecorationLine.includes('underline')) { styles.push('underlined'); break; }
    if (style.color !== plain) styles.push(style.color);
    runs.push([(line && block !== line ? '\\n' : '') + node.data, styles]);
    line = block;
  }
  return runs;
}"""

_BUTTONS = {"bold": ".ql-bold", "italics": ".ql-italic", "underlined": ".ql-underline"}

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


def _name(style: str) -> str:
    """A style's name, for a colour that of the nearest named one."""
    return min(_COLOURS, key=lambda name: _distance(style, name)) if style.startswith("rgb") else style


def _fold(text: str) -> str:
    return " ".join(text.split())


@recipe("text-editor")
class StyleText(Recipe):
    """ "Using the text editor, give the text Nulla. the style bold and press Submit.", or everything, or a colour.

    The state is the whole text and the runs of it that are styled, each with its styles; white space is folded.
    """

    mutations: ClassVar[tuple[str, ...]] = (
        "other-style",
        "style-added",
        "letter-missing",
        "line-added",
        "other-word",
        "one-too-many",
        "word-broken",
    )
    style: str = ""
    span: tuple[int, int] = (0, 0)
    """Where the text to be styled begins and ends."""

    def text(self) -> str:
        return "".join(text for text, _ in self.hand.read(_RUNS))

    def want(self) -> State:
        self.style = self.match(r"the (?:style|color) (\w+)").group(1)
        text = self.text()
        self.span = (0, len(text))
        word = re.search(r"give the text (.*) the (?:style|color)", self.goal)
        if word is not None:
            found = re.search(rf"(?<!\S){re.escape(word.group(1))}(?!\S)", text)
            if found is None:
                raise HandError(f"the editor does not say {word.group(1)!r}")
            self.span = found.span()
        return self.state(text, *self.span, [self.style])

    def state(self, text: str, start: int, end: int, styles: list[str]) -> State:
        return {"text": _fold(text), "styled": [[_fold(text[start:end]), sorted(styles)]]}

    def mutant(self, name: str) -> State | None:
        text, (start, end) = self.text(), self.span
        everything = end - start == len(text)
        words = [found.span() for found in re.finditer(r"\S+", text)]
        if name == "other-style":
            return self.state(text, start, end, [next(others(list(_BUTTONS if self.style in _BUTTONS else _COLOURS), self.style))])
        if name == "style-added":
            return self.state(text, start, end, [self.style, next(others(list(_BUTTONS), self.style))])
        if name == "letter-missing":
            return self.state(text, start, end - 1, [self.style]) if end - start > 1 else None
        if everything:
            # Not everything is styled: there is a new line that is not.
            return {**self.wanted, "text": self.wanted["text"] + " extra"} if name == "line-added" else None
        if name == "line-added":
            return None
        if name == "one-too-many":
            first = max(words.index(self.span) - 1, 0)
            return self.state(text, words[first][0], words[first + 1][1], [self.style])
        if name == "other-word":
            return self.state(text, *next(span for span in words if text[slice(*span)] != text[start:end]), [self.style])
        # The word is no longer in the text: a blank has got into it.
        middle = (start + end) // 2
        return self.state(f"{text[:middle]} {text[middle:]}", start, end + 1, [self.style]) if end - start > 1 else None

    def construct(self, state: State) -> None:
        before, after = _fold(self.text()), state["text"]
        self.hand.click(".ql-editor")
        if after.startswith(before + " "):
            self.hand.press("Control+End")
            self.hand.press("Enter")
            self.hand.type(after.removeprefix(before).strip())
        elif after != before:
            self.hand.press("Control+Home")
            self.hand.press("ArrowRight", times=next(k for k, (one, two) in enumerate(zip(before, after, strict=False)) if one != two))
            self.hand.type(" ")
        for part, styles in state["styled"]:
            text = self.text()
            start = text.index(part, 0 if text.find(part, self.span[0]) < 0 else self.span[0])
            self.hand.press("Control+Home")
            self.hand.press("ArrowRight", times=start)
            self.hand.press("Shift+ArrowRight", times=len(part))
            # The editor takes note of a selection only 100 ms later; until then the toolbar brings back the one before.
            self.hand.wait(250)
            for style in styles:
                self.apply(style)

    def apply(self, style: str) -> None:
        """Gives what is selected a style, with the toolbar."""
        if style in _BUTTONS:
            self.hand.click(_BUTTONS[style])
            return
        self.hand.click(".ql-color .ql-picker-label")
        swatches: list[str] = self.hand.read(
            "() => [...document.querySelectorAll('.ql-color .ql-picker-item')].map(e => getComputedStyle(e).backgroundColor)"
        )
        # A swatch that takes the colour away again is transparent.
        opaque = [swatch for swatch in swatches if swatch.startswith("rgb(")]
        self.hand.click(".ql-color .ql-picker-item", swatches.index(min(opaque, key=lambda swatch: _distance(swatch, style))))

    def read(self) -> State:
        runs: list[tuple[str, list[str]]] = []
        for text, styles in self.hand.read(_RUNS):
            named = sorted(map(_name, styles))
            if runs and runs[-1][1] == named:
                runs[-1] = (runs[-1][0] + text, named)
            else:
                runs.append((text, named))
        styled = [[_fold(text), styles] for text, styles in runs if styles and text.strip()]
        return {"text": _fold("".join(text for text, _ in runs)), "styled": styled}

    def commit(self) -> None:
        self.hand.click("#subbtn")
