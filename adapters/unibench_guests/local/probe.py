"""Whether the local desktop works here, found by booting one: the presence of a program or a device proves nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx

from unibench.errors import EnvironmentFault, Unavailable
from unibench.suite import Finding
from unibench_guests.client import GuestClient
from unibench_guests.local import programs
from unibench_guests.local.desktop import BROWSER, LocalDesktop
from unibench_guests.png import png_size

_MEND_BOX = "let unprivileged users make namespaces (sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns)"
_BROWSER_SECONDS = 20.0
_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
_SHEET = f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="{_OASIS}:office:1.0" xmlns:table="{_OASIS}:table:1.0" xmlns:text="{_OASIS}:text:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>
<table:table table:name="probe"><table:table-row><table:table-cell office:value-type="string"><text:p>one</text:p></table:table-cell>
</table:table-row></table:table></office:spreadsheet></office:body></office:document>
""".encode()


def probe() -> list[Finding]:
    """What works, in order; it ends at the first thing that the rest stands on. Takes about five seconds."""
    return list(_findings())


def _findings() -> Iterator[Finding]:
    missing = programs.missing_packages()
    if missing:
        mend = f"apt-get install -y --no-install-recommends {' '.join(missing)}"
        yield Finding(what="local desktop: programs", ok=False, detail=f"missing: {', '.join(missing)}", mend=mend)
        return
    try:
        start = time.monotonic()
        with LocalDesktop() as desktop, GuestClient(desktop.url) as guest:
            yield Finding(what="local desktop: boot", ok=True, detail=f"{time.monotonic() - start:.2f} s")
            width, height = png_size(guest.screenshot())
            yield Finding(what="local desktop: screenshot", ok=True, detail=f"{width}x{height} pixels")
            yield _document(guest)
            yield _browser(desktop, guest)
    except Unavailable as error:
        yield Finding(what="local desktop: boot", ok=False, detail=str(error), mend=_MEND_BOX)
    except EnvironmentFault as error:
        yield Finding(
            what="local desktop", ok=False, detail=str(error), mend="run it again; if it stays, report it with the message's detail"
        )


def _document(guest: GuestClient) -> Finding:
    """A spreadsheet opens in LibreOffice, and AT-SPI sees its window."""
    what = "local desktop: a document in LibreOffice"
    start = time.monotonic()
    guest.upload("/home/user/probe.fods", _SHEET)
    try:
        guest.open_file("/home/user/probe.fods", seconds=60)
    except EnvironmentFault as fault:
        return Finding(what=what, ok=False, detail=str(fault))
    seconds = time.monotonic() - start
    if 'name="soffice"' not in guest.accessibility_tree():
        return Finding(what=what, ok=False, detail="its window is there, but AT-SPI does not see the program")
    return Finding(what=what, ok=True, detail=f"window after {seconds:.1f} s, seen by AT-SPI")


def _browser(desktop: LocalDesktop, guest: GuestClient) -> Finding:
    """Chromium starts under the name chrome, and its DevTools answer through the guest's port 9222."""
    what = "local desktop: the browser"
    start = time.monotonic()
    guest.launch(["google-chrome", f"--remote-debugging-port={BROWSER}"])
    while time.monotonic() - start < _BROWSER_SECONDS:
        try:
            found = httpx.get(f"http://127.0.0.1:{desktop.ports[BROWSER]}/json/version", timeout=5, trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
            continue
        seconds = time.monotonic() - start
        if guest.execute(["pgrep", "-x", "chrome"]).returncode:
            return Finding(what=what, ok=False, detail="no process is named chrome")
        return Finding(what=what, ok=found.status_code == 200, detail=f"DevTools after {seconds:.1f} s")
    return Finding(what=what, ok=False, detail=f"DevTools do not answer within {_BROWSER_SECONDS:g} s")
