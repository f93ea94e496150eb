"""Descriptors, verdicts and the reward that carries one."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from unibench.errors import UnknownName
from unibench.kinds import check_kind, kinds, register_kind
from unibench.verdict import MAX_EVIDENCE, Evidence, Join, Reward, Status, Verdict, VerifierDescriptor, VerifierKind, status_of


def descriptor(**changes: object) -> VerifierDescriptor:
    fields = {"kind": "page-state", "name": "t", "implementation": "m:f", "owner": "o", "scale": "binary", "when": "end"}
    return VerifierDescriptor.model_validate({**fields, **changes})


GRADED = descriptor(scale="graded")


def test_a_digest_names_every_field() -> None:
    base = descriptor()
    assert base.digest == descriptor().digest
    for change in ({"name": "u"}, {"owner": "p"}, {"pass_threshold": 0.5}, {"acts_first": ("save",)}, {"network": True}):
        assert descriptor(**change).digest != base.digest


def test_a_composites_row_is_its_sorted_kinds() -> None:
    parts = (descriptor(kind="token-f1"), descriptor(kind="page-state"), descriptor(kind="page-state"))
    assert descriptor(children=parts, join=Join.ALL).row == "page-state+token-f1"
    assert descriptor().row == "page-state"


@pytest.mark.parametrize("change", [{"join": "all"}, {"determinism": "judged"}, {"judge": "some-model"}, {"pass_threshold": 1.5}])
def test_contradictions_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        descriptor(**change)


@given(st.floats(0, 1), st.floats(0.01, 1))
def test_status_follows_score_and_threshold(score: float, threshold: float) -> None:
    d = descriptor(scale="graded", pass_threshold=threshold)
    status = status_of(score, d)
    assert (status is Status.PASS) == (score >= threshold)
    assert Verdict.of(d, score).passed == (score >= threshold)
    if score == 0:
        assert status is Status.FAIL


def test_a_binary_verifier_has_no_partial_score() -> None:
    with pytest.raises(ValueError, match="binary"):
        status_of(0.5, descriptor())


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "pass", "score": None},
        {"status": "unscored", "score": 0.0},
        {"status": "fail", "score": 1.0},
        {"status": "pass", "score": float("nan")},
        {"status": "pass", "score": 2.0},
        {"status": "pass", "score": 1.0, "error": {"type": "E", "message": "m"}},
    ],
)
def test_a_verdict_that_contradicts_itself_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Verdict.model_validate({"descriptor": GRADED, **fields})


def test_a_verifier_that_raised_gives_no_score() -> None:
    verdict = Verdict.raised(GRADED, KeyError("cell"))
    assert (verdict.status, verdict.score) == (Status.UNSCORED, None)
    assert verdict.error is not None
    assert verdict.error.type == "KeyError"


def test_equal_judgements_are_equal_however_long_they_took() -> None:
    assert Verdict.of(GRADED, 0.5, seconds=1.0) == Verdict.of(GRADED, 0.5, seconds=2.0)
    assert Verdict.of(GRADED, 0.5) != Verdict.of(GRADED, 0.6)
    assert hash(Verdict.of(GRADED, 0.5, seconds=1.0)) == hash(Verdict.of(GRADED, 0.5))


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_a_reward_keeps_its_verdict(clone: object) -> None:
    verdict = Verdict.of(GRADED, 0.5)
    twin = clone(Reward(0.5, verdict))  # type: ignore[operator]
    assert isinstance(twin, Reward)
    assert isinstance(twin, np.float64)
    assert twin == 0.5
    assert twin.verdict == verdict


def test_arithmetic_drops_the_verdict() -> None:
    assert not isinstance(Reward(0.5, Verdict.of(GRADED, 0.5)) + 1, Reward)


def test_kinds_are_a_registry_with_plug_ins() -> None:
    assert {"file-compare", "device-state", "page-state", "token-f1", "graph-cr"} <= set(kinds())
    assert "answer-match" in kinds(), "the example plug-in registers it by its entry point"
    with pytest.raises(UnknownName, match="did you mean 'page-state'"):
        check_kind(descriptor(kind="page-sate"))
    with pytest.raises(ValueError, match="already registered"):
        register_kind(VerifierKind(name="page-state", summary="another", reads="x"))


@pytest.mark.parametrize("value", ["x" * 10**6, ['"' * 100] * 10**4, {"page": "\\" * 10**6}])
def test_evidence_that_is_too_long_is_cut_with_a_note_and_only_once(value: object) -> None:
    evidence = Evidence(expected="short", found=value, note="why")  # type: ignore[arg-type]
    assert evidence.expected == "short"
    assert isinstance(evidence.found, str)
    assert len(evidence.found) <= MAX_EVIDENCE
    assert evidence.note.startswith("why; found was cut, ")
    assert Evidence.model_validate_json(evidence.model_dump_json()) == evidence
    verdict = Verdict.of(descriptor(), 1.0, evidence=Evidence(expected=value))  # type: ignore[arg-type]
    assert len(verdict.model_dump_json()) < 3 * MAX_EVIDENCE, "wherever it is written"


def test_evidence_of_usual_size_is_kept_as_it_is() -> None:
    found = {"text": ["a" * 1000] * 10, "n": None}
    assert Evidence(found=found).found == found  # type: ignore[arg-type]
    assert Evidence(found=found).note == ""  # type: ignore[arg-type]


def test_secrets_are_taken_out_before_evidence_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "hush-0123456789")
    kept = MAX_EVIDENCE - 45
    evidence = Evidence(found="x" * kept + "hush-0123456789" * 9, note="the key is hush-0123456789")
    assert "hush" not in evidence.model_dump_json()
    assert evidence.note.startswith("the key is [redacted]")
    error = Verdict.raised(GRADED, ValueError("x" * 1990 + "hush-0123456789"), detail="hush-0123456789" + "x" * 3990).error
    assert error is not None
    assert "hush" not in error.message
    assert "0123" not in error.detail


def test_evidence_that_holds_itself_is_refused() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(ValidationError):
        Evidence(found=value)  # type: ignore[arg-type]
