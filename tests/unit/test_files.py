"""Files are whole or not there, and a broken one is said to be broken in one line."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.conftest import ROOT
from tests.unit.test_judge import SOUND, instance
from tests.unit.test_verdict import descriptor
from unibench.errors import FileProblem, UnknownName
from unibench.files import check_writable, write_atomic
from unibench.golden.ledger import LedgerFile, coverage, differences, entry_key, ledger_digest, new_faults, read_ledger, write_ledger
from unibench.golden.results import Decision, Entry, Fault, Ledger, Reason
from unibench.record import SCHEMA_VERSION
from unibench.schemas import schema_of, schemas, write_schemas
from unibench.settings import Substrate
from unibench_browsergym.miniwob import MiniwobSettings

MACHINE = Substrate(name="chromium", fidelity="equivalent", digest="chromium-1")


def entry(task: str = "t", *faults: Fault) -> Entry:
    d = descriptor()
    decision = Decision.INVALID if faults else Decision.VALID
    reasons = tuple(fault.reason for fault in faults)
    return Entry(
        task=task,
        key="k",
        descriptor=d,
        descriptor_digest=d.digest,
        decision=decision,
        reasons=reasons,
        faults=faults,
        instances=(instance(*SOUND),),
    )


def ledger(*entries: Entry) -> Ledger:
    return Ledger(
        schema_version=SCHEMA_VERSION,
        made_by="unibench test",
        made_at="2026-01-01T00:00:00+00:00",
        complete=True,
        suite="s",
        upstream={"x": "1"},
        substrate=MACHINE,
        settings={},
        settings_digest="d",
        seeds=(0,),
        repeats=1,
        entries=entries,
    )


def fault(reason: Reason = Reason.MUTANT_ACCEPTED, control: str = "one-missing") -> Fault:
    return Fault(reason=reason, control=control, spec="s", line="l")


def test_a_ledger_comes_back_and_fits_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "a folder with spaces" / "l.json"
    written = ledger(entry("t", fault()), entry("u"))
    write_ledger(path, written)
    assert read_ledger(path) == written
    jsonschema.validate(json.loads(path.read_text()), schema_of("ledger"))
    assert [each.name for each in path.parent.iterdir()] == ["l.json"]


def test_the_schemas_in_the_repository_are_in_step(tmp_path: Path) -> None:
    for fresh in write_schemas(tmp_path):
        assert (ROOT / "schemas" / fresh.name).read_text() == fresh.read_text(), "run `make schemas`"
    assert {path.name for path in (ROOT / "schemas").iterdir()} == {f"{name}.schema.json" for name in schemas()}
    with pytest.raises(UnknownName, match="did you mean 'ledger'"):
        schema_of("leger")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[]", "is no ledger"),
        ('{"kind": "other"}', "is no ledger"),
        ('{"kind": "unibench-ledger", "schema_version": "99"}', "schema version 99"),
        (json.dumps({"kind": "unibench-ledger", "schema_version": SCHEMA_VERSION}), "broken ledger"),
        ("[" * 100000, "no JSON"),
    ],
)
def test_a_broken_ledger_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "l.json"
    path.write_text(text)
    with pytest.raises(FileProblem, match=says) as caught:
        read_ledger(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_ledger_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="No such file"):
        read_ledger(tmp_path / "none.json")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "l.json"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileProblem, match="No space left"):
        write_atomic(path, "new")
    with pytest.raises(FileProblem, match="No space left"):
        check_writable(path)
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["l.json"]


def test_devices_and_pipes_are_not_replaced_and_links_are_followed(tmp_path: Path) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link.json", tmp_path / "target.json"
    os.mkfifo(pipe)
    for write in (lambda: write_atomic(pipe, "x"), lambda: check_writable(pipe), lambda: write_atomic(Path("/dev/null"), "x")):
        with pytest.raises(FileProblem, match="no regular file"):
            write()
    assert pipe.is_fifo()
    target.write_text("old")
    link.symlink_to(target)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("place", ["/proc/nowhere/l.json", "/dev/null/l.json", "."])
def test_what_cannot_be_written_is_said_before_the_work(place: str) -> None:
    with pytest.raises(FileProblem, match="cannot write"):
        check_writable(Path(place))


def test_only_new_faults_are_new() -> None:
    old = ledger(entry("t", fault()))
    same_by_another_line = fault().model_copy(update={"line": "another", "spec": "another"})
    now = ledger(entry("t", same_by_another_line, fault(control="one-wrong")), entry("u", fault()))
    assert [(task, f.control) for task, f in new_faults(now, old)] == [("t", "one-wrong"), ("u", "one-missing")]
    assert new_faults(old, now) == []


def test_a_partial_check_keeps_what_was_there(tmp_path: Path) -> None:
    path, said = tmp_path / "l.json", list[str]()
    write_ledger(path, made_with(MiniwobSettings(), entry("t"), entry("u", fault())))
    file = LedgerFile(path, MiniwobSettings(reseed_in_page=True), said.append)
    for _ in range(2):  # a ledger is saved as it grows
        file.write(made_with(MiniwobSettings(reseed_in_page=True), entry("t", fault())))
    assert {each.task: each.decision for each in read_ledger(path).entries} == {"t": Decision.INVALID, "u": Decision.INVALID}
    assert said == []
    assert [each.name for each in tmp_path.iterdir()] == ["l.json"]


def test_an_interrupted_check_keeps_the_entries_of_tasks_that_it_did_not_reach(tmp_path: Path) -> None:
    path, plain = tmp_path / "l.json", MiniwobSettings()
    write_ledger(path, made_with(plain, entry("t"), entry("u", fault()), entry("v")))
    LedgerFile(path, plain, lambda said: None).write(made_with(plain, entry("t", fault()), complete=False))
    kept = read_ledger(path)
    assert {each.task: each.decision for each in kept.entries} == {"t": Decision.INVALID, "u": Decision.INVALID, "v": Decision.VALID}
    assert not kept.complete


def made_with(settings: MiniwobSettings, *entries: Entry, **changed: Any) -> Ledger:
    head = {"settings": settings.model_dump(mode="json"), "settings_digest": settings.digest, **changed}
    return ledger(*entries).model_copy(update=head)


def test_a_ledger_made_under_other_conditions_is_set_aside_and_what_differs_is_said(tmp_path: Path) -> None:
    path, said = tmp_path / "l.json", list[str]()
    plain, other = MiniwobSettings(), MiniwobSettings(allow_any_url=True)
    night = made_with(plain, entry("t"), entry("u", fault()))
    write_ledger(path, night)
    file = LedgerFile(path, other, said.append)
    for _ in range(2):
        file.write(made_with(other, entry("t")))
    assert [each.task for each in read_ledger(path).entries] == ["t"]
    assert read_ledger(tmp_path / "l.json.bak") == night
    assert said == [
        f"{path} was made under other conditions (setting allow_any_url false -> true): its 2 entries are set aside in {path}.bak; "
        "-o writes to another file instead"
    ]
    LedgerFile(path, plain, said.append).write(made_with(plain, entry("t")))
    assert "its 1 entry is set aside in" in said[1]
    assert read_ledger(tmp_path / "l.json.bak2").settings_digest == other.digest
    path.write_text("{")
    LedgerFile(path, plain, said.append).write(made_with(plain, entry("t")))
    assert f"it is kept as {path}.bak3" in said[2]
    assert (tmp_path / "l.json.bak3").read_text() == "{"
    assert read_ledger(tmp_path / "l.json.bak") == night


def test_each_part_of_a_ledgers_head_that_differs_is_named() -> None:
    settings = MiniwobSettings(reseed_in_page=True)
    there = made_with(settings, entry("t"))

    def said(**changes: Any) -> list[str]:
        now: dict[str, Any] = {"suite": "s", "upstream": {"x": "1"}, "substrate": MACHINE, "settings": settings, **changes}
        return differences(there, **now)

    assert said() == []
    assert said(settings=MiniwobSettings()) == [], "reseed_in_page affects no score"
    assert said(suite="r") == ["suite s -> r"]
    assert said(upstream={"x": "2", "y": "1"}) == ["x 1 -> 2", "y none -> 1"]
    assert said(substrate=MACHINE.model_copy(update={"digest": "d", "name": "n"})) == [
        "machine chromium -> n",
        "machine digest chromium-1 -> d",
    ]
    older = there.model_copy(update={"settings_digest": "of other settings"})
    assert differences(older, "s", {"x": "1"}, MACHINE, settings) == ["which settings affect scores"]


def test_a_ledgers_digest_is_of_what_it_says() -> None:
    one = ledger(entry("t"), entry("u", fault()))
    later = one.model_copy(update={"made_at": "2027-01-01T00:00:00+00:00", "entries": one.entries[::-1]})
    assert ledger_digest(one) == ledger_digest(later)
    assert ledger_digest(one) != ledger_digest(ledger(entry("t"), entry("u")))


def test_coverage_counts_what_was_not_reached() -> None:
    assert coverage(ledger(entry("t", fault()), entry("u")), total=5) == "valid 1, invalid 1, undecided 0, not reached 3 of 5"
    assert coverage(ledger(entry("u"))) == "valid 1, invalid 0, undecided 0 of 1"


def test_a_key_speaks_for_one_version_machine_and_setting() -> None:
    def key(**changes: Any) -> str:
        arguments: dict[str, Any] = {"suite": "s", "upstream": {"x": "1"}, "task": "t", "descriptor": descriptor()}
        arguments |= {"substrate": MACHINE, "settings": MiniwobSettings(), **changes}
        return entry_key(**arguments)

    keys = [
        key(),
        key(suite="r"),
        key(upstream={"x": "2"}),
        key(task="u"),
        key(descriptor=descriptor(owner="p")),
        key(substrate=MACHINE.model_copy(update={"digest": "chromium-2"})),
        key(settings=MiniwobSettings(slow_mo=100)),
    ]
    assert len(set(keys)) == len(keys)
