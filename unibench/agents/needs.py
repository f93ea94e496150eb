"""What an agent asks of a suite, checked before anything runs."""

from __future__ import annotations

from unibench.agents.process import AgentProcess
from unibench.errors import UnknownName, UsageError
from unibench.settings import Settings
from unibench.suite import SuiteFace


def observations(face: SuiteFace, settings: Settings, name: str, agent: AgentProcess, chosen: str | None) -> tuple[str, ...]:
    """The observations of a run: those that the user chose, else those that the agent asks for, else the suite's own.

    Args:
        name: the agent's name, for messages.
        agent: started once.
        chosen: names with commas between them.

    Raises:
        UnknownName: the suite has none of that name.
        UsageError: the suite cannot give what the agent needs.
    """
    offered = face.offers(settings)
    who = f"the agent {name}" + (f" (taken for {agent.described['wrapper']}'s)" if "wrapper" in agent.described else "")
    if agent.dialect and agent.dialect not in offered.dialects:
        spoken = f"speaks {', '.join(offered.dialects)}" if offered.dialects else "has no language of its own"
        raise UsageError(f"{who} acts in the language {agent.dialect!r}; {face.name} {spoken}")
    needed = [each for each in agent.observe if not each.endswith("?")]
    missing = [each for each in needed if each not in offered.observations]
    if missing:
        has = ", ".join(offered.observations)
        raise UsageError(f"{who} needs the observation {' and '.join(map(repr, missing))}, which {face.name} does not offer; it has {has}")
    if chosen:
        names = tuple(each.strip() for each in chosen.split(","))
        for each in names:
            if each not in offered.observations:
                raise UnknownName.among(f"observation of {face.name}", each, offered.observations)
        if left_out := [each for each in needed if each not in names]:
            raise UsageError(f"{who} needs the observation {' and '.join(map(repr, left_out))}; add it to --observe, or leave that out")
        return names
    asked = tuple(each.rstrip("?") for each in agent.observe if each.rstrip("?") in offered.observations)
    return asked or face.observe
