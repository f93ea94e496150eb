"""Recipes for finding or copying a text on the page and entering it."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import ClassVar

from unibench_golden_checks.miniwob.fields import ORDINAL, NamedFields, OneField, misspelt
from unibench_golden_checks.miniwob.recipe import State, others, recipe


class FindInText(OneField):
    """Tasks that ask for one word of a text; the state is what the answer field holds."""

    mutations: ClassVar[tuple[str, ...]] = (
        "neighbouring-word",
        "first-or-last-word",
        "letter-missing",
        "split-in-two",
        "accented-letter-added",
    )
    box: ClassVar[str] = "#answer-input"

    @abstractmethod
    def words(self) -> list[str]:
        """All words of the text."""

    @abstractmethod
    def position(self) -> int:
        """Which word is asked for, counted from 0."""

    def want(self) -> State:
        return self.words()[self.position()]

    def mutant(self, name: str) -> State | None:
        words, at = self.words(), self.position()
        if name == "neighbouring-word":
            words = words[:at][::-1] + words[at + 1 :]
        elif name == "first-or-last-word":
            words = [words[0], words[-1]]
        else:
            return misspelt(name, self.wanted)
        return next((word for word in words if word.lower() != self.wanted.lower()), None)


def bare_words(text: str) -> list[str]:
    """The words of a text without their punctuation."""
    return [bare for word in text.split() if (bare := re.sub(r"[.,]", "", word))]


@recipe("find-word")
class FindWord(FindInText):
    """ "Find the 4th word in the paragraph, type that into the textbox and press "Submit"."."""

    def words(self) -> list[str]:
        return bare_words(self.hand.texts("#area p")[0])

    def position(self) -> int:
        return int(self.match(ORDINAL + " word").group(1)) - 1


@recipe("scroll-text")
class FindLastWord(FindInText):
    """ "Find the last word in the text area, enter it into the text field and hit Submit."."""

    def words(self) -> list[str]:
        return bare_words(self.hand.value("#text-area"))

    def position(self) -> int:
        return len(self.words()) - 1


def table(cells: list[str]) -> dict[str, str]:
    """A table of two columns, from its cells' texts."""
    return dict(zip(cells[::2], cells[1::2], strict=True))


@recipe("read-table")
class ReadTable(OneField):
    """ "Enter the value of Gender into the text field and press Submit."; the state is what the field holds."""

    mutations: ClassVar[tuple[str, ...]] = ("other-row", "label-instead", "letter-missing", "letter-added")

    def want(self) -> State:
        return table(self.hand.texts("#tab td"))[self.label()]

    def label(self) -> str:
        return self.match(r"Enter the value of (.*) into").group(1)

    def mutant(self, name: str) -> State | None:
        if name == "other-row":
            return next(others(list(table(self.hand.texts("#tab td")).values()), self.wanted))
        if name == "label-instead":
            return self.label()
        return super().mutant(name)


@recipe("read-table-2")
class ReadTableIntoForm(NamedFields):
    """ "Enter the value that corresponds with each label into the form and submit when done."; the state is what each field holds."""

    mutations: ClassVar[tuple[str, ...]] = ("first-missing", "second-missing", "wrong-place", "other-row", "letter-missing")

    def boxes(self) -> dict[str, int]:
        return {label: nth for nth, label in enumerate(self.hand.texts("#form label"))}

    def want(self) -> State:
        rows = table(self.hand.texts("#tab td"))
        return {label: rows[label.removesuffix(":")] for label in self.boxes()}

    def mutant(self, name: str) -> State | None:
        (first, one), (second, two) = self.wanted.items()
        other = next(others(list(table(self.hand.texts("#tab td")).values()), [one, two]))
        return {
            "first-missing": self.changed(**{first: ""}),
            "second-missing": self.changed(**{second: ""}),
            "wrong-place": self.changed(**{first: two, second: one}),
            "other-row": self.changed(**{second: other}),
            "letter-missing": self.changed(**{first: misspelt("letter-missing", one)}),
        }[name]


@recipe("copy-paste")
class CopyAndPaste(OneField):
    """ "Copy the text in the textarea below, paste it into the textbox and press Submit."; the state is what the textbox holds.

    The texts end in a blank that nobody sees: its presence is not judged.
    """

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-too-many", "letter-missing")
    box: ClassVar[str] = "#answer-input"

    def areas(self) -> list[str]:
        return [self.hand.value("#area textarea", nth) for nth in range(self.hand.count("#area textarea"))]

    def want(self) -> State:
        return self.areas()[0]

    def right(self, state: State) -> bool:
        return bool(state.rstrip() == self.wanted.rstrip())

    def mutant(self, name: str) -> State | None:
        words = self.wanted.split()
        if name == "one-missing":
            return " ".join(words[:-1]) + " "
        if name == "one-too-many":
            return self.wanted + words[-1] + " "
        return misspelt(name, self.wanted.rstrip())

    def construct(self, state: State) -> None:
        areas = self.areas()
        if state not in areas:
            self.hand.fill(self.box, state)
            return
        self.hand.click("#area textarea", areas.index(state))
        self.hand.press("Control+A")
        self.hand.press("Control+C")
        self.hand.click(self.box)
        self.hand.press("Control+V")


@recipe("copy-paste-2")
class CopyFromNumbered(CopyAndPaste):
    """ "Copy the text from the 3rd text area below and paste it into the text input, then press Submit."."""

    mutations: ClassVar[tuple[str, ...]] = ("other-text", *CopyAndPaste.mutations)

    def want(self) -> State:
        return self.areas()[int(self.match(ORDINAL + " text area").group(1)) - 1]

    def mutant(self, name: str) -> State | None:
        return next(others(self.areas(), self.wanted)) if name == "other-text" else super().mutant(name)
