"""A new instance without a new page: the pages' own ``core.startEpisodeReal``, as Farama's MiniWoB++ environment uses it.

BrowserGym loads the page anew for each episode. Drawing the instance in the page that is there costs some milliseconds
instead of a tenth of a second, and is the same only where nothing of the last episode is left. :mod:`prove_reseeding`
compares the two for a task; the tasks where they were seen to differ are never re-seeded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import Page

if TYPE_CHECKING:
    from browsergym.miniwob.base import AbstractMiniwobTask

PROVEN_ON = "1.1.0"
"""The version of the package ``miniwob`` that was compared; with another, no task is re-seeded."""

DIFFERENT = frozenset(
    {
        "book-flight", "book-flight-nodelay", "choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay",
        "click-checkboxes", "click-checkboxes-large", "click-checkboxes-soft", "click-checkboxes-transfer", "click-dialog",
        "click-dialog-2", "click-option", "click-pie", "click-widget", "copy-paste-2", "drag-box", "drag-cube", "drag-items",
        "drag-items-grid", "drag-sort-numbers", "draw-circle", "draw-line", "enter-date", "enter-time", "find-word",
        "form-sequence", "form-sequence-3", "hot-cold", "navigate-tree", "scroll-text", "scroll-text-2", "stock-market",
        "terminal", "text-editor", "tic-tac-toe", "use-autocomplete", "use-autocomplete-nodelay", "use-colorwheel",
        "use-colorwheel-2", "use-slider", "use-slider-2", "use-spinner",
    }
)  # fmt: skip
"""Tasks whose re-seeded page was seen to differ from a fresh one (three instances each, Chromium's headless shell 156)."""

# The draw is BrowserGym's (browsergym/miniwob/base.py ``setup``, 0.14.3); what comes before takes back what a fresh page
# has not: the last episode's timers, focus, score board, and BrowserGym's marks, which number the elements.
_RESEED = """([seed, maxTime]) => {
  const last = setTimeout(() => 0, 0);
  for (let id = 1; id <= last; id++) { clearTimeout(id); clearInterval(id); }
  if (document.activeElement && document.activeElement !== document.body) document.activeElement.blur();
  window.focus();
  delete window.browsergym_elem_counter;
  delete window.browsergym_frame_id_generator;
  for (const element of document.querySelectorAll('[bid]')) {
    for (const name of ['bid', 'browsergym_visibility_ratio', 'browsergym_set_of_marks']) element.removeAttribute(name);
  }
  WOB_EPISODE_ID = 0;
  core.wob_latest = undefined;
  core.wob_scores = undefined;
  core.EP_TIMER = null;
  Math.seedrandom(seed);
  core.EPISODE_MAX_TIME = maxTime;
  core.startEpisodeReal();
  if (!WOB_TASK_READY) return null;
  const said = core.getUtterance();
  return typeof said === 'object' ? said.utterance : said;
}"""


def may_reseed(task: str, version: str) -> bool:
    """Whether a re-seeded page of this task was seen to be the same as a fresh one."""
    return version == PROVEN_ON and task not in DIFFERENT


def reseed(task: AbstractMiniwobTask, page: Page) -> str:
    """Draws the task's instance in its page, which another instance of the same task has left; gives the goal."""
    task.page = page
    seed = task.random.randint(0, 1000000)
    goal = page.evaluate(_RESEED, [seed, task.episode_max_time])
    if goal is None:
        page.wait_for_function("() => WOB_TASK_READY")
        goal = task._get_goal()
    return str(goal)
