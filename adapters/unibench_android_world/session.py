"""One phone, one episode at a time: upstream's task object initialises, is asked, and tears down."""

from __future__ import annotations

import contextlib
import io
import logging
import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unibench.actions import Action, Answer, Done, Infeasible
from unibench.errors import EnvironmentFault, SetupFault, UnknownName
from unibench.observations import Observation, Screenshot
from unibench.record import digest
from unibench.settings import Substrate
from unibench.suite import ActionResult, Session
from unibench.task import Brief, Instance, InstanceSpec, Text
from unibench.verdict import Evidence, Verdict, VerifierDescriptor
from unibench_android_world import FACE, AndroidWorldSettings, Observations, actions, params, upstream, verifiers
from unibench_android_world.machines import Emulator, InProcess, Machine, SimulatedByAdb

_log = logging.getLogger(__name__)
_UPSTREAMS = (RuntimeError, ValueError, LookupError, AttributeError, OSError, sqlite3.Error)
"""What upstream's set-up and tear-down raise where the phone is not as they expect it."""

if TYPE_CHECKING:
    from unibench_android_world.suite import AndroidWorldSuite


@dataclass
class Episode:
    """All that lives as long as one instance."""

    spec: InstanceSpec
    task: Any
    goal: str
    initial: dict[str, str] | None
    answer: str = ""


@dataclass
class AndroidHandle:
    """What golden recipes get. They reach the phone by adb alone, so they run on an emulator too.

    Attributes:
        task, env: upstream's task object, initialised, and its environment.
        goal: as worded now.
        say: gives an answer, as an agent does.
        working: to be held while upstream's helpers are used.
    """

    task: Any
    env: Any
    goal: str
    spec: InstanceSpec
    say: Callable[[str], None]
    working: Callable[[], AbstractContextManager[None]]


def open_session(suite: AndroidWorldSuite, settings: AndroidWorldSettings, substrate: Substrate) -> AndroidWorldSession:
    """A session on the named machine."""
    if substrate.name == "emulator":
        machine: Machine = Emulator(settings, suite.folder)
    elif settings.transport == "adb":
        machine = SimulatedByAdb(settings, suite.folder)
    else:
        machine = InProcess(settings, suite.folder)
    return AndroidWorldSession(suite, settings, substrate, machine)


