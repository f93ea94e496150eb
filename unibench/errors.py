"""Every error that unibench raises on purpose.

    UnibenchError
    ├── UsageError                 wrong use: exit code 2
    │   ├── UnknownName            no such suite, task, setting …; says what was meant
    │   ├── InvalidSetting         a setting's value does not fit
    │   ├── UnsupportedAction      the suite has no such kind of action
    │   ├── ResetNeeded            step() before reset(), or after the end
    │   └── FileProblem            a file cannot be read, written or understood
    ├── AgentError                 the agent raised, hung, ended, or gave what is no action: scored 0
    │   └── AgentTimeout           it did not answer in time, and its process was ended
    ├── Unavailable                the machine or the installation cannot: exit code 3
    └── Fault                      something broke that is not the agent's doing: never scored
        ├── EnvironmentFault       the machine under test broke, hung or went away
        │   ├── SessionTimeout     a call passed its deadline; the session process was ended
        │   └── SessionDied        the session process ended by itself
        ├── AgentUnavailable       the agent's own infrastructure failed (its model did not answer)
        ├── SetupFault             the task could not be brought to its initial state
        └── ContractBroken         an adapter does not keep the contract

Messages name the thing, the reason and the mend.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UnibenchError(Exception):
    """The root of unibench's own errors.

    Attributes:
        detail: more for a log or a bug report (a traceback's tail, say); not for the one-line message.
    """

    exit_code = 1

    def __init__(self, message: str, *, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class UsageError(UnibenchError, ValueError):
    """Wrong use; the message says how to mend it."""

    exit_code = 2


class UnknownName(UsageError):
    """A name that is not known, with what was probably meant."""

    @classmethod
    def among(cls, what: str, name: str, known: Iterable[str], *, hint: str = "") -> UnknownName:
        """An error for ``name``, which is none of the ``known`` names of ``what`` (a noun: "suite", "task")."""
        names = sorted(known)
        close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        if close:
            mend = f"did you mean {' or '.join(repr(c) for c in close)}?"
        elif len(names) <= 12:
            mend = f"there is {', '.join(names)}" if names else "there is none"
        else:
            mend = f"there are {len(names)}"
        return cls(f"no {what} {name!r}; {mend}" + (f" {hint}" if hint else ""))


class InvalidSetting(UsageError):
    """A setting's value does not fit its field."""


class UnsupportedAction(UsageError):
    """The suite has no such kind of action, or the text is none of its native dialect."""


class ResetNeeded(UsageError):
    """``step()`` before the first ``reset()``, or after an episode's end."""


class FileProblem(UsageError):
    """A file cannot be read, written or understood."""


class Unavailable(UnibenchError):
    """The machine or the installation cannot do it; the message says what to install."""

    exit_code = 3


class AgentError(UnibenchError):
    """The agent raised, hung, ended, or gave what is no action. Scored 0, and not retried."""


class AgentTimeout(AgentError):
    """The agent did not answer in time, and its process was ended."""


class Fault(UnibenchError):
    """Something broke that is not the agent's doing. Never scored."""

    exit_code = 3


class EnvironmentFault(Fault):
    """The machine under test broke, hung or went away."""


class SessionTimeout(EnvironmentFault):
    """A call passed its deadline, and the session process was ended."""


class SessionDied(EnvironmentFault):
    """The session process ended by itself, or was ended from outside."""


class AgentUnavailable(Fault):
    """The agent's own infrastructure failed. An agent raises this itself; the episode is retried, and never scored 0 for it."""


class SetupFault(Fault):
    """The task could not be brought to its initial state."""


class ContractBroken(Fault):
    """An adapter does not keep the contract; a bug in the adapter."""


def by_name(name: str) -> type[UnibenchError]:
    """The error class of that name, for errors that crossed the wire; :class:`EnvironmentFault` for what is unknown."""

    def walk(cls: type[UnibenchError]) -> Iterable[type[UnibenchError]]:
        yield cls
        for sub in cls.__subclasses__():
            yield from walk(sub)

    return next((cls for cls in walk(UnibenchError) if cls.__name__ == name), EnvironmentFault)
