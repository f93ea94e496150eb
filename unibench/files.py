"""Files that are whole or not there: atomic writes, and reads that say what is wrong."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from unibench.errors import FileProblem
from unibench.record import SCHEMA_VERSION, Record

R = TypeVar("R", bound=Record)


def write_atomic(path: Path, data: bytes | str) -> None:
    """Writes a file so that a reader sees the old one or the new one, never half of one.

    Raises:
        FileProblem: the folder cannot be written, the disk is full …
    """
    data = data.encode(errors="backslashreplace") if isinstance(data, str) else data
    path = _regular(path)
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise FileProblem(f"cannot write {path}: {error.strerror or error}") from None


def _regular(path: Path) -> Path:
    """The file behind a link.

    Raises:
        FileProblem: it is there and no regular file (a device, a pipe): replacing it would destroy it.
    """
    try:
        path = path.resolve()
        if path.is_dir():
            raise FileProblem(f"cannot write {path}: it is a folder; name a file")
        if path.exists() and not path.is_file():
            raise FileProblem(f"cannot write {path}: it is no regular file")
    except (OSError, RuntimeError) as error:
        raise FileProblem(f"cannot write {path}: {error}") from None
    return path


def check_writable(path: Path) -> None:
    """Tries whether a file could be written there, before hours of work depend on it.

    Raises:
        FileProblem: it cannot.
    """
    path = _regular(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", suffix=".part") as probe:
            probe.write(b"\0" * 4096)
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        raise FileProblem(f"cannot write {path}: {error.strerror or error}") from None


def read_json(path: Path) -> Any:
    """The JSON value in a file.

    Raises:
        FileProblem: it is not there, not readable, or no JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise FileProblem(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise FileProblem(f"cannot read {path}: it is no JSON ({error})") from None


def read_record(path: Path, model: type[R], what: str) -> R:
    """A record from a file that the tool wrote.

    Args:
        what: a noun for messages ("ledger").

    Raises:
        FileProblem: it is no such file, or of a version that this unibench does not read.
    """
    value = read_json(path)
    if not isinstance(value, dict) or value.get("kind") != model.model_fields["kind"].default:
        raise FileProblem(f"{path} is no {what} (it does not say kind: {model.model_fields['kind'].default!r})")
    found = str(value.get("schema_version"))
    if found != SCHEMA_VERSION:
        raise FileProblem(f"{path} is a {what} of schema version {found}; this unibench reads {SCHEMA_VERSION}; make it anew")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise FileProblem(f"{path} is a broken {what}: {where}: {first['msg']}") from None
