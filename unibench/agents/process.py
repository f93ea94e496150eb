"""The supervisor's hold on the agent process: what goes wrong there is the agent's error, by a deadline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unibench.errors import AgentError, AgentTimeout, AgentUnavailable, SessionTimeout, UnibenchError, UsageError
from unibench.observations import Observation
from unibench.session.process import ChildProcess
from unibench.session.remote import RemoteSuite
from unibench.session.wire import pack_observation
from unibench.task import Brief, InstanceSpec

START_SECONDS = 120.0
USAGE_SECONDS = 5.0
ACT_SECONDS = "UNIBENCH_ACT_SECONDS"
"""The variable that tells the agent's process how many seconds an act may take before it is ended."""


class AgentProcess:
    """An agent in a process of its own, started with the first episode and anew after it broke.

    Args:
        agent: a built-in agent's name, or ``module:Class``.
        arguments: what the class is called with.
        seconds: how long one action may take.
    """

    def __init__(self, agent: str, arguments: Mapping[str, Any], *, seconds: float) -> None:
        self._agent = agent
        self._arguments = dict(arguments)
        self._seconds = seconds
        self._child: ChildProcess | None = None
        self.described: dict[str, Any] = {}
        """What the agent says of itself (model, prompt digest, sampling, its wrapper), for the manifest."""
        self.observe: tuple[str, ...] = ()
        """Observations that it asks for; those that end in ``?`` only where the suite offers them."""
        self.dialect = ""
        """The native dialect that it speaks; empty if it needs none."""

    def start(self) -> None:
        """Starts the process and makes the agent.

        Raises:
            UsageError: there is no such agent, or it does not start.
        """
        if self._child is not None and self._child.alive:
            return
        environment = {ACT_SECONDS: f"{self._seconds:g}"}
        self._child = ChildProcess(environment=environment, module="unibench.agents.worker", what="agent process")
        try:
            hello, _ = self._child.call("hello", {"agent": self._agent, "arguments": self._arguments}, seconds=START_SECONDS)
        except UsageError:
            raise
        except UnibenchError as error:
            raise UsageError(f"the agent {self._agent} does not start: {error}", detail=error.detail) from None
        hello = hello if isinstance(hello, dict) else {}
        self.observe, self.dialect = tuple(map(str, hello.get("observe") or ())), str(hello.get("dialect") or "")
        described = hello.get("describe")
        if described is not None and not isinstance(described, dict):
            raise UsageError(f"the agent {self._agent} describes itself by {type(described).__name__}, not by a mapping")
        self.described = described or {}

    def prepare(self, suite: RemoteSuite, spec: InstanceSpec) -> None:
        """Nothing: an agent is never told of the instance."""

    def reset(self, brief: Brief) -> None:
        """Tells the agent of a new episode.

        Raises:
            AgentError: it raised, hung or ended, or does not start again.
        """
        try:
            self.start()
        except UsageError as error:
            raise AgentError(str(error), detail=error.detail) from None
        self._call("reset", {"brief": brief.model_dump(mode="json")})

    def act(self, observation: Observation, *, within: float | None = None) -> tuple[Any, dict[str, float]]:
        """The agent's next action as JSON, and what it has used so far in this episode.

        Args:
            within: seconds that are left of the episode, if that is less than an action may take.

        Raises:
            AgentTimeout: it did not answer in time.
            AgentError: it raised, ended, or gave what is no action.
            AgentUnavailable: its own infrastructure failed.
        """
        packed, frames = pack_observation(observation)
        reply, _ = self._call("act", {"observation": packed}, frames, within=within)
        return reply.get("action") if isinstance(reply, dict) else None, _usage_in(reply)

    def used(self) -> dict[str, float]:
        """What it has used so far in this episode, after an action that failed; empty if its process can no longer say."""
        if self._child is None:
            return {}
        try:
            reply, _ = self._child.call("usage", seconds=USAGE_SECONDS)
            return _usage_in(reply)
        except UnibenchError:
            return {}

    def _call(
        self, method: str, params: dict[str, Any], frames: list[bytes] | None = None, *, within: float | None = None
    ) -> tuple[Any, list[bytes]]:
        if self._child is None:
            raise AgentError("the agent process is not running")
        seconds = self._seconds if within is None else min(self._seconds, within)
        try:
            return self._child.call(method, params, seconds=seconds, frames=frames)
        except (AgentError, AgentUnavailable):
            raise
        except SessionTimeout as error:
            self.kill()
            raise AgentTimeout(str(error), detail=error.detail) from None
        except UnibenchError as error:
            # Whatever else an agent raises or claims, its process is no part of the environment.
            self.kill()
            raise AgentError(str(error), detail=error.detail) from None

    def kill(self) -> None:
        """Ends the process at once."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def close(self) -> None:
        """Ends the process; safe to call twice."""
        child, self._child = self._child, None
        if child is not None:
            child.close()


def _usage_in(reply: Any) -> dict[str, float]:
    usage = reply.get("usage") if isinstance(reply, dict) else None
    if not isinstance(usage, dict) or not all(isinstance(value, (int, float)) for value in usage.values()):
        raise AgentError("the agent process sent no usage")
    return {str(name): float(value) for name, value in usage.items()}
