"""Skips, with the command that mends it, where the guests' programs are not installed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unibench.errors import Unavailable
from unibench_guests.client import GuestClient
from unibench_guests.local import Desktop, LocalDesktop, check_installed

SCREEN = (1024, 640)
"""Smaller than a desktop is by default: fewer cells of a spreadsheet show, and its tree is read sooner."""


@pytest.fixture(scope="session")
def installed(sandboxed: None) -> None:
    try:
        check_installed()
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def desktop(installed: None) -> Iterator[LocalDesktop]:
    with LocalDesktop(Desktop(screen=SCREEN)) as running:
        yield running


@pytest.fixture(scope="module")
def guest(desktop: LocalDesktop) -> Iterator[GuestClient]:
    with GuestClient(desktop.url) as client:
        yield client
