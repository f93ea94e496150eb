"""Compares a re-seeded page with a freshly loaded one: ``python -m unibench_browsergym.miniwob.prove_reseeding [TASK…]``.

Each task is left in a mess first (clicks, drags, typing, at drawn places), since a page that nobody touched proves little.
Compared are the goal, the document with what is set on its elements, the page's own global values, the listeners and what
an agent would see. Prints a line a task that differs, and exits with 1 if one does that :data:`reseeding.DIFFERENT` does not name.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

from unibench.actions import Native
from unibench_browsergym.miniwob import VIEWPORT, MiniwobSettings
from unibench_browsergym.miniwob.reseeding import DIFFERENT
from unibench_browsergym.miniwob.session import MiniwobSession
from unibench_browsergym.miniwob.suite import MiniwobSuite

# jQuery and jQuery UI number what they make, across the page's life; the numbers mean nothing, their order does.
_STATE = r"""() => {
  const seen = new Map();
  const plain = text => String(text).replace(/(ui-id-|ui-datepicker-|jQuery|dp)\d+/g, (all, kind) => {
    if (!seen.has(all)) seen.set(all, kind + '#' + seen.size);
    return seen.get(all);
  });
  const native = document.createElement('iframe');
  document.documentElement.appendChild(native);
  const known = new Set(Object.getOwnPropertyNames(native.contentWindow));
  native.remove();
  const shown = (value, depth) => {
    if (typeof value === 'function') return 'function';
    if (typeof value === 'number' && value > 1e12) return 'a time';
    if (value === null || typeof value !== 'object') return plain(value);
    if (value instanceof Node || value === window) return 'node';
    if (depth > 3) return Array.isArray(value) ? 'array' : 'object';
    if (Array.isArray(value)) return value.slice(0, 200).map(each => shown(each, depth + 1));
    return Object.keys(value).sort().map(name => [plain(name), shown(value[name], depth + 1)]);
  };
  const skipped = /^(core|jQuery|\$|d3|_|Math|WOB_EPISODE_ID|__display.*|__query.*|utterance|elem|elem_id|i)$/;
  const globals = Object.getOwnPropertyNames(window).filter(name => !known.has(name) && !skipped.test(name) && !/^\d+$/.test(name));
  const elements = [];
  for (const el of document.querySelectorAll('*')) {
    if (el.closest('script')) continue;
    const own = [...el.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join('|');
    const events = window.jQuery && jQuery._data(el, 'events');
    elements.push(plain([
      el.tagName, [...el.attributes].map(a => a.name + '=' + a.value).sort().join(' '), own,
      el.value, el.checked, el.selected, el.disabled, el.scrollTop, el.scrollLeft, el === document.activeElement,
      events ? Object.keys(events).sort().map(name => name + events[name].length) : '',
    ].join('\u0001')));
  }
  return {
    elements, globals: globals.sort().map(name => [name, shown(window[name], 0)]),
    selection: String(getSelection()), scroll: [scrollX, scrollY], done: [WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL, WOB_REWARD_REASON],
  };
}"""


def mess(page_seed: int) -> Iterator[str]:
    """Actions that leave something behind, drawn from a seed, in BrowserGym's dialect."""
    draw = random.Random(page_seed)

    def place() -> tuple[int, int]:
        return draw.randint(2, 160), draw.randint(52, 208)

    for _ in range(4):
        (x, y), (to_x, to_y) = place(), place()
        yield f"mouse_click({x}, {y})"
        yield f"mouse_drag_and_drop({x}, {y}, {to_x}, {to_y})"
        yield f"keyboard_type('{draw.choice(['ab', '12', 'x y'])}')"
        yield draw.choice(["keyboard_press('Tab')", "keyboard_press('Control+a')", "scroll_at(80, 120, 0, 60)", "keyboard_press('Enter')"])


def listeners(page: Page) -> list[str]:
    """How many listeners of each kind every element has, jQuery's or not."""
    cdp = page.context.new_cdp_session(page)
    try:
        found: list[str] = []
        for where in ("window", "document", *(f"document.querySelectorAll('*')[{n}]" for n in range(page.locator("*").count()))):
            thing = cdp.send("Runtime.evaluate", {"expression": where})["result"]
            if "objectId" in thing:
                heard = cdp.send("DOMDebugger.getEventListeners", {"objectId": thing["objectId"]})["listeners"]
                found += [f"{where} {each['type']}" for each in heard]
        return sorted(found)
    finally:
        cdp.detach()


def state(session: MiniwobSession) -> dict[str, Any]:
    """All that is compared."""
    page = session.handle.page
    session.settle()
    # First, for looking marks the elements, and a page that was looked at before has marks already.
    seen = session.observe(["screenshot", "axtree", "dom"])
    found: dict[str, Any] = {"goal": session.handle.goal, **page.evaluate(_STATE)}
    found["listeners"] = listeners(page)
    found["lexical"] = _lexical(page)
    return {**found, "axtree": seen["axtree"], "dom": seen["dom"], "screenshot": seen["screenshot"].array().tobytes()}


def _lexical(page: Page) -> list[Any]:
    """The values of the page's top-level ``let`` and ``const``."""
    cdp = page.context.new_cdp_session(page)
    try:
        names = cdp.send("Runtime.globalLexicalScopeNames")["names"]
        text = "(() => { try { return JSON.stringify(%s) || '' } catch (e) { return '' } })()"
        return [[name, cdp.send("Runtime.evaluate", {"expression": text % name})["result"].get("value", "")] for name in sorted(names)]
    finally:
        cdp.detach()


def differences(reseeding: MiniwobSession, loading: MiniwobSession, suite: MiniwobSuite, task: str, seed: int) -> list[str]:
    """What differs between the instance in a used page and the same in a fresh one."""
    reseeding.reset(suite.draw(task, seed + 1000))
    for action in mess(seed):
        reseeding.act(Native(dialect="browsergym", code=action))
    spec = suite.draw(task, seed)
    before = reseeding.episode.page
    reseeding.reset(spec)
    loading.reset(spec)
    if reseeding.episode.page is not before:
        return []  # the mess closed, left or reloaded the page, which is then loaded anew
    used, fresh = state(reseeding), state(loading)
    return [name for name in fresh if used[name] != fresh[name]]


def main(tasks: list[str]) -> int:
    """Compares the named tasks, or all."""
    suite = MiniwobSuite()
    names = tasks or [task.id for task in suite.tasks()]
    sessions = [suite.open(MiniwobSettings(reseed_in_page=on), "chromium") for on in (True, False)]
    reseeding, loading = (session for session in sessions if isinstance(session, MiniwobSession))
    found: dict[str, set[str]] = {}
    for task in names:
        for seed in range(3):
            if what := differences(reseeding, loading, suite, task, seed):
                found.setdefault(task, set()).update(what)
        if task in found:
            sys.stdout.write(f"{task}: {', '.join(sorted(found[task]))}\n")
            sys.stdout.flush()
    for session in sessions:
        session.close()
    unknown = sorted(set(found) - DIFFERENT)
    sys.stdout.write(f"{len(names)} compared at {VIEWPORT[0]}x{VIEWPORT[1]}, {len(found)} differ, not on the list: {unknown or 'none'}\n")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
