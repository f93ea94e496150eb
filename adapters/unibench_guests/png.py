"""Screenshots of a machine that is not trusted: a PNG that decodes to what its header says, and to no more."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from unibench.errors import EnvironmentFault

_MARK = b"\x89PNG\r\n\x1a\n"
_MOST_SIDE = 16_384
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG, without decoding it.

    Raises:
        EnvironmentFault: it is no PNG, or one of an absurd size.
    """
    if not data.startswith(_MARK) or len(data) < 33:
        raise EnvironmentFault("the guest's screenshot is no PNG")
    width, height = struct.unpack_from(">II", data, 16)
    if not (0 < width <= _MOST_SIDE and 0 < height <= _MOST_SIDE):
        raise EnvironmentFault(f"the guest's screenshot says that it is {width}x{height} pixels")
    return width, height


def whole_png(data: bytes, size: tuple[int, int]) -> bytes:
    """The PNG itself, once it is known that it decodes: whole chunks, and exactly the rows of pixels that its size has.

    Args:
        size: width and height that it must have.

    Raises:
        EnvironmentFault: it is none, is broken, has another size, or holds more than that.
    """
    found = png_size(data)
    if found != size:
        raise EnvironmentFault(f"the guest's screenshot has {found[0]}x{found[1]} pixels; {size[0]}x{size[1]} were to be expected")
    depth, color, _, _, interlaced = data[24:29]
    if depth not in (8, 16) or color not in _CHANNELS or interlaced:
        raise EnvironmentFault("the guest's screenshot is a PNG of a form that no screen has")
    row = 1 + size[0] * _CHANNELS[color] * depth // 8
    rows = row * size[1]
    unpack, pixels, seen = zlib.decompressobj(), bytearray(), []
    try:
        for kind, body in _chunks(data):
            seen.append(kind)
            if kind == b"IDAT":
                if len(pixels) > rows:
                    raise EnvironmentFault("the guest's screenshot holds more pixels than its screen")
                # Never 0, which is no limit.
                pixels += unpack.decompress(body, rows + 1 - len(pixels))
    except zlib.error:
        raise EnvironmentFault("the guest's screenshot is broken") from None
    palette = color != 3 or b"PLTE" in seen
    if seen[:1] != [b"IHDR"] or seen[-1:] != [b"IEND"] or not palette or len(pixels) != rows or max(pixels[::row]) > 4:
        raise EnvironmentFault("the guest's screenshot is broken")
    return data


def _chunks(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    view, at = memoryview(data), len(_MARK)
    while at < len(data):
        if at + 12 > len(data):
            raise EnvironmentFault("the guest's screenshot breaks off")
        length, kind = struct.unpack_from(">I4s", data, at)
        end = at + 12 + length
        if end > len(data):
            raise EnvironmentFault("the guest's screenshot breaks off")
        if zlib.crc32(view[at + 4 : end - 4]) != struct.unpack_from(">I", data, end - 4)[0]:
            raise EnvironmentFault("the guest's screenshot is broken")
        yield kind, view[at + 8 : end - 4]
        at = end
