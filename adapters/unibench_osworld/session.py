"""One desktop, one episode at a time: upstream's set-up, actions and evaluator in the grader's box, observations from the guest."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from unibench.actions import Action
from unibench.environments import environment_python
from unibench.errors import EnvironmentFault, Fault, SetupFault, UnknownName
from unibench.kinds import REFUSAL_KIND
from unibench.observations import Observation, Screenshot
from unibench.record import digest
from unibench.redaction import on_record
from unibench.settings import Substrate
from unibench.suite import ActionResult, Session
from unibench.task import Brief, Budget, Instance, InstanceSpec, Text
from unibench.verdict import Evidence, Status, Verdict, VerdictError, VerifierDescriptor
from unibench_guests.client import GuestClient
from unibench_guests.png import whole_png
from unibench_osworld import DesktopSettings
from unibench_osworld.actions import CannotDo, Order, order
from unibench_osworld.assets import Asset
from unibench_osworld.grader import client
from unibench_osworld.machines import Machine
from unibench_osworld.task_files import TaskFile

if TYPE_CHECKING:
    from unibench_osworld.suite import OsworldSuite

SETUP_SECONDS = 540.0
ACT_SECONDS = 100.0


@dataclass
class DesktopHandle:
    """What golden recipes get.

    Attributes:
        spec, task: the instance and its task file.
        machine: the live guest.
        guest: a client of its REST API.
        assets: the task's files on this machine, gold ones among them.
        settings: the session's.
    """

    spec: InstanceSpec
    task: TaskFile
    machine: Machine
    guest: GuestClient
    assets: Sequence[Asset]
    settings: DesktopSettings


@dataclass
class Episode:
    """All that lives as long as one instance."""

    spec: InstanceSpec
    task: TaskFile
    assets: list[Asset]
    made: dict[str, str]
    guest: GuestClient
    history: list[str]
    judged: dict[str, Any]


class DesktopSession(Session):
    """A desktop suite's session on any of its machines."""

    def __init__(self, suite: OsworldSuite, settings: DesktopSettings, substrate: Substrate) -> None:
        self._suite = suite
        self._settings = settings
        self._named = substrate
        self._os_type = suite.os_type
        self._python = environment_python(suite.grader_suite)
        self._machine = suite.machine(settings, substrate.name)
        self._store = suite.store(settings)
        self._grader: client.Grader | None = None
        self._episode: Episode | None = None

    @property
    def substrate(self) -> Substrate:
        return self._machine.substrate(self._named)

    @property
    def grader(self) -> client.Grader:
        if self._grader is not None and not self._grader.alive:
            self._grader.close()
            self._grader = None
        if self._grader is None:
            self._grader = client.Grader(self._python, self._store.folders)
        return self._grader

    @property
    def episode(self) -> Episode:
        if self._episode is None:
            raise EnvironmentFault("there is no running episode; reset first")
        return self._episode

    @property
    def handle(self) -> DesktopHandle:
        episode = self.episode
        return DesktopHandle(episode.spec, episode.task, self._machine, episode.guest, episode.assets, self._settings)

    @property
    def _call(self) -> dict[str, Any]:
        return {
            "os_type": self._os_type,
            "password": self._settings.client_password,
            "retry_seconds": self._settings.retry_seconds,
            "screen": list(self._settings.screen),
        }

    # -- the port ------------------------------------------------------------------------------

    def reset(self, spec: InstanceSpec) -> Instance:
        self._leave()
        task = self._suite.files[spec.task]
        assets = self._store.all_of(task)
        grader = self.grader
        self._machine.fresh()
        grader.relay.lead_to(self._machine.targets)
        definition, left_out = self._suite.prepared(task, self._named.name)
        made, failed = client.set_up(
            grader, definition, assets, seconds=SETUP_SECONDS, lenient=self._suite.lenient(task, self._settings), **self._call
        )
        self._no_gaps(SetupFault)
        guest = self._suite.client(self._machine.url, self._settings)
        self._episode = Episode(spec, task, assets, made, guest, history=[], judged={})
        time.sleep(self._settings.ready_seconds)
        offers = self._suite.face.offers(self._settings)
        brief = Brief(
            suite=spec.suite,
            task=spec.task,
            goal=(Text(text=task.instruction),),
            actions=offers.actions,
            dialects=offers.dialects,
            observations=tuple(offers.observations),
            screen=offers.screen,
            budget=next((t.budget for t in self._suite.tasks() if t.id == spec.task), Budget()),
        )
        return Instance(
            spec=spec,
            brief=brief,
            initial_state=digest(
                {
                    "definition": task.digest,
                    "files": _listed(assets),
                    **({"failed": failed} if failed else {}),
                    **({"left_out": left_out} if left_out else {}),
                }
            ),
        )

    def _no_gaps(self, fault: type[Fault]) -> None:
        """Raises if the machine was asked for what it does not do."""
        if gaps := self._machine.gaps:
            raise fault(f"the {self._named.name} guest was asked for what it does not do: {gaps[0]}", detail="\n".join(gaps))

    def observe(self, names: Sequence[str]) -> Observation:
        offered = self._suite.face.offers(self._settings).observations
        for name in names:
            if name not in offered:
                raise UnknownName.among("observation", name, offered)
        values: dict[str, Any] = {}
        seconds: dict[str, float] = {}
        for name in names:
            start = time.perf_counter()
            values[name] = self._look(name)
            seconds[name] = time.perf_counter() - start
        return Observation(values, seconds)

    def _look(self, name: str) -> Any:
        guest = self.episode.guest
        match name:
            case "screenshot":
                return Screenshot(whole_png(guest.screenshot(), self._settings.screen))
            case "a11y":
                return guest.accessibility_tree(1.5 * self._settings.guest_seconds)
            case _:
                return guest.terminal() or ""

    def act(self, action: Action) -> ActionResult:
        episode = self.episode
        start = time.perf_counter()
        try:
            what = order(action, self._settings.screen)
        except CannotDo as why:
            return ActionResult(error=str(why), seconds=time.perf_counter() - start)
        if what.said:
            episode.history.append(what.said)
        time.sleep(self._settings.pause if what.wait is None else what.wait)
        error = self._send(what) if what.code else ""
        if what.said and not what.ends:
            time.sleep(self._settings.pause)
        return ActionResult(error=error, ended=what.ends, seconds=time.perf_counter() - start)

    def _send(self, what: Order) -> str:
        """Sends code through upstream's controller; gives what went wrong in it."""
        params = {**self._call, "dialect": what.dialect, "code": what.code}
        reply = self.grader.call("act", seconds=ACT_SECONDS, **params)
        self._must_answer(reply, "take actions")
        if "error" in reply:
            # Upstream raises on an action that it does not understand; the agent sent it.
            return f"{reply['error']['type']}: {reply['error']['message']}"
        exchanges = reply["result"]["exchanges"]
        last = exchanges[-1] if exchanges else {}
        if last.get("returned") not in (0, None) or last.get("status") != 200:
            lines = str(last.get("said", "")).strip().splitlines()
            return str(on_record(lines[-1])) if lines else "the code failed"
        return ""

    def verify(self) -> Verdict:
        episode = self.episode
        descriptor = self._suite.describe(episode.task.id, self._settings)
        start = time.perf_counter()
        time.sleep(self._settings.settle_seconds)
        episode.guest.must_answer()  # upstream tries for 100 s to reach a server that is gone
        reply = self.grader.call(
            "evaluate",
            seconds=self._settings.grader_seconds,
            task=episode.task.definition,
            files=client.cached(self.grader, episode.assets),
            made=episode.made,
            history=episode.history,
            **self._call,
        )
        episode.judged = reply
        self._must_answer(reply, "answer its verifier")
        self._no_gaps(EnvironmentFault)
        return judged(descriptor, reply, time.perf_counter() - start, episode.history)

    def _must_answer(self, reply: dict[str, Any], what: str) -> None:
        """
        Raises:
            EnvironmentFault: the machine's server went away while a call ran. Where it only refused something, or was slow, it is asked
                once more: an agent's file that cannot be read, say, is no fault.
        """
        exchanges = reply.get("result", {}).get("exchanges", [])
        if gone := client.lost(exchanges):
            raise EnvironmentFault(f"the guest does not {what}: {gone}")
        if client.in_doubt(reply):
            try:
                self.episode.guest.must_answer()
            except EnvironmentFault as fault:
                raise EnvironmentFault(f"the guest does not {what}: {fault}") from None

    def artifacts(self) -> dict[str, bytes]:
        episode = self.episode
        return {
            **({"screenshot.png": self._look("screenshot").png} if self._named.agents else {}),
            "assets.json": json.dumps(_listed(episode.assets), indent=1).encode(),
            "evaluation.json": json.dumps(episode.judged, indent=1).encode(),
        }

    def close(self) -> None:
        self._leave()
        self._machine.close()
        if self._grader is not None:
            self._grader.close()
            self._grader = None

    def _leave(self) -> None:
        episode, self._episode = self._episode, None
        if episode is not None:
            episode.guest.close()


