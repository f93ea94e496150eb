"""Wrapped agents and the chat agent through ``unibench run``, on real MiniWoB++."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.model_server import Body, Reply, broken, says, serving
from unibench.observations import Screenshot
from unibench.outcome import Ending, Outcome
from unibench.runs.records import EpisodeRecord, Manifest
from unibench.runs.store import RunStore

AGENTS = '''
import numpy as np
from dataclasses import dataclass, field
from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.utils.obs import flatten_axtree_to_str


def centre(pixels):
    """Where the page's grey button is."""
    found = np.argwhere((pixels[60:] == 239).all(axis=2))
    return [float(n) for n in found.mean(axis=0)[::-1] + (0, 60)]


@dataclass
class AgentInfo:
    stats: dict = field(default_factory=dict)


class ReadsTheTree:
    """As AgentLab's agents: upstream's own action set and pre-processing."""

    action_set = HighLevelActionSet(["bid", "chat"])

    def obs_preprocessor(self, obs):
        obs["axtree_txt"] = flatten_axtree_to_str(obs["axtree_object"], obs["extra_element_properties"], with_clickable=True)
        return obs

    def get_action(self, obs):
        goal = obs["goal_object"][0]["text"]
        for line in obs["axtree_txt"].splitlines():
            bid, _, rest = line.strip().partition("] ")
            name = rest.split("'")[1].replace("Close", "x") if "'" in rest else ""
            named = f'"{name}"' in goal or goal == "Click the button."
            if name and named and (rest.startswith("button") or "clickable" in rest):
                return f"click({bid[1:]!r})", AgentInfo({"input_tokens": 7})
        return "report_infeasible('nothing to click')", AgentInfo()


class SeesPixels:
    """As OSWorld's agents."""

    def predict(self, instruction, obs):
        import io
        from PIL import Image
        x, y = centre(np.asarray(Image.open(io.BytesIO(obs["screenshot"])).convert("RGB")))
        return "I click", [f"import pyautogui\\npyautogui.click({x}, {y})", "DONE"]

    def reset(self, _logger=None):
        pass


@dataclass
class Tap:
    action_type: str
    x: float
    y: float
    index: object = None


@dataclass
class Result:
    done: bool
    data: dict


class Taps:
    """As AndroidWorld's agents."""

    def __init__(self, env, name="taps"):
        self.env, self.name = env, name

    def reset(self, go_home=False):
        self.env.reset(go_home=go_home)

    def step(self, goal):
        x, y = centre(self.env.get_state().pixels)
        self.env.execute_action(Tap("click", x, y))
        return Result(False, {})
