"""Recipes for small games: a hidden hot spot, tic-tac-toe."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, recipe


@recipe("hot-cold")
class HotCold(Recipe):
    """Find and click on the HOT area.

    The state is what the page says of the place where the pointer is.
    """

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("warm", "cold", "ice-cold")
    warmer: ClassVar[tuple[str, ...]] = ("ICE COLD", "COLD", "WARM", "HOT")

    def want(self) -> State:
        return self.match(r"click on the (HOT) area").group(1)

    def mutant(self, name: str) -> State | None:
        return name.replace("-", " ").upper()

    def construct(self, state: State) -> None:
        """Feels its way: wide steps until it gets warmer, then narrower ones around the warmest place so far."""
        box = self.hand.rect("#touch-area")
        best: tuple[int, float, float] | None = None
        for step, reach in ((40, 200), (13, 40), (4, 16)):
            around = box.center if best is None else best[1:]
            ticks = range(-(reach // step), reach // step + 1)
            places = [(round(around[0]) + step * i, round(around[1]) + step * j) for i in ticks for j in ticks]
            places.sort(key=lambda p: (p[0] - around[0]) ** 2 + (p[1] - around[1]) ** 2)
            for x, y in places:
                if not (box.x + 2 < x < box.x + box.width - 2 and box.y + 2 < y < box.y + box.height - 2):
                    continue
                self.hand.move(x, y)
                feel = self.read()
                if feel == state:
                    return
                warmth = self.warmer.index(feel)
                if best is None or warmth > best[0]:
                    best = (warmth, x, y)
                    if step == 13 and warmth == 2:
                        break
        raise HandError(f"nowhere is it {state}")

    def read(self) -> State:
        found = self.hand.texts("#signal")
        return found[0] if found else None

    def commit(self) -> None:
        self.hand.press_button()


Board = str
"""Nine squares, row by row: X, O or a dot."""

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
CLUMSY = 0.55
"""How often the other player is taken to put its mark anywhere, rather than to win or to prevent a loss."""


def outcome(board: Board) -> str:
    for mark, word in (("X", "won"), ("O", "lost")):
        if any(all(board[k] == mark for k in line) for line in LINES):
            return word
    return "unfinished" if "." in board else "drawn"


def put(board: Board, square: int, mark: str) -> Board:
    return board[:square] + mark + board[square + 1 :]


def free(board: Board) -> list[int]:
    return [k for k in range(9) if board[k] == "."]


def completes(board: Board, mark: str) -> list[int]:
    """The free squares that make a line for a player."""
    word = "won" if mark == "X" else "lost"
    return [k for k in free(board) if outcome(put(board, k, mark)) == word]


@cache
def chance(board: Board, aim: str) -> float:
    """How likely a game where it is X's turn ends as aimed, if X plays for that."""
    return max(chance_after(put(board, k, "X"), aim) for k in free(board))


@cache
def chance_after(board: Board, aim: str) -> float:
    """The same where it is the other player's turn."""
    if outcome(board) != "unfinished":
        return float(outcome(board) == aim)
    clever = completes(board, "O") or completes(board, "X") or free(board)
    weight = {k: CLUMSY / len(free(board)) + ((1 - CLUMSY) / len(clever) if k in clever else 0) for k in free(board)}
    total = 0.0
    for k, share in weight.items():
        then = put(board, k, "O")
        total += share * (chance(then, aim) if outcome(then) == "unfinished" else float(outcome(then) == aim))
    return total


@recipe("tic-tac-toe")
class TicTacToe(Recipe):
    """Playing as 'X', win a game of tic-tac-toe.

    The state is how the game stands once the square under the pointer is clicked.
    """

    submits: ClassVar[bool] = False
    mutations: ClassVar[tuple[str, ...]] = ("lost", "drawn", "unfinished")
    square: ClassVar[str] = ".ttt-row span"

    def want(self) -> State:
        self.match(r"Playing as 'X', win a game")
        self.aimed: int | None = None
        return "won"

    def mutant(self, name: str) -> State | None:
        return name

    def board(self) -> Board:
        marks: list[str] = self.hand.read(
            """s => [...document.querySelectorAll(s)].map(e =>
               e.classList.contains('mark-x') ? 'X' : e.classList.contains('mark-o') ? 'O' : '.')""",
            self.square,
        )
        return "".join(marks)

    def construct(self, state: State) -> None:
        board = self.board()
        while outcome(board) == "unfinished":
            winning = completes(board, "X")
            if state == "won" and winning:
                return self.point_at(winning[0])
            choice = [k for k in free(board) if k not in winning]
            if not choice:
                # Every square left would win: the game stays as it is.
                return
            if state == "unfinished" and winning:
                # The line is there for the taking; another square leaves it open.
                return self.point_at(choice[0])
            aim = "won" if state == "unfinished" else state
            self.hand.click(self.square, max(choice, key=lambda k: chance_after(put(board, k, "X"), aim)))
            board = self.board()
        if state == "won":
            raise HandError(f"the other player did not let X win: {board}")

    def point_at(self, square: int) -> None:
        self.hand.point_at(self.square, square)
        self.aimed = square

    def read(self) -> State:
        board = self.board()
        return outcome(board if self.aimed is None else put(board, self.aimed, "X"))

    def commit(self) -> None:
        if self.aimed is not None:
            self.hand.press_button()
