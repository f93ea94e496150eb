"""The conformance suite on MiniWoB++."""

from __future__ import annotations

from typing import ClassVar

import pytest

from unibench.testing import SuiteContract


@pytest.mark.browser
class TestMiniwob(SuiteContract):
    suite: ClassVar[str] = "miniwob"
    tasks: ClassVar[tuple[str, ...]] = ("click-test", "enter-text")
    golden: ClassVar[tuple[str, ...]] = ("click-test", "click-test-2", "click-button-sequence")
    upstream_modules: ClassVar[tuple[str, ...]] = ("browsergym", "miniwob")
