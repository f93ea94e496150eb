"""How to bring the notebook to right and nearly right end states."""

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence

from unibench.actions import Action, Answer, Done, Infeasible
from unibench.golden.control import (
    BELOW_GOLDEN,
    NOT_PASSED,
    NOTHING,
    PASSED,
    Control,
    NotApplicable,
    Provenance,
    Readback,
    Role,
)
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench_notebook.suite import NotebookSession

BY_HAND = Provenance(source="instruction", means="real-input")
Build = Callable[[NotebookSession], Readback]


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


def golden(build: Build | None = None, final: tuple[Action, ...] = (Done(),)) -> Control:
    return Control("golden", Role.GOLDEN, PASSED, BY_HAND, build, final, state="golden")


def mutant(name: str, build: Build | None = None, final: tuple[Action, ...] = (Done(),)) -> Control:
    return Control(name, Role.MUTANT, BELOW_GOLDEN, BY_HAND, build, final, state=name)


def typed(text: str) -> Build:
    def build(session: NotebookSession) -> Readback:
        session.notebook.draft = text
        return Readback(made=text, found=session.notebook.draft)

    return build


def pressed(*buttons: str) -> Build:
    def build(session: NotebookSession) -> Readback:
        for button in buttons:
            session.notebook.press(button)
        return Readback(made=list(buttons), found=session.notebook.html(), steps=[["press", button] for button in buttons])

    return build


def write_note(spec: InstanceSpec) -> list[Control]:
    word = str(spec.params["word"])
    return [golden(typed(f"buy {word}")), mutant("wrong-value", typed(f"buy {word}s")), mutant("submit-at-once", pressed("save"))]


def count_notes(spec: InstanceSpec) -> list[Control]:
    notes = spec.params["notes"]
    count = len(notes) if isinstance(notes, list) else 0
    return [
        golden(final=(Answer(text=str(count)), Done())),
        mutant("one-too-many", final=(Answer(text=str(count + 1)), Done())),
        mutant("answer-taken-back", final=(Answer(text=str(count)), Answer(text="no idea"), Done())),
        mutant("right-answer-wrong-page", typed_and_saved("buy more"), final=(Answer(text=str(count)), Done())),
    ]


def typed_and_saved(text: str) -> Build:
    def build(session: NotebookSession) -> Readback:
        session.notebook.draft = text
        session.notebook.press("save")
        return Readback(made=text, found=list(session.notebook.notes))

    return build


def tick_note(spec: InstanceSpec) -> list[Control]:
    def other(session: NotebookSession) -> Readback:
        if len(session.notebook.notes) < 2:
            raise NotApplicable("there is one note only")
        return pressed("tick-1")(session)

    return [golden(pressed("tick-0")), mutant("other-target", other), mutant("one-too-many", pressed("tick-0", "tick-1"))]


def print_note(spec: InstanceSpec) -> list[Control]:
    refusal = (Infeasible(reason="the notebook cannot print"),)
    # For a task that cannot be done, saying so is the right end; the trivial agent that says so passes, as it must.
    return [
        golden(final=refusal),
        Control("claims-infeasible", Role.TRIVIAL, PASSED, NOTHING, final=refusal, state="golden"),
        mutant("answers-instead", final=(Answer(text="it cannot be done"), Done())),
    ]


def stay_light(spec: InstanceSpec) -> list[Control]:
    broken = Control("broken", Role.MUTANT, NOT_PASSED, BY_HAND, pressed("theme"), (Done(),), state="dark")
    refused = Control("claims-infeasible", Role.TRIVIAL, PASSED, NOTHING, final=(Infeasible(),))
    return [
        Control("untouched", Role.UNTOUCHED, PASSED, NOTHING),
        Control("idle", Role.TRIVIAL, PASSED, NOTHING),
        Control("claims-done", Role.TRIVIAL, PASSED, NOTHING, final=(Done(),)),
        refused,
        golden(pressed("theme", "theme")),
        broken,
    ]


MODULE = NotebookGolden()
