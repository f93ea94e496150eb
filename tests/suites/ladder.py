"""A made-up suite whose tasks come after one another, on a machine of its own each, or on a shared one. It notes what it does."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from unibench.actions import Action
from unibench.errors import EnvironmentFault
from unibench.observations import Observation
from unibench.settings import Settings, Substrate
from unibench.suite import ActionResult, Isolation, Offers, Session, Suite, SuiteFace
from unibench.task import Brief, Instance, InstanceSpec, Task, Text
from unibench.verdict import Verdict, VerifierDescriptor

AFTER = {"top": ("middle", "side"), "middle": ("bottom",)}
CHECK = VerifierDescriptor(
    kind="page-state", name="ladder", implementation="tests.suites.ladder:LadderSession.verify", owner="tests", scale="binary", when="end"
)
TASKS = ("top", "middle", "alone", "side", "bottom")


def offers(settings: Settings) -> Offers:
    return Offers(actions=("done",), observations={"nothing": "json"}, screen=(1, 1))


def face(isolation: Isolation) -> SuiteFace:
    return SuiteFace(
        name="ladder",
        title="Ladder",
        summary="tasks that come after others",
        suite="tests.suites.ladder:LadderSuite",
        settings=Settings,
        offers=offers,
        observe=("nothing",),
        substrates=(Substrate(name="memory", fidelity="official", digest="1"),),
        isolation=isolation,
    )


OWN = face(Isolation())
SHARED = face(Isolation("shared", key="ladder", max_sessions=1))


def note(text: str) -> None:
    """Into the file that LADDER_NOTES names; a line is one write, so that processes do not mix theirs."""
    with Path(os.environ["LADDER_NOTES"]).open("a") as file:
        file.write(f"{text} {os.getpid()}\n")


class LadderSuite(Suite):
    name: ClassVar[str] = "ladder"

    def upstream(self) -> Mapping[str, str]:
        return {"ladder": "1"}

    def tasks(self) -> Sequence[Task]:
        return [Task(suite=self.name, id=task, instruction=task, after=AFTER.get(task, ())) for task in TASKS]

    def draw(self, task: str, seed: int, index: int = 0) -> InstanceSpec:
        return InstanceSpec(suite=self.name, task=task, seed=seed, index=index)

    def describe(self, task: str, settings: Settings) -> VerifierDescriptor:
        return CHECK

    def unavailable(self, task: str, settings: Settings, substrate: str) -> tuple[str, ...]:
        return ("no rung",) if task in os.environ.get("LADDER_LACKS", "").split() else ()

    def open(self, settings: Settings, substrate: str) -> Session:
        return LadderSession()


class LadderSession(Session):
    def __init__(self) -> None:
        note("open")

    @property
    def substrate(self) -> Substrate:
        return OWN.substrate()

    @property
    def handle(self) -> LadderSession:
        return self

    def reset(self, spec: InstanceSpec) -> Instance:
        note(f"{spec.task}/{spec.seed}")
        if spec.task in os.environ.get("LADDER_BREAKS", "").split():
            raise EnvironmentFault(f"{spec.task} broke")
        time.sleep(0.05)
        brief = Brief(suite=spec.suite, task=spec.task, goal=(Text(text="g"),), actions=("done",), observations=("nothing",), screen=(1, 1))
        return Instance(spec=spec, brief=brief, initial_state=f"state of {spec.task}")

    def observe(self, names: Sequence[str]) -> Observation:
        return Observation(dict.fromkeys(names))

    def act(self, action: Action) -> ActionResult:
        return ActionResult(ended=True)

    def verify(self) -> Verdict:
        return Verdict.of(CHECK, 1.0)

    def close(self) -> None:
        note("close")
