"""What the wrappers share."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from unibench.observations import Observation, Screenshot


def describe(wrapper: str, agent: Any) -> dict[str, Any]:
    """What a wrapped agent says of itself, with the wrapper's name and the class behind it."""
    own = agent.describe() if callable(getattr(agent, "describe", None)) else {}
    cls = type(agent)
    return {**(own if isinstance(own, dict) else {"describe": own}), "wrapper": wrapper, "class": f"{cls.__module__}.{cls.__qualname__}"}


def pixels(observation: Observation) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The screenshot's pixels: (height, width, 3), uint8."""
    shot = observation["screenshot"]
    assert isinstance(shot, Screenshot)
    return shot.array()


def takes(call: Callable[..., Any], *arguments: Any) -> bool:
    """Whether a call can be made with these positional arguments."""
    try:
        inspect.signature(call).bind(*arguments)
    except TypeError:
        return False
    except ValueError:
        return True  # it does not say
    return True


def numbers(values: Any) -> dict[str, float]:
    """The finite numbers of a mapping, whatever their type (numpy's, say, or Decimal); what is no such number is left out."""
    found = {str(name): _number(value) for name, value in values.items()} if isinstance(values, Mapping) else {}
    return {name: value for name, value in found.items() if value is not None and math.isfinite(value)}


def _number(value: Any) -> float | None:
    if isinstance(value, (str, bytes, bytearray)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None
