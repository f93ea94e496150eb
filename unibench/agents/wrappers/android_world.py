"""AndroidWorld's agents: ``step(goal) -> AgentInteractionResult``, which fetch states from an env and execute actions on it.

Control is inverted: such an agent runs in a thread over :class:`EnvFacade`, and whenever it executes an action, ``act`` returns that
action; the agent goes on with the next observation (android_world/agents/base_agent.py, env/interface.py, env/json_action.py and
env/actuation.py at google-research/android_world's main of 2026).
"""

from __future__ import annotations

import threading
import traceback
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

import numpy as np

from unibench.actions import Action, Done, Home, Infeasible, Wait
from unibench.agents import no_op
from unibench.agents.wrappers.android_actions import BoundingBox, translate
from unibench.agents.wrappers.common import describe, pixels
from unibench.errors import AgentError, UnibenchError, UsageError
from unibench.observations import Observation
from unibench.task import Brief

IDLE_STEPS = 3
"""Steps without any action after which one that does nothing is taken, so that the budget runs."""


class EpisodeOver(BaseException):
    """Ends a thread whose episode has ended; no Exception, for agents catch those."""


@dataclass
class UIElement:
    """As upstream's (env/representation_utils.py)."""

    text: str | None = None
    content_description: str | None = None
    class_name: str | None = None
    bbox: BoundingBox | None = None
    bbox_pixels: BoundingBox | None = None
    hint_text: str | None = None
    is_checked: bool | None = None
    is_checkable: bool | None = None
    is_clickable: bool | None = None
    is_editable: bool | None = None
    is_enabled: bool | None = None
    is_focused: bool | None = None
    is_focusable: bool | None = None
    is_long_clickable: bool | None = None
    is_scrollable: bool | None = None
    is_selected: bool | None = None
    is_visible: bool | None = None
    package_name: str | None = None
    resource_name: str | None = None
    tooltip: str | None = None
    resource_id: str | None = None
    metadata: dict[str, Any] | None = None

    @classmethod
    def of(cls, values: dict[str, Any]) -> UIElement:
        """An element from a suite's JSON: fields of these names, boxes as mappings."""
        known = {name: value for name, value in values.items() if name in cls.__dataclass_fields__}
        for name in ("bbox", "bbox_pixels"):
            if isinstance(box := known.get(name), dict):
                known[name] = BoundingBox(**box)
        return cls(**known)


@dataclass(frozen=True)
class State:
    """As upstream's (env/interface.py). What the suite does not offer raises when it is asked for."""

    pixels: np.ndarray[Any, np.dtype[np.uint8]]
    elements: list[UIElement] | None
    auxiliaries: dict[str, Any] = field(default_factory=dict)

    @property
    def ui_elements(self) -> list[UIElement]:
        if self.elements is None:
            raise AgentError("the agent reads ui_elements, an observation that was not asked for or that this suite does not offer")
        return self.elements

    @property
    def forest(self) -> Any:
        raise AgentError("the agent reads the raw UI forest, which this wrapper does not hand on; ui_elements are made of it")


@dataclass
class Exchange:
    """What the two threads of one episode hand each other."""

    states: SimpleQueue[State | None] = field(default_factory=SimpleQueue)
    out: SimpleQueue[Any] = field(default_factory=SimpleQueue)
    state: State | None = None
    acted: int = 0

    def give(self, given: Any) -> None:
        """Hands an action on; a new state must be fetched after it."""
        self.out.put(given)
        self.state = None
        self.acted += 1


