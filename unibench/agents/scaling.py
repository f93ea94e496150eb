"""Screenshots scaled for a model, and the way back from the model's coordinates to the screenshot's.

An agent's points are pixels of the unscaled screenshot. Models see another size; an agent that scales does so here, so that what it
showed and how it mapped points back is one spec, which it puts on record.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Self

from unibench.errors import UsageError
from unibench.observations import Screenshot

_SPEC = re.compile(r"(\d{1,5})x(\d{1,5})(,pad)?")


@dataclass(frozen=True)
class Scaling:
    """To ``width`` × ``height`` pixels.

    With ``pad`` the screenshot keeps its proportions, lies in the picture's top left corner, and black fills the rest; without, it
    is stretched to the picture.
    """

    width: int
    height: int
    pad: bool = False

    @classmethod
    def parse(cls, spec: str) -> Self:
        """From ``WxH`` or ``WxH,pad``, as in ``screenshot@1280x720,pad``.

        Raises:
            UsageError: it is no such text.
        """
        found = _SPEC.fullmatch(spec)
        if found is None or not (int(found[1]) and int(found[2])):
            raise UsageError(f"{spec!r} is no size; write WxH or WxH,pad, as in screenshot@1280x720,pad")
        return cls(int(found[1]), int(found[2]), found[3] is not None)

    def __str__(self) -> str:
        return f"{self.width}x{self.height}" + (",pad" if self.pad else "")

    def inner(self, size: tuple[int, int]) -> tuple[int, int]:
        """The part of the picture, width and height from its top left corner, that a screenshot of this size fills."""
        width, height = size
        if not self.pad:
            return (self.width, self.height)
        factor = min(self.width / width, self.height / height)
        return (max(1, min(self.width, round(width * factor))), max(1, min(self.height, round(height * factor))))

    def forward(self, x: float, y: float, size: tuple[int, int]) -> tuple[float, float]:
        """Where a point of a screenshot of this size is in the picture."""
        inner = self.inner(size)
        return (x * inner[0] / size[0], y * inner[1] / size[1])

    def inverse(self, x: float, y: float, size: tuple[int, int]) -> tuple[float, float]:
        """Where a point of the picture is on a screenshot of this size; a point in the padding or outside is taken to the edge."""
        inner = self.inner(size)
        found_x, found_y = x * size[0] / inner[0], y * size[1] / inner[1]
        return (min(max(found_x, 0.0), size[0] - 1.0), min(max(found_y, 0.0), size[1] - 1.0))

    def picture(self, shot: Screenshot) -> bytes:
        """The scaled screenshot as a PNG file's bytes."""
        from PIL import Image

        with Image.open(io.BytesIO(shot.png)) as image:
            scaled = image.convert("RGB").resize(self.inner(image.size), Image.Resampling.LANCZOS)
        if scaled.size != (self.width, self.height):
            whole = Image.new("RGB", (self.width, self.height))
            whole.paste(scaled, (0, 0))
            scaled = whole
        file = io.BytesIO()
        scaled.save(file, format="PNG")
        return file.getvalue()
