"""Scaling of screenshots: the way back is the inverse of the way there, and never leaves the screen."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from unibench.agents.scaling import Scaling
from unibench.errors import UsageError
from unibench.observations import Screenshot

SIZES = st.tuples(st.integers(1, 4000), st.integers(1, 4000))
SCALINGS = st.builds(Scaling, st.integers(1, 4000), st.integers(1, 4000), st.booleans())
UNIT = st.floats(0, 1)


@given(SCALINGS)
def test_a_spec_survives_being_written(scaling: Scaling) -> None:
    assert Scaling.parse(str(scaling)) == scaling


@pytest.mark.parametrize("spec", ["", "10", "10x", "0x5", "10x10,fill", "10 x 10", "-1x5", "10x10,pad,pad", "1000000x1"])
def test_what_is_no_size_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="WxH"):
        Scaling.parse(spec)


@given(SCALINGS, SIZES, UNIT, UNIT)
def test_there_and_back_again(scaling: Scaling, size: tuple[int, int], a: float, b: float) -> None:
    x, y = a * (size[0] - 1), b * (size[1] - 1)
    there = scaling.forward(x, y, size)
    inner = scaling.inner(size)
    assert 0 <= there[0] <= inner[0]
    assert 0 <= there[1] <= inner[1]
    assert scaling.inverse(*there, size) == pytest.approx((x, y), abs=1e-6)


@given(SCALINGS, SIZES, st.floats(-1e5, 1e5), st.floats(-1e5, 1e5))
def test_no_point_leaves_the_screen(scaling: Scaling, size: tuple[int, int], x: float, y: float) -> None:
    found = scaling.inverse(x, y, size)
    assert 0 <= found[0] < max(size[0], 1)
    assert 0 <= found[1] < max(size[1], 1)


@given(SCALINGS, SIZES)
def test_padding_keeps_proportions_and_fills_one_side(scaling: Scaling, size: tuple[int, int]) -> None:
    inner = scaling.inner(size)
    assert inner[0] <= scaling.width
    assert inner[1] <= scaling.height
    assert inner[0] == scaling.width or inner[1] == scaling.height
    if scaling.pad:
        factor = min(scaling.width / size[0], scaling.height / size[1])
        assert inner == pytest.approx((size[0] * factor, size[1] * factor), abs=1)


def test_the_picture_shows_the_screenshot_where_the_map_says() -> None:
    pixels = np.zeros((50, 100, 3), dtype=np.uint8)
    pixels[:] = (0, 0, 255)
    pixels[30:40, 60:80] = (255, 0, 0)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format="PNG")
    scaling = Scaling.parse("300x300,pad")
    picture = Screenshot(scaling.picture(Screenshot(file.getvalue())))
    assert picture.size == (300, 300)
    shown = picture.array()
    x, y = scaling.forward(70, 35, (100, 50))
    assert tuple(shown[round(y), round(x)]) == (255, 0, 0)
    assert tuple(shown[10, 10]) == (0, 0, 255)
    assert tuple(shown[200, 150]) == (0, 0, 0), "the padding"
    red = np.argwhere((shown == (255, 0, 0)).all(axis=2))
    (top, left), (bottom, right) = red.min(axis=0), red.max(axis=0)
    assert scaling.inverse(float(left), float(top), (100, 50)) == pytest.approx((60, 30), abs=1)
    assert scaling.inverse(float(right), float(bottom), (100, 50)) == pytest.approx((80, 40), abs=1)
