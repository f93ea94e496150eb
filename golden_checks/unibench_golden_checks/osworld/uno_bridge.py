"""Runs in the guest: the door to the LibreOffice that runs there."""

from __future__ import annotations

import json  # noqa: F401 - what is sent along uses it
import subprocess
import time
from typing import Any
from urllib.parse import unquote

_manager: list[Any] = []


def document(accept: str, path: str) -> Any:
    """The open document of that path.

    A second ``soffice`` hands its ``--accept`` on to the first one, whoever started that.
    """
    import uno

    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    until = time.monotonic() + 40
    starter = None
    while True:
        try:
            _manager[:] = [resolver.resolve("uno:" + accept).ServiceManager]
            break
        except Exception:
            if time.monotonic() > until:
                raise
            if starter is None:
                starter = subprocess.Popen(
                    ["soffice", "--accept=" + accept, "--nologo"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            time.sleep(0.1)
    desktop = _manager[0].createInstance("com.sun.star.frame.Desktop")
    while time.monotonic() < until:
        found = desktop.Components.createEnumeration()
        while found.hasMoreElements():
            component = found.nextElement()
            # One that is still being read has no controller, and would forget what is done to it.
            if unquote(getattr(component, "URL", "")) == "file://" + path and component.CurrentController is not None:
                return component
        time.sleep(0.1)
    raise RuntimeError("no open document is " + path)


def dispatch(doc: Any, command: str, arguments: dict[str, Any]) -> None:
    """One of the app's own commands (``CharFontName``), as its menus and buttons give it."""
    import uno

    given = [uno.createUnoStruct("com.sun.star.beans.PropertyValue") for _ in arguments]
    for one, (name, value) in zip(given, arguments.items(), strict=True):
        one.Name, one.Value = name, value
    _manager[0].createInstance("com.sun.star.frame.DispatchHelper").executeDispatch(
        doc.CurrentController.Frame, ".uno:" + command, "", 0, tuple(given)
    )


def saved(doc: Any) -> str:
    """The document as the app would save it now, in its own format, in Base64; the document itself stays unsaved."""
    import base64
    import tempfile
    from pathlib import Path, PurePosixPath

    import uno

    filters = {".docx": "MS Word 2007 XML", ".pptx": "Impress MS PowerPoint 2007 XML", ".xlsx": "Calc MS Excel 2007 XML"}
    kind = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    kind.Name, kind.Value = "FilterName", filters[PurePosixPath(unquote(doc.URL)).suffix]
    with tempfile.TemporaryDirectory() as folder:
        doc.storeToURL("file://" + folder + "/copy", (kind,))
        return base64.b64encode(Path(folder, "copy").read_bytes()).decode()
