"""The only port that an adapter fills: a suite's static face, and Suite and Session behind it.

The supervisor (command line, Env, runner) knows a :class:`SuiteFace`; :class:`Suite` and :class:`Session` live in the
session process, in the suite's own environment: they import neither gymnasium nor typer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from pydantic import Field

from unibench.actions import Action
from unibench.data import DataFace
from unibench.environments import EnvironmentFace
from unibench.errors import UnknownName
from unibench.observations import Observation
from unibench.record import Record
from unibench.settings import Settings, Substrate
from unibench.task import Instance, InstanceSpec, Task
from unibench.verdict import Verdict, VerifierDescriptor


class ActionResult(Record):
    """What became of an action.

    Attributes:
        error: why it had no effect (a missing element, a refused URL); empty if it was done. The agent may see it.
        refused: the settings forbid it; ``error`` says which.
        ended: the suite closed the episode by itself.
    """

    error: str = ""
    refused: bool = False
    ended: bool = False
    seconds: float = 0.0


class Finding(Record):
    """One line of ``unibench doctor``: what was looked at, whether it works, and the mend if not."""

    what: str
    ok: bool
    detail: str = ""
    mend: str = ""


class Offers(Record):
    """What a suite takes and shows, known before anything runs.

    Attributes:
        actions: the canonical kinds of action.
        dialects: the native dialects; a plain string is taken to be of the first.
        observations: each name that can be asked for, and whether it is an ``image``, a ``text`` or a ``json`` value.
        screen: width and height in pixels of the unscaled screenshot.
    """

    actions: tuple[str, ...]
    dialects: tuple[str, ...] = ()
    observations: dict[str, Literal["image", "text", "json"]]
    screen: tuple[int, int]


@dataclass(frozen=True)
class Isolation:
    """How many sessions can live side by side.

    ``per-session``: any number, each with a machine of its own. ``shared``: at most ``max_sessions`` for the same ``key``.
    """

    kind: Literal["per-session", "shared"] = "per-session"
    key: str = ""
    max_sessions: int | None = None


class Headline(Record):
    """A suite's headline number by upstream's own rule. It may mix kinds of verifier, and is marked as that.

    Attributes:
        name: what it is called, in a few words.
        mean_over: ``tasks`` (the mean of task means) or ``episodes`` (every episode counts alike).
        unscored: what an episode without a score counts: ``zero``, or ``left-out``.
        tasks: over how many tasks upstream states it; None for all of the suite's.
        instances: how many instances a task upstream runs; None if it states no number.
        rule: upstream's rule in a sentence.
        source: where that is written.
    """

    name: str = "mean over all tasks"
    mean_over: Literal["tasks", "episodes"] = "tasks"
    unscored: Literal["zero", "left-out"] = "left-out"
    tasks: int | None = Field(default=None, ge=1)
    instances: int | None = Field(default=None, ge=1)
    rule: str = "the mean of the tasks' mean scores"
    source: str = "unibench's default, for the suite names no rule of its upstream"


@dataclass(frozen=True)
class SuiteFace:
    """What the supervisor knows of a suite without importing its upstream.

    Attributes:
        name: the suite's name; also ``unibench/<name>-v0`` for Gymnasium.
        title, summary: for people.
        suite: ``module:Class`` of the :class:`Suite`, imported in the session process.
        settings: the settings model.
        offers: what it takes and shows, under given settings.
        observe: the observations that an environment asks for by default.
        substrates: the machines it can run on, the default first; their digests are known once a session is open.
        checked_on: the machine that a golden check uses where none is named; None for the default one.
        packages: the distributions that it needs, as requirement strings.
        extra: the extra of this distribution that installs them, for messages.
        isolation: how many sessions can live side by side.
        environment: environment variables that must be set when the session process is spawned.
        own_environment: it lives in a virtual environment of its own, found as ``unibench.session.python`` says.
        installs: what ``unibench install`` makes for it; a suite may keep its session in unibench's environment and use this one
            for its grader only.
        data: what ``unibench data`` brings for it.
        sessions_a_process: how many sessions one session process can hold, sharing what is dear (a browser, say).
        instances_differ: whether another seed or index draws another instance; else a control that failed is not tried on another.
        headline: upstream's own headline number.
        call_seconds: how long one call to its session may take, by method; ``"*"`` for the others.
        score_at_budget: upstream's rule for an episode that the budget ends: ``verify`` asks the verifier, ``fail`` gives 0 since the
            agent did not say that it was done, ``unscored`` gives no verdict.
    """

    name: str
    title: str
    summary: str
    suite: str
    settings: type[Settings]
    offers: Callable[[Settings], Offers]
    observe: tuple[str, ...]
    substrates: tuple[Substrate, ...]
    checked_on: Callable[[Settings], str | None] = lambda settings: None
    packages: tuple[str, ...] = ()
    extra: str = ""
    isolation: Isolation = Isolation()
    environment: Callable[[Settings], Mapping[str, str]] = lambda settings: {}
    own_environment: bool = False
    installs: EnvironmentFace | None = None
    data: DataFace | None = None
    sessions_a_process: int = 1
    instances_differ: bool = True
    headline: Headline = field(default_factory=Headline)
    call_seconds: Mapping[str, float] = field(default_factory=lambda: {"*": 60.0})
    score_at_budget: Literal["verify", "fail", "unscored"] = "verify"

    def substrate(self, name: str | None = None) -> Substrate:
        """The named substrate, or the default one.

        Raises:
            UnknownName: the suite has none of that name.
        """
        if name is None:
            return self.substrates[0]
        for substrate in self.substrates:
            if substrate.name == name:
                return substrate
        raise UnknownName.among(f"substrate of {self.name}", name, (s.name for s in self.substrates))

    def seconds_for(self, method: str) -> float:
        """The deadline of one call, in seconds."""
        return self.call_seconds.get(method, self.call_seconds.get("*", 60.0))


class Session(ABC):
    """One live machine with one episode at a time. Calls come one after another, from one thread."""

    @abstractmethod
    def reset(self, spec: InstanceSpec) -> Instance:
        """Brings the machine to the instance's initial state, whatever state it was in.

        Raises:
            SetupFault: a set-up step failed.
        """

    @abstractmethod
    def observe(self, names: Sequence[str]) -> Observation:
        """The named observations, taken together after the screen has settled."""

    @abstractmethod
    def act(self, action: Action) -> ActionResult:
        """Does an action; ``answer``, ``done`` and ``infeasible`` are told to it as well.

        Raises:
            UnsupportedAction: the suite has no such kind of action.
            EnvironmentFault: the machine broke.
        """

    @abstractmethod
    def verify(self) -> Verdict:
        """Asks the task's verifier. If it acts first, this consumes the episode."""

    def settle(self) -> None:  # noqa: B027 - most machines have nothing to wait for
        """Waits until what was done to the machine by hand has taken effect, as :meth:`act` does after an action.

        Golden recipes drive the live machine; the verifier must not be asked sooner of them than of an agent.
        """

    def idle(self) -> None:  # noqa: B027 - most machines have nothing to prepare
        """No call has come for a while: the time to prepare the next reset. Changes nothing that anybody can see."""

    def left_behind(self) -> Sequence[str]:
        """Ends the episode as the suite does, and says what the next task would find otherwise than this one did, by name.

        Golden checks ask it after an untouched end and a right one. Empty where nothing is, or where nobody can say.
        """
        return ()

    def artifacts(self) -> dict[str, bytes]:
        """What a later regrade needs, by file name."""
        return {}

    @property
    @abstractmethod
    def handle(self) -> Any:
        """The live machine, for golden recipes; typed by the suite."""

    @property
    @abstractmethod
    def substrate(self) -> Substrate:
        """The machine, with its digest."""

    @abstractmethod
    def close(self) -> None:
        """Lets go of the machine; safe to call twice."""


