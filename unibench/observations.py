"""What an agent sees, by name: only what was asked for, taken together, each timed."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Screenshot:
    """A screenshot as it was captured, decoded on use.

    Attributes:
        png: the PNG file's bytes.
    """

    png: bytes

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels, from the PNG's header."""
        if self.png[:8] != _PNG:
            raise ValueError("a screenshot is a PNG file; these bytes are none")
        width, height = struct.unpack(">II", self.png[16:24])
        return (width, height)

    def array(self) -> NDArray[np.uint8]:
        """The pixels: shape (height, width, 3), RGB, uint8. Needs Pillow."""
        import io

        import numpy as np
        from PIL import Image

        with Image.open(io.BytesIO(self.png)) as image:
            return np.asarray(image.convert("RGB"), dtype=np.uint8)


@dataclass(frozen=True)
class Observation:
    """What was asked for, by name.

    Attributes:
        values: a :class:`Screenshot` for ``screenshot``; JSON values else.
        seconds: how long each took.
    """

    values: dict[str, Any]
    seconds: dict[str, float] = field(default_factory=dict, compare=False)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def __contains__(self, name: object) -> bool:
        return name in self.values

    def get(self, name: str, default: Any = None) -> Any:
        return self.values.get(name, default)
