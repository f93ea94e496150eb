"""What a ledger says of the instances that are about to run, and which of them a policy drops."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from unibench.errors import UsageError
from unibench.golden.ledger import differences, entry_key, read_ledger
from unibench.golden.results import Entry, Ledger
from unibench.runs.records import Checked, LedgerPolicy, LedgerUse
from unibench.session.remote import RemoteSuite
from unibench.settings import Substrate
from unibench.task import InstanceSpec
from unibench.verdict import VerifierDescriptor


def ledger_path(suite: str, named: Path | None) -> Path | None:
    """The named ledger; else ``SUITE.ledger.json`` if it is in this folder; else none."""
    usual = Path(f"{suite}.ledger.json")
    return named or (usual if usual.is_file() else None)


def ledger_for(suite: str, named: Path | None, policy: LedgerPolicy) -> Ledger | None:
    """The ledger at :func:`ledger_path`; None if there is none.

    Raises:
        UsageError: it is another suite's, or the policy needs one and there is none.
    """
    path = ledger_path(suite, named)
    if path is None:
        if policy == "valid-only":
            raise UsageError(f"the ledger policy valid-only needs a ledger; make one: unibench golden-check {suite}")
        return None
    ledger = read_ledger(path)
    if ledger.suite != suite:
        raise UsageError(f"{path} is a ledger of {ledger.suite}, not of {suite}")
    return ledger


class AppliedLedger:
    """A ledger under a policy, for one suite on one machine.

    An entry whose key is not this suite's, version's, machine's and settings' is stale: said, and not applied.
    """

    def __init__(self, suite: RemoteSuite, substrate: Substrate, ledger: Ledger | None, policy: LedgerPolicy) -> None:
        self._suite = suite
        self._substrate = substrate
        self._policy = policy
        self._ledger = ledger
        self._entries = {entry.task: entry for entry in ledger.entries} if ledger is not None else {}
        self._checked: dict[str, Checked] = {}

    @cached_property
    def descriptors(self) -> dict[str, VerifierDescriptor]:
        """The descriptors of the tasks that the ledger has."""
        known = [task.id for task in self._suite.tasks() if task.id in self._entries]
        return dict(zip(known, self._suite.describe_all(known), strict=True))

    def of_task(self, spec: InstanceSpec) -> Checked:
        """What the ledger says of an instance's task."""
        entry = self._entries.get(spec.task)
        if entry is None:
            return "unchecked"
        if spec.task not in self._checked:
            self._checked[spec.task] = entry.decision.value if self._speaks_for(entry, spec) else "stale"
        return self._checked[spec.task]

    def of_instance(self, spec: InstanceSpec) -> Checked:
        """What it says of the instance: of a task that is faulty on some, the others were never checked or are valid."""
        checked, entry = self.of_task(spec), self._entries.get(spec.task)
        if entry is None or checked != "invalid" or not entry.mixed or spec.digest in entry.dropped:
            return checked
        return "valid" if any(check.spec.digest == spec.digest for check in entry.instances) else "unchecked"

    def why_dropped(self, spec: InstanceSpec) -> tuple[str, bool]:
        """Why the policy drops an instance, and whether that holds for its whole task; an empty reason if it runs."""
        if self._policy == "ignore":
            return "", False
        checked, entry = self.of_task(spec), self._entries.get(spec.task)
        if self._policy == "valid-only" and checked != "valid":
            return f"not valid: {checked}", True
        if entry is None or checked == "stale":
            return "", False
        if any(check.vacuous and check.spec.digest == spec.digest for check in entry.instances):
            return "vacuous: doing nothing is right on this instance", False
        if checked != "invalid":
            return "", False
        reasons = ", ".join(entry.reasons)
        if not entry.mixed:
            return f"invalid: {reasons}", True
        # Faulty on some instances only: those are dropped; instances that were never checked run.
        return (f"invalid on this instance: {reasons}" if spec.digest in entry.dropped else ""), False

    def use(self, tasks: Sequence[str], of: int, file: Path | None = None) -> LedgerUse:
        """What was found in the ledger of these tasks, after their instances were asked about.

        Args:
            of: how many tasks were chosen, those that cannot run here among them.
            file: the ledger's.
        """
        suite, ledger = self._suite, self._ledger
        options = _options(suite, self._substrate, file)
        if ledger is None:
            return LedgerUse(tasks=of, options=options)
        return LedgerUse(
            file=file.name if file is not None else "the ledger",
            differs=tuple(differences(ledger, suite.face.name, suite.upstream(), self._substrate, suite.settings)),
            lacks=tuple(task for task in tasks if task not in self._entries),
            stale=tuple(task for task in tasks if self._checked.get(task) == "stale"),
            tasks=of,
            options=options,
        )

    def _speaks_for(self, entry: Entry, spec: InstanceSpec) -> bool:
        suite = self._suite
        descriptor = self.descriptors.get(spec.task)
        if descriptor is None:
            return False
        key = entry_key(suite.face.name, suite.upstream(), spec.task, descriptor, self._substrate, suite.settings)
        recipe = suite.call("controls", spec=spec.model_dump(mode="json"))[0]["recipe"]
        return (entry.key, entry.recipe) == (key, recipe)


def _options(suite: RemoteSuite, substrate: Substrate, file: Path | None) -> tuple[str, ...]:
    """The options of a golden check under a run's conditions: the machine, settings and ledger that it would not take by itself."""
    face, settings = suite.face, suite.settings
    usual = face.substrate(face.checked_on(settings)).name
    options = ["--substrate", substrate.name] if substrate.name != usual else []
    plain = face.settings().model_dump(mode="json")
    for name, value in settings.model_dump(mode="json").items():
        if value != plain[name]:
            options += ["--set", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    if file is not None and file != Path(f"{face.name}.ledger.json"):
        # A path of this machine is not for the record.
        options += ["-o", str(file) if not file.is_absolute() else f"…/{file.name}"]
    return tuple(options)
