"""An episode's trace: one JSON line a step, bounded in size, with secrets taken out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unibench.files import write_atomic
from unibench.observations import Observation, Screenshot
from unibench.redaction import redacted, secrets

MAX_TEXT = 20_000
"""Characters kept of each text of an observation."""
MAX_BYTES = 20 * 2**20
"""Bytes kept of one trace; what comes after is counted."""


class Trace:
    """Collects an episode's steps and writes them as one file; screenshots beside it.

    Args:
        folder: the episode's folder.
        screenshots: whether to keep them.
    """

    def __init__(self, folder: Path, *, screenshots: bool) -> None:
        self._folder = folder
        self._screenshots = screenshots
        self._lines: list[str] = []
        self._size = 0
        self._left_out = 0
        self._images: list[tuple[str, bytes]] = []
        self._secrets = secrets()

    def add(self, **event: Any) -> None:
        """One line; observations are cut, screenshots become files."""
        values = {name: self._packed(value) for name, value in event.items()}
        # In ASCII: an agent's text may hold what UTF-8 cannot.
        line = json.dumps(values, default=lambda value: redacted(str(value), self._secrets))
        if self._size + len(line) > MAX_BYTES:
            self._left_out += 1
            return
        self._size += len(line)
        self._lines.append(line)

    def _packed(self, value: Any) -> Any:
        if not isinstance(value, Observation):
            return redacted(value, self._secrets)
        packed: dict[str, Any] = {}
        for name, each in value.values.items():
            if isinstance(each, Screenshot):
                packed[name] = self._keep(each.png)
            else:
                # Before the cut, which could leave a part of a secret.
                text = redacted(each if isinstance(each, str) else json.dumps(each, ensure_ascii=False), self._secrets)
                packed[name] = text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} [{len(text) - MAX_TEXT} more characters]"
        return packed

    def _keep(self, png: bytes) -> str:
        if not self._screenshots or self._size + len(png) > MAX_BYTES:
            return f"[{len(png)} bytes]"
        self._size += len(png)
        name = f"{len(self._images):03}.png"
        self._images.append((name, png))
        return name

    def end(self, **event: Any) -> None:
        """The last line, which is kept however long the trace is."""
        self._size = 0
        self.add(**event)

    def write(self) -> None:
        """Writes the trace; called once, when the episode has ended."""
        if self._left_out:
            self._lines.append(json.dumps({"left_out": self._left_out}))
        for name, png in self._images:
            write_atomic(self._folder / name, png)
        write_atomic(self._folder / "trace.jsonl", "\n".join(self._lines) + "\n")
