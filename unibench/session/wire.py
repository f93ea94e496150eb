"""The wire between supervisor and session process: a JSON header with binary frames, never pickle.

A message is the header's length (4 bytes, big endian), the header, then the frames one after another; the header's
``frames`` lists their lengths. Python and library versions may differ on the two sides.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

from unibench.errors import SessionDied
from unibench.observations import Observation, Screenshot

PROTOCOL = 1
MAX_HEADER = 256 * 2**20
MAX_FRAME = 512 * 2**20

Frames = list[bytes]


def send(stream: BinaryIO, header: dict[str, Any], frames: Frames | None = None) -> None:
    """Writes one message and flushes it."""
    frames = frames or []
    text = json.dumps({**header, "frames": [len(f) for f in frames]}, allow_nan=False).encode()
    if len(text) > MAX_HEADER:
        raise ValueError(f"a message's header has {len(text)} bytes; at most {MAX_HEADER} go over the wire")
    stream.write(struct.pack(">I", len(text)) + text)
    for frame in frames:
        stream.write(frame)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], Frames] | None:
    """Reads one message; None at the end of the stream.

    Raises:
        SessionDied: the bytes are no message, or end in its middle.
    """
    head = stream.read(4)
    if not head:
        return None
    if len(head) < 4:
        raise SessionDied("the stream ended in the middle of a message")
    (length,) = struct.unpack(">I", head)
    if length > MAX_HEADER:
        raise SessionDied("what came over the wire is no message (something wrote to the session's output)")
    try:
        header = json.loads(_exactly(stream, length))
        lengths = [int(n) for n in header["frames"]]
    except (ValueError, KeyError, TypeError) as error:
        raise SessionDied(f"what came over the wire is no message: {error}") from None
    if any(n < 0 or n > MAX_FRAME for n in lengths):
        raise SessionDied("a frame over the wire is too large")
    return header, [_exactly(stream, n) for n in lengths]


def _exactly(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise SessionDied("the stream ended in the middle of a message")
    return data


def pack_observation(observation: Observation) -> tuple[dict[str, Any], Frames]:
    """An observation as JSON and frames; each screenshot's PNG is a frame as it was captured."""
    frames: Frames = []
    values: dict[str, Any] = {}
    for name, value in observation.values.items():
        if isinstance(value, Screenshot):
            values[name] = {"$png": len(frames)}
            frames.append(value.png)
        else:
            values[name] = {"$json": value}
    return {"values": values, "seconds": observation.seconds}, frames


def unpack_observation(packed: dict[str, Any], frames: Frames) -> Observation:
    """The observation that :func:`pack_observation` packed."""
    values = {name: Screenshot(frames[value["$png"]]) if "$png" in value else value["$json"] for name, value in packed["values"].items()}
    return Observation(values, packed["seconds"])
