"""What may stand in a record: text without secrets, and text that can be written as UTF-8."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

REDACTED = "[redacted]"
SHORTEST = 8
"""Characters from which on a secret is looked for in texts; what is shorter would be found in any text."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_WORD = re.compile(
    r".*(?<!hot)(?<!mon)keys?|.*tokens?|.*secrets?|passw.*|.*password|.*pwd|.*passphrase|.*auth|authorization|.*credentials?"
)
_COUNT = re.compile(r"[0-9._]{1,7}[kKmM]?")
_ROUNDS = 600_000
_FOLDERS = {"PWD", "OLDPWD"}

_kept: set[str] = set()


def is_secret(name: str, value: str) -> bool:
    """Whether the name says that the value is secret; ``max_tokens=99`` is a count, and ``keyboard`` is no key."""
    found = [word.lower() for word in _WORDS.findall(name) if _SECRET_WORD.fullmatch(word.lower())]
    counts = all(word.endswith(("token", "tokens")) for word in found) and _COUNT.fullmatch(value)
    return bool(found) and not counts


def keep_secret(value: str) -> None:
    """Has one more value taken out of texts, in this process."""
    _kept.add(value)


def secrets() -> list[str]:
    """The secrets to look for, in each form in which an error or a file may show them; longer ones first."""
    values = {value for name, value in os.environ.items() if name not in _FOLDERS and is_secret(name, value)} | _kept
    forms = {form for value in values for form in _forms(value) if len(form) >= SHORTEST}
    return sorted(forms, key=len, reverse=True)


def _forms(value: str) -> set[str]:
    whole = {value, value.strip()}
    return (
        whole
        | {
            form
            for each in whole
            for form in (repr(each)[1:-1], ascii(each)[1:-1], json.dumps(each)[1:-1], json.dumps(each, ensure_ascii=False)[1:-1])
        }
        | {quote(each, safe="", errors="replace") for each in whole}
    )


def redacted(value: Any, known: list[str] | None = None) -> Any:
    """A text, or all texts in a JSON value, without secrets.

    Args:
        known: what :func:`secrets` gave, for many calls.
    """
    known = secrets() if known is None else known
    if isinstance(value, str):
        for secret in known:
            value = value.replace(secret, REDACTED)
        return value
    if isinstance(value, Mapping):
        return {redacted(name, known): redacted(each, known) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [redacted(each, known) for each in value]
    return value


def on_record(value: Any) -> Any:
    """A text, or all texts in a JSON value, as a record can keep them: no secrets, and lone surrogates written as ``\\ud83d``."""
    return _encodable(redacted(value))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(name): _encodable(each) for name, each in value.items()}
    return [_encodable(each) for each in value] if isinstance(value, list) else value


def withheld_digest(arguments: Mapping[str, str], salt: str) -> str:
    """Names the arguments if anything of them is not on record; by a slow hash (PBKDF2), so that a password is not found by trying."""
    if redacted_arguments(arguments) == dict(arguments):
        return ""
    text = json.dumps(arguments, sort_keys=True).encode()
    return hashlib.pbkdf2_hmac("sha256", text, f"unibench {salt}".encode(), _ROUNDS).hex()[:32]


def redacted_arguments(arguments: Mapping[str, str]) -> dict[str, str]:
    """An agent's arguments for the record: values whose names say that they are secret are taken out, here and in later texts."""
    for name, value in arguments.items():
        if is_secret(name, value):
            keep_secret(value)
    return {on_record(name): REDACTED if is_secret(name, value) else on_record(value) for name, value in arguments.items()}
