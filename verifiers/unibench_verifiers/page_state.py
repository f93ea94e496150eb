"""Page state: what a page shows, looked at through a small probe that any browser driver can fill."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, Protocol

from unibench.kinds import PAGE_STATE
from unibench.record import Record
from unibench.verdict import AgentWritable, Evidence, Source, Verdict, VerifierDescriptor

Property = Literal["text", "value", "checked"]


class Page(Protocol):
    """What a check needs of a page. It only reads."""

    def url(self) -> str:
        """The page's address."""
        ...

    def read(self, selector: str, what: Property) -> Sequence[str]:
        """That property of each element that matches, in document order; ``checked`` gives ``"true"`` or ``"false"``."""
        ...


class Condition(Record):
    """One thing that must hold of a page.

    Attributes:
        selector: which elements, in the probe's selector language (CSS for browsers).
        what: their text, value or checked state.
        expected: the values wanted, one an element, in document order.
        match: ``equals`` exactly these; ``contains`` at least these, in any order; ``lacks`` none of these.
    """

    selector: str
    what: Property = "text"
    expected: tuple[str, ...]
    match: Literal["equals", "contains", "lacks"] = "equals"

    def found(self, page: Page) -> list[str]:
        """The values that the page has now, with white space folded."""
        return [" ".join(value.split()) for value in page.read(self.selector, self.what)]

    def holds(self, found: Sequence[str]) -> bool:
        """Whether these values are what is wanted."""
        if self.match == "equals":
            return tuple(found) == self.expected
        if self.match == "contains":
            return not Counter(self.expected) - Counter(found)
        return not set(found) & set(self.expected)


class PageState:
    """All of some conditions hold of a page: 1 or 0, nothing between.

    Args:
        name: the check's name in its suite.
        conditions: what must hold.
        owner: the project that the check belongs to.
        acts_first: what the suite does to the page before this looks, in order.
        agent_writable: whether an agent could write what is read without doing the task.
        sources: the files that judge.
    """

    def __init__(
        self,
        name: str,
        conditions: Sequence[Condition],
        *,
        owner: str,
        acts_first: Sequence[str] = (),
        agent_writable: AgentWritable | None = None,
        sources: Sequence[Source] = (),
    ) -> None:
        if not conditions:
            raise ValueError(f"the page-state check {name!r} has no condition, so it would accept any page")
        self.conditions = tuple(conditions)
        self.descriptor = VerifierDescriptor(
            kind=PAGE_STATE.name,
            name=name,
            implementation="unibench_verifiers.page_state:PageState.verify",
            owner=owner,
            sources=tuple(sources),
            scale="binary",
            when="end",
            reads=tuple(f"{c.what} of {c.selector}" for c in self.conditions),
            acts_first=tuple(acts_first),
            agent_writable=agent_writable or AgentWritable(value=False),
        )

    def verify(self, page: Page) -> Verdict:
        """Looks at the page and judges it."""
        start = time.perf_counter()
        found = [condition.found(page) for condition in self.conditions]
        held = [condition.holds(values) for condition, values in zip(self.conditions, found, strict=True)]
        return Verdict.of(
            self.descriptor,
            float(all(held)),
            evidence=Evidence(
                expected=[_shown(condition) for condition in self.conditions],
                found={f"{c.what} of {c.selector}": list(values) for c, values in zip(self.conditions, found, strict=True)},
            ),
            seconds=time.perf_counter() - start,
        )


def _shown(condition: Condition) -> dict[str, Any]:
    return {f"{condition.what} of {condition.selector}": {condition.match: list(condition.expected)}}
