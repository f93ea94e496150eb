"""Tasks by the globs that people type."""

from __future__ import annotations

import pytest

from unibench.errors import UnknownName, UsageError
from unibench.selection import select, select_one
from unibench.task import Task


def task(id: str, *tags: str) -> Task:
    return Task(suite="s", id=id, instruction="", tags=tags)


TASKS = [task("b1-small", "split:all", "app:gimp"), task("a2", "split:all", "split:small", "app:vlc"), task("a3", "split:all", "app:os")]


@pytest.mark.parametrize(
    ("globs", "chosen"),
    [
        (None, ["b1-small", "a2", "a3"]),
        (["a*"], ["a2", "a3"]),
        (["split:small"], ["a2"]),
        (["app:[gv]*"], ["b1-small", "a2"]),
        (["a3", "app:gimp"], ["b1-small", "a3"]),
        (["*small"], ["b1-small"]),  # a tag has it too, but names come first
    ],
)
def test_globs_are_of_names_and_else_of_tags(globs: list[str] | None, chosen: list[str]) -> None:
    assert select(TASKS, globs, "s") == chosen


@pytest.mark.parametrize(("glob", "meant"), [("split:smal", "split:small"), ("b1-smal", "b1-small"), ("app:gmip", "app:gimp")])
def test_what_matches_nothing_says_what_was_meant_among_both(glob: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=f"no task or tag of s '{glob}'; did you mean '{meant}'"):
        select(TASKS, [glob], "s")


NAMES = ["os/1f", "os/1f-2", "vlc/20", "vlc/21", "vlc/22", "vlc/2"]


@pytest.mark.parametrize(
    ("text", "task"), [("os/1f", "os/1f"), ("os/1f-", "os/1f-2"), ("*/20", "vlc/20"), ("vlc/2", "vlc/2"), ("*-2", "os/1f-2")]
)
def test_one_task_by_its_name_a_glob_or_its_beginning(text: str, task: str) -> None:
    assert select_one(NAMES, text, "s") == task


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("vlc", "'vlc' fits 4 tasks of s: vlc/20, vlc/21, vlc/22 and 1 more; say which one"),
        ("os/*", "'os/*' fits 2 tasks of s: os/1f, os/1f-2; say which one"),
        ("vcl/20", "no task of s 'vcl/20'; did you mean 'vlc/20'"),
    ],
)
def test_one_task_is_never_guessed(text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        select_one(NAMES, text, "s")
    assert says in str(caught.value)