'''


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "agents.py").write_text(AGENTS)
    return tmp_path


def unibench(here: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = str(ROOT / "examples" / "agents")
    command = [sys.executable, "-m", "unibench", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=here, env={**os.environ, "PYTHONPATH": path, **environment}
    )


def run(here: Path, agent: str, *arguments: str, suite: str = "miniwob", **environment: str) -> tuple[Manifest, list[EpisodeRecord]]:
    done = unibench(here, "run", suite, "-a", agent, "-o", "r", *arguments, **environment)
    assert done.returncode == 0, done.stderr
    with RunStore(here / "r") as store:
        manifest = store.manifest()
        assert manifest is not None
        return manifest, store.episodes()


@pytest.mark.browser
def test_an_agentlab_agent_solves_tasks_in_browsergyms_language(here: Path) -> None:
    tasks = ("-t", "click-test", "-t", "click-button", "-t", "click-dialog-2")
    manifest, records = run(here, "agents:ReadsTheTree", *tasks, "--seeds", "2")
    assert [record.outcome for record in records] == [Outcome.SUCCESS] * 6
    assert records[0].usage == {"input_tokens": 7.0}
    assert manifest.agent.described == {"wrapper": "agentlab", "class": "agents.ReadsTheTree"}
    assert {"axtree_object", "dom_object", "screenshot", "open_pages_titles"} <= set(manifest.protocol.observe)
    steps = [json.loads(line) for line in (here / "r" / records[0].trace).read_text().splitlines()]
    assert [step["action"]["dialect"] for step in steps if step["event"] == "step"] == ["browsergym"]


@pytest.mark.browser
@pytest.mark.parametrize(("agent", "wrapper"), [("agents:SeesPixels", "osworld"), ("agents:Taps", "android-world")])
def test_agents_of_desktops_and_phones_solve_a_web_task(here: Path, agent: str, wrapper: str) -> None:
    manifest, records = run(here, agent, "-t", "click-test", "--seeds", "2")
    assert [record.outcome for record in records] == [Outcome.SUCCESS] * 2, records[0].error
    assert manifest.agent.described["wrapper"] == wrapper
    assert manifest.protocol.observe == ("screenshot",)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["notebook", "-a", "agents:ReadsTheTree"], "acts in the language 'browsergym'; notebook speaks notebook"),
        (
            ["notebook", "-a", "agents:SeesPixels"],
            "(taken for osworld's) needs the observation 'screenshot', which notebook does not offer",
        ),
        (["miniwob", "-a", "agents:SeesPixels", "--observe", "axtree"], "needs the observation 'screenshot'; add it to --observe"),
    ],
)
def test_what_a_suite_cannot_give_is_said_before_anything_runs(here: Path, arguments: list[str], says: str) -> None:
    done = unibench(here, "run", *arguments)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())


# -- the chat agent --------------------------------------------------------------------------------


def sees_the_button(body: Body) -> Reply:
    """A "model" that looks at the picture it was sent, and answers in that picture's pixels."""
    (image,) = [part for part in body["messages"][-1]["content"] if part["type"] == "image_url"]
    pixels = Screenshot(base64.b64decode(image["image_url"]["url"].partition(",")[2])).array()
    assert pixels.shape == (700, 300, 3)
    y, x = np.argwhere((pixels == 239).all(axis=2)).mean(axis=0)
    return says(f'There it is. {{"type": "click", "target": {{"x": {x:.0f}, "y": {y:.0f}}}}}')


def reads_the_tree(body: Body) -> Reply:
    text = str(body["messages"][-1]["content"])
    found = re.search(r"\[(\w+)\] button", text)
    assert found is not None
    return says(f'{{"type": "click", "target": {{"ref": "{found[1]}"}}}}')


CHAT = ("chat_endpoint:ChatEndpoint", "-m", "small-model", "-A", "pause=0.01")


@pytest.mark.browser
def test_the_chat_agent_clicks_what_it_sees_in_a_scaled_and_padded_picture(here: Path) -> None:
    with serving(sees_the_button) as model:
        url = ("-A", f"base_url={model.url}", "-A", "observe=screenshot@300x700,pad", "-A", "price_in=1", "-A", "price_out=2")
        manifest, records = run(
            here, *CHAT, *url, "-A", "temperature=0.2", "-t", "click-test", "--seeds", "2", OPENAI_API_KEY="sk-very-secret-123"
        )
    assert [record.outcome for record in records] == [Outcome.SUCCESS] * 2
    assert set(model.keys) == {"Bearer sk-very-secret-123"}
    assert records[1].usage == {
        "calls": 1, "bad_replies": 0, "retried_calls": 0, "prompt_tokens": 100, "completion_tokens": 20, "cost": pytest.approx(1.4e-4),
    }  # fmt: skip
    said = manifest.agent.described
    assert (said["model"], said["observation"], said["sampling"]) == ("small-model", "screenshot@300x700,pad", {"temperature": 0.2})
    assert manifest.agent.arguments["observe"] == "screenshot@300x700,pad"
    assert b"sk-very-secret" not in b"".join(path.read_bytes() for path in (here / "r").rglob("*") if path.is_file())


@pytest.mark.browser
def test_a_model_that_comes_back_costs_nothing_and_one_that_does_not_is_never_scored(here: Path) -> None:
    replies: list[Any] = [broken(500), broken(503), broken(429, Retry_After="0.1")]
    with serving(lambda body: replies.pop(0) if replies else reads_the_tree(body)) as model:
        _, (record,) = run(here, *CHAT, "-A", f"base_url={model.url}", "-A", "observe=axtree", "-t", "click-test")
    assert (record.outcome, record.attempts, record.usage["retried_calls"]) == (Outcome.SUCCESS, 1, 3.0)
    (here / "r").rename(here / "good")
    with serving([says("", hold=30)]) as model:
        _, (record,) = run(
            here, *CHAT, "-A", f"base_url={model.url}", "-A", "observe=axtree", "-A", "retries=1", "-t", "click-test", "--act-seconds", "2"
        )
    assert (record.ending, record.outcome, record.score, record.attempts) == (Ending.AGENT_UNAVAILABLE, Outcome.UNSCORED, None, 3)
    assert "does not answer" in record.error


@pytest.mark.browser
def test_a_model_that_talks_nonsense_is_the_agents_error(here: Path) -> None:
    with serving([says("As a language model, I cannot click.")]) as model:
        _, (record,) = run(here, *CHAT, "-A", f"base_url={model.url}", "-A", "observe=axtree", "-t", "click-test")
    assert (record.outcome, record.score, record.attempts) == (Outcome.AGENT_ERROR, 0.0, 1)
    assert "no valid action" in record.error
    assert len(model.requests) == 2, "told once"


# -- what an agent says that it has used --------------------------------------------------------------

PAYS = '''
from unibench.agents import AgentUnavailable


