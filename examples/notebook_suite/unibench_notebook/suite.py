"""The port, filled: five tasks, a session over one notebook, and their verifiers."""

import random
from collections.abc import Mapping, Sequence
from typing import ClassVar

from unibench.actions import Action, Answer, Click, Done, Element, Infeasible, Native, Type
from unibench.errors import EnvironmentFault, SetupFault, UnknownName, UnsupportedAction
from unibench.observations import Observation
from unibench.settings import Settings, Substrate
from unibench.suite import ActionResult, Finding, Session, Suite
from unibench.task import Brief, Budget, Instance, InstanceSpec, Task, Text
from unibench.verdict import Verdict, VerifierDescriptor
from unibench_notebook import FACE, NotebookSettings, checks
from unibench_notebook.app import VERSION, HtmlPage, Notebook
from unibench_verifiers.page_state import Condition, PageState

WORDS = ("milk", "bread", "stamps", "paint", "string", "apples")

TASKS = {
    "write-note": 'Write a note that says "buy {word}".',
    "count-notes": "How many notes are there? Answer with the number, then say that you are done.",
    "tick-note": 'Tick the note "buy {word}".',
    "print-note": "Print the first note.",
    "stay-light": "See to it that the theme is light.",
}
HUMAN_STEPS = {"write-note": 2, "count-notes": 2, "tick-note": 2, "stay-light": 1}
"""Actions that a human needs; nobody can print."""

TAGS = {"write-note": ("changes:notes",), "tick-note": ("changes:notes", "changes:ticks")}


def instruction(spec: InstanceSpec) -> str:
    return TASKS[spec.task].format(word=spec.params["word"])


def notes_of(spec: InstanceSpec) -> tuple[str, ...]:
    notes = spec.params["notes"]
    if not isinstance(notes, list):
        raise SetupFault(f"the spec of {spec.task} has no list of notes")
    return tuple(str(note) for note in notes)


def page_check(task: str, notes: tuple[str, ...], word: str) -> PageState:
    """The page-state check of a task on an instance. Its descriptor does not depend on the instance."""
    name = f"{task}/page"
    if task == "write-note":
        wanted = [Condition(selector=".note", expected=(*notes, f"buy {word}"))]
        return PageState(name, wanted, owner=checks.OWNER, acts_first=("press save",))
    if task == "tick-note":
        ticks = tuple(str(note == f"buy {word}").lower() for note in notes)
        return PageState(name, [Condition(selector=".tick", what="checked", expected=ticks)], owner=checks.OWNER)
    if task == "stay-light":
        return PageState(name, [Condition(selector="#theme", expected=("light",))], owner=checks.OWNER)
    return PageState(name, [Condition(selector=".note", expected=notes)], owner=checks.OWNER)


class NotebookSuite(Suite):
    name: ClassVar[str] = "notebook"

    def upstream(self) -> Mapping[str, str]:
        return {"notebook": VERSION}

    def tasks(self) -> Sequence[Task]:
        return [
            Task(suite=self.name, id=id, instruction=text, budget=Budget(steps=8), human_steps=HUMAN_STEPS.get(id), tags=TAGS.get(id, ()))
            for id, text in TASKS.items()
        ]

    def draw(self, task: str, seed: int, index: int = 0) -> InstanceSpec:
        if task not in TASKS:
            raise UnknownName.among("task of notebook", task, TASKS)
        rng = random.Random(f"{task}/{seed}/{index}")
        words = rng.sample(WORDS, k=rng.randint(2, 4))
        listed = [f"buy {word}" for word in (words if task == "tick-note" else words[1:])]
        return InstanceSpec(suite=self.name, task=task, seed=seed, index=index, params={"word": words[0], "notes": list(listed)})

    def describe(self, task: str, settings: Settings) -> VerifierDescriptor:
        if task not in TASKS:
            raise UnknownName.among("task of notebook", task, TASKS)
        if task == "print-note":
            return checks.describe_refusal(task)
        page = page_check(task, ("",), "").descriptor
        return checks.describe_all_of(task, checks.describe_answer(f"{task}/answer"), page) if task == "count-notes" else page

    def open(self, settings: Settings, substrate: str) -> Session:
        assert isinstance(settings, NotebookSettings)
        return NotebookSession(self, settings)

    def probe(self, settings: Settings) -> Sequence[Finding]:
        return [Finding(what="notebook", ok=bool(Notebook(["a"]).html()), detail=VERSION)]


class NotebookSession(Session):
    def __init__(self, suite: NotebookSuite, settings: NotebookSettings) -> None:
        self._suite = suite
        self._settings = settings
        self._spec: InstanceSpec | None = None
        self.notebook = Notebook([])
        self.answer: str | None = None
        self.refused = False

    @property
    def substrate(self) -> Substrate:
        return FACE.substrate().model_copy(update={"digest": f"notebook-{VERSION}"})

    @property
    def handle(self) -> "NotebookSession":
        return self

    @property
    def spec(self) -> InstanceSpec:
        if self._spec is None:
            raise EnvironmentFault("there is no running episode; reset first")
        return self._spec

    def reset(self, spec: InstanceSpec) -> Instance:
        self._spec, self.notebook, self.answer, self.refused = spec, Notebook(notes_of(spec)), None, False
        offered = FACE.offers(self._settings)
        brief = Brief(
            suite=spec.suite,
            task=spec.task,
            goal=(Text(text=instruction(spec)),),
            actions=offered.actions,
            dialects=offered.dialects,
            observations=tuple(offered.observations),
            screen=offered.screen,
            budget=Budget(steps=8),
        )
        return Instance(spec=spec, brief=brief)

    def observe(self, names: Sequence[str]) -> Observation:
        values = {"html": self.notebook.html(), "url": "notebook:/", "notes": list(self.notebook.notes)}
        for name in names:
            if name not in values:
                raise UnknownName.among("observation", name, values)
        return Observation({name: values[name] for name in names})

    def act(self, action: Action) -> ActionResult:
        match action:
            case Click(target=Element(ref=ref)) | Native(dialect="notebook", code=ref):
                try:
                    self.notebook.press(ref)
                except KeyError:
                    return ActionResult(error=f"there is no button {ref!r}")
            case Type(text=text, target=None):
                self.notebook.draft += text
                if self._settings.autosave:
                    self.notebook.press("save")
            case Answer(text=text):
                self.answer = text
            case Done():
                return ActionResult(ended=True)
            case Infeasible():
                self.refused = True
                return ActionResult(ended=True)
            case Click():
                return ActionResult(error="there is nothing to click at a point; name a button")
            case _:
                raise UnsupportedAction(f"the notebook has no action of type {action.type!r}")
        return ActionResult()

    def verify(self) -> Verdict:
        spec = self.spec
        descriptor = self._suite.describe(spec.task, self._settings)
        if spec.task == "print-note":
            return checks.verify_refusal(descriptor, self.refused)
        if descriptor.acts_first:
            # As OSWorld's post-configuration does: what is not saved is saved before anybody looks.
            self.notebook.press("save")
        page = page_check(spec.task, notes_of(spec), str(spec.params["word"])).verify(HtmlPage(self.notebook))
        if spec.task != "count-notes":
            return page
        answer = checks.verify_answer(descriptor.children[0], self.answer, str(len(notes_of(spec))))
        return checks.verify_all_of(descriptor, answer, page)

    def close(self) -> None:
        self._spec = None
