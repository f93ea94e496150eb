"""With the same seed and the same native actions, stock BrowserGym gives the same goal, reward and end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unibench import registry
from unibench.actions import Native
from unibench_browsergym.browser import find_chromium
from unibench_browsergym.miniwob import MiniwobSettings

pytestmark = pytest.mark.browser

EPISODES: list[tuple[str, int, list[str]]] = [
    ("click-test", 0, ["noop(0)", "click('{button 'Click Me!'}')"]),
    ("click-test-2", 3, ["click('{button 'TWO'}')"]),
    ("click-checkboxes", 0, ["click('{button 'Submit'}')"]),
    ("enter-text", 4, ["fill('{textbox}', 'nonsense')", "click('{button 'Submit'}')"]),
    ("choose-list", 1, ["select_option('{combobox}', 'no such option')", "click('{button 'Submit'}')"]),
    ("click-button-sequence", 2, ["click('{button 'ONE'}')", "click('{button 'TWO'}')"]),
    ("click-test", 1, ["click('99999')", "no_such_action('x')", "", "goto('about:blank')"]),
    ("click-test", 2, ["send_msg_to_user('done')", "mouse_click(5, 5)", "new_tab()"]),
    ("click-test", 3, ["report_infeasible('cannot be done')"]),
    ("circle-center", 5, ["mouse_click(100, 200)", "keyboard_press('Tab')", "click('{button 'Submit'}')"]),
]


@pytest.fixture(scope="module")
def stock() -> list[dict[str, Any]]:
    script = Path(__file__).with_name("stock_browsergym.py")
    done = subprocess.run(
        [sys.executable, str(script), find_chromium()], input=json.dumps(EPISODES), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    played: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return played


@pytest.mark.parametrize(
    "settings",
    [MiniwobSettings(), MiniwobSettings(pre_observation_delay=0.5, slow_mo=100.0, allow_any_url=True)],
    ids=["our timing", "upstream's timing"],
)
def test_the_same_goal_reward_and_end(stock: list[dict[str, Any]], settings: MiniwobSettings) -> None:
    with registry.open_suite("miniwob", settings) as remote:
        for episode in stock:
            instance = remote.reset(remote.draw(episode["task"], episode["seed"]))
            assert instance.brief.text == episode["goal"]
            ours = []
            for step in episode["steps"]:
                remote.observe(["axtree"])
                result = remote.act(Native(dialect="browsergym", code=step["action"]))
                verdict = remote.verify()
                ended = result.ended or verdict.final
                ours.append({"action": step["action"], "reward": verdict.score, "ended": ended, "error": bool(result.error)})
                remote.observe(["axtree"])
            assert ours == episode["steps"]


def test_partial_credit_becomes_a_success_in_both(stock: list[dict[str, Any]]) -> None:
    """The parity is of faults too: the third episode submits nothing and is rewarded."""
    assert stock[2]["steps"][-1]["reward"] == 1.0