class Pays:
    """Its second action fails, in a way that depends on the task; each costs 2."""

    cost = 0.0

    @property
    def usage(self):
        return {"cost": self.cost}

    def reset(self, brief):
        self.task, self.calls = brief.task, 0

    def act(self, observation):
        self.cost += 2.0
        self.calls += 1
        if self.calls == 1:
            return {"type": "answer", "text": "42"}
        if self.task == "write-note":
            raise KeyError("x")
        if self.task == "count-notes":
            return 3
        if self.task == "tick-note":
            raise AgentUnavailable("the model is down")
        raise SystemExit(3)
'''


def test_what_an_action_that_fails_has_cost_is_in_the_record(here: Path) -> None:
    (here / "pays.py").write_text(PAYS)
    tasks = ("-t", "write-note", "-t", "count-notes", "-t", "tick-note", "-t", "print-note")
    _, records = run(here, "pays:Pays", *tasks, suite="notebook")
    assert {record.spec.task: (record.ending, record.attempts, record.usage.get("cost")) for record in records} == {
        "write-note": (Ending.AGENT_ERROR, 1, 4.0),
        "count-notes": (Ending.AGENT_ERROR, 1, 4.0),
        "tick-note": (Ending.AGENT_UNAVAILABLE, 3, 12.0),
        "print-note": (Ending.AGENT_ERROR, 1, 4.0),
    }


def test_bad_replies_that_end_an_episode_are_counted_and_paid_for(here: Path) -> None:
    """On the notebook, whose pages have no tree: the model's client and loop are as anywhere."""
    (here / "reader.py").write_text(
        "from chat_endpoint import ChatEndpoint\n\n\nclass Reader(ChatEndpoint):\n    def __init__(self, **kwargs):\n"
        "        super().__init__(observe='axtree', **kwargs)\n        self.observe = ('html',)\n\n    def act(self, observation):\n"
        "        return super().act({'axtree': observation['html']})\n"
    )
    with serving([says("I cannot.")]) as model:
        _, (record,) = run(here, "reader:Reader", "-m", "m", "-A", f"base_url={model.url}", "-t", "write-note", suite="notebook")
    assert record.outcome == Outcome.AGENT_ERROR
    assert (record.usage["calls"], record.usage["bad_replies"], record.usage["prompt_tokens"]) == (2, 2, 200)
