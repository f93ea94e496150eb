"""The session process: ``python -m unibench.session.worker``, spoken to over stdin and stdout.

It alone holds the live machine, the verifier and the golden recipes. It ends when stdin ends, be it that the
supervisor closed it or died. Calls are served one after another by the main thread, which some drivers insist on.
"""

from __future__ import annotations

import importlib
import platform
import time
import traceback
from dataclasses import dataclass
from typing import Any

from unibench import kinds
from unibench.actions import parse_action
from unibench.errors import ContractBroken, EnvironmentFault, Unavailable
from unibench.session.child import Reply, Served, run_child
from unibench.session.wire import PROTOCOL, pack_observation
from unibench.settings import Settings
from unibench.suite import Session, Suite, SuiteFace
from unibench.task import InstanceSpec
from unibench.verdict import Verdict, VerifierDescriptor


def load(path: str) -> Any:
    """The object that ``module:name`` names."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


@dataclass
class Slot:
    """One session of the process and the instance that runs in it."""

    session: Session | None = None
    spec: InstanceSpec | None = None


class Worker(Served):
    """Serves one suite and its sessions. Methods named ``do_<method>`` are the calls."""

    def __init__(self) -> None:
        self.suite: Suite | None = None
        self.face: SuiteFace | None = None
        self.settings: Settings | None = None
        self.substrate = ""
        self._slots: dict[int, Slot] = {}
        self._slot = self._slots.setdefault(0, Slot())

    def turn_to(self, session: int) -> None:
        self._slot = self._slots.setdefault(session, Slot())

    @property
    def session(self) -> Session:
        if self._slot.session is None:
            self._slot.session = self._suite.open(self._settings, self.substrate)
        return self._slot.session

    @property
    def spec(self) -> InstanceSpec | None:
        return self._slot.spec

    @spec.setter
    def spec(self, spec: InstanceSpec) -> None:
        self._slot.spec = spec

    @property
    def episode(self) -> Session:
        """The session, in an episode.

        Raises:
            EnvironmentFault: none has begun.
        """
        if self._slot.session is None or self._slot.spec is None:
            raise EnvironmentFault("there is no running episode; reset first")
        return self._slot.session

    @property
    def _suite(self) -> Suite:
        if self.suite is None:
            raise ContractBroken("the first call must be hello")
        return self.suite

    @property
    def _settings(self) -> Settings:
        if self.settings is None:
            raise ContractBroken("the first call must be hello")
        return self.settings

    def do_hello(self, face: str, settings: dict[str, Any], substrate: str, protocol: int) -> Reply:
        if protocol != PROTOCOL:
            raise Unavailable(
                f"this environment's unibench speaks protocol {PROTOCOL}, the caller's {protocol}; install the same version in both"
            )
        self.face = load(face)
        if not isinstance(self.face, SuiteFace):
            raise ContractBroken(f"{face} is no SuiteFace")
        self.settings = self.face.settings.parse(settings)
        self.substrate = self.face.substrate(substrate).name
        self.suite = load(self.face.suite)()
        return {"python": platform.python_version(), "upstream": dict(self._suite.upstream())}, []

    def do_tasks(self) -> Reply:
        return [task.model_dump(mode="json") for task in self._suite.tasks()], []

    def do_draw(self, task: str, seed: int, index: int) -> Reply:
        return self._suite.draw(task, seed, index).model_dump(mode="json"), []

    def do_describe(self, tasks: list[str]) -> Reply:
        return [self.describe(task).model_dump(mode="json") for task in tasks], []

    def do_unavailable(self, task: str) -> Reply:
        return list(self._suite.unavailable(task, self._settings, self.substrate)), []

    def do_stand_ins(self, task: str) -> Reply:
        return list(self._suite.stand_ins(task, self._settings)), []

    def do_probe(self) -> Reply:
        return [finding.model_dump(mode="json") for finding in self._suite.probe(self._settings)], []

    def do_open(self) -> Reply:
        return self.session.substrate.model_dump(mode="json"), []

    def do_reset(self, spec: dict[str, Any]) -> Reply:
        self.spec = drawn = InstanceSpec.model_validate(spec)
        return self.session.reset(drawn).model_dump(mode="json"), []

    def do_observe(self, names: list[str]) -> Reply:
        return pack_observation(self.episode.observe(names))

    def do_act(self, action: Any) -> Reply:
        return self.episode.act(parse_action(action)).model_dump(mode="json"), []

    def do_verify(self) -> Reply:
        return self.verify().model_dump(mode="json"), []

    def do_artifacts(self) -> Reply:
        found = self.episode.artifacts()
        return list(found), list(found.values())

    def do_controls(self, spec: dict[str, Any]) -> Reply:
        from unibench.golden import inside

        return inside.controls(self, InstanceSpec.model_validate(spec)), []

    def do_run_control(self, spec: dict[str, Any], control: str, shot: str) -> Reply:
        from unibench.golden import inside

        return inside.run_control(self, InstanceSpec.model_validate(spec), control, shot=shot)

    def do_unplayable(self, tasks: list[str]) -> Reply:
        from unibench.golden import inside

        return [inside.unplayable(task, self._suite.name) for task in tasks], []

    def do_golden_actions(self, spec: dict[str, Any]) -> Reply:
        from unibench.golden import inside

        return inside.golden_actions(self, InstanceSpec.model_validate(spec)), []

    def do_repro(self, spec: dict[str, Any], goal: str, run: dict[str, Any]) -> Reply:
        from unibench.golden import inside

        return inside.repro(self, InstanceSpec.model_validate(spec), goal, run), []

    def do_close(self) -> Reply:
        session, self._slot.session, self._slot.spec = self._slot.session, None, None
        if session is not None:
            session.close()
        return None, []

    def describe(self, task: str) -> VerifierDescriptor:
        descriptor = self._suite.describe(task, self._settings)
        kinds.check_kind(descriptor)
        return descriptor

    def verify(self) -> Verdict:
        """Asks the verifier; what it raises becomes an unscored verdict, unless the machine broke under it."""
        if self.spec is None:
            raise ContractBroken("verify was called before reset")
        start = time.perf_counter()
        try:
            return self.session.verify()
        except EnvironmentFault:
            raise
        except Exception as error:  # noqa: BLE001 - the verify call's border
            descriptor = self.describe(self.spec.task)
            return Verdict.raised(descriptor, error, detail=traceback.format_exc(), seconds=time.perf_counter() - start)

    def idle(self) -> None:
        if self._slot.session is not None:
            self._slot.session.idle()

    def close(self) -> None:
        for slot in self._slots.values():
            if slot.session is not None:
                slot.session.close()
                slot.session = None


if __name__ == "__main__":
    run_child(Worker())
