"""A suite and its session as the supervisor holds them: the same calls as the port, over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import ValidationError

from unibench.actions import Action
from unibench.errors import ContractBroken
from unibench.observations import Observation
from unibench.record import Record
from unibench.session.host import SessionHost
from unibench.session.wire import Frames, unpack_observation
from unibench.settings import Settings, Substrate
from unibench.suite import ActionResult, Finding, SuiteFace
from unibench.task import Instance, InstanceSpec, Task
from unibench.verdict import Verdict, VerifierDescriptor

if TYPE_CHECKING:
    from unibench.golden.results import ControlRun, InstanceCheck

R = TypeVar("R", bound=Record)


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


class RemoteSuite:
    """A suite in a session process of its own. The process starts with the first call, and anew after a fault.

    Args:
        face: the suite's static face, and ``face_path`` the ``module:name`` it can be imported by in the child.
        settings: the suite's settings.
        substrate: the machine's name; None for the default.
        host: a process to share with others, as :meth:`beside` does; one of its own else.
    """

    def __init__(
        self,
        face: SuiteFace,
        face_path: str,
        settings: Settings | None = None,
        substrate: str | None = None,
        *,
        host: SessionHost | None = None,
    ) -> None:
        self.face = face
        self.settings = settings if settings is not None else face.settings()
        self.host = host or SessionHost(face, face_path, self.settings, face.substrate(substrate).name)
        self._number = self.host.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def beside(self) -> RemoteSuite:
        """One more session in the same process, as many as the face's ``sessions_a_process`` allows."""
        return RemoteSuite(self.face, self.host.face_path, self.settings, self.host.substrate, host=self.host)

    def call(self, method: str, seconds: float | None = None, **params: Any) -> tuple[Any, Frames]:
        """A call with the suite's deadline for it. Starts the session process, unless the call is about a running episode.

        Raises:
            SessionDied: the session process is gone, and with it the episode.
        """
        return self.host.call(method, self._number, params, self.face.seconds_for(method) if seconds is None else seconds)

    @property
    def pid(self) -> int | None:
        """The session process's id; None while there is none."""
        return self.host.process.pid if self.host.process is not None else None

    def upstream(self) -> dict[str, str]:
        """Upstream's packages and versions."""
        if not self.host.hello:
            self.host.start()
        return dict(self.host.hello["upstream"])

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

    def stand_ins(self, task: str) -> tuple[str, ...]:
        return tuple(self.call("stand_ins", task=task)[0])

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
        self.host.kill()

    def close(self) -> None:
        """Gives the session up, and ends its process if no other is in it; safe to call twice."""
        self.host.leave(self._number)
