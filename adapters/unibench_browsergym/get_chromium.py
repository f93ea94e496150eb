"""``python -m unibench_browsergym.get_chromium``: sees to it that there is a browser.

What is on PATH; else Debian's package, where root and apt are there; else Playwright's download; else one message.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from unibench.errors import Unavailable
from unibench_browsergym.browser import MEND, find_chromium

_UPDATE = ["apt-get", "update"]
# Without fonts, pages would show boxes.
_INSTALL = ["apt-get", "install", "-y", "--no-install-recommends", "fonts-dejavu-core"]
_PACKAGES = ("chromium-headless-shell", "chromium")
_PLAYWRIGHT = [sys.executable, "-m", "playwright", "install", "chromium"]


def get_chromium() -> str:
    """The browser's executable, installed if need be.

    Raises:
        Unavailable: it is not there and cannot be installed.
    """
    from playwright.sync_api import sync_playwright

    try:
        with sync_playwright() as playwright:
            return find_chromium(playwright)
    except Unavailable:
        pass
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        if _runs(_UPDATE, quiet) and any(_runs([*_INSTALL, package], quiet) for package in _PACKAGES):
            return find_chromium()
    if _runs(_PLAYWRIGHT, dict(os.environ)):
        with sync_playwright() as playwright:
            return find_chromium(playwright)
    raise Unavailable(f"there is no Chromium, and it could not be installed; {MEND}")


def _runs(command: list[str], environment: dict[str, str]) -> bool:
    sys.stderr.write(f"+ {' '.join(command)}\n")
    try:
        return subprocess.run(command, env=environment, stdout=sys.stderr, check=False).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    try:
        sys.stdout.write(get_chromium() + "\n")
    except Unavailable as error:
        sys.stderr.write(f"unibench: {error}\n")
        sys.exit(error.exit_code)
