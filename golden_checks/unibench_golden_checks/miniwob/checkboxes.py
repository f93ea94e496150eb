"""Recipes for ticking and choosing."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import Recipe, State, others, recipe


@recipe("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
class ClickCheckboxes(Recipe):
    """"Select a, b and click Submit."; the state is the ticked labels, sorted."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-wrong", "one-too-many")

    def want(self) -> State:
        words = self.match(r"Select (.*) and click Submit\.").group(1)
        return [] if words == "nothing" else sorted(words.split(", "))

    def mutant(self, name: str) -> State | None:
        extra = next(others(self.hand.texts("#area label"), self.wanted), None)
        if name == "one-missing":
            return self.wanted[1:] if self.wanted else None
        if extra is None:
            return None
        if name == "one-wrong":
            return sorted([*self.wanted[1:], extra]) if self.wanted else None
        return sorted([*self.wanted, extra])

    def construct(self, state: State) -> None:
        for label in state:
            self.hand.click("#area label", text=label)

    def read(self) -> State:
        ticked: list[str] = self.hand.read(
            "() => [...document.querySelectorAll('#area label')].filter(l => l.querySelector('input').checked).map(l => l.textContent.trim())"
        )
        return sorted(ticked)

    def commit(self) -> None:
        self.hand.click("#subbtn")
