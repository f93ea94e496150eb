"""Runs in the guest: the door to the LibreOffice that runs there."""

from __future__ import annotations

import json  # noqa: F401 - what is sent along uses it
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

_manager: list[Any] = []


def connected(accept: str) -> Any:
    """The component context of the office that runs there, which is started where none does.

    A second ``soffice`` hands its ``--accept`` on to the first one, whoever started that. It waits for the first one's window:
    of two that start together either may be the first, and where the first is not ready the second one hangs beside it and writes the
    settings that it had read over the changed ones.
    """
    import uno

    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    until = time.monotonic() + 60
    starter = None
    while True:
        try:
            context = resolver.resolve("uno:" + accept)
            break
        except Exception:
            if time.monotonic() > until:
                if starter is None:
                    raise RuntimeError("LibreOffice runs, and its window does not show") from None
                raise
            if starter is None and (_shown() or not _running("libreoffice", "soffice", "oosplash", "soffice.bin")):
                starter = subprocess.Popen(
                    ["soffice", "--accept=" + accept, "--nologo", "--norestore"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            time.sleep(0.1)
    while _running("soffice.bin") > 1:
        if time.monotonic() > until:
            raise RuntimeError("two offices run on one profile")
        time.sleep(0.05)
    return context


def _running(*names: str) -> int:
    count = 0
    for process in Path("/proc").glob("[0-9]*/comm"):
        try:
            count += process.read_text().strip() in names
        except OSError:  # It ended.
            continue
    return count


def _shown() -> bool:
    listed = subprocess.run(["wmctrl", "-lx"], capture_output=True, text=True, errors="replace", check=False).stdout
    classes = [row.split()[2].lower() for row in listed.splitlines() if len(row.split()) > 2]
    return any("libreoffice" in each or "soffice" in each for each in classes)


def document(accept: str, path: str) -> Any:
    """The open document of that path."""
    _manager[:] = [connected(accept).ServiceManager]
    desktop = _manager[0].createInstance("com.sun.star.frame.Desktop")
    until = time.monotonic() + 40
    while time.monotonic() < until:
        found = desktop.Components.createEnumeration()
        while found.hasMoreElements():
            component = found.nextElement()
            # One that is still being read has no controller, and would forget what is done to it.
            if unquote(getattr(component, "URL", "")) == "file://" + path and component.CurrentController is not None:
                return component
        time.sleep(0.1)
    raise RuntimeError("no open document is " + path)


def configured(accept: str, changes: list[Any], asked: list[Any]) -> list[Any]:
    """The values of options (path of the node, name) after changes (path, name, value), which are in the profile's file then."""
    import uno

    provider = connected(accept).getValueByName("/singletons/com.sun.star.configuration.theDefaultProvider")

    def node(path: str, access: str) -> Any:
        given = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
        given.Name, given.Value = "nodepath", path
        return provider.createInstanceWithArguments("com.sun.star.configuration.Configuration" + access, (given,))

    for path, name, value in changes:
        there = node(path, "UpdateAccess")
        there.setPropertyValue(name, value)
        there.commitChanges()
    provider.flush()
    return [node(path, "Access").getPropertyValue(name) for path, name in asked]


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
    from pathlib import PurePosixPath

    import uno

    filters = {".docx": "MS Word 2007 XML", ".pptx": "Impress MS PowerPoint 2007 XML", ".xlsx": "Calc MS Excel 2007 XML"}
    kind = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    kind.Name, kind.Value = "FilterName", filters[PurePosixPath(unquote(doc.URL)).suffix]
    with tempfile.TemporaryDirectory() as folder:
        doc.storeToURL("file://" + folder + "/copy", (kind,))
        return base64.b64encode(Path(folder, "copy").read_bytes()).decode()
