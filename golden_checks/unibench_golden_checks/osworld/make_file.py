"""Makes one document and writes it to stdout: a program for the suite's environment, which has the libraries that read it again.

``python make_file.py``, with ``{"kind": …, …}`` as JSON on stdin.
"""

from __future__ import annotations

import io
import json
import sys
import tarfile
from typing import Any


def docx(paragraphs: list[str], breaks: list[int] = [], font: str = "Calibri") -> bytes:  # noqa: B006 - never written to
    """A heading and paragraphs; a page break before each that is numbered in ``breaks``."""
    import docx as library
    from docx.enum.text import WD_BREAK

    document = library.Document()
    for number, text in enumerate(paragraphs):
        style = "Heading 1" if number == 0 else "Normal"
        paragraph = document.add_paragraph(style=style)
        if number in breaks:
            paragraph.add_run().add_break(WD_BREAK.PAGE)
        paragraph.add_run(text).font.name = font
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def pptx(slides: list[list[str]], numbers: bool = False) -> bytes:
    """Slides with a title and a text, white; ``numbers`` gives each a slide number."""
    import copy

    import pptx as library

    deck = library.Presentation()
    for title, text in slides:
        layout = deck.slide_layouts[1]
        slide = deck.slides.add_slide(layout)
        slide.shapes.title.text, slide.placeholders[1].text = title, text
        if numbers:
            for shape in layout.placeholders:
                if shape.placeholder_format.type is not None and shape.placeholder_format.type.name == "SLIDE_NUMBER":
                    slide.shapes._spTree.append(copy.deepcopy(shape._element))
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def xlsx(rows: list[list[Any]], durations: list[str] = []) -> bytes:  # noqa: B006 - never written to
    """Rows; the cells named in ``durations`` hold days and are shown as hours and minutes."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for reference in durations:
        book.active[reference].number_format = "[h]:mm"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def image(width: int, height: int, format: str, noise: bool = False, quality: int = 90) -> bytes:
    """A picture of stripes, or of noise, which does not compress."""
    import random

    from PIL import Image

    if noise:
        picture = Image.frombytes("RGB", (width, height), random.Random(0).randbytes(width * height * 3))
    else:
        picture = Image.new("RGB", (width, height), (240, 240, 240))
        for x in range(0, width, 40):
            picture.paste((200, 40, 40), (x, 0, min(x + 20, width), height))
    out = io.BytesIO()
    picture.save(out, format, **({"quality": quality} if format == "JPEG" else {}))
    return out.getvalue()


def xcf(width: int, height: int, layers: list[dict[str, Any]]) -> bytes:
    """A picture of GIMP's (RGB, version 0 of the format, uncompressed), with layers from the top down.

    A layer has a ``name``, a ``box`` (left, top, width, height), and what is on it: a ``fill``, a ``triangle`` in a colour with a black
    outline, or a black ``text``. The first is the active one. Source: GIMP, ``devel-docs/xcf.txt``.
    """
    from struct import pack

    def block(*properties: tuple[int, bytes]) -> bytes:
        return b"".join(pack(">II", number, len(data)) + data for number, data in (*properties, (0, b"")))

    compression, active, opacity, visible, offsets = 17, 2, 6, 8, 15
    head = b"gimp xcf file\0" + pack(">III", width, height, 0) + block((compression, b"\0"))
    at = len(head) + 4 * (len(layers) + 2)
    pointers, body = [], b""
    for number, layer in enumerate(layers):
        left, top, wide, tall = layer["box"]
        picture = _drawn(layer).crop((0, 0, wide, tall))
        boxes = [(x, y, min(x + 64, wide), min(y + 64, tall)) for y in range(0, tall, 64) for x in range(0, wide, 64)]
        tiles = [picture.crop(box).tobytes() for box in boxes]
        name = layer["name"].encode() + b"\0"
        properties = [(opacity, pack(">I", 255)), (visible, pack(">I", 1)), (offsets, pack(">ii", left, top))]
        start = pack(">III", wide, tall, 1) + pack(">I", len(name)) + name + block(*([(active, b"")] if number == 0 else []), *properties)
        here = at + len(body)
        hierarchy = here + len(start) + 8
        level = hierarchy + 20
        first = level + 8 + 4 * (len(tiles) + 1)
        places = [first + sum(map(len, tiles[:index])) for index in range(len(tiles))]
        pointers.append(here)
        body += start + pack(">II", hierarchy, 0) + pack(">IIIII", wide, tall, 4, level, 0)
        body += pack(f">II{len(places)}II", wide, tall, *places, 0) + b"".join(tiles)
    return head + pack(f">{len(pointers)}III", *pointers, 0, 0) + body


def _drawn(layer: dict[str, Any]) -> Any:
    """A layer's picture, transparent where nothing is."""
    from PIL import Image, ImageDraw

    _, _, wide, tall = layer["box"]
    picture = Image.new("RGBA", (wide, tall), layer.get("fill", "#00000000"))
    pen = ImageDraw.Draw(picture)
    if colour := layer.get("triangle"):
        for row in range(tall):  # no smoothing: one colour, as the verifier counts them
            half = row * (wide - 2) // (2 * tall)
            ends = (wide // 2 - half, row, wide // 2 + half, row)
            pen.line(ends, fill=colour if row < tall - 1 else "#000000")
            pen.point(ends, fill="#000000")
    if words := layer.get("text"):
        small = Image.new("RGBA", (wide // 4, tall // 4))
        pen = ImageDraw.Draw(small)
        pen.fontmode = "1"
        pen.text((0, 0), words, fill="#000000")
        picture.alpha_composite(small.resize((small.width * 4, small.height * 4), Image.Resampling.NEAREST))
    return picture


def patched(data: str, format: str) -> bytes:
    """The picture in Base64 with its upper left sixteenth turned into the negative."""
    import base64

    from PIL import Image, ImageChops

    picture = Image.open(io.BytesIO(base64.b64decode(data)))
    mode = "RGBA" if "A" in picture.mode and format == "PNG" else "RGB"
    picture = picture.convert(mode)
    box = (0, 0, max(1, picture.width // 4), max(1, picture.height // 4))
    region = ImageChops.invert(picture.crop(box).convert("RGB")).convert(mode)
    picture.paste(region, box)
    out = io.BytesIO()
    picture.save(out, format, **({"quality": 95} if format == "JPEG" else {}))
    return out.getvalue()


def mp3(tags: dict[str, str], seconds: int = 1) -> bytes:
    """Silence, with ID3 tags (``TSSE`` at least, as encoders write it)."""
    from mutagen.id3 import ID3, TIT2, TPE1, TSSE

    frame = bytes.fromhex("fffb9064") + bytes(413)
    out = io.BytesIO(frame * (38 * seconds))
    found = ID3()
    found.add(TSSE(encoding=3, text="Lavf58.29.100"))
    if "title" in tags:
        found.add(TIT2(encoding=3, text=tags["title"]))
    if "artist" in tags:
        found.add(TPE1(encoding=3, text=tags["artist"]))
    found.save(out)
    return out.getvalue()


def video(seconds: int, width: int = 320, height: int = 180, rate: int = 2) -> bytes:
    """A film without sound: Motion JPEG in an AVI (Microsoft's "AVI RIFF File Reference"), which players know by its content."""
    import struct

    from PIL import Image

    def chunk(name: bytes, data: bytes) -> bytes:
        return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)

    def listed(name: bytes, *parts: bytes) -> bytes:
        return chunk(b"LIST", name + b"".join(parts))

    frames = []
    for number in range(seconds * rate):
        out = io.BytesIO()
        Image.new("RGB", (width, height), (number * 40 % 256, 90, 160)).save(out, "JPEG", quality=50)
        frames.append(out.getvalue())
    count, largest = len(frames), max(map(len, frames))
    main = struct.pack("<14I", 1_000_000 // rate, largest * rate, 0, 0x10, count, 0, 1, largest, width, height, 0, 0, 0, 0)
    stream = struct.pack("<4s4sI2H8I4h", b"vids", b"MJPG", 0, 0, 0, 0, 1, rate, 0, count, largest, 0, 0, 0, 0, width, height)
    form = struct.pack("<3I2H4s5I", 40, width, height, 1, 24, b"MJPG", width * height * 3, 0, 0, 0, 0)
    header = listed(b"hdrl", chunk(b"avih", main), listed(b"strl", chunk(b"strh", stream), chunk(b"strf", form)))
    index, at = [], 4
    for frame in frames:
        index.append(struct.pack("<4s3I", b"00dc", 0x10, at, len(frame)))
        at += 8 + len(frame) + len(frame) % 2
    body = header + listed(b"movi", *(chunk(b"00dc", frame) for frame in frames)) + chunk(b"idx1", b"".join(index))
    return chunk(b"RIFF", b"AVI " + body)


_HISTORY = """
CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR, visit_count INTEGER DEFAULT 0 NOT NULL,
    typed_count INTEGER DEFAULT 0 NOT NULL, last_visit_time INTEGER NOT NULL, hidden INTEGER DEFAULT 0 NOT NULL);
CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT, url INTEGER NOT NULL, visit_time INTEGER NOT NULL, from_visit INTEGER,
    external_referrer_url TEXT, transition INTEGER DEFAULT 0 NOT NULL, segment_id INTEGER, visit_duration INTEGER DEFAULT 0 NOT NULL,
    incremented_omnibox_typed_score BOOLEAN DEFAULT FALSE NOT NULL, opener_visit INTEGER, originator_cache_guid TEXT,
    originator_visit_id INTEGER, originator_from_visit INTEGER, originator_opener_visit INTEGER,
    is_known_to_sync BOOLEAN DEFAULT FALSE NOT NULL,
    consider_for_ntp_most_visited BOOLEAN DEFAULT FALSE NOT NULL, visited_link_id INTEGER DEFAULT 0 NOT NULL, app_id TEXT);
"""
"""The two tables that a set-up writes into, with the columns of Chromium 156; the browser adds the rest."""


def history() -> bytes:
    """A browser's history without an entry."""
    import sqlite3

    database = sqlite3.connect(":memory:")
    database.executescript(_HISTORY)
    return database.serialize()


def pdf(lines: list[str]) -> bytes:
    """One page of text."""
    import pymupdf

    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "\n".join(lines))
    return bytes(document.tobytes())


def tar(files: dict[str, str], compression: str) -> bytes:
    """An archive of text files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{compression}") as archive:  # type: ignore[call-overload]
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def archive(files: dict[str, str]) -> bytes:
    """A zip archive of text files."""
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


def text(content: str) -> bytes:
    """A text, for a file that nothing opens."""
    return content.encode()


KINDS = {each.__name__: each for each in (docx, pptx, xlsx, image, xcf, patched, mp3, video, history, pdf, tar, archive, text)}

if __name__ == "__main__":
    wanted = json.load(sys.stdin)
    sys.stdout.buffer.write(KINDS[wanted.pop("kind")](**wanted))
