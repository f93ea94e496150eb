"""Budgets in steps: whole numbers, and multiples of what a human needs."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from unibench.errors import UsageError
from unibench.step_limit import StepLimit, check_limit, step_limit, steps_of
from unibench.task import Task


def task(human_steps: int | None, id: str = "t") -> Task:
    return Task(suite="s", id=id, instruction="i", human_steps=human_steps)


@pytest.mark.parametrize(
    ("said", "steps"), [("7", 7), (7, 7), ("2x", 12), ("1.5x", 9), (" 2.0x", 12), ("0.1x", 1), ("1.34x", 9), ("1000x", 6000)]
)
def test_what_is_said_is_so_many_steps_where_a_human_needs_six(said: object, steps: int) -> None:
    limit = step_limit(said)
    assert steps_of(limit, task(6)) == steps
    assert TypeAdapter(StepLimit).validate_python(limit) == limit, "it can be put on record"


def test_a_multiple_has_one_form_on_record() -> None:
    assert {step_limit(said) for said in ("2x", "2.0x", "2.000x", "02x")} == {"2x"}
    assert step_limit("10x") == "10x", "not 1E+1x"
    assert steps_of(None, task(6)) is None


@pytest.mark.parametrize(
    "said", ["", "x", "0", "0x", "0.0x", "-1", "-2x", "2y", "x2", "2 x", "1e3x", "nanx", "1.5", 1.5, True, "99999x", "²x", "2x\n3"]
)
def test_what_is_no_limit_is_said_in_one_line(said: Any) -> None:
    with pytest.raises(
        UsageError, match="a whole number of at least 1 is needed, or a multiple of the steps that a human needs, such as 2x"
    ):
        step_limit(said)


def test_a_multiple_of_what_nobody_knows_is_refused() -> None:
    check_limit("2x", [task(6)])
    check_limit(30, [task(None)])
    with pytest.raises(UsageError, match="s does not say how many steps a human needs for b, c, d and 1 more; give a whole number"):
        check_limit("2x", [task(6, "a"), *(task(None, name) for name in "bcde")])
    with pytest.raises(UsageError, match="human needs for t"):
        steps_of("2x", task(None))


def test_records_take_no_other_texts() -> None:
    for wrong in ("2y", "1e3x", 0):
        with pytest.raises(ValidationError):
            TypeAdapter(StepLimit).validate_python(wrong)
