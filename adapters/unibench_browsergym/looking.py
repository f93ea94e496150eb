"""Observations of a page by name, with upstream's own extraction, only for what was asked."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from typing import Any

from browsergym.core import observation as upstream
from browsergym.core.constants import BROWSERGYM_ID_ATTRIBUTE, EXTRACT_OBS_MAX_TRIES
from playwright.sync_api import CDPSession, Error, Page

from unibench.observations import Observation, Screenshot

_NEEDS_MARKS = {"axtree", "dom", "axtree_object", "dom_object", "extra_element_properties", "focused"}
_NEEDS_DOM = {"dom", "dom_object", "extra_element_properties"}
_NEEDS_PROPERTIES = {"axtree", "dom", "extra_element_properties"}
_PASSING = (
    "Frame was detached",
    "Frame with the given frameId is not found",
    "Execution context was destroyed",
    "Frame has been detached",
    "Cannot mark a child frame without a bid",
    "Cannot read properties of undefined",
)
"""Errors of a page in motion, which upstream tries again (browsergym/core/env.py, 0.14.3)."""

# The element that has the focus, through shadow roots; null if it is a frame.
_FOCUSED = """attribute => {
  let focused = document.activeElement;
  while (focused && focused.shadowRoot) focused = focused.shadowRoot.activeElement;
  if (!focused) return '';
  return /^I?FRAME$/.test(focused.tagName) ? null : focused.getAttribute(attribute) || '';
}"""


def focused_ref(page: Page) -> str:
    """What upstream's ``extract_focused_element_bid`` gives, in one question instead of four where no frame has the focus."""
    ref = page.evaluate(_FOCUSED, BROWSERGYM_ID_ATTRIBUTE)
    return str(upstream.extract_focused_element_bid(page) if ref is None else ref)


class Looker:
    """Looks at one page.

    Args:
        tags_to_mark: which elements get a ref, as upstream's setting of that name.
    """

    def __init__(self, page: Page, tags_to_mark: str) -> None:
        self.page = page
        self._tags = tags_to_mark
        self._cdp: CDPSession | None = None

    def observe(self, names: Sequence[str], others: dict[str, Callable[[], Any]]) -> Observation:
        """The named observations; ``others`` gives those that are not the page's."""
        wanted = set(names)
        values: dict[str, Any] = {}
        seconds: dict[str, float] = {}
        start = time.perf_counter()
        if wanted & _NEEDS_MARKS:
            marked = self._marked(wanted)
            for name in wanted & _NEEDS_MARKS:
                values[name] = marked[name]
            seconds["marks"] = time.perf_counter() - start
        for name in names:
            if name in values:
                continue
            start = time.perf_counter()
            values[name] = self.screenshot() if name == "screenshot" else others[name]()
            seconds[name] = time.perf_counter() - start
        return Observation({name: values[name] for name in names}, seconds)

    def screenshot(self) -> Screenshot:
        """The viewport at upstream's zoom, as ``extract_screenshot`` takes it, but left as the PNG that Chromium gives."""
        if self._cdp is None:
            self._cdp = self.page.context.new_cdp_session(self.page)
        size = self.page.viewport_size or {"width": 1280, "height": 720}
        zoom = getattr(self.page, "_bgym_scale_factor", 1.0)
        metrics = {"width": size["width"], "height": size["height"], "mobile": False}
        self._cdp.send("Emulation.setDeviceMetricsOverride", {**metrics, "deviceScaleFactor": zoom})
        try:
            data = self._cdp.send("Page.captureScreenshot", {"format": "png"})["data"]
        finally:
            self._cdp.send("Emulation.setDeviceMetricsOverride", {**metrics, "deviceScaleFactor": 1.0})
        return Screenshot(base64.b64decode(data))

    def _marked(self, wanted: set[str]) -> dict[str, Any]:
        for left in reversed(range(EXTRACT_OBS_MAX_TRIES)):
            try:
                upstream._pre_extract(self.page, tags_to_mark=self._tags, lenient=left == 0)
                values = self._extract(wanted)
            except (Error, upstream.MarkingError) as error:
                if left == 0 or not any(text in str(error) for text in _PASSING):
                    raise
                upstream._post_extract(self.page)
                self.page.wait_for_timeout(100)
                continue
            upstream._post_extract(self.page)
            return values
        raise AssertionError("unreachable")

    def _extract(self, wanted: set[str]) -> dict[str, Any]:
        from browsergym.utils import obs as flat

        values: dict[str, Any] = {}
        dom = upstream.extract_dom_snapshot(self.page) if wanted & _NEEDS_DOM or "axtree" in wanted else None
        axtree = upstream.extract_merged_axtree(self.page) if wanted & {"axtree", "axtree_object"} else None
        properties = None
        if dom is not None and wanted & _NEEDS_PROPERTIES:
            zoom = getattr(self.page, "_bgym_scale_factor", 1.0)
            properties = upstream.extract_dom_extra_properties(dom, scale_factor=zoom)
        if "axtree" in wanted:
            values["axtree"] = flat.flatten_axtree_to_str(
                axtree, extra_properties=properties, with_clickable=True, filter_visible_only=False
            )
        if "dom" in wanted:
            values["dom"] = flat.prune_html(flat.flatten_dom_to_str(dom, extra_properties=properties))
        if "focused" in wanted:
            values["focused"] = focused_ref(self.page)
        return {**values, "dom_object": dom, "axtree_object": axtree, "extra_element_properties": properties}
