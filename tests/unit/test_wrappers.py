"""Wrappers for agents of other benchmarks, over look-alikes with upstream's signatures."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import logging
import sys
import textwrap
import time
from collections import UserDict
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from unibench.actions import (
    Action,
    Answer,
    Click,
    Done,
    DoubleClick,
    Drag,
    Hotkey,
    Infeasible,
    Key,
    Move,
    Native,
    Point,
    Scroll,
    Swipe,
    Type,
    Wait,
)
from unibench.agents.loading import load_agent
from unibench.agents.worker import AgentWorker
from unibench.agents.wrappers.agentlab import AgentLabAgent
from unibench.agents.wrappers.android_world import AndroidWorldAgent
from unibench.agents.wrappers.desktop_actions import Desktop, NotLiteral
from unibench.agents.wrappers.osworld import OSWorldAgent
from unibench.errors import AgentError, AgentUnavailable, UsageError
from unibench.observations import Observation, Screenshot
from unibench.session.wire import pack_observation
from unibench.task import Brief, Budget, Text


def shot(width: int = 40, height: int = 30) -> Screenshot:
    file = io.BytesIO()
    Image.new("RGB", (width, height)).save(file, format="PNG")
    return Screenshot(file.getvalue())


def brief(**changes: Any) -> Brief:
    fields: dict[str, Any] = {
        "suite": "s",
        "task": "t",
        "goal": (Text(text="Do it."),),
        "actions": ("click",),
        "observations": ("screenshot",),
    }
    return Brief(**{**fields, "screen": (40, 30), "budget": Budget(steps=7), **changes})


def P(x: float, y: float) -> Point:
    return Point(x=x, y=y)


# -- OSWorld -------------------------------------------------------------------------------------


class PromptAgent:
    """With the signatures of mm_agents/agent.py."""

    def __init__(self, *predictions: Any, model: str = "gpt-4-vision-preview", temperature: float = 0.5) -> None:
        self.predictions, self.model, self.temperature = list(predictions), model, temperature
        self.seen: list[Any] = []
        self.resets: list[Any] = []

    def predict(self, instruction: str, obs: dict[str, Any]) -> Any:
        self.seen.append((instruction, obs))
        return self.predictions.pop(0)

    def reset(self, _logger: Any = None) -> None:
        self.resets.append(_logger)


def osworld(*predictions: Any, **changes: Any) -> tuple[OSWorldAgent, PromptAgent]:
    inner = PromptAgent(*predictions)
    agent = OSWorldAgent(inner)
    agent.reset(brief(**changes))
    return agent, inner


def acts(agent: Any, count: int, **values: Any) -> list[Action]:
    return [agent.act(Observation({"screenshot": shot(), **values})) for _ in range(count)]


def test_an_osworld_agent_sees_what_upstreams_shows_and_its_actions_come_one_a_step() -> None:
    code = "import pyautogui\npyautogui.click(10, 20)\ntime.sleep(0.5)\npyautogui.write('hi')"
    agent, inner = osworld(("thought", [code, "WAIT"]), ("", ["DONE"]))
    found = acts(agent, 5, accessibility_tree="<desktop/>")
    assert found == [Click(target=P(10, 20)), Wait(seconds=0.5), Type(text="hi"), Wait(seconds=2.0), Done()]
    assert len(inner.seen) == 2
    instruction, obs = inner.seen[0]
    assert instruction == "Do it."
    assert set(obs) == {"screenshot", "accessibility_tree", "terminal", "instruction"}
    assert obs["screenshot"].startswith(b"\x89PNG")
    assert obs["accessibility_tree"] == "<desktop/>"
    assert isinstance(inner.resets[0], logging.Logger)
    said = agent.describe()
    assert (said["wrapper"], said["model"], said["temperature"]) == ("osworld", "gpt-4-vision-preview", 0.5)
    assert said["class"].endswith("test_wrappers.PromptAgent")


def test_a_suite_that_speaks_pyautogui_gets_the_code_as_it_is() -> None:
    code = "for n in range(3):\n    pyautogui.click(n, n)"
    agent, _ = osworld(("", [code]), ("", [{"command": "pyautogui.press('a')"}]), dialects=("pyautogui",))
    assert acts(agent, 2) == [Native(dialect="pyautogui", code=code), Native(dialect="pyautogui", code="pyautogui.press('a')")]
    other, _ = osworld(("", [code]))
    with pytest.raises(AgentError, match="no dialect 'pyautogui'"):
        acts(other, 1)


def test_what_the_agent_leaves_waiting_is_not_done_in_the_next_episode() -> None:
    agent, _ = osworld(("", ["WAIT", "DONE"]), ("", ["FAIL"]))
    acts(agent, 1)
    agent.reset(brief())
    assert acts(agent, 1) == [Infeasible(reason="FAIL")]


@pytest.mark.parametrize("predicted", [("", []), ("", None)])
def test_no_actions_is_a_step_of_nothing(predicted: Any) -> None:
    agent, _ = osworld(predicted, ("", ["DONE"], {"more": 1}))
    assert acts(agent, 2) == [Wait(seconds=0), Done()]


@pytest.mark.parametrize(
    ("action", "becomes"),
    [
        ({"action_type": "CLICK", "parameters": {"x": 1, "y": 2}}, [Click(target=P(1, 2))]),
        ({"action_type": "CLICK", "x": 1, "y": 2, "button": "right"}, [Click(target=P(1, 2), button="right")]),
        ({"action_type": "CLICK", "parameters": {"x": 1, "y": 2, "num_clicks": 2}}, [DoubleClick(target=P(1, 2))]),
        ({"action_type": "DOUBLE_CLICK", "parameters": {"x": 1, "y": 2}}, [DoubleClick(target=P(1, 2))]),
        ({"action_type": "SCROLL", "parameters": {"dx": 0, "dy": -2}}, [Scroll(dy=200)]),
        ({"action_type": "TYPING", "parameters": {"text": "a b"}}, [Type(text="a b")]),
        ({"action_type": "PRESS", "parameters": {"key": "enter"}}, [Key(key="Enter")]),
        ({"action_type": "HOTKEY", "parameters": {"keys": ["ctrl", "s"]}}, [Hotkey(keys=("Control", "s"))]),
        ({"action_type": "FAIL"}, [Infeasible(reason="FAIL")]),
        ("DONE", [Done()]),
    ],
)
def test_computer_13_in_the_union(action: Any, becomes: list[Action]) -> None:
    assert Desktop().from_mapping(action) == becomes


def test_an_action_without_a_place_is_where_the_pointer_was_put() -> None:
    desktop = Desktop()
    with pytest.raises(AgentError, match="not been put anywhere"):
        desktop.from_mapping({"action_type": "CLICK", "parameters": {}})
    assert desktop.from_code("pyautogui.moveTo(3, 4, duration=0.2)") == [Move(target=P(3, 4))]
    assert desktop.from_mapping({"action_type": "DRAG_TO", "parameters": {"x": 9, "y": 9}}) == [Drag(start=P(3, 4), end=P(9, 9))]
    assert desktop.from_code("pyautogui.rightClick()") == [Click(target=P(9, 9), button="right")]


@pytest.mark.parametrize(
    "code",
    [
        "x = 3", "pyautogui.click(x, 3)", "__import__('os').system('true')", "pyautogui.screenshot()", "pyautogui.click(*(1, 2))",
        "pyautogui.click(", "pyautogui.press(open('/etc/passwd').read())", "(" * 5000, "pyautogui.click('a', 'b')", "pyautogui.write()",
        "pyautogui.click(**{'x': 1})", "pyautogui.press('')", "pyautogui.dragTo(5, 5, button='right')", "\0",
    ],
)  # fmt: skip
def test_code_that_is_more_than_literal_calls_is_refused_and_never_run(code: str) -> None:
    with pytest.raises(NotLiteral):
        Desktop().from_code(code)


@given(st.text(max_size=60))
def test_any_text_is_actions_or_refused(code: str) -> None:
    with contextlib.suppress(NotLiteral):
        Desktop().from_code(code)


# -- AndroidWorld --------------------------------------------------------------------------------


@dataclasses.dataclass
class AgentInteractionResult:
    done: bool
    data: dict[str, Any]


@dataclasses.dataclass
class JSONAction:
    """As env/json_action.py has it."""

    action_type: str | None = None
    index: int | None = None
    x: int | None = None
    y: int | None = None
    text: str | None = None
    direction: str | None = None
    goal_status: str | None = None
    app_name: str | None = None
    keycode: str | None = None
    clear_text: bool | None = None


class EnvironmentInteractingAgent:
    """With the signatures of agents/base_agent.py."""

    def __init__(self, env: Any, name: str = "", transition_pause: float | None = 1.0) -> None:
        self._env, self.name, self.transition_pause = env, name, transition_pause
        self.max_steps: int | None = None
        self.seen: list[Any] = []

    @property
    def env(self) -> Any:
        return self._env

    def reset(self, go_home: bool = False) -> None:
        self.env.reset(go_home=go_home)

    def set_max_steps(self, max_steps: int) -> None:
        self.max_steps = max_steps

    def get_post_transition_state(self) -> Any:
        assert self.transition_pause is not None
        time.sleep(self.transition_pause)
        return self.env.get_state(wait_to_stabilize=False)


class Plays(EnvironmentInteractingAgent):
    """Executes its script, one action a step, and says done after it."""

    script: tuple[Any, ...] = ()

    def __init__(self, env: Any, name: str = "plays") -> None:
        super().__init__(env, name)
        self.place = 0

    def reset(self, go_home: bool = False) -> None:
        super().reset(go_home)
        self.place = 0

    def step(self, goal: str) -> AgentInteractionResult:
        state = self.get_post_transition_state()
        self.seen.append((goal, state.pixels.shape))
        if self.place == len(self.script):
            return AgentInteractionResult(True, {})
        action = self.script[self.place]
        self.place += 1
        if isinstance(action, Exception):
            raise action
        if action is not None:
            self.env.execute_action(action)
            self.seen.append(self.env.get_state().pixels.shape)
        return AgentInteractionResult(False, {"state": state})


ELEMENTS = [{"text": "OK", "is_clickable": True, "bbox_pixels": {"x_min": 10, "x_max": 20, "y_min": 0, "y_max": 10}}, {"text": "no box"}]


def android(*script: Any, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> tuple[AndroidWorldAgent, Any]:
    monkeypatch.setattr(Plays, "script", script)
    agent = load_agent(f"{__name__}:Plays", {})
    assert isinstance(agent, AndroidWorldAgent)
    agent.reset(brief(**changes))
    return agent, agent._agent


def test_an_android_world_agent_pulls_states_and_pushes_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        JSONAction("click", x=3, y=4), JSONAction("click", index=0), JSONAction("input_text", text="hi", x=1, y=2),
        JSONAction("scroll", direction="down"), JSONAction("wait"), JSONAction("answer", text="42"),
    )  # fmt: skip
    agent, inner = android(*script, monkeypatch=monkeypatch)
    found = acts(agent, 8, ui_elements=ELEMENTS)
    assert found == [
        Click(target=P(3, 4)), Click(target=P(15, 5)), Type(text="hi", target=P(1, 2)), Key(key="Enter"),
        Swipe(start=P(20, 15), end=P(20, 0)), Wait(seconds=1.0), Answer(text="42"), Done(),
    ]  # fmt: skip
    assert inner.max_steps == 7
    assert inner.transition_pause == 0.0
    assert inner.seen[:2] == [("Do it.", (30, 40, 3)), (30, 40, 3)]
    assert agent.describe() == {"name": "plays", "wrapper": "android-world", "class": f"{__name__}.Plays"}
    agent.reset(brief())
    assert acts(agent, 1) == [Click(target=P(3, 4))], "the next episode begins anew"


def test_a_suite_that_speaks_android_world_gets_the_action_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, _ = android(JSONAction("input_text", text="hi", clear_text=True), monkeypatch=monkeypatch, dialects=("android_world",))
    assert acts(agent, 2) == [
        Native(dialect="android_world", code='{"action_type":"input_text","text":"hi","clear_text":true}'), Done(),
    ]  # fmt: skip


def test_infeasible_is_said_by_status(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, _ = android(JSONAction("status", goal_status="infeasible"), monkeypatch=monkeypatch)
    assert [each.type for each in acts(agent, 1)] == ["infeasible"]


@pytest.mark.parametrize(
    ("action", "says"),
    [
        (JSONAction("click", index=0), "ui_elements"),
        (JSONAction("click"), "neither an index nor a place"),
        (JSONAction("fly"), "'fly'"),
        (KeyError("oops"), "KeyError: 'oops'"),
        (JSONAction("swipe", direction="in"), "'in'"),
        (JSONAction("input_text", text="a", clear_text=True), "android_world"),
    ],
)
def test_what_goes_wrong_in_the_agents_thread_comes_out_typed(action: Any, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, _ = android(action, monkeypatch=monkeypatch)
    with pytest.raises(AgentError, match=says):
        acts(agent, 1)


def test_its_own_infrastructure_fault_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, _ = android(AgentUnavailable("the model is down"), monkeypatch=monkeypatch)
    with pytest.raises(AgentUnavailable, match="the model is down"):
        acts(agent, 1)


def test_steps_without_an_action_use_up_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, _ = android(*[None] * 4, monkeypatch=monkeypatch)
    assert acts(agent, 2) == [Wait(seconds=1.0), Done()]


def test_an_episode_that_ends_in_mid_step_leaves_nothing_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, _ = android(JSONAction("click", x=1, y=1), JSONAction("click", x=2, y=2), monkeypatch=monkeypatch)
    for _ in range(20):
        assert acts(agent, 1) == [Click(target=P(1, 1))]
        agent.reset(brief())
    assert acts(agent, 3) == [Click(target=P(1, 1)), Click(target=P(2, 2)), Done()]


# -- AgentLab ------------------------------------------------------------------------------------


class HighLevelActionSet:
    def to_python_code(self, action: str) -> str:
        raise AssertionError("no action of an agent's becomes Python code here")


class PythonActionSet:
    pass


@dataclasses.dataclass
class AgentInfo:
    think: str | None = None
    stats: dict[str, Any] = dataclasses.field(default_factory=dict)


class GenericAgent:
    """With the signatures of browsergym/experiments/agent.py."""

    action_set: Any = HighLevelActionSet()
    made = 0

    def __init__(self, *actions: Any) -> None:
        type(self).made += 1
        self.actions = list(actions)
        self.seen: list[dict[str, Any]] = []

    def obs_preprocessor(self, obs: dict[str, Any]) -> dict[str, Any]:
        return {**obs, "axtree_txt": str(obs["axtree_object"])}

    def get_action(self, obs: dict[str, Any]) -> tuple[Any, Any]:
        self.seen.append(obs)
        return self.actions.pop(0), AgentInfo(stats={"input_tokens": 10, "cost": 0.5, "n_retry": 2})


@dataclasses.dataclass
class BaseModelArgs:
    model_name: str = "small"
    temperature: float = 0.1
    api_key: str = "sk-very-secret-123"


@dataclasses.dataclass
class GenericAgentArgs:
    chat_model_args: BaseModelArgs = dataclasses.field(default_factory=BaseModelArgs)
    calls: list[str] = dataclasses.field(default_factory=list)

    def prepare(self) -> None:
        self.calls.append("prepare")

    def close(self) -> None:
        self.calls.append("close")

    def make_agent(self) -> GenericAgent:
        self.calls.append("make")
        return GenericAgent("click('1')", None)


ARGUMENTS = GenericAgentArgs()
PAGE = {
    "axtree_object": {"nodes": []}, "dom_object": {"documents": []}, "extra_element_properties": {}, "url": "http://x/", "focused": "7",
    "last_action_error": "", "open_pages_urls": ["http://x/"], "open_pages_titles": ["X"], "active_page_index": 0,
}  # fmt: skip


def test_an_agentlab_agent_sees_browsergyms_observation_and_acts_in_its_language() -> None:
    agent = load_agent(f"{__name__}:ARGUMENTS", {})
    assert isinstance(agent, AgentLabAgent)
    agent.reset(brief(dialects=("browsergym",)))
    inner = agent._agent
    assert acts(agent, 2, **PAGE) == [Native(dialect="browsergym", code="click('1')"), Done()]
    first, second = inner.seen
    assert set(first) == {
        "chat_messages", "goal", "goal_object", "open_pages_urls", "open_pages_titles", "active_page_index", "url", "screenshot",
        "dom_object", "axtree_object", "extra_element_properties", "focused_element_bid", "last_action", "last_action_error",
        "elapsed_time", "axtree_txt",
    }  # fmt: skip
    assert first["goal_object"] == ({"type": "text", "text": "Do it."},)
    assert [message["role"] for message in first["chat_messages"]] == ["assistant", "user"]
    assert first["screenshot"].shape == (30, 40, 3)
    assert isinstance(first["elapsed_time"], np.ndarray)
    assert (first["last_action"], second["last_action"]) == ("", "click('1')")
    assert agent.usage == {"input_tokens": 20.0, "cost": 1.0}
    agent.reset(brief())
    agent.close()
    assert ARGUMENTS.calls == ["prepare", "make", "make", "close"], "each episode has a fresh agent"
    assert agent.describe() == {
        "model_name": "small", "temperature": 0.1, "wrapper": "agentlab", "class": f"{__name__}.GenericAgent",
    }  # fmt: skip


def test_a_class_with_get_action_is_made_anew_for_each_episode() -> None:
    GenericAgent.made = 0
    agent = load_agent(f"{__name__}:GenericAgent", {})
    for episode in (1, 2, 3):
        agent.reset(brief())
        assert GenericAgent.made == episode


def test_an_action_set_that_gives_code_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GenericAgent, "action_set", PythonActionSet())
    with pytest.raises(UsageError, match="PythonActionSet"):
        load_agent(f"{__name__}:GenericAgent", {})


@pytest.mark.parametrize("given", ["click('1')", ("click('1')",), (3, {})])
def test_what_is_no_action_with_info_is_said(given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GenericAgent, "get_action", lambda self, obs: given)
    agent = load_agent(f"{__name__}:GenericAgent", {})
    agent.reset(brief())
    with pytest.raises(AgentError, match="get_action gave"):
        acts(agent, 1, **PAGE)


# -- finding out which -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("class A:\n    pass", r"has no act\(observation\)"),
        ("class A:\n    def __init__(self, env): pass", r"has no step\(goal\)"),
        ("class A:\n    def predict(self, instruction, obs, args, step_idx): pass", "takes more than"),
        ("class A:\n    def make_agent(self): return 3", "no agent with get_action"),
        ("class A:\n    def __init__(self): raise KeyError('x')\n    def act(self, o): pass", "does not start: KeyError"),
    ],
)
def test_what_is_no_agent_is_said(source: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some_agent.py").write_text(textwrap.dedent(source))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "some_agent", raising=False)
    with pytest.raises(UsageError, match=says):
        load_agent("some_agent:A", {})


def test_what_has_act_is_never_wrapped_and_factories_are_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
        class A:
            def act(self, o): pass
            def predict(self, i, o): pass
        def env_free(observation): pass
        def makes_one(): return A()
        class B:
            def __init__(self, env, llm): self.llm = llm
            def step(self, goal): pass
        def makes_phones(env, llm="small"): return B(env, llm)
    """
    (tmp_path / "own_agent.py").write_text(textwrap.dedent(source))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_agent", raising=False)
    assert type(load_agent("own_agent:A", {})).__name__ == "A"
    assert load_agent("own_agent:env_free", {}).__name__ == "env_free"
    assert type(load_agent("own_agent:makes_one", {})).__name__ == "A"
    assert load_agent("own_agent:makes_phones", {"llm": "large"})._agent.llm == "large"


