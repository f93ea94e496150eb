"""The golden check's recipes played as an agent: what a perfect agent that was told the solution would do, act by act."""

from __future__ import annotations

from typing import Any

from unibench.actions import Done
from unibench.agents.builtin import GOLDEN as NAME
from unibench.agents.process import AgentProcess
from unibench.errors import AgentUnavailable
from unibench.observations import Observation
from unibench.session.remote import RemoteSuite
from unibench.task import Brief, InstanceSpec


class GoldenAgent(AgentProcess):
    """Plays what the session process says that the golden recipe does, through the ordinary ``act``, on a fresh episode.

    It is the supervisor's own and needs no process, but stands where a user's agent does.
    """

    def __init__(self) -> None:
        super().__init__(NAME, {}, seconds=0)
        self.described = {"told_the_solution": True, "plays": "the golden check's recipes, as actions"}
        self._left: list[Any] = []

    def start(self) -> None:
        """Nothing is to be started."""

    def prepare(self, suite: RemoteSuite, spec: InstanceSpec) -> None:
        """Finds the actions of an instance, on an episode of its own.

        Raises:
            AgentUnavailable: the recipe cannot be played on this instance.
        """
        self._left = list(suite.call("golden_actions", suite.face.seconds_for("run_control"), spec=spec.model_dump(mode="json"))[0])

    def reset(self, brief: Brief) -> None:
        """Looks whether the budget is enough.

        Raises:
            AgentUnavailable: it is not; a recipe cut short says nothing.
        """
        budget = brief.budget.steps
        if budget is not None and len(self._left) > budget:
            raise AgentUnavailable(f"the golden recipe takes {len(self._left)} actions, the budget is {budget}; give --max-steps")

    def act(self, observation: Observation, *, within: float | None = None) -> tuple[Any, dict[str, float]]:
        return (self._left.pop(0) if self._left else Done().model_dump(mode="json")), {}

    def kill(self) -> None:
        self._left = []

    def close(self) -> None:
        self._left = []
