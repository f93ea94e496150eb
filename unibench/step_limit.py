"""A budget in steps: a whole number, or a multiple of the steps that a human needs (``2x``)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from unibench.errors import UsageError
from unibench.task import Task

MULTIPLE = r"^[0-9]{1,4}(\.[0-9]{1,3})?x$"
StepLimit = Annotated[int, Field(ge=1)] | Annotated[str, Field(pattern=MULTIPLE)]
"""The one or the other, as it is on record."""


def step_limit(said: object) -> StepLimit:
    """What a user said, as a limit.

    Raises:
        UsageError: it is none.
    """
    text = said.strip() if isinstance(said, str) else said
    if isinstance(text, str) and re.fullmatch("[0-9]{1,9}", text):
        text = int(text)
    if isinstance(text, str) and re.match(MULTIPLE, text) and Decimal(text[:-1]) > 0:
        return f"{Decimal(text[:-1]).normalize():f}x"
    if isinstance(text, int) and not isinstance(text, bool) and text >= 1:
        return text
    raise UsageError(
        f"max_steps is {said if isinstance(said, str) else repr(said)}; a whole number of at least 1 is needed, or a multiple of the steps "
        "that a human needs, such as 2x"
    )


def steps_of(limit: StepLimit | None, task: Task) -> int | None:
    """The limit as a number of steps for a task, a multiple rounded up; None is the task's own.

    Raises:
        UsageError: it is a multiple, and the suite does not say how many steps a human needs.
    """
    if not isinstance(limit, str):
        return limit
    if task.human_steps is None:
        raise _unknown(limit, [task])
    return math.ceil(Decimal(limit[:-1]) * task.human_steps)


def check_limit(limit: StepLimit | None, tasks: Sequence[Task]) -> None:
    """Looks whether the limit means something for each of these tasks.

    Raises:
        UsageError: it does not; names the tasks.
    """
    if isinstance(limit, str) and (unknown := [task for task in tasks if task.human_steps is None]):
        raise _unknown(limit, unknown)


def _unknown(limit: str, tasks: Sequence[Task]) -> UsageError:
    names = ", ".join(task.id for task in tasks[:3]) + (f" and {len(tasks) - 3} more" if len(tasks) > 3 else "")
    return UsageError(
        f"max_steps is {limit}, but {tasks[0].suite} does not say how many steps a human needs for {names}; give a whole number"
    )
