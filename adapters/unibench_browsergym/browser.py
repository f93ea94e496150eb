"""Which Chromium, how it is started, and how Playwright drives it: one browser for many episodes."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

from unibench.errors import EnvironmentFault, Unavailable

# The headless shell first: it is what Playwright itself runs headless, as BrowserGym's pinned version does, and it costs
# half of a full browser, which since version 132 starts its whole user interface even when headless.
CANDIDATES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MEND = (
    "install Chromium (Debian: apt install chromium-headless-shell; elsewhere: playwright install chromium), "
    "or set UNIBENCH_CHROMIUM to its executable"
)

# As BrowserGym starts it (browsergym/core/env.py, 0.14.3): with scrollbars that show on screenshots.
_ARGS = ["--disable-features=OverlayScrollbars,ExtendedOverlayScrollbars"]
_NOT_THESE_DEFAULTS = ["--hide-scrollbars"]


def find_chromium(playwright: Playwright | None = None) -> str:
    """The Chromium to run: ``UNIBENCH_CHROMIUM``, else one on PATH, else Playwright's own download.

    Raises:
        Unavailable: there is none; the message says what to install.
    """
    if chosen := os.environ.get("UNIBENCH_CHROMIUM"):
        if not Path(chosen).is_file():
            raise Unavailable(f"UNIBENCH_CHROMIUM={chosen} is no file; {MEND}")
        return chosen
    for name in CANDIDATES:
        if found := shutil.which(name):
            return found
    if playwright is not None and Path(playwright.chromium.executable_path).is_file():
        return playwright.chromium.executable_path
    raise Unavailable(f"no Chromium on PATH; {MEND}")


class BrowserPool:
    """One Playwright driver and one browser for the sessions of a process, started on first use and again after a crash."""

    def __init__(self, slow_mo: float = 0.0) -> None:
        self._slow_mo = slow_mo
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._executable = ""
        self._users = 0

    def join(self) -> None:
        """One more session uses it."""
        self._users += 1

    def leave(self) -> None:
        """One session less; the last one ends driver and browser."""
        self._users -= 1
        if self._users <= 0:
            self.close()

    @property
    def browser(self) -> Browser:
        """The running browser.

        Raises:
            Unavailable: there is no Chromium.
            EnvironmentFault: it does not start.
        """
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._launch()
        return self._browser

    def _launch(self) -> Browser:
        if self._playwright is None:
            self._playwright = sync_playwright().start()
        self._executable = executable = find_chromium(self._playwright)
        try:
            return self._playwright.chromium.launch(
                executable_path=executable,
                slow_mo=self._slow_mo,
                args=_ARGS,
                ignore_default_args=_NOT_THESE_DEFAULTS,
            )
        except Error as error:
            first = str(error).splitlines()[0]
            raise EnvironmentFault(f"{executable} does not start: {first}", detail=str(error)) from None

    @property
    def browser_is_up(self) -> bool:
        return self._browser is not None and self._browser.is_connected()

    @property
    def playwright(self) -> Playwright:
        _ = self.browser
        assert self._playwright is not None
        return self._playwright

    @property
    def version(self) -> str:
        """The browser and its major version, ``"chromium-headless-shell-156"``."""
        found = re.match(r"\d+", self.browser.version)
        return f"{Path(self._executable).stem}-{found.group(0) if found else self.browser.version}"

    def close(self) -> None:
        browser, self._browser = self._browser, None
        driver, self._playwright = self._playwright, None
        try:
            if browser is not None and browser.is_connected():
                browser.close()
        except Error:
            pass  # it is gone already, which is what was asked for
        if driver is not None:
            driver.stop()
