"""The order of tasks that come after others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench.errors import ContractBroken
from unibench.order import chains


def test_tasks_that_wait_for_nothing_stay_as_they_are() -> None:
    assert chains(["b", "a", "c"], {}) == [["b"], ["a"], ["c"]]
    assert chains(["b", "a"], {"b": ["not chosen"]}) == [["b"], ["a"]]


def test_what_hangs_together_is_one_group_in_order() -> None:
    assert chains(["x", "c", "a", "b", "d"], {"c": ["b"], "b": ["a"]}) == [["x"], ["a", "b", "c"], ["d"]]
    assert chains(["top", "left", "right"], {"left": ["top"], "right": ["top"]}) == [["top", "left", "right"]]


def test_a_circle_is_the_adapters_bug() -> None:
    with pytest.raises(ContractBroken, match=r"in a circle: .*a.*b"):
        chains(["a", "b"], {"a": ["b"], "b": ["a"]})


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=20)))
def test_every_task_is_there_once_and_never_before_what_it_waits_for(pairs: list[tuple[int, int]]) -> None:
    after: dict[str, list[str]] = {}
    for one, other in pairs:
        if one > other:
            after.setdefault(str(one), []).append(str(other))
    tasks = [str(n) for n in reversed(range(12))]
    flat = [task for chain in chains(tasks, after) for task in chain]
    assert sorted(flat) == sorted(tasks)
    assert all(flat.index(before) < flat.index(task) for task, befores in after.items() for before in befores)
