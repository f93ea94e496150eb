"""Recipe for turning a cube with the mouse until one side faces the user."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import Recipe, State, quoted, recipe

# How the cube lies: its two turns in degrees, each side's text, outward direction (of the unturned cube) and how much
# of it is towards the user (1: squarely facing, -1: at the back), and which text is marked as active.
_CUBE = """() => {
  const cube = document.querySelector('.cube'), now = new DOMMatrix(getComputedStyle(cube).transform);
  const turns = cube.style.transform.match(/rotateX\\((-?[\\d.]+)deg\\) rotateY\\((-?[\\d.]+)deg\\)/);
  const sides = [...cube.querySelectorAll('.side')].map(side => {
    const own = new DOMMatrix(getComputedStyle(side).transform);
    return {text: side.textContent.trim(), out: [own.m31, own.m32, own.m33], facing: now.multiply(own).m33};
  });
  return {pitch: Number(turns[1]), yaw: Number(turns[2]), sides: sides, active: cube.querySelector('.active').textContent.trim()};
}"""


def turn_to(now: float, then: float) -> float:
    """The shorter way from one direction to another, in degrees."""
    return (then - now + 180) % 360 - 180


def facing(out: list[float], pitch: float, yaw: float) -> float:
    """How much a direction of the cube points at the user after its two turns."""
    a, b = math.radians(pitch), math.radians(yaw)
    x, y, z = out
    return math.sin(a) * y + math.cos(a) * (math.cos(b) * z - math.sin(b) * x)


@recipe("drag-cube")
class DragCube(Recipe):
    """Move the cube around so that "5" is the active side facing the user.

    The state is which side is active (red) and which faces the user.
    """

    mutations: ClassVar[tuple[str, ...]] = ("next-side", "back-side")
    timing: ClassVar[str] = "the cube turns on a clock of its own; the mouse follows what it shows, and waits until it rests"

    def look(self) -> dict[str, Any]:
        found: dict[str, Any] = self.hand.read(_CUBE)
        return found

    def want(self) -> State:
        number = quoted(self.goal)
        return {"active": number, "facing": number}

    def mutant(self, name: str) -> State | None:
        sides = self.look()["sides"]
        out = next(side["out"] for side in sides if side["text"] == self.wanted["facing"])
        # The same direction: 1; beside it: 0; the opposite one: -1.
        share = 0 if name == "next-side" else -1
        other = next(s["text"] for s in sides if round(sum(a * b for a, b in zip(out, s["out"], strict=True))) == share)
        return {"active": other, "facing": other}

    def aim_for(self, text: str) -> tuple[float, float]:
        """The nearest turns with which a side faces the user squarely."""
        cube = self.look()
        out = next(side["out"] for side in cube["sides"] if side["text"] == text)
        quarters = [(pitch, yaw) for pitch in (0, 90, 180, 270) for yaw in (0, 90, 180, 270, cube["yaw"])]
        fit = [(pitch, yaw) for pitch, yaw in quarters if facing(out, pitch, yaw) > 0.99]
        return min(fit, key=lambda turns: max(abs(turn_to(cube["pitch"], turns[0])), abs(turn_to(cube["yaw"], turns[1]))))

    def construct(self, state: State) -> None:
        hand = self.hand
        pitch, yaw = self.aim_for(state["facing"])
        grip = hand.rect(".cube").center
        for _ in range(6):
            hand.move(*grip)
            # The page looks at the mouse every 20 ms: it must see the new place before the button goes down.
            hand.wait(50)
            hand.down()
            self.turn(pitch, yaw)
            # Held still, the cube comes to rest; let go too early, it would turn on by itself.
            hand.wait(300)
            hand.up()
            cube = self.look()
            if max(abs(turn_to(cube["pitch"], pitch)), abs(turn_to(cube["yaw"], yaw))) < 20:
                return
        raise HandError(f"the cube does not turn to {state['facing']!r}: {self.look()}")

    def turn(self, pitch: float, yaw: float) -> None:
        """Pulls the cube towards the two turns, slower near them, until it is there or the pointer at the edge."""
        hand = self.hand
        for _ in range(80):
            cube = self.look()
            up = turn_to(cube["pitch"], pitch)
            round_ = turn_to(cube["yaw"], yaw)
            if abs(up) < 8 and abs(round_) < 8:
                return
            # Pulled down, the top comes forward; upside down, the cube turns the other way round.
            way = -1 if 90 < cube["pitch"] % 360 < 270 else 1
            x = hand.at[0] + way * self.step(round_)
            y = hand.at[1] - self.step(up)
            if not (2 < x < 330 and 2 < y < 212):
                return
            hand.move(x, y)
            hand.wait(5)

    @staticmethod
    def step(degrees: float) -> int:
        """How many pixels to pull for what is left to turn."""
        if abs(degrees) < 6:
            return 0
        return round(math.copysign(min(9.0, 1.5 + abs(degrees) / 9), degrees))

    def read(self) -> State:
        cube = self.look()
        return {"active": cube["active"], "facing": max(cube["sides"], key=lambda side: float(side["facing"]))["text"]}

    def commit(self) -> None:
        self.hand.point_at("#subbtn")
        # Pressed at once, the way to the button would count as a pull at the cube.
        self.hand.wait(50)
        self.hand.press_button()
