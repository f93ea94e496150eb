"""The screen as PNG, read from the X server's memory-mapped frame buffer; the pointer is drawn in."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from Xlib import display

FRAME_BUFFER = Path("/run/user/1000/Xvfb_screen0")
_XWD_HEADER = struct.Struct(">25I")


def screenshot() -> bytes:
    """The whole screen with the pointer, 8-bit RGB."""
    data = FRAME_BUFFER.read_bytes()
    header = _XWD_HEADER.unpack_from(data)
    size, width, height, bytes_per_line, colours = header[0], header[4], header[5], header[12], header[19]
    start = size + colours * 12
    pixels = bytearray(data[start : start + height * bytes_per_line])
    _draw_pointer(pixels, width, height, bytes_per_line)
    rgb = bytearray(3 * (len(pixels) // 4))
    rgb[0::3], rgb[1::3], rgb[2::3] = pixels[2::4], pixels[1::4], pixels[0::4]
    line = 3 * (bytes_per_line // 4)
    rows = b"".join(b"\0" + rgb[y * line : y * line + 3 * width] for y in range(height))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)) + _image(rows) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _image(rows: bytes) -> bytes:
    return _chunk(b"IDAT", zlib.compress(rows, 1))


def _draw_pointer(pixels: bytearray, width: int, height: int, bytes_per_line: int) -> None:
    shown = display.Display()
    try:
        shown.xfixes_query_version()
        pointer = shown.xfixes_get_cursor_image(shown.screen().root)
    finally:
        shown.close()
    left, top = pointer.x - pointer.xhot, pointer.y - pointer.yhot
    for index, argb in enumerate(pointer.cursor_image):
        x, y = left + index % pointer.width, top + index // pointer.width
        alpha = argb >> 24 & 255
        if not alpha or not (0 <= x < width and 0 <= y < height):
            continue
        at = y * bytes_per_line + 4 * x
        for offset, shift in enumerate((0, 8, 16)):
            # The colours of a pointer are multiplied with its alpha already.
            pixels[at + offset] = min(255, (argb >> shift & 255) + pixels[at + offset] * (255 - alpha) // 255)


def pointer_position() -> tuple[int, int]:
    """Where the pointer is, in pixels."""
    shown = display.Display()
    try:
        found = shown.screen().root.query_pointer()
        return found.root_x, found.root_y
    finally:
        shown.close()


def screen_size() -> tuple[int, int]:
    """Width and height, in pixels."""
    shown = display.Display()
    try:
        return shown.screen().width_in_pixels, shown.screen().height_in_pixels
    finally:
        shown.close()
