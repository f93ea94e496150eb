"""The golden check's side in the session process: lists an instance's controls, and runs one."""

from __future__ import annotations

import time
import traceback
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unibench.errors import AgentUnavailable, EnvironmentFault, SetupFault, UnknownName, UsageError
from unibench.golden.control import CannotBuild, Control, GoldenModule, PlaysRecipes, Readback, Role, all_controls
from unibench.golden.results import ControlRun, Judgement, Outcome
from unibench.session.wire import Frames
from unibench.task import InstanceSpec

if TYPE_CHECKING:
    from unibench.session.worker import Worker

MOST_LEFT = 20
"""So many names of what an episode left behind are kept."""


@cache
def golden_module(suite: str) -> GoldenModule | None:
    """The suite's golden module, or None if no installed package has one."""
    for point in entry_points(group="unibench.golden", name=suite):
        module: GoldenModule = point.load()
        return module
    return None


def controls(worker: Worker, spec: InstanceSpec) -> dict[str, Any]:
    """The instance's controls without their code, and the recipe's digest."""
    module = golden_module(spec.suite)
    listed = all_controls(module, spec)
    return {
        "controls": [
            {
                "control": control.name,
                "role": control.role,
                "expect": control.expect.model_dump(mode="json"),
                "provenance": control.provenance.model_dump(mode="json"),
                "final": [action.model_dump(mode="json") for action in control.final],
                "state": control.state,
            }
            for control in listed
        ],
        "recipe": module.recipe_digest(spec.task) if module is not None and any(c.role is Role.GOLDEN for c in listed) else "",
        "true_at_start": module.true_at_start(spec.task) if module is not None else False,
    }


def run_control(worker: Worker, spec: InstanceSpec, name: str, *, shot: str) -> tuple[Any, Frames]:
    """One control on a fresh episode.

    Args:
        shot: when to send a screenshot of the end state: ``always``, ``surprise`` (a golden refused or anything else
            accepted), or ``never``.

    Returns:
        The :class:`ControlRun` as JSON, with the goal; and the screenshot's PNG, if one was taken.
    """
    listed = {control.name: control for control in all_controls(golden_module(spec.suite), spec)}
    if name not in listed:
        raise UnknownName.among(f"control of {spec.task}", name, listed)
    control = listed[name]
    start = time.perf_counter()
    goal = ""

    def result(outcome: Outcome, **fields: Any) -> dict[str, Any]:
        run = ControlRun(
            control=control.name,
            role=control.role,
            expect=control.expect,
            provenance=control.provenance,
            outcome=outcome,
            final=tuple(action.model_dump(mode="json") for action in control.final),
            seconds=round(time.perf_counter() - start, 3),
            **fields,
        )
        return {"run": run.model_dump(mode="json"), "goal": goal}

    try:
        worker.spec = spec
        instance = worker.session.reset(spec)
    except SetupFault as error:
        return result(Outcome.SETUP_FAILED, message=str(error)), []
    goal = instance.brief.text
    try:
        readback = control.build(worker.session.handle) if control.build is not None else None
    except CannotBuild as signal:
        return result(Outcome(signal.outcome), message=str(signal), readback=signal.readback), _shot(worker, shot == "always")
    except EnvironmentFault:
        raise
    except Exception as error:  # noqa: BLE001 - the recipe call's border
        worker.verify()  # raises an EnvironmentFault if the recipe failed because the machine broke under it
        place = traceback.extract_tb(error.__traceback__)[-1]
        first = (str(error).splitlines() or [""])[0]
        message = f"{type(error).__name__}: {first} ({Path(place.filename).name}, line {place.lineno})"
        return result(Outcome.RECIPE_FAILED, message=message), _shot(worker, shot == "always")
    if control.build is not None and (unproven := _unproven(control, readback)) is not None:
        return result(unproven, message="the read-back does not prove the state", readback=readback), _shot(worker, shot == "always")
    if control.build is not None:
        worker.session.settle()
    for action in control.final:
        try:
            failed = worker.session.act(action).error
        except UsageError as error:
            failed = f"{type(error).__name__}: {error}"
        if failed:
            return result(Outcome.RECIPE_FAILED, message=f"the final action {action.type}: {failed}", readback=readback), []
    verdict = worker.verify()
    surprise = verdict.passed != (control.expect.type == "passed")
    picture = _shot(worker, shot == "always" or (shot == "surprise" and surprise))
    left = _left(worker) if control.role in (Role.UNTOUCHED, Role.GOLDEN) else ()
    return result(Outcome.JUDGED, judgement=Judgement.of(verdict), readback=readback, left=left), picture