class EnvFacade:
    """Upstream's ``AsyncEnv`` as far as an agent needs it."""

    def __init__(self) -> None:
        self.interaction_cache = ""
        self.screen = (1, 1)
        self.dialects: tuple[str, ...] = ()
        self.infeasible = False
        self._exchange = Exchange()
        self._thread: threading.Thread | None = None

    # -- the agent's side ------------------------------------------------------------------------

    def get_state(self, wait_to_stabilize: bool = False) -> State:
        """The state after the last action; the suite has waited for the screen to settle."""
        exchange = self._mine()
        if exchange.state is None:
            exchange.state = exchange.states.get()
        if exchange.state is None:
            raise EpisodeOver
        return exchange.state

    def execute_action(self, action: Any) -> None:
        """Hands an action on; the next state is the one after it."""
        for each in translate(action, self):
            self.give(each)

    def reset(self, go_home: bool = False) -> State:
        self.interaction_cache = ""
        if go_home:
            self.give(Home())
        return self.get_state()

    def give(self, action: Action) -> None:
        """Hands one of unibench's actions on, once there is a state that it answers."""
        self.get_state()
        self._mine().give(action)

    def _mine(self) -> Exchange:
        if self._thread is None:
            raise UsageError("the agent uses its env before the first episode (in its constructor, say); there is a screen from reset on")
        if threading.current_thread() is not self._thread:
            raise EpisodeOver
        return self._exchange

    def display_message(self, message: str, header: str = "") -> None:
        """Upstream draws it over the screen for people to see; here nothing may."""

    def hide_automation_ui(self) -> None:
        """Nothing is drawn over the screen."""

    def ask_question(self, question: str, timeout_seconds: float = -1.0) -> str | None:
        raise NotImplementedError("there is no user to ask")

    def close(self) -> None:
        """The machine is not the agent's to close."""

    @property
    def controller(self) -> Any:
        raise AgentError("the agent reaches for the device's controller (adb); agents act by execute_action alone")

    @property
    def foreground_activity_name(self) -> str:
        raise AgentError("the agent asks for the foreground activity, which no suite tells an agent")

    @property
    def device_screen_size(self) -> tuple[int, int]:
        return self.screen

    @property
    def logical_screen_size(self) -> tuple[int, int]:
        return self.screen

    @property
    def orientation(self) -> int:
        """Always upright: all points are pixels of the screenshot as it is."""
        return 0

    @property
    def physical_frame_boundary(self) -> tuple[int, int, int, int]:
        return (0, 0, *self.screen)

    # -- unibench's side -------------------------------------------------------------------------

    def begin(self, exchange: Exchange, thread: threading.Thread) -> None:
        """Cuts off the last episode's thread, and starts this one's."""
        self._exchange.states.put(None)
        self.interaction_cache, self.infeasible = "", False
        self._exchange, self._thread = exchange, thread
        thread.start()


class AndroidWorldAgent:
    """One of AndroidWorld's agents as unibench's.

    Args:
        agent: made with ``env``.
        env: the facade.
    """

    dialect = ""
    observe = ("screenshot", "ui_elements?")

    def __init__(self, agent: Any, env: EnvFacade) -> None:
        self._agent = agent
        self._env = env
        self._exchange = Exchange()

    @property
    def usage(self) -> Any:
        return getattr(self._agent, "usage", None)

    def describe(self) -> dict[str, Any]:
        name = getattr(self._agent, "name", "")
        return {**({"name": name} if isinstance(name, str) and name else {}), **describe("android-world", self._agent)}

    def reset(self, brief: Brief) -> None:
        self._env.screen, self._env.dialects = brief.screen, brief.dialects
        # The suite has settled before each observation; upstream's own pause would only cost time.
        if isinstance(getattr(self._agent, "transition_pause", None), (int, float)):
            self._agent.transition_pause = 0.0
        exchange = self._exchange = Exchange()
        self._env.begin(exchange, threading.Thread(target=self._run, args=(exchange, brief), daemon=True, name="android-world-agent"))

    def act(self, observation: Observation) -> Action:
        elements = [UIElement.of(each) for each in observation["ui_elements"]] if "ui_elements" in observation else None
        self._exchange.states.put(State(pixels(observation), elements))
        given = self._exchange.out.get()
        if isinstance(given, BaseException):
            raise given
        action: Action = given
        return action

    def _run(self, exchange: Exchange, brief: Brief) -> None:
        """The agent's thread: upstream's loop (android_world/episode_runner.py), until the agent is done."""
        agent = self._agent
        try:
            if callable(reset := getattr(agent, "reset", None)):
                reset(False)
            if callable(limit := getattr(agent, "set_max_steps", None)) and brief.budget.steps:
                limit(brief.budget.steps)
            idle = 0
            while True:
                acted = exchange.acted
                result = agent.step(brief.text)
                if result.done:
                    self._env.give(Infeasible(reason="the agent says so") if self._env.infeasible else Done())
                    return
                idle = idle + 1 if exchange.acted == acted else 0
                if idle >= IDLE_STEPS:
                    self._env.give(Wait(seconds=1.0) if "wait" in brief.actions else no_op(brief))
                    idle = 0
        except EpisodeOver:
            # If the episode is over, nobody reads this.
            exchange.out.put(AgentError("the agent uses its env from a thread of its own; only the one that calls step may"))
        except UnibenchError as error:
            exchange.out.put(error)
        except BaseException as error:  # noqa: BLE001 - the agent call's border; act waits for what a thread that exits never says
            detail = traceback.format_exc()[-4000:]
            exchange.out.put(AgentError(f"the agent raised {type(error).__name__}: {error}", detail=detail))
