"""What the recipes for typing tasks share: one field or several, and near misses of a text."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import Recipe, State

ORDINAL = r"(\d+)(?:st|nd|rd|th)"


def misspelt(kind: str, text: str) -> str | None:
    """A near miss of a text; None where the text has none of this kind."""
    if kind == "letter-missing":
        return text[:-1] or None
    if kind == "letter-added":
        return text + text[-1]
    if kind == "wrong-case":
        at = next((i for i, letter in enumerate(text) if letter != letter.swapcase()), None)
        return None if at is None else text[:at] + text[at].swapcase() + text[at + 1 :]
    if kind == "letters-swapped":
        at = next((i for i in range(len(text) - 1) if text[i] != text[i + 1]), None)
        return None if at is None else text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    if kind == "split-in-two":
        return f"{text[: len(text) // 2]} {text[len(text) // 2 :]}" if len(text) > 1 else None
    if kind == "accented-letter-added":
        return text + "é"
    raise ValueError(f"no kind of misspelling {kind!r}")


class OneField(Recipe):
    """Tasks that one text field and a Submit button decide; the state is what the field holds."""

    mutations: ClassVar[tuple[str, ...]] = ("letter-missing", "letter-added", "wrong-case", "letters-swapped")
    box: ClassVar[str] = "#tt"

    def mutant(self, name: str) -> State | None:
        return misspelt(name, self.wanted)

    def construct(self, state: State) -> None:
        self.hand.fill(self.box, state)

    def read(self) -> State:
        return self.hand.value(self.box)

    def commit(self) -> None:
        self.hand.click("#subbtn")


class NamedFields(Recipe):
    """Tasks that several text fields and a Submit button decide; the state says what each field holds, by its name."""

    @abstractmethod
    def boxes(self) -> dict[str, int]:
        """The names of the fields and which of the page's inputs they are."""

    def changed(self, **values: str | None) -> State | None:
        """The wanted state with other values; None if one of them is None or nothing changes."""
        if None in values.values():
            return None
        state = {**self.wanted, **values}
        return None if state == self.wanted else state

    def construct(self, state: State) -> None:
        for name, nth in self.boxes().items():
            if state[name] != self.hand.value("#area input", nth):
                self.hand.fill("#area input", state[name], nth)

    def read(self) -> State:
        return {name: self.hand.value("#area input", nth) for name, nth in self.boxes().items()}

    def commit(self) -> None:
        self.hand.click("#subbtn")