# -- what they say that they have used -----------------------------------------------------------------


class Uses:
    usage: Any = None

    def act(self, observation: Observation) -> Action:
        return Done()


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"cost": np.float32(2.5), "calls": np.int64(3), "all": np.array(7)}, {"cost": 2.5, "calls": 3.0, "all": 7.0}),
        ({"cost": Decimal("2.5"), "share": Fraction(1, 4)}, {"cost": 2.5, "share": 0.25}),
        (MappingProxyType({"cost": 2.5}), {"cost": 2.5}),
        (UserDict(cost=2.5), {"cost": 2.5}),
        ({"cost": 2.5, "tokens": 10**400, "nan": float("nan"), "model": "m", "each": [1], "digits": "3", "none": None}, {"cost": 2.5}),
        (None, {}),
    ],
)
def test_any_mapping_to_any_kind_of_number_is_counted(usage: Any, counted: dict[str, float], monkeypatch: pytest.MonkeyPatch) -> None:
    worker = AgentWorker()
    worker.do_hello(f"{__name__}:Uses", {})
    worker.do_reset(brief().model_dump(mode="json"))
    monkeypatch.setattr(Uses, "usage", usage)
    packed, frames = pack_observation(Observation({"screenshot": shot()}))
    reply, _ = worker.do_act(packed, frames)
    assert reply["usage"] == counted
    assert all(type(value) is float for value in reply["usage"].values())


def test_an_agentlab_agents_numbers_are_counted_whatever_their_type() -> None:
    agent = AgentLabAgent(GenericAgent)
    agent._count(AgentInfo(stats={"input_tokens": np.int64(10), "cost": np.float32(0.5), "cost_name": "usd", "max_tokens": 10**400}))
    agent._count({"stats": MappingProxyType({"cost": Decimal("0.25")})})
    assert agent.usage == {"input_tokens": 10.0, "cost": 0.75}
