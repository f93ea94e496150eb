"""Recipes for a colour picker with a field of hues and saturations and a bar of brightness."""

from __future__ import annotations

import colorsys
import re
from typing import ClassVar

from unibench_golden_checks.miniwob.recipe import Recipe, State, UnexpectedGoal, recipe

# What the instruction's words mean, as in the CSS colour names.
COLORS: dict[str, str] = {
    "black": "000000",
    "white": "FFFFFF",
    "aqua": "00FFFF",
    "blue": "0000FF",
    "gray": "808080",
    "green": "008000",
    "lime": "00FF00",
    "maroon": "800000",
    "navy": "000080",
    "olive": "808000",
    "purple": "800080",
    "red": "FF0000",
    "silver": "C0C0C0",
    "teal": "008080",
    "yellow": "FFFF00",
    "pink": "FFC0CB",
    "magenta": "FF00FF",
    "gold": "FFD700",
    "orange": "FFA500",
}


def channels(color: str) -> list[int]:
    return [int(color[k : k + 2], 16) for k in (0, 2, 4)]


def name(values: list[int]) -> str:
    return "".join(f"{value:02X}" for value in values)


class PickColor(Recipe):
    """The state is the colour that the field shows, as six hexadecimal digits."""

    mutations: ClassVar[tuple[str, ...]] = ("other-color", "wrong-shade", "opposite-color")
    tolerance: ClassVar[int] = 16
    """By how much each channel may be off: the picker's field has only 101 x 71 pixels."""

    def right(self, state: State) -> bool:
        return all(abs(a - b) <= self.tolerance for a, b in zip(channels(state), channels(self.wanted), strict=True))

    def mutant(self, name_: str) -> State | None:
        red, green, blue = channels(self.wanted)
        if name_ == "other-color":
            # Another plain colour, not near the wanted one.
            options = [color for color in ("FF0000", "00FF00", "0000FF") if self.apart(color) > 100]
            return options[0]
        if name_ == "wrong-shade":
            mutant = name([red // 2, green // 2, blue // 2])
        else:
            mutant = name([255 - red, 255 - green, 255 - blue])
        return mutant if self.apart(mutant) >= 50 else None

    def apart(self, color: str) -> int:
        return max(abs(a - b) for a, b in zip(channels(color), channels(self.wanted), strict=True))

    def construct(self, state: State) -> None:
        hand = self.hand
        hand.click("#col")
        # The picker draws its field and its bar on one canvas each, the field on the left.
        field, bar = hand.rect("body > div:last-child canvas", 0), hand.rect("body > div:last-child canvas", 1)
        red, green, blue = channels(state)
        hue, saturation, brightness = colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)
        hand.click_at(round(field.x + hue * (field.width - 1)), round(field.y + (1 - saturation) * (field.height - 1)))
        hand.click_at(round(bar.x + bar.width / 2), round(bar.y + (1 - brightness) * (bar.height - 1)))
        # A click elsewhere closes the picker, which covers Submit.
        hand.click("#query")

    def read(self) -> State:
        value = self.hand.value("#col")
        if not re.fullmatch("[0-9A-Fa-f]{6}", value):
            raise UnexpectedGoal(f"the colour field shows {value!r}")
        return value.upper()

    def commit(self) -> None:
        self.hand.click("#subbtn")


@recipe("use-colorwheel")
class PickNamedColor(PickColor):
    """Select navy with the color picker and hit Submit."""

    def want(self) -> State:
        word = self.match(r"Select (\w+) with the color picker").group(1)
        if word not in COLORS:
            raise UnexpectedGoal(f"the goal {self.goal!r} names an unknown colour")
        return COLORS[word]


@recipe("use-colorwheel-2")
class PickShownColor(PickColor):
    """Select the following color #e0a509 with the color picker and hit Submit."""

    def want(self) -> State:
        return self.match(r"the following color #([0-9a-f]{6}) with").group(1).upper()
