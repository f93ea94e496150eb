"""Edits and read-backs of the document that LibreOffice holds open in the guest, through its own interface (UNO).

The functions that run there are plain Python in modules of their own (``writer_edits``, ``impress_edits``, ``calc_edits``), which
are sent as source: they import nothing but the standard library and, in the guest, ``uno``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import JsonValue

from unibench.golden.control import RecipeFailed
from unibench_golden_checks.osworld import uno_bridge
from unibench_osworld.session import DesktopHandle

ACCEPT = "socket,host=127.0.0.1,port=2083;urp;StarOffice.ComponentContext"


def in_office(handle: DesktopHandle, path: str, function: Callable[..., Any], **params: JsonValue) -> Any:
    """What a function gives when called in the guest with the open document of that path.

    Raises:
        RecipeFailed: the document is not open, or the function raised.
    """
    return _called(handle, function, f"document({ACCEPT!r}, {path!r})", params)


def configured(handle: DesktopHandle, changes: list[list[JsonValue]], asked: list[list[str]]) -> list[Any]:
    """The values of options (path of the node, name) after changes (path, name, value) by LibreOffice's own configuration.

    Raises:
        RecipeFailed: there is no such option, or LibreOffice cannot be reached.
    """
    found: list[Any] = _called(handle, uno_bridge.configured, repr(ACCEPT), {"changes": changes, "asked": asked})
    return found


def _called(handle: DesktopHandle, function: Callable[..., Any], first: str, params: Mapping[str, Any]) -> Any:
    module = inspect.getmodule(function)
    assert module is not None
    lines = [inspect.getsource(each) for each in dict.fromkeys((uno_bridge, module))]
    lines.append(f"result = {function.__name__}({first}, **json.loads({json.dumps(params)!r}))")
    lines.append("print('RESULT ' + json.dumps(result))")
    # `from __future__` must come first, and our own package is not there.
    ours = ("from __future__", "from unibench_golden_checks")
    source = "from __future__ import annotations\n" + "\n".join(line for line in "\n".join(lines).splitlines() if not line.startswith(ours))
    done = handle.guest.execute(["/usr/bin/python3", "-c", source])
    found = done.output.rpartition("RESULT ")[2]
    if done.returncode != 0 or "RESULT " not in done.output:
        last = (done.error.strip().splitlines() or ["nothing was said"])[-1]
        raise RecipeFailed(f"{function.__name__} in LibreOffice: {last}")
    return json.loads(found)
