"""Agents: what one is, the built-in ones, and the process that one runs in.

An agent is any object with ``act(observation) -> action``; ``reset(brief)`` is called before each episode if it is there. A
plain function ``observation -> action`` is one, too. An attribute ``usage``, a mapping of names to numbers (tokens, cost),
is read after each action and summed up in the record. It sees the brief, observations and its own actions; never the
instance's parameters, the expected values or the verifier.
"""

from __future__ import annotations

from typing import Any, Protocol

from unibench.actions import Action, Scroll, Type, Wait
from unibench.errors import AgentUnavailable
from unibench.observations import Observation
from unibench.task import Brief


class Agent(Protocol):
    """What a run needs of an agent."""

    def act(self, observation: Observation) -> Any:
        """The next action: an :data:`~unibench.actions.Action`, a mapping of that form, or a string of the native dialect.

        Raises:
            AgentUnavailable: the agent's own infrastructure failed; the episode is retried and not scored for it.
        """
        ...


def no_op(brief: Brief) -> Action:
    """An action that does nothing, of those that the suite has.

    Raises:
        AgentUnavailable: each of the suite's actions does something.
    """
    for action in (Wait(seconds=0), Scroll(), Type(text="")):
        if action.type in brief.actions:
            return action
    raise AgentUnavailable(f"{brief.suite} has no action that does nothing (wait, scroll or type); it has {', '.join(brief.actions)}")


__all__ = ["Agent", "AgentUnavailable", "Brief", "Observation", "no_op"]
