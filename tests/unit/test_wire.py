"""The wire: what goes in comes out, and what is no message is said to be none."""

from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench.errors import SessionDied
from unibench.observations import Observation, Screenshot
from unibench.session.wire import pack_observation, receive, send, unpack_observation

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
)


@given(st.dictionaries(st.text().filter(lambda k: k != "frames"), JSON), st.lists(st.binary(max_size=200), max_size=4))
def test_messages_come_back(header: dict[str, object], frames: list[bytes]) -> None:
    stream = io.BytesIO()
    send(stream, header, frames)
    send(stream, {"next": 1})
    stream.seek(0)
    got = receive(stream)
    assert got is not None
    assert {k: v for k, v in got[0].items() if k != "frames"} == header
    assert got[1] == frames
    assert receive(stream) == ({"next": 1, "frames": []}, [])
    assert receive(stream) is None


@given(st.binary(min_size=1, max_size=300))
def test_noise_is_no_message(noise: bytes) -> None:
    stream = io.BytesIO(noise)
    try:
        while receive(stream) is not None:
            pass
    except SessionDied:
        pass


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x00",
        struct.pack(">I", 2**31),
        struct.pack(">I", 10) + b"{}",
        struct.pack(">I", 2) + b"{}",
        struct.pack(">I", 14) + b'{"frames":[9]}',
        struct.pack(">I", 15) + b'{"frames":[-1]}',
        b"print output of a library\n" * 3,
    ],
)
def test_broken_messages_are_named(data: bytes) -> None:
    with pytest.raises(SessionDied):
        receive(io.BytesIO(data))


def test_nan_does_not_cross() -> None:
    with pytest.raises(ValueError, match="JSON"):
        send(io.BytesIO(), {"score": float("nan")})


def test_observations_keep_the_png_as_captured() -> None:
    observation = Observation({"screenshot": Screenshot(b"\x89PNG..."), "url": "u", "dom": {"$png": 0}}, {"url": 0.1})
    packed, frames = pack_observation(observation)
    assert frames == [b"\x89PNG..."]
    assert unpack_observation(packed, frames) == observation
