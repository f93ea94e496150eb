"""Recipes for hidden or random values: cards to turn over, numbers to guess or generate, files to find in a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe


@recipe("find-greatest")
class PickGreatestCard(Recipe):
    """ "Find and pick the card with the greatest number, then press submit."; the state is the number on the picked card.

    The cards lie face down, and picking one turns it over and all others back.
    """

    mutations: ClassVar[tuple[str, ...]] = ("second-greatest", "smallest")

    def numbers(self) -> list[int]:
        return [int(text) for text in self.hand.texts("#cardholder .card")]

    def want(self) -> State:
        return max(self.numbers())

    def mutant(self, name: str) -> State | None:
        return sorted(self.numbers())[-2 if name == "second-greatest" else 0]

    def construct(self, state: State) -> None:
        numbers = self.numbers()
        for nth, number in enumerate(numbers):
            self.hand.click("#cardholder .card", nth)
            if self.read() != number:
                raise HandError(f"card {nth + 1} shows {self.read()}, its text is {number}")
        self.hand.click("#cardholder .card", numbers.index(state))

    def read(self) -> State:
        shown: list[str] = self.hand.read(
            """() => [...document.querySelectorAll('#cardholder .card')].filter(e => parseFloat(getComputedStyle(e).fontSize) > 0)
               .map(e => e.textContent.trim())"""
        )
        return int(shown[0]) if len(shown) == 1 else None

    def commit(self) -> None:
        self.hand.click("#submit")


@recipe("guess-number")
class GuessNumber(Recipe):
    """ "Guess the number between 0-9 and press Submit. Use the feedback below to find the right number.".

    The state is the guess in the box. Which guess is right turns out only when it has been submitted, so a whole number
    from 0 to 9 that no feedback has ruled out counts as right, and the commit goes on guessing by the feedback.
    """

    mutations: ClassVar[tuple[str, ...]] = ("out-of-range", "tens")

    def want(self) -> State:
        self.match(r"between 0-9 and press Submit")
        return "4"

    def right(self, state: State) -> bool:
        return re.fullmatch(r"\d", state) is not None

    def mutant(self, name: str) -> State | None:
        # "5e1" is 50 in the notation of a number field; the commit then goes on guessing in tens.
        return "10" if name == "out-of-range" else "5e1"

    def construct(self, state: State) -> None:
        self.hand.fill("#tt", state)

    def read(self) -> State:
        return self.hand.value("#tt")

    def feedback(self) -> str:
        shown: list[str] = self.hand.read(
            "() => [...document.querySelectorAll('#feedback div')].filter(e => e.getClientRects().length).map(e => e.textContent.trim())"
        )
        return shown[0] if shown else ""

    def commit(self) -> None:
        first = self.read()
        tens = "e1" if first.endswith("e1") else ""
        low, high = (1 if tens else 0), 9
        guess = first
        for _ in range(10):
            self.hand.click("#subbtn")
            said = re.search(r"is (higher|lower) than", self.feedback())
            if said is None or not re.fullmatch(r"\d(e1)?", first):
                return
            number = int(guess.removesuffix("e1"))
            low, high = (number + 1, high) if said.group(1) == "higher" else (low, number - 1)
            if low > high:
                return
            guess = f"{(low + high) // 2}{tens}"
            self.construct(guess)


@recipe("generate-number")
class GenerateNumber(Recipe):
    """ "Generate a number less than 6, then press submit."; the state is the number that is shown.

    Each press of Generate shows a random one. What is constructed is named by its kind ("less than 6", "even").
    """

    mutations: ClassVar[tuple[str, ...]] = ("wrong-value", "near-miss")

    def condition(self) -> tuple[str, int]:
        found = re.search(r"(less|greater) than (\d+)", self.goal)
        if found is not None:
            return found.group(1), int(found.group(2))
        return self.match(r"Generate an (odd|even) number").group(1), 0

    def holds(self, number: int) -> bool:
        kind, bound = self.condition()
        return {"less": number < bound, "greater": number > bound, "odd": number % 2 == 1, "even": number % 2 == 0}[kind]

    def want(self) -> State:
        return self.match(r"Generate an? (.*), then press submit").group(1)

    def right(self, state: State) -> bool:
        return state != "-" and self.holds(int(state))

    def mutant(self, name: str) -> State | None:
        kind, bound = self.condition()
        if name == "near-miss":
            return f"exactly {bound}" if kind in ("less", "greater") else None
        return f"not {self.wanted}"

    def construct(self, state: State) -> None:
        _, bound = self.condition()
        tests: list[tuple[str, Callable[[int], bool]]] = [
            ("exactly", lambda number: number == bound),
            ("not", lambda number: not self.holds(number)),
            ("", self.holds),
        ]
        test = next(test for word, test in tests if state.startswith(word))
        for _ in range(300):
            self.hand.click("#generate")
            if test(int(self.read())):
                return
        raise HandError(f"300 generated numbers and none is {state}")

    def read(self) -> State:
        return self.hand.texts("#display-number")[0]

    def commit(self) -> None:
        self.hand.click("#submit")


TYPED_SCRIPT = "<img src=x onerror=core.endEpisode(1)>"


@recipe("terminal")
class DeleteFile(Recipe):
    """ "Use the terminal below to delete a file ending with the extension .png", or one that has no file extension.

    The state is the command that waits at the prompt; which files there are, the terminal says at ``ls``.
    """

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("other-extension", "same-letters-or-shortest", "nothing-more", "script-typed")

    def extension(self) -> str:
        """The wanted extension with its dot, or nothing."""
        found = re.search(r"with the extension (\.\S+)$", self.goal)
        if found is None:
            self.match("no file extension")
        return found.group(1) if found is not None else ""

    def fits(self, file: str) -> bool:
        extension = self.extension()
        return file.endswith(extension) if extension else "." not in file

    def files(self) -> list[str]:
        """What the last ``ls`` has listed."""
        return self.hand.texts("#terminal .terminal-output")[-1].split()

    def want(self) -> State:
        self.hand.click("#terminal")
        self.hand.type("ls")
        self.hand.press("Enter")
        return f"rm {next(file for file in self.files() if self.fits(file))}"

    def right(self, state: State) -> bool:
        word, _, file = state.partition(" ")
        return bool(word == "rm" and file in self.files() and self.fits(file))

    def mutant(self, name: str) -> State | None:
        if name == "nothing-more":
            return "ls"
        if name == "script-typed":
            # Deletes nothing: what a user types must not run as script that writes what the verifier reads.
            return TYPED_SCRIPT
        wrong = [file for file in self.files() if not self.fits(file)]
        if name == "same-letters-or-shortest":
            # A name may end in the letters of the extension without its dot ("bash" and ".sh").
            wrong.sort(key=lambda file: (not file.endswith(self.extension().removeprefix(".") or "-"), len(file)))
        return f"rm {wrong[0]}" if wrong else None

    def construct(self, state: State) -> None:
        self.hand.click("#terminal")
        self.hand.type(state)

    def read(self) -> State:
        typed: str = self.hand.read("() => document.querySelector('#active-input').textContent")
        return typed

    def commit(self) -> None:
        typed = self.read()
        self.hand.press("Enter")
        if typed == TYPED_SCRIPT:
            self.hand.wait(100)  # an image that is not there takes a moment to be missed
