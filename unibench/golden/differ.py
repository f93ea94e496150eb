"""Where a state that was found differs from the one that was wanted, in few words: large states differ in one row or file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from pydantic import JsonValue

SMALL = 120
"""States of no more characters than this are shown whole."""


def difference(found: JsonValue, wanted: JsonValue) -> str:
    """What ``found`` lacks, has besides, or has otherwise: ``without ["a"], besides ["b"]``; empty if both are the same."""
    if found == wanted and type(found) is type(wanted):
        return ""
    if isinstance(found, dict) and isinstance(wanted, dict):
        lacks = {name: value for name, value in wanted.items() if name not in found}
        more = {name: value for name, value in found.items() if name not in wanted}
        inner = [f"{name}: {said}" for name in wanted if name in found and (said := difference(found[name], wanted[name]))]
        return _joined(lacks, more, inner)
    if isinstance(found, list) and isinstance(wanted, list):
        lacks_, more_ = beyond(wanted, found), beyond(found, wanted)
        if len(lacks_) == len(more_) == 1 and type(lacks_[0]) is type(more_[0]) and isinstance(lacks_[0], dict | list):
            return difference(more_[0], lacks_[0])
        return _joined(lacks_, more_, []) or "in another order"
    return f"{shortened(found)} for {shortened(wanted)}"


def beyond(many: Iterable[JsonValue], others: Iterable[JsonValue]) -> list[JsonValue]:
    """The values of ``many`` that ``others`` lack, counted, in their order."""
    left = Counter(map(_text, others))
    found = []
    for value in many:
        if left[_text(value)] > 0:
            left[_text(value)] -= 1
        else:
            found.append(value)
    return found


def shortened(value: JsonValue, size: int = SMALL) -> str:
    """A value as JSON, cut where it is longer than ``size`` characters."""
    text = _text(value)
    return text if len(text) <= size else text[: size - 3] + "..."


def _joined(lacks: JsonValue, more: JsonValue, inner: list[str]) -> str:
    said = [f"without {shortened(lacks)}"] if lacks else []
    said += [f"besides {shortened(more)}"] if more else []
    return ", ".join([*said, *inner])


def _text(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
