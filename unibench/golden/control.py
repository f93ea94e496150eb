"""The port that a suite's golden module fills: controls for an instance, and how they signal what they cannot do.

A golden module is found by the entry-point group ``unibench.golden`` under the suite's name, and lives in the session process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from pydantic import JsonValue

from unibench.actions import Action, Done, Infeasible
from unibench.record import Record
from unibench.task import InstanceSpec

if TYPE_CHECKING:
    from unibench.golden.results import ControlRun


class Role(StrEnum):
    UNTOUCHED = "untouched"
    TRIVIAL = "trivial"
    GOLDEN = "golden"
    MUTANT = "mutant"


class Expectation(Record):
    """What a sound verifier says of a control.

    ``passed``; ``not-passed``; ``score`` (exactly this one); ``below`` (lower than that control's score, and not passed).
    """

    type: Literal["passed", "not-passed", "score", "below"]
    score: float | None = None
    control: str = ""

    def __str__(self) -> str:
        return {"score": f"score {self.score}", "below": f"below {self.control}"}.get(self.type, self.type)


PASSED = Expectation(type="passed")
NOT_PASSED = Expectation(type="not-passed")
BELOW_GOLDEN = Expectation(type="below", control="golden")


class Provenance(Record):
    """Where an end state comes from, and by what means it was made.

    Attributes:
        source: ``instruction`` (its words and what the machine shows), ``app`` (the app itself decided), ``artefact``
            (upstream's gold file), or ``verifier-data`` (the verifier's own expected values: proves only that the task
            is satisfiable).
        means: ``nothing``, ``real-input``, ``script-write``, ``file``, ``shell`` …
        note: what a reader must know to trust or distrust it.
    """

    source: Literal["none", "instruction", "app", "artefact", "verifier-data"]
    means: str
    note: str = ""


NOTHING = Provenance(source="none", means="nothing")


class Readback(Record):
    """What was constructed, read back from the machine before the last input.

    Attributes:
        wanted: the right end state, by the instruction's words.
        made: the state that this control set out to make.
        found: the state that was read back.
        right: whether ``found`` is right by the instruction's words.
        steps: the inputs, for a replay.
    """

    wanted: JsonValue = None
    made: JsonValue = None
    found: JsonValue = None
    right: bool | None = None
    steps: list[JsonValue] = []


@dataclass(frozen=True)
class Control:
    """One end state and what a sound verifier says of it.

    Attributes:
        build: makes the state on the live machine and reads it back; None leaves the initial state.
        final: the actions after it (an answer and done, say).
        state: controls with the same state and the same final actions share an episode.
    """

    name: str
    role: Role
    expect: Expectation
    provenance: Provenance
    build: Callable[[Any], Readback] | None = None
    final: tuple[Action, ...] = ()
    state: str = "initial"


class CannotBuild(Exception):
    """The root of what a ``build`` signals when it makes no state to judge.

    Attributes:
        readback: what is known so far.
    """

    outcome = "recipe-failed"

    def __init__(self, message: str, readback: Readback | None = None) -> None:
        super().__init__(message)
        self.readback = readback


class RecipeFailed(CannotBuild):
    """The recipe did not make what it set out to make: nothing is known about the verifier."""


class NotApplicable(CannotBuild):
    """The drawn instance has no such nearly right end."""

    outcome = "not-applicable"


class Equivalent(CannotBuild):
    """The state that was made is right by the instruction's words, so it is no mutant."""

    outcome = "equivalent"


class Vacuous(CannotBuild):
    """Doing nothing is right on the drawn instance; another is drawn."""

    outcome = "vacuous"


class GoldenModule(Protocol):
    """What a suite's golden module offers."""

    def controls(self, spec: InstanceSpec) -> Sequence[Control]:
        """The golden and the mutants of an instance, empty if there is no recipe; may also replace a standard control by name."""
        ...

    def recipe_digest(self, task: str) -> str:
        """Names the recipe's code; a changed recipe makes a ledger entry stale."""
        ...

    def repro(self, spec: InstanceSpec, goal: str, run: ControlRun, packages: Mapping[str, str]) -> str:
        """A short script that imports only upstream, replays the recorded steps and exits 1 while the fault stands."""
        ...

    def true_at_start(self, task: str) -> bool:
        """Whether the task's goal holds from the start, so that untouched passes and a broken state must fail."""
        ...


@runtime_checkable
class PlaysRecipes(Protocol):
    """What a golden module also offers if its recipes can be played as an agent (``unibench run SUITE -a golden``)."""

    def unplayable(self, task: str) -> str:
        """Why the task's recipe cannot be played as actions (it writes by script, say); empty if it can."""
        ...

    def actions(self, spec: InstanceSpec, handle: Any) -> Sequence[Action]:
        """The actions that bring a fresh episode of this instance to its right end, without the golden control's final ones.

        The live machine is a fresh episode that may be used up to find them.

        Raises:
            CannotBuild: the recipe did not make what it set out to make, or what it did is no action.
        """
        ...


@runtime_checkable
class MakesStandIns(Protocol):
    """What a golden module also offers if it can make initial files that a task downloads and that cannot be had.

    A suite uses it only where its settings ask for that: what was checked on a stand-in is marked in the ledger.
    """

    @property
    def version(self) -> str:
        """Names what makes them; another version makes other files."""
        ...

    def without_programs(self, task: str) -> bool:
        """Whether the task's recipe makes an application's files itself, so that the application may be missing."""
        ...

    def makes(self, place: str) -> bool:
        """Whether there is a stand-in for the file at this place in upstream's file cache (``domain/id/name``)."""
        ...

    def make(self, place: str) -> bytes:
        """The stand-in's content.

        Raises:
            Unavailable: what makes it does not run here.
        """
        ...


def standard_controls() -> list[Control]:
    """What every instance is checked with: the untouched state and the trivial agents."""
    return [
        Control("untouched", Role.UNTOUCHED, NOT_PASSED, NOTHING),
        Control("idle", Role.TRIVIAL, NOT_PASSED, NOTHING),
        Control("claims-done", Role.TRIVIAL, NOT_PASSED, NOTHING, final=(Done(),)),
        Control("claims-infeasible", Role.TRIVIAL, NOT_PASSED, NOTHING, final=(Infeasible(reason="this task cannot be done"),)),
    ]


def all_controls(module: GoldenModule | None, spec: InstanceSpec) -> list[Control]:
    """The standard controls and the golden module's, the module's own taking the place of standard ones of the same name."""
    own = list(module.controls(spec)) if module is not None else []
    names = {control.name for control in own}
    return [control for control in standard_controls() if control.name not in names] + own
