"""Where two states differ, in few words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench.golden.control import BELOW_GOLDEN, NOTHING, Readback, Role
from unibench.golden.differ import beyond, difference
from unibench.golden.judge import evidence_line
from unibench.golden.results import ControlRun, Judgement, Outcome

JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("found", "wanted", "said"),
    [
        ({"a": "1"}, {"a": "1"}, ""),
        ({"a": "1", "new": "2"}, {"a": "1", "old": "2"}, 'without {"old": "2"}, besides {"new": "2"}'),
        ({"a": "1", "b": "3"}, {"a": "1", "b": "2"}, 'b: "3" for "2"'),
        (["x", "x"], ["x", "y"], 'without ["y"], besides ["x"]'),
        (["x", "x"], ["x"], 'besides ["x"]'),
        (["y", "x"], ["x", "y"], "in another order"),
        ([{"n": 1, "of": "z"}, {"n": 8}], [{"n": 1, "of": "z"}, {"n": 6}], "n: 8 for 6"),
        ({"rows": 9, "apart": [{"n": 8}]}, {"rows": 9, "apart": [{"n": 6}]}, "apart: n: 8 for 6"),
        ("a", ["a"], '"a" for ["a"]'),
        (True, 1, "true for 1"),
    ],
)
def test_it_says_what_is_lacking_besides_or_other(found: Any, wanted: Any, said: str) -> None:
    assert difference(found, wanted) == said


@given(JSON, JSON)
def test_it_says_nothing_only_of_what_is_the_same(found: Any, wanted: Any) -> None:
    assert difference(found, found) == ""
    if found != wanted:
        assert difference(found, wanted)


@given(st.lists(st.integers(0, 3)), st.lists(st.integers(0, 3)))
def test_what_is_beyond_is_counted(many: list[int], others: list[int]) -> None:
    left = beyond(many, others)
    assert all(left.count(each) == max(0, many.count(each) - others.count(each)) for each in range(4))


def line(found: Any, wanted: Any) -> str:
    judged = Judgement.model_validate({"status": "pass", "score": 1, "raw": 1})
    back = Readback(wanted=wanted, made=found, found=found)
    return evidence_line(
        ControlRun(
            control="renamed",
            role=Role.MUTANT,
            expect=BELOW_GOLDEN,
            provenance=NOTHING,
            outcome=Outcome.JUDGED,
            judgement=judged,
            readback=back,
        )
    )


def test_the_evidence_of_a_large_state_is_where_it_differs() -> None:
    files: dict[str, str] = {f"note-{number}.md": "x" * 20 for number in range(9)}
    assert line({**files, "not_a": "y"}, files) == 'renamed: found what was wanted, but besides {"not_a": "y"} -> pass (score 1, raw 1)'
    assert line({"note-1.md": "x" * 20}, files).startswith('renamed: found what was wanted, but without {"note-0.md": "xxxx')
    assert line({}, files).startswith('renamed: found {}, wanted {"note-0.md": "xxxx'), "of what is empty nothing is left out"
    assert "found what was wanted" not in line([f"a{n}" for n in range(40)], [f"b{n}" for n in range(40)])
    assert line(["a"], ["a", "b"]) == 'renamed: found ["a"], wanted ["a", "b"] -> pass (score 1, raw 1)'
