"""Recipes for small sums: read a sum on the page, enter the result."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from unibench_golden_checks.miniwob.fields import OneField
from unibench_golden_checks.miniwob.recipe import State, UnexpectedGoal, others, recipe


class Sum(OneField):
    """Tasks that ask for a number; the state is what the answer field holds."""

    mutations: ClassVar[tuple[str, ...]] = ("one-more", "one-less", "sign-changed", "other-operation")
    box: ClassVar[str] = "#math-answer"

    @abstractmethod
    def result(self) -> int:
        """The right result."""

    @abstractmethod
    def mistakes(self) -> Iterator[int]:
        """Results of reckoning with another operation."""

    def want(self) -> State:
        return str(self.result())

    def mutant(self, name: str) -> State | None:
        result = self.result()
        if name == "one-more":
            return str(result + 1)
        if name == "one-less":
            return str(result - 1)
        if name == "sign-changed":
            return str(-result) if result else None
        return next(others([str(wrong) for wrong in self.mistakes()], self.wanted), None)

    def problem(self, pattern: str) -> re.Match[str]:
        shown = self.hand.texts("#math-problem")[0]
        found = re.fullmatch(pattern, shown)
        if found is None:
            raise UnexpectedGoal(f"the problem {shown!r} does not look like {pattern!r}")
        return found


@recipe("simple-arithmetic")
class Arithmetic(Sum):
    """ "Solve the math problem and type your answer into the textbox. Press submit when done."; the problem is "2 x 4 =", say."""

    def terms(self) -> tuple[int, str, int]:
        one, sign, two = self.problem(r"(\d+) ([-+x]) (\d+) =").groups()
        return int(one), sign, int(two)

    def result(self) -> int:
        one, sign, two = self.terms()
        return {"+": one + two, "-": one - two, "x": one * two}[sign]

    def mistakes(self) -> Iterator[int]:
        one, _, two = self.terms()
        yield from (one + two, one - two, one * two)


@recipe("simple-algebra")
class Algebra(Sum):
    """ "Solve for x and type your answer into the textbox. Press Submit when done."; the equation is "2 - x = 43", say."""

    def terms(self) -> tuple[str, str, str, int]:
        left, sign, right, total = self.problem(r"(\d+|x) ([-+]) (\d+|x) = (\d+)").groups()
        return left, sign, right, int(total)

    def result(self) -> int:
        left, sign, right, total = self.terms()
        if left == "x":
            return total - int(right) if sign == "+" else total + int(right)
        return total - int(left) if sign == "+" else int(left) - total

    def mistakes(self) -> Iterator[int]:
        left, _, right, total = self.terms()
        known = int(right if left == "x" else left)
        yield from (total + known, total - known)


@recipe("visual-addition")
class CountBlocks(Sum):
    """ "Type the total number of blocks into the textbox and press Submit."; two heaps of blocks are shown."""

    mutations: ClassVar[tuple[str, ...]] = ("one-more", "one-less", "one-heap-only", "digits-joined")

    def heaps(self) -> tuple[int, int]:
        return self.hand.count("#visual-1 .addition-block"), self.hand.count("#visual-2 .addition-block")

    def result(self) -> int:
        return sum(self.heaps())

    def mistakes(self) -> Iterator[int]:
        one, two = self.heaps()
        yield from (max(one, two), int(f"{one}{two}"))

    def mutant(self, name: str) -> State | None:
        heap, joined = self.mistakes()
        if name == "one-heap-only":
            return str(heap)
        if name == "digits-joined":
            return str(joined)
        return super().mutant(name)
