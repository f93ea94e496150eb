"""Recipes for menus that unfold (nested lists, a pie, a tree): one click on an item decides."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.pointing import BESIDE, ClickOneOrMiss
from unibench_golden_checks.miniwob.recipe import ClickOne, State, UnexpectedGoal, others, quoted, recipe

# For every menu item or tree node: its own label, not those of what is nested in it.
_OWN_LABELS = "s => [...document.querySelectorAll(s)].map(e => e.textContent.replace(/\\s+/g, ' ').trim())"

# For every menu item or tree node the numbers of those that it is nested in, from the outside inwards.
_ANCESTORS = """s => { const all = [...document.querySelectorAll(s)];
  return all.map(e => all.flatMap((a, i) => a !== e && a.parentElement.contains(e) && a.parentElement !== e.parentElement ? [i] : [])) }"""


class NestedItems(ClickOne):
    """Items in items; the state is the path of the item clicked, as ``Lesly>Lyssa``."""

    def ancestors(self) -> list[list[int]]:
        found: list[list[int]] = self.hand.read(_ANCESTORS, self.candidates)
        return found

    def names(self) -> list[str]:
        found: list[str] = self.hand.read(_OWN_LABELS, self.candidates)
        return found

    def labels(self) -> list[str]:
        names = self.names()
        return [">".join(names[k] for k in [*above, i]) for i, above in enumerate(self.ancestors())]

    def leaves(self) -> list[str]:
        """The paths of the items that hold no other items."""
        above = self.ancestors()
        return [label for i, label in enumerate(self.labels()) if not any(i in a for a in above)]

    def parent_of_wanted(self) -> str | None:
        return self.wanted.rpartition(">")[0] or None

    def siblings(self) -> list[str]:
        parent = self.parent_of_wanted() or ""
        return [label for label in others(self.leaves(), self.wanted) if label.rpartition(">")[0] == parent]

    def construct(self, state: State) -> None:
        labels = self.labels()
        index = labels.index(state)
        for outer in self.ancestors()[index]:
            self.unfold(outer)
        self.hand.point_at(self.candidates, index)

    def unfold(self, index: int) -> None:
        """Points at an item, and waits until the menu beside it shows (after a third of a second)."""
        self.hand.point_at(self.candidates, index)
        self.hand.wait_until(
            """([s, n]) => { const sub = document.querySelectorAll(s)[n].nextElementSibling;
               return sub.offsetHeight > 0 && sub.getAttribute('aria-expanded') === 'true' }""",
            [self.candidates, index],
        )


@recipe("click-menu")
class ClickMenu(NestedItems):
    """ "Select Lesly>Lyssa"."""

    candidates: ClassVar[str] = "#menu li > div"
    mutations: ClassVar[tuple[str, ...]] = ("other-target", "wrong-place", "parent-only")
    timing: ClassVar[str] = "the delay after which a submenu opens"

    def want(self) -> State:
        return self.match(r"Select (.+)$").group(1)

    def mutant(self, name: str) -> State | None:
        if name == "parent-only":
            return self.parent_of_wanted()
        siblings = self.siblings()
        if name == "other-target":
            return next(iter(siblings), None)
        return next(others(self.leaves(), [*siblings, self.wanted]), None)


@recipe("click-menu-2")
class ClickMenuWithIcons(NestedItems):
    """ "Click the "Menu" button, and then find and click on the item labeled "Prev"." (or: with the "…" icon)."""

    candidates: ClassVar[str] = "#menu li > div"
    mutations: ClassVar[tuple[str, ...]] = ("other-target", "submenu-only")
    timing: ClassVar[str] = "the delay after which the submenu opens"

    def want(self) -> State:
        label, icon = self.match(r'click on the item (?:labeled "(.*)"|with the "(.*)" icon)\.').groups()
        names = self.names()
        if icon is not None:
            icons: list[bool] = self.hand.read(
                "([s, icon]) => [...document.querySelectorAll(s)].map(e => !!e.querySelector('.' + icon))", [self.candidates, icon]
            )
            index = icons.index(True)
        elif label in names:
            index = names.index(label)
        else:
            raise UnexpectedGoal(f"the menu has no item {label!r}")
        return self.labels()[index]

    def mutant(self, name: str) -> State | None:
        if name == "submenu-only":
            return "Playback"
        # The likest item: the one before or after, as Zoom Out for Zoom In.
        disabled = self.hand.texts("#menu li.ui-state-disabled")
        siblings = list(others(self.siblings(), disabled))
        first_word = self.wanted.split(" ")[0]
        return next((label for label in siblings if label.split(" ")[0] == first_word), siblings[0])

    def construct(self, state: State) -> None:
        self.hand.click("#open-menu")
        self.hand.wait_until("() => document.querySelector('#menu').offsetHeight > 0")
        super().construct(state)


@recipe("click-pie", "click-pie-nodelay")
class ClickPie(ClickOneOrMiss):
    """ "Expand the pie menu below and click on the item labeled "M"."; the state is the label of the slice clicked."""

    candidates: ClassVar[str] = "#divWheel text[id*='-title-']"
    things: ClassVar[str] = "#divWheel path[id*='-slice-']"
    mutations: ClassVar[tuple[str, ...]] = ("other-target", "expanded-only")
    timing: ClassVar[str] = "the end of the slices' flying out"

    def want(self) -> State:
        return quoted(self.goal)

    def mutant(self, name: str) -> State | None:
        if name == "expanded-only":
            return BESIDE
        # The likest item: the same letter in the other case.
        wrong = list(others(self.labels(), self.wanted))
        return next((label for label in wrong if label.lower() == self.wanted.lower()), wrong[0])

    def construct(self, state: State) -> None:
        self.hand.click("#wheelnav-divWheel-spreader")
        self.hand.wait_until("s => document.querySelector(s).getBoundingClientRect().width > 2", self.candidates)
        # All slices move at the same time.
        self.hand.still(self.candidates)
        self.hand.still(self.candidates, -1)
        super().construct(state)

    def read(self) -> State:
        # A slice and its title bear the same number in their ids.
        return self.hand.read(
            """([x, y, beside]) => {
               const hit = document.elementFromPoint(x, y), part = hit?.closest('[id^=wheelnav-divWheel-]');
               const number = part?.id.match(/-(?:slice|title)-(\\d+)$/);
               return number ? document.getElementById('wheelnav-divWheel-title-' + number[1]).textContent.trim() : beside }""",
            [*self.hand.at, BESIDE],
        )


@recipe("navigate-tree")
class NavigateTree(NestedItems):
    """ "Navigate through the file tree. Find and click on the folder or file named "Cheree"."; the state is its path.

    Names may come twice: any file or folder of that name is right.
    """

    candidates: ClassVar[str] = "#tree span"
    mutations: ClassVar[tuple[str, ...]] = ("other-file", "other-folder", "parent-only")

    def want(self) -> State:
        name = quoted(self.goal)
        if name not in self.names():
            raise UnexpectedGoal(f"the tree has no {name!r}")
        return self.labels()[self.names().index(name)]

    def right(self, state: State) -> bool:
        return str(state).split(">")[-1] == quoted(self.goal)

    def mutant(self, name: str) -> State | None:
        if name == "parent-only":
            return self.parent_of_wanted()
        kinds: list[bool] = self.hand.read(
            "([s, kind]) => [...document.querySelectorAll(s)].map(e => e.classList.contains(kind))",
            [self.candidates, name.removeprefix("other-")],
        )
        # Nothing on the way to it may be of the wanted name.
        return next(
            (label for label, fits in zip(self.labels(), kinds, strict=True) if fits and quoted(self.goal) not in label.split(">")), None
        )

    def unfold(self, index: int) -> None:
        self.hand.click(self.candidates, index)
        self.hand.wait_until("([s, n]) => document.querySelectorAll(s)[n].nextElementSibling.offsetHeight > 0", [self.candidates, index])
