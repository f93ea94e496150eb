"""How to bring the notebook to right and nearly right end states."""

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from unibench.actions import Action, Answer, Click, Done, Element, Infeasible, Type
from unibench.golden.control import (
    BELOW_GOLDEN,
    NOT_PASSED,
    NOTHING,
    PASSED,
    Control,
    Provenance,
    Readback,
    Role,
)
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench_notebook.suite import NotebookSession

BY_HAND = Provenance(source="instruction", means="real-input")
Build = Callable[[NotebookSession], Readback]
Reads = Callable[[NotebookSession], JsonValue]


class NotebookGolden:
    """See :class:`unibench.golden.control.GoldenModule`."""

    def controls(self, spec: InstanceSpec) -> Sequence[Control]:
        return {
            "write-note": write_note,
            "count-notes": count_notes,
            "tick-note": tick_note,
            "print-note": print_note,
            "stay-light": stay_light,
        }[spec.task](spec)

    def recipe_digest(self, task: str) -> str:
        return hashlib.sha256(inspect.getsource(inspect.getmodule(NotebookGolden)).encode()).hexdigest()[:32]  # type: ignore[arg-type]

    def repro(self, spec: InstanceSpec, goal: str, run: ControlRun, packages: Mapping[str, str]) -> str:
        return ""

    def true_at_start(self, task: str) -> bool:
        return task == "stay-light"

    def unplayable(self, task: str) -> str:
        return "the theme is changed and changed back, which looks like nothing done" if task == "stay-light" else ""

    def actions(self, spec: InstanceSpec, handle: NotebookSession) -> Sequence[Action]:
        """The same as the recipes do by hand, for ``unibench run notebook -a golden``."""
        if spec.task == "write-note":
            return [Type(text=f"buy {spec.params['word']}")]
        return [Click(target=Element(ref="tick-0"))] if spec.task == "tick-note" else []


def golden(build: Build | None = None, final: tuple[Action, ...] = (Done(),)) -> Control:
    return Control("golden", Role.GOLDEN, PASSED, BY_HAND, build, final, state="golden")


def mutant(name: str, build: Build | None = None, final: tuple[Action, ...] = (Done(),)) -> Control:
    return Control(name, Role.MUTANT, BELOW_GOLDEN, BY_HAND, build, final, state=name)


def made(do: Callable[[NotebookSession], None], read: Reads, wanted: JsonValue) -> Build:
    """Makes a state, reads it back, and says whether it is the wanted one."""

    def build(session: NotebookSession) -> Readback:
        do(session)
        found = read(session)
        return Readback(wanted=wanted, found=found, right=found == wanted)

    return build


def press(*buttons: str) -> Callable[[NotebookSession], None]:
    def do(session: NotebookSession) -> None:
        for button in buttons:
            session.notebook.press(button)

    return do


def type_in(text: str) -> Callable[[NotebookSession], None]:
    def do(session: NotebookSession) -> None:
        session.notebook.draft = text

    return do


def notes(session: NotebookSession) -> JsonValue:
    return list(session.notebook.notes)


def ticks(session: NotebookSession) -> JsonValue:
    return list(session.notebook.ticked)


def write_note(spec: InstanceSpec) -> list[Control]:
    wanted = f"buy {spec.params['word']}"

    def draft(session: NotebookSession) -> JsonValue:
        return session.notebook.draft

    return [
        golden(made(type_in(wanted), draft, wanted)),
        mutant("wrong-value", made(type_in(f"{wanted}s"), draft, wanted)),
        mutant("submit-at-once", made(press("save"), draft, wanted)),
    ]


def count_notes(spec: InstanceSpec) -> list[Control]:
    listed = spec.params["notes"]
    count = len(listed) if isinstance(listed, list) else 0

    def add(session: NotebookSession) -> None:
        session.notebook.draft = "buy more"
        session.notebook.press("save")

    return [
        golden(final=(Answer(text=str(count)), Done())),
        mutant("one-too-many", final=(Answer(text=str(count + 1)), Done())),
        mutant("answer-taken-back", final=(Answer(text=str(count)), Answer(text="no idea"), Done())),
        mutant("right-answer-wrong-page", made(add, notes, listed), final=(Answer(text=str(count)), Done())),
    ]


def tick_note(spec: InstanceSpec) -> list[Control]:
    listed = spec.params["notes"]
    wanted: JsonValue = [n == 0 for n in range(len(listed) if isinstance(listed, list) else 0)]
    return [
        golden(made(press("tick-0"), ticks, wanted)),
        mutant("other-target", made(press("tick-1"), ticks, wanted)),
        mutant("one-too-many", made(press("tick-0", "tick-1"), ticks, wanted)),
        mutant("nothing-ticked", made(press(), ticks, wanted)),
    ]


def print_note(spec: InstanceSpec) -> list[Control]:
    refusal = (Infeasible(reason="the notebook cannot print"),)
    # For a task that cannot be done, saying so is the right end; the trivial agent that says so passes, as it must.
    return [
        golden(final=refusal),
        Control("claims-infeasible", Role.TRIVIAL, PASSED, NOTHING, final=refusal, state="golden"),
        mutant("answers-instead", final=(Answer(text="it cannot be done"), Done())),
    ]


def stay_light(spec: InstanceSpec) -> list[Control]:
    def theme(session: NotebookSession) -> JsonValue:
        return session.notebook.theme

    broken = made(press("theme"), theme, "light")
    return [
        Control("untouched", Role.UNTOUCHED, PASSED, NOTHING),
        Control("idle", Role.TRIVIAL, PASSED, NOTHING),
        Control("claims-done", Role.TRIVIAL, PASSED, NOTHING, final=(Done(),)),
        Control("claims-infeasible", Role.TRIVIAL, PASSED, NOTHING, final=(Infeasible(),)),
        golden(made(press("theme", "theme"), theme, "light")),
        Control("broken", Role.MUTANT, NOT_PASSED, BY_HAND, broken, (Done(),), state="dark"),
    ]


MODULE = NotebookGolden()