class Suite(ABC):
    """A benchmark in its session process. Constructing it imports upstream.

    Raises (on construction):
        Unavailable: upstream is not installed; the message says how to install it.
    """

    name: ClassVar[str]

    @abstractmethod
    def upstream(self) -> Mapping[str, str]:
        """Upstream's packages and their versions."""

    @abstractmethod
    def tasks(self) -> Sequence[Task]:
        """All tasks, in upstream's order."""

    @abstractmethod
    def draw(self, task: str, seed: int, index: int = 0) -> InstanceSpec:
        """The index-th instance of a task for a seed: the same arguments draw the same instance."""

    @abstractmethod
    def describe(self, task: str, settings: Settings) -> VerifierDescriptor:
        """The task's verifier: a pure function of task definition, settings and upstream's version."""

    def unavailable(self, task: str, settings: Settings, substrate: str) -> tuple[str, ...]:
        """Why the task cannot run here; empty if it can."""
        return ()

    def stand_ins(self, task: str, settings: Settings) -> tuple[str, ...]:
        """What of the task's initial state stands in for upstream's own, by name; empty for most suites."""
        return ()

    @abstractmethod
    def open(self, settings: Settings, substrate: str) -> Session:
        """Starts a machine."""

    def probe(self, settings: Settings) -> Sequence[Finding]:
        """What works here, tried for real (a boot, not a file's presence)."""
        return ()
