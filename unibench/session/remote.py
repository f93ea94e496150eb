"""A suite and its session as the supervisor holds them: the same calls as the port, over the wire."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import ValidationError

from unibench.actions import Action
from unibench.errors import ContractBroken, EnvironmentFault, SessionDied, Unavailable
from unibench.observations import Observation
from unibench.record import Record
from unibench.session.process import ChildProcess
from unibench.session.wire import PROTOCOL, Frames, unpack_observation
from unibench.settings import Settings, Substrate
from unibench.suite import ActionResult, Finding, SuiteFace
from unibench.task import Instance, InstanceSpec, Task
from unibench.verdict import Verdict, VerifierDescriptor

if TYPE_CHECKING:
    from unibench.golden.results import ControlRun, InstanceCheck

START_SECONDS = 60.0

R = TypeVar("R", bound=Record)

_OF_THE_EPISODE = {"observe", "act", "verify", "artifacts"}


def fits(model: type[R], value: Any) -> R:
    """A reply as the record that it must be.

    Raises:
        ContractBroken: it is none; a bug in the adapter.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ContractBroken(f"the session sent no {model.__name__}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def python_for(face: SuiteFace) -> Path:
    """The interpreter of a suite's environment.

    ``UNIBENCH_PYTHON_<SUITE>`` if set; else this interpreter, or for a suite with an environment of its own the one
    under the user's data folder (``envs/<suite>``).

    Raises:
        Unavailable: the suite's own environment is not there.
    """
    from unibench.environments import environment_python, environment_variable

    if face.own_environment or (face.installs is None and os.environ.get(environment_variable(face.name))):
        return environment_python(face.name)
    return Path(sys.executable)


class RemoteSuite:
    """A suite in a session process of its own. The process starts with the first call, and anew after a fault.

    Args:
        face: the suite's static face, and ``face_path`` the ``module:name`` it can be imported by in the child.
        settings: the suite's settings.
        substrate: the machine's name; None for the default.
    """

    def __init__(self, face: SuiteFace, face_path: str, settings: Settings | None = None, substrate: str | None = None) -> None:
        self.face = face
        self.face_path = face_path
        self.settings = settings if settings is not None else face.settings()
        self.substrate_name = face.substrate(substrate).name
        self._process: ChildProcess | None = None
        self._hello: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _start(self) -> ChildProcess:
        process = ChildProcess(python_for(self.face), self.face.environment(self.settings))
        hello = {
            "face": self.face_path,
            "settings": self.settings.model_dump(mode="json"),
            "substrate": self.substrate_name,
            "protocol": PROTOCOL,
        }
        try:
            self._hello, _ = process.call("hello", hello, seconds=START_SECONDS)
        except SessionDied as error:
            if self._hello:
                raise  # it has started before, so this is a fault and not this machine's lack
            raise Unavailable(f"{self.face.name} does not start: {error}", detail=error.detail) from None
        except BaseException:
            process.kill()
            raise
        return process

    def call(self, method: str, seconds: float | None = None, **params: Any) -> tuple[Any, Frames]:
        """A call with the suite's deadline for it. Starts the session process, unless the call is about a running episode.

        Raises:
            SessionDied: the session process is gone, and with it the episode.
        """
        if self._process is None:
            if method in _OF_THE_EPISODE:
                raise SessionDied(f"{method}: there is no running episode; reset first")
            self._process = self._start()
        elif not self._process.alive and method not in _OF_THE_EPISODE:
            self.kill()
            self._process = self._start()
        try:
            return self._process.call(method, params, seconds=self.face.seconds_for(method) if seconds is None else seconds)
        except EnvironmentFault:
            # A machine that broke once is not trusted with another episode; a new one costs about a second.
            self.kill()
            raise

    @property
    def pid(self) -> int | None:
        """The session process's id; None while there is none."""
        return self._process.pid if self._process is not None else None

    def upstream(self) -> dict[str, str]:
        """Upstream's packages and versions."""
        if not self._hello:
            self._process = self._start()
        return dict(self._hello["upstream"])

    def tasks(self) -> list[Task]:
        return [fits(Task, task) for task in self.call("tasks")[0]]

    def draw(self, task: str, seed: int, index: int = 0) -> InstanceSpec:
        return fits(InstanceSpec, self.call("draw", task=task, seed=seed, index=index)[0])

    def describe(self, task: str) -> VerifierDescriptor:
        return self.describe_all([task])[0]

    def describe_all(self, tasks: Sequence[str]) -> list[VerifierDescriptor]:
        return [fits(VerifierDescriptor, d) for d in self.call("describe", tasks=list(tasks))[0]]

    def unavailable(self, task: str) -> tuple[str, ...]:
        return tuple(self.call("unavailable", task=task)[0])

    def probe(self) -> list[Finding]:
        return [fits(Finding, finding) for finding in self.call("probe")[0]]

    def repro(self, check: InstanceCheck, run: ControlRun) -> str:
        """The golden module's script for one fault."""
        params: dict[str, Any] = {"spec": check.spec.model_dump(mode="json"), "goal": check.goal, "run": run.model_dump(mode="json")}
        return str(self.call("repro", **params)[0])

    # -- the session ---------------------------------------------------------------------------

    def open(self) -> Substrate:
        """Starts the machine, if it is not running, and says which it is."""
        return fits(Substrate, self.call("open")[0])

    def reset(self, spec: InstanceSpec) -> Instance:
        return fits(Instance, self.call("reset", spec=spec.model_dump(mode="json"))[0])

    def observe(self, names: Sequence[str]) -> Observation:
        packed, frames = self.call("observe", names=list(names))
        return unpack_observation(packed, frames)

    def act(self, action: Action) -> ActionResult:
        return fits(ActionResult, self.call("act", action=action.model_dump(mode="json"))[0])

    def verify(self) -> Verdict:
        return fits(Verdict, self.call("verify")[0])

    def artifacts(self) -> dict[str, bytes]:
        names, frames = self.call("artifacts")
        return dict(zip(names, frames, strict=True))

    def kill(self) -> None:
        """Ends the session process at once; the next call starts another."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def close(self) -> None:
        """Ends the session process; safe to call twice."""
        process, self._process = self._process, None
        if process is not None:
            process.close()
