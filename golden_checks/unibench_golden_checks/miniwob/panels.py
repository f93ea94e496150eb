"""Recipes for collapsible sections, tabs and dialog boxes as such."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.pointing import BESIDE, ClickOneOrMiss
from unibench_golden_checks.miniwob.recipe import Recipe, State, quoted, recipe

ESCAPE = "the Escape key"


@recipe("click-collapsible", "click-collapsible-nodelay")
class ExpandSection(Recipe):
    """ "Expand the section below and click submit."; the state is whether the section is expanded."""

    mutations: ClassVar[tuple[str, ...]] = ("closed-again",)
    timing: ClassVar[str] = "the end of the section's sliding open and shut"

    def want(self) -> State:
        return "expanded"

    def mutant(self, name: str) -> State | None:
        return "expanded and closed again"

    def construct(self, state: State) -> None:
        text = "#area .ui-accordion-content"
        self.hand.click("#area h3")
        self.hand.wait_until("s => document.querySelector(s).offsetHeight > 0", text)
        self.hand.still(text)
        if state != self.wanted:
            self.hand.click("#area h3")
            self.hand.wait_until("s => document.querySelector(s).offsetHeight === 0", text)

    def read(self) -> State:
        header, shown = self.hand.read(
            """() => [document.querySelector('#area h3').getAttribute('aria-expanded'),
                      document.querySelector('#area .ui-accordion-content').getBoundingClientRect().height > 0]"""
        )
        return "expanded" if header == "true" and shown else "collapsed"

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("click-tab")
class ClickTab(ClickOneOrMiss):
    """ "Click on Tab #2."; the nearly right ends are another tab and the text below the tabs."""

    candidates: ClassVar[str] = "#area .ui-tabs-nav a"

    def want(self) -> State:
        return self.match(r"Click on (Tab #\d)\.").group(1)


class CloseDialog(ClickOneOrMiss):
    """Dialog boxes; the state is what closes the box: a button (the cross is ``x``), nothing or the Escape key."""

    candidates: ClassVar[str] = ".ui-dialog button"
    mutations: ClassVar[tuple[str, ...]] = (BESIDE, "closed-by-escape")

    def want(self) -> State:
        return quoted(self.goal)

    def labels(self) -> list[str]:
        labels: list[str] = self.hand.read(
            """s => [...document.querySelectorAll(s)].map(
               e => e.querySelector('.ui-icon-closethick') ? 'x' : e.textContent.trim())""",
            self.candidates,
        )
        return labels

    def mutant(self, name: str) -> State | None:
        if name == "closed-by-escape":
            return ESCAPE
        return super().mutant(name)

    def construct(self, state: State) -> None:
        if state != ESCAPE:
            super().construct(state)

    def read(self) -> State:
        # With the pointer still away from the page nothing but a key is left to close the box with.
        return ESCAPE if self.hand.at == (0.0, 0.0) else super().read()

    def commit(self) -> None:
        if self.read() == ESCAPE:
            self.hand.press("Escape")
        else:
            super().commit()


@recipe("click-dialog")
class ClickDialog(CloseDialog):
    """ "Close the dialog box by clicking the "x"."; the box has no other button."""


@recipe("click-dialog-2")
class ClickDialogButton(CloseDialog):
    """ "Click the button in the dialog box labeled "OK"."."""

    mutations: ClassVar[tuple[str, ...]] = ("other-target", BESIDE, "closed-by-escape")
