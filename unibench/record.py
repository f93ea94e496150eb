"""The base of everything that is written to a file or sent over the wire, and the digest of it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict

SCHEMA_VERSION = "0.1"
"""The version of every file the tool writes. A reader says so if it meets another."""


class Record(BaseModel):
    """A frozen value with no unknown fields and no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)


def canonical_json(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no spaces, no NaN."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """A short, stable name of a value: the first 32 hex digits of the SHA-256 of its canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:32]