def _listed(assets: Sequence[Asset]) -> list[dict[str, str]]:
    return [{"url": a.need.url, "role": a.need.role, "name": a.need.name, "origin": a.origin, "sha256": a.sha256} for a in assets]


def judged(descriptor: VerifierDescriptor, reply: dict[str, Any], seconds: float, history: Sequence[str] = ()) -> Verdict:
    """A verdict from the grader's answer: upstream's number as it is, or what kept upstream from giving one.

    Args:
        history: the actions in upstream's words, which are all that a refusal is judged by.
    """
    result = reply.get("result", {})
    parts = result.get("parts", [])
    evidence = _last_said(descriptor, history) if descriptor.kind == REFUSAL_KIND.name else _evidence(parts)
    error = reply.get("error") or result.get("error")
    if error is None and result.get("value") is None:
        error = {"type": "GraderDied", "message": "its answer has no value"}
    if error is None and (away := client.not_fetched(result.get("exchanges", []))):
        error = {"type": "DownloadFailed", "message": f"the verifier needed {away}", "detail": ""}
    if error is not None:
        what = VerdictError(
            type=str(error["type"]), message=on_record(str(error["message"]))[:2000], detail=on_record(str(error.get("detail", "")))[-4000:]
        )
        return Verdict(descriptor=descriptor, status=Status.UNSCORED, error=what, evidence=evidence, seconds=seconds)
    value = float(result["value"])
    children = tuple(
        Verdict.of(child, _clamped(part["score"]), raw=part["score"], evidence=_evidence([part]))
        for child, part in zip(descriptor.children, parts, strict=False)
        if isinstance(part.get("score"), float)
    )
    return Verdict.of(descriptor, _clamped(value), raw=value, children=children, evidence=evidence, seconds=seconds)


def _clamped(value: float) -> float:
    """Scores are from 0 to 1; upstream's rescaled similarities can leave that on either side."""
    return min(max(value, 0.0), 1.0)


def _evidence(parts: Sequence[dict[str, Any]]) -> Evidence:
    found = [part.get("found") for part in parts]
    expected = [part.get("expected") for part in parts]
    one = len(parts) == 1
    return Evidence(expected=expected[0] if one else expected, found=found[0] if one else found)


def _last_said(descriptor: VerifierDescriptor, history: Sequence[str]) -> Evidence:
    """Why a refusal passes or not: upstream's ``evaluate`` asks no metric, it looks at the last action itself."""
    return Evidence(
        expected="the last action says that it cannot be done (FAIL)",
        found=f"the last action: {history[-1]}" if history else "no action",
        decided_by=descriptor.sources[0].path if descriptor.sources else "",
    )
