"""Recipes for links in a text, which may be on a tab or in a collapsible section."""

from __future__ import annotations

import re
from typing import ClassVar

from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import ClickOne, State, UnexpectedGoal, others, quoted, recipe

PLAIN_TEXT = "plain text"
A_TAB = "a tab"

# The middle of a word that is no link but plain text in view, of the same letters as the link if there is one.
_PLAIN_WORD = """([sel, wanted]) => {
  const walker = document.createTreeWalker(document.querySelector(sel), NodeFilter.SHOW_TEXT), seen = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest('.alink')) continue;
    for (const word of node.data.matchAll(/[A-Za-z]{2,}/g)) {
      const range = document.createRange();
      range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
      const b = range.getBoundingClientRect(), at = [b.x + b.width / 2, b.y + b.height / 2];
      if (b.width && document.elementFromPoint(...at) === node.parentElement) seen.push([word[0], at]);
    }
  }
  return (seen.find(s => s[0] === wanted) ?? seen[0] ?? [null, null])[1];
}"""

# How many of the panels' headers come before the panel that holds the nth link; -1 where there is no panel.
_PANEL = """([links, panels, nth]) => {
  const link = document.querySelectorAll(links)[nth];
  return [...document.querySelectorAll(panels)].findIndex(p => p.contains(link));
}"""


class NoRightEnd(UnexpectedGoal):
    """Nothing on the page is what the goal asks for, so that no end state is right."""


def letters(text: str) -> str:
    """A text without case and punctuation."""
    return re.sub(r"[^a-z]", "", text.lower())


@recipe("click-link")
class ClickLink(ClickOne):
    """ "Click on the link "et"."; the state is the text of the link that is clicked."""

    candidates: ClassVar[str] = "#area .alink"
    mutations: ClassVar[tuple[str, ...]] = ("other-target", "plain-text")
    text_in: ClassVar[str] = "#area"
    """Where the text is."""

    def want(self) -> State:
        return quoted(self.goal)

    def mutant(self, name: str) -> State | None:
        if name == "plain-text":
            return PLAIN_TEXT
        # The likest link: the same word but for its case or the comma after it.
        wrong = list(others(self.labels(), self.wanted))
        return next((label for label in wrong if letters(label) == letters(self.wanted)), wrong[0] if wrong else None)

    def construct(self, state: State) -> None:
        labels = self.labels()
        if state == PLAIN_TEXT:
            self.reveal(labels.index(self.wanted) if self.wanted in labels else 0)
            at = self.hand.read(_PLAIN_WORD, [self.text_in, letters(self.wanted)])
            if at is None:
                raise HandError("there is no word beside the links")
            self.hand.move(*at)
            return
        if state not in labels:
            raise NoRightEnd(f"the page has no link {state!r}; its links are {', '.join(labels)}")
        self.reveal(labels.index(state))
        super().construct(state)

    def reveal(self, index: int) -> None:
        """Brings a link into sight."""

    def read(self) -> State:
        return super().read() or PLAIN_TEXT


@recipe("click-collapsible-2", "click-collapsible-2-nodelay")
class ClickLinkInSection(ClickLink):
    """ "Expand the sections below, to find and click on the link "vel".": as for a plain link."""

    timing: ClassVar[str] = "the end of a section's sliding open"

    def reveal(self, index: int) -> None:
        section = self.hand.read(_PANEL, [self.candidates, "#area .ui-accordion-content", index])
        self.hand.click("#area h3", section)
        self.hand.wait_until("n => document.querySelectorAll('#area h3')[n].getAttribute('aria-expanded') === 'true'", section)
        self.hand.still("#area .ui-accordion-content", section)


@recipe("click-tab-2", "click-tab-2-easy", "click-tab-2-medium", "click-tab-2-hard")
class ClickLinkOnTab(ClickLink):
    """ "Switch between the tabs to find and click on the link "vel".": as for a plain link."""

    mutations: ClassVar[tuple[str, ...]] = ("other-target", "plain-text", "tabs-only")
    text_in: ClassVar[str] = "#area .ui-tabs-panel:not([style*='none'])"
    tabs: ClassVar[str] = "#area .ui-tabs-nav a"

    def mutant(self, name: str) -> State | None:
        return A_TAB if name == "tabs-only" else super().mutant(name)

    def construct(self, state: State) -> None:
        if state == A_TAB:
            for tab in range(self.hand.count(self.tabs) - 1):
                self.hand.click(self.tabs, tab)
            self.hand.point_at(self.tabs, -1)
        else:
            super().construct(state)

    def reveal(self, index: int) -> None:
        tab = self.hand.read(_PANEL, [self.candidates, "#area .ui-tabs-panel", index])
        opened = "n => document.querySelectorAll('#area .ui-tabs-nav li')[n].getAttribute('aria-expanded') === 'true'"
        if not self.hand.read(opened, tab):
            self.hand.click(self.tabs, tab)
            self.hand.wait_until(opened, tab)

    def read(self) -> State:
        on_tab = self.hand.read("([s, x, y]) => !!document.elementFromPoint(x, y)?.closest(s)", [self.tabs, *self.hand.at])
        return A_TAB if on_tab else super().read()
