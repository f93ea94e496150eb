"""Real input to the guest's programs, and what their windows show: ``widgets.py``, run in the guest."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

from pydantic import JsonValue

from unibench.golden.control import RecipeFailed
from unibench_golden_checks.osworld import widgets
from unibench_golden_checks.osworld.settings import Make, Read
from unibench_osworld.session import DesktopHandle

Step = tuple[str | float, ...]


def in_guest(handle: DesktopHandle, function: Callable[..., Any], *given: Any) -> Any:
    """What a function of ``widgets.py`` gives in the guest.

    Raises:
        RecipeFailed: it raised.
    """
    call = f"result = {function.__name__}(*json.loads({json.dumps(given)!r}))\nprint('RESULT ' + json.dumps(result))"
    done = handle.guest.execute(["/usr/bin/python3", "-c", f"{inspect.getsource(widgets)}\nimport json\n{call}"], seconds=200)
    found = done.output.rpartition("RESULT ")[2]
    if done.returncode != 0 or "RESULT " not in done.output:
        last = (done.error.strip().splitlines() or ["nothing was said"])[-1]
        raise RecipeFailed(f"{function.__name__} on the screen: {last}")
    return json.loads(found)


def by_input(app: str, *steps: Step) -> Make:
    """A state that mouse and keys make (``widgets.follow``)."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        in_guest(handle, widgets.follow, app, steps)
        return [list(step) for step in steps]

    return make


def shown(app: str, role: str) -> Read:
    """The names of an application's shown widgets of a role."""

    def read(handle: DesktopHandle) -> JsonValue:
        found: JsonValue = in_guest(handle, widgets.names, app, role)
        return found

    return read
