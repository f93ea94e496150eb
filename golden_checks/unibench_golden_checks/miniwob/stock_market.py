"""Recipe for buying a stock at the right moment."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Hand, HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe

# Resolves as soon as a new price is shown that lies on the wanted side of the limit (in cents), and says which price, in
# cents, and how many are plotted by then. For six seconds a price is waited for that a single change, which is of 1.50
# dollars at most, cannot carry back over the limit.
_WHEN = """([limit, side]) => new Promise(done => {
  const price = document.querySelector('#stock-price');
  const watch = new MutationObserver(() => {
    const cents = Math.round(100 * Number(price.textContent.slice(1)));
    const plotted = document.querySelectorAll('.plot-point').length;
    const safe = side !== 0 && plotted < 60 ? 160 : 0;
    if (Math.sign(cents - limit) === side && Math.abs(cents - limit) >= safe) finish([cents, plotted]);
  });
  const finish = found => { watch.disconnect(); done(found) };
  watch.observe(price, {childList: true});
  setTimeout(() => finish(null), 11000);
})"""

# The prices plotted from the nth on, in cents; the plot's origin is at 35 dollars.
_PLOTTED = "n => [...document.querySelectorAll('.plot-point')].slice(n).map(e => Math.round(100 * (Number(e.getAttribute('cy')) + 35)))"

_SIDES = {"below": -1, "at": 0, "above": 1}


@recipe("stock-market")
class StockMarket(Recipe):
    """ "Buy ABC stock when the price is less than $45.10."; the state is where the shown price lies when the button that
    the pointer holds down on Buy is about to be let go: below, at or above the limit."""

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("at-the-limit", "above-the-limit")
    timing: ClassVar[str] = "the price changes ten times a second, for ten seconds; the click must come before the next change"
    live: ClassVar[str] = "the price is what it is when the click comes, and changes ten times a second"

    def __init__(self, hand: Hand, goal: str) -> None:
        super().__init__(hand, goal)
        self.caught = ""

    def want(self) -> State:
        amount = self.match(r"stock when the price is less than \$(\d+\.\d\d)").group(1)
        self.limit = round(100 * float(amount))
        return "below"

    def mutant(self, name: str) -> State | None:
        # Whether the price ever gets there shows only when it does: then this is the moment.
        side = name.removesuffix("-the-limit")
        self.hold()
        try:
            self.catch(side)
        except HandError:
            return None
        return side

    def hold(self) -> None:
        """Holds the button down on Buy: letting go is what buys."""
        self.hand.point_at("#buy")
        self.hand.down()

    def catch(self, side: str) -> None:
        """Waits for the price to get to a side of the limit, and notes it: there is no time to look twice."""
        self.cents, self.plotted = self.hand.wait_until(_WHEN, [self.limit, _SIDES[side]], timeout=1)
        self.caught = side

    def construct(self, state: State) -> None:
        if self.caught != state:
            self.hold()
            self.catch(state)

    def side(self, cents: int) -> str | None:
        return next((side for side, sign in _SIDES.items() if (cents > self.limit) - (cents < self.limit) == sign), None)

    def read(self) -> State:
        return self.side(self.cents)

    def commit(self) -> None:
        self.hand.up()
        if {self.side(cents) for cents in self.hand.read(_PLOTTED, self.plotted - 1)} != {self.caught}:
            raise HandError("the price crossed the limit while the button was let go: at which price it bought is not known")