def _left(worker: Worker) -> tuple[str, ...]:
    """What the judged episode leaves behind; the verdict stands, whatever becomes of the machine."""
    try:
        names = tuple(worker.session.left_behind())
    except EnvironmentFault:
        return ()
    return names if len(names) <= MOST_LEFT else (*names[:MOST_LEFT], f"and {len(names) - MOST_LEFT} more")


def unplayable(task: str, suite: str) -> str:
    """Why a task's golden recipe cannot be played as actions, as far as is known without a try; empty if nothing is."""
    module = golden_module(suite)
    if module is None:
        return "the suite has no golden recipes"
    if not isinstance(module, PlaysRecipes):
        return "the suite's golden recipes are no actions"
    return module.unplayable(task)


def golden_actions(worker: Worker, spec: InstanceSpec) -> list[Any]:
    """What plays the instance's golden control on a fresh episode; uses up the running one.

    Raises:
        AgentUnavailable: the recipe cannot be played on this instance; nothing is known about the verifier.
    """
    module = golden_module(spec.suite)
    golden = next((control for control in all_controls(module, spec) if control.role is Role.GOLDEN), None)
    if golden is None or not isinstance(module, PlaysRecipes):
        raise AgentUnavailable(f"{spec.task} has no golden recipe that can be played")
    worker.spec = spec
    worker.session.reset(spec)
    try:
        actions = [*module.actions(spec, worker.session.handle), *golden.final]
    except (CannotBuild, UsageError) as signal:
        raise AgentUnavailable(f"the golden recipe of {spec.task} cannot be played: {signal}") from None
    except EnvironmentFault:
        raise
    except Exception as error:  # noqa: BLE001 - the recipe call's border
        worker.verify()  # raises an EnvironmentFault if the recipe failed because the machine broke under it
        raise AgentUnavailable(f"the golden recipe of {spec.task} failed: {type(error).__name__}: {error}") from None
    return [action.model_dump(mode="json") for action in actions]


def _unproven(control: Control, readback: Readback | None) -> Outcome | None:
    """What a control is whose read-back does not show that its state is what its role says; None if it does."""
    right = readback.right if readback is not None else None
    if control.role is Role.GOLDEN and right is not True:
        return Outcome.RECIPE_FAILED
    if control.role is Role.MUTANT and right is not False:
        return Outcome.EQUIVALENT if right else Outcome.RECIPE_FAILED
    return None


def repro(worker: Worker, spec: InstanceSpec, goal: str, run: dict[str, Any]) -> str:
    """The golden module's script for one fault; empty if the suite has no module."""
    module = golden_module(spec.suite)
    if module is None or worker.suite is None:
        return ""
    return module.repro(spec, goal, ControlRun.model_validate(run), worker.suite.upstream())


def _shot(worker: Worker, wanted: bool) -> Frames:
    face, settings = worker.face, worker.settings
    if not wanted or face is None or settings is None or "screenshot" not in face.offers(settings).observations:
        return []
    if not worker.session.substrate.agents:
        return []  # a test bench for verifiers has no screen worth a look
    try:
        return [worker.session.observe(["screenshot"])["screenshot"].png]
    except EnvironmentFault:
        return []
