"""What a ledger says of the instances that are about to run, and which of them a policy drops."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from unibench.errors import UsageError
from unibench.golden.ledger import entry_key, read_ledger
from unibench.golden.results import Entry, Ledger
from unibench.runs.records import Checked, LedgerPolicy
from unibench.session.remote import RemoteSuite
from unibench.settings import Substrate
from unibench.task import InstanceSpec
from unibench.verdict import VerifierDescriptor


def ledger_for(suite: str, named: Path | None, policy: LedgerPolicy) -> Ledger | None:
    """The named ledger; else ``SUITE.ledger.json`` if it is in this folder; else none.

    Raises:
        UsageError: it is another suite's, or the policy needs one and there is none.
    """
    usual = Path(f"{suite}.ledger.json")
    path = named or (usual if usual.is_file() else None)
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

    def _speaks_for(self, entry: Entry, spec: InstanceSpec) -> bool:
        suite = self._suite
        descriptor = self.descriptors.get(spec.task)
        if descriptor is None:
            return False
        key = entry_key(suite.face.name, suite.upstream(), spec.task, descriptor, self._substrate, suite.settings)
        recipe = suite.call("controls", spec=spec.model_dump(mode="json"))[0]["recipe"]
        return (entry.key, entry.recipe) == (key, recipe)
