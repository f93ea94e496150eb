"""Instance parameters as JSON: what upstream draws holds row dataclasses and images, which go in and out unchanged.

A value that JSON has not is an object with one key: ``{"$row": name, "fields": …}`` for a dataclass of
``android_world.task_evals.utils.sqlite_schema_utils``, ``{"$png": text}`` for an image, ``{"$tuple": […]}``, ``{"$bytes": text}``.
"""

from __future__ import annotations

import base64
import dataclasses
import io
from typing import Any

from pydantic import JsonValue

from unibench.errors import ContractBroken, UsageError


def to_json(value: Any) -> JsonValue:
    """A drawn value as JSON.

    Raises:
        ContractBroken: a value of a kind that upstream has not drawn so far.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    if isinstance(value, tuple):
        return {"$tuple": [to_json(item) for item in value]}
    if isinstance(value, dict):
        if any(not isinstance(key, str) or key.startswith("$") for key in value):
            raise ContractBroken(f"a drawn dict has keys that cannot be recorded: {sorted(map(str, value))}")
        return {key: to_json(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value) if field.init}
        return {"$row": type(value).__name__, "fields": fields}
    if hasattr(value, "save") and hasattr(value, "mode"):
        buffer = io.BytesIO()
        value.save(buffer, format="PNG")
        return {"$png": base64.b64encode(buffer.getvalue()).decode()}
    raise ContractBroken(f"upstream drew a {type(value).__name__}, which cannot be recorded")


def from_json(value: Any) -> Any:
    """The drawn value again. Only upstream's row dataclasses, images, bytes and tuples are made, nothing else by name.

    Raises:
        UsageError: the record names something else.
    """
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$tuple" in value:
        return tuple(from_json(item) for item in value["$tuple"])
    if "$bytes" in value:
        return base64.b64decode(value["$bytes"])
    if "$png" in value:
        from PIL import Image

        image = Image.open(io.BytesIO(base64.b64decode(value["$png"])), formats=("PNG",))
        image.load()
        return image
    if "$row" in value:
        return _row_class(str(value["$row"]))(**{name: from_json(item) for name, item in value["fields"].items()})
    return {key: from_json(item) for key, item in value.items()}


def _row_class(name: str) -> Any:
    from android_world.task_evals.utils import sqlite_schema_utils

    found = getattr(sqlite_schema_utils, name, None)
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        raise UsageError(f"the record names the row {name!r}, which android_world's sqlite_schema_utils has not")
    return found