class AndroidWorldSession(Session):
    """An AndroidWorld machine."""

    def __init__(self, suite: AndroidWorldSuite, settings: AndroidWorldSettings, substrate: Substrate, machine: Machine) -> None:
        self._suite = suite
        self._settings = settings
        self._machine = machine
        fidelity = "stand-in" if machine.simulated else substrate.fidelity
        self._substrate = substrate.model_copy(update={"digest": machine.digest, "fidelity": fidelity})
        self._episode: Episode | None = None
        self._closed = False
        self._kept: dict[str, str] | None = None

    @property
    def substrate(self) -> Substrate:
        return self._substrate

    @property
    def episode(self) -> Episode:
        if self._episode is None:
            raise EnvironmentFault("there is no running episode; reset first")
        return self._episode

    @property
    def handle(self) -> AndroidHandle:
        episode = self.episode

        def say(text: str) -> None:
            self.act(Answer(text=text))

        return AndroidHandle(episode.task, self._machine.env, episode.goal, episode.spec, say, self._machine.working)

    # -- the port ------------------------------------------------------------------------------

    def reset(self, spec: InstanceSpec) -> Instance:
        from android_env.components import errors

        self.leave()
        machine = self._machine
        machine.fresh()
        if self._kept is None:
            self._kept = machine.state()
        cls = self._suite.task_class(spec.task)
        drawn = params.from_json(spec.params.get("drawn"))
        if not isinstance(drawn, dict):
            raise SetupFault(f"the spec of {spec.task} has no drawn parameters")
        cls.set_device_time(machine.env)
        task = cls(drawn)
        with contextlib.ExitStack() as unless_it_comes_up:
            unless_it_comes_up.callback(self._tear_down, task)
            try:
                with machine.working(), upstream.seeded(int(drawn.get("seed") or 0)):
                    task.initialize_task(machine.env)
                    # Upstream's agents begin with reset(start_on_home_screen), which empties the answer as well.
                    machine.env.reset(go_home=task.start_on_home_screen)
                goal = str(task.goal)
            except errors.AndroidEnvError as error:
                raise EnvironmentFault(f"{spec.task} does not come up: {_first(error)}", detail=str(error)) from None
            except _UPSTREAMS as error:
                raise SetupFault(f"{spec.task} does not come up: {_first(error)}", detail=str(error)) from None
            machine.check_gaps(SetupFault)
            unless_it_comes_up.pop_all()
        self._episode = Episode(spec, task, goal, machine.state())
        return Instance(spec=spec, brief=self._brief(spec, goal), initial_state=_name(self._episode.initial))

    def _brief(self, spec: InstanceSpec, goal: str) -> Brief:
        offered = FACE.offers(self._settings)
        return Brief(
            suite=spec.suite,
            task=spec.task,
            goal=(Text(text=goal),),
            actions=offered.actions,
            dialects=offered.dialects,
            observations=tuple(offered.observations),
            screen=offered.screen,
            budget=self._suite.task(spec.task).budget,
        )

    def observe(self, names: Sequence[str]) -> Observation:
        from android_env.components import errors
        from google.protobuf.json_format import MessageToDict

        for name in names:
            if name not in Observations.KINDS:
                raise UnknownName.among("observation", name, Observations.KINDS)
        start = time.perf_counter()
        try:
            with self._machine.working():
                state = self._machine.env.get_state(wait_to_stabilize=False)
                activity = self._machine.env.foreground_activity_name if "activity" in names else ""
        except (errors.AndroidEnvError, RuntimeError) as error:
            raise EnvironmentFault(f"the phone shows nothing: {_first(error)}", detail=str(error)) from None
        seconds = time.perf_counter() - start
        values: dict[str, Any] = {}
        for name in names:
            match name:
                case "screenshot":
                    values[name] = Screenshot(_png(state.pixels))
                case "ui":
                    values[name] = "\n".join(actions.element_line(n, element) for n, element in enumerate(state.ui_elements))
                case "ui_elements":
                    values[name] = [actions.element_json(element) for element in state.ui_elements]
                case "a11y_forest":
                    values[name] = MessageToDict(state.forest, preserving_proto_field_name=True)
                case "activity":
                    values[name] = activity
        return Observation(values, dict.fromkeys(names, seconds))

    def act(self, action: Action) -> ActionResult:
        episode = self.episode
        start = time.perf_counter()
        match action:
            case Answer(text=text):
                episode.answer = text
                self._machine.env.interaction_cache = text
                return ActionResult(seconds=time.perf_counter() - start)
            case Done() | Infeasible():
                return ActionResult(ended=True, seconds=time.perf_counter() - start)
        try:
            done = actions.translate(action)
        except actions.NoSuchAction as senseless:
            return ActionResult(error=str(senseless), seconds=time.perf_counter() - start)
        if not self._machine.acts:
            return ActionResult(
                error=f"the {self._substrate.name} is a test bench for verifiers: no app runs on it, so nothing can be done"
            )
        error, ended = actions.perform(done, self._machine.env)
        if isinstance(done.answer, str) and not error:
            episode.answer = done.answer
        self._machine.pause(self._settings.settle_seconds)
        return ActionResult(error=error, ended=ended, seconds=time.perf_counter() - start)

    def verify(self) -> Verdict:
        from android_env.components import errors

        episode = self.episode
        descriptor = self._suite.describe(episode.spec.task, self._settings)
        start = time.perf_counter()
        try:
            with self._machine.working():
                score, children = self._ask(episode, descriptor)
        except errors.AndroidEnvError as error:
            raise EnvironmentFault(
                f"the phone broke while {episode.spec.task} was being judged: {_first(error)}", detail=str(error)
            ) from None
        self._machine.check_gaps(EnvironmentFault)
        found: dict[str, Any] = {"is_successful": score}
        if descriptor.kind == verifiers.ANSWER_MATCH.name:
            found["answer"] = episode.answer
        return Verdict.of(
            descriptor,
            score,
            raw=score,
            children=children,
            evidence=Evidence(expected={"is_successful": 1.0}, found=found, decided_by=descriptor.sources[0].path),
            seconds=time.perf_counter() - start,
        )

    def _ask(self, episode: Episode, descriptor: VerifierDescriptor) -> tuple[float, tuple[Verdict, ...]]:
        """Upstream's score of the whole; for a composite, that of each part too, asked of the same objects."""
        score = _score(episode.task.is_successful(self._machine.env))
        parts = verifiers.PARTS.get(episode.spec.task, ())
        children = tuple(
            Verdict.of(child, _score(getattr(episode.task, attribute).is_successful(self._machine.env)))
            for (attribute, _), child in zip(parts, descriptor.children, strict=True)
        )
        return score, children

    def settle(self) -> None:
        self._machine.pause(self._settings.settle_seconds)

    def left_behind(self) -> Sequence[str]:
        """What is otherwise on a simulated device than before the episode's set-up, after upstream's tear-down."""
        self.leave()
        after = self._machine.state()
        return () if self._kept is None or after is None else changed(self._kept, after)

    def artifacts(self) -> dict[str, bytes]:
        return {"screenshot.png": self.observe(["screenshot"])["screenshot"].png}

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.leave()
            self._machine.close()

    # -- inside --------------------------------------------------------------------------------

    def leave(self) -> None:
        """Ends the running episode with upstream's tear-down, whatever came before."""
        episode, self._episode = self._episode, None
        if episode is not None:
            self._tear_down(episode.task)

    def _tear_down(self, task: Any) -> None:
        from android_env.components import errors

        try:
            with self._machine.working():
                task.tear_down(self._machine.env)
        except (errors.AndroidEnvError, *_UPSTREAMS) as error:
            # Of a half-built task it fails in many ways, and the next reset restores what it can.
            _log.warning("the tear-down of %s failed: %s: %s", type(task).__name__, type(error).__name__, error)


def changed(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """What differs, by name: each is added, changed or removed."""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return [f"{'added' if name not in before else 'changed' if name in after else 'removed'} {name}" for name in names]


def _score(said: object) -> float:
    """Upstream's score: a float, an int or a bool.

    Raises:
        ValueError: it is none, or not from 0 to 1.
    """
    if not isinstance(said, bool | int | float) or math.isnan(said) or not 0 <= said <= 1:
        raise ValueError(f"is_successful gave {said!r}, which is no score from 0 to 1")
    return float(said)


def _name(state: dict[str, str] | None) -> str | None:
    return None if state is None else digest(state)


def _first(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _png(pixels: Any) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG", compress_level=1)
    return buffer.getvalue()
