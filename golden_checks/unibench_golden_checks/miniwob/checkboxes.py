"""Recipes for ticking and choosing."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import Recipe, State, UnexpectedGoal, others, recipe
from unibench_golden_checks.miniwob.synonyms import akin, sense


@recipe("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
class ClickCheckboxes(Recipe):
    """ "Select a, b and click Submit."; the state is the ticked labels, sorted."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-wrong", "one-too-many")

    def want(self) -> State:
        words = self.match(r"Select (.*) and click Submit\.").group(1)
        return [] if words == "nothing" else sorted(words.split(", "))

    def mutant(self, name: str) -> State | None:
        extra = next(iter(self.wrong_labels()), None)
        if name == "one-missing":
            return self.wanted[1:] if self.wanted else None
        if extra is None:
            return None
        if name == "one-wrong":
            return sorted([*self.wanted[1:], extra]) if self.wanted else None
        return sorted([*self.wanted, extra])

    def wrong_labels(self) -> list[str]:
        """The labels that are not to be ticked."""
        return list(others(self.hand.texts("#area label"), self.wanted))

    def construct(self, state: State) -> None:
        for label in state:
            self.hand.click("#area label", text=label)

    def read(self) -> State:
        ticked: list[str] = self.hand.read(
            """() => [...document.querySelectorAll('#area label')]
               .filter(l => l.querySelector('input').checked).map(l => l.textContent.trim())"""
        )
        return sorted(ticked)

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("click-checkboxes-soft")
class ClickCheckboxesOfLikeMeaning(ClickCheckboxes):
    """ "Select words similar to cut, scarlet and click Submit.": as for checkboxes named literally."""

    def words(self) -> list[str]:
        return self.match(r"Select words similar to (.*) and click Submit\.").group(1).split(", ")

    def want(self) -> State:
        words, labels = self.words(), self.hand.texts("#area label")
        unknown = [word for word in [*words, *labels] if sense(word) is None]
        if unknown:
            raise UnexpectedGoal(f"what these words mean is unknown: {', '.join(unknown)}")
        return sorted(label for label in labels if sense(label) in {sense(word) for word in words})

    def wrong_labels(self) -> list[str]:
        return [label for label in super().wrong_labels() if not any(akin(label, word) for word in self.words())]
