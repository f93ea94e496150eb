"""Actions: parsing, and that no text becomes one by accident."""

from __future__ import annotations

import contextlib
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench import actions
from unibench.actions import KINDS, Click, Element, Native, Point, parse_action
from unibench.errors import UnsupportedAction


def test_the_list_of_kinds_is_the_union() -> None:
    union = get_args(get_args(actions.Action)[0])
    assert tuple(cls.model_fields["type"].default for cls in union) == KINDS


def test_actions_come_as_objects_mappings_and_native_strings() -> None:
    click = Click(target=Point(x=1, y=2))
    assert parse_action(click) is click
    assert parse_action({"type": "click", "target": {"x": 1, "y": 2}}) == click
    assert parse_action({"type": "click", "target": {"ref": "a12"}}) == Click(target=Element(ref="a12"))
    assert parse_action("click('1')", dialect="browsergym") == Native(dialect="browsergym", code="click('1')")


@pytest.mark.parametrize(
    "value",
    [
        *("click", None, 3, [], {}),
        *({"type": "clack"}, {"type": "click"}, {"type": "click", "target": {"x": 1}}),
        *({"type": "wait", "seconds": -1}, {"type": "done", "surprise": 1}, {"type": "scroll", "dy": float("nan")}),
        {"type": "hotkey", "keys": []},
    ],
)
def test_anything_else_is_refused_with_one_line(value: object) -> None:
    with pytest.raises(UnsupportedAction) as caught:
        parse_action(value)
    assert "\n" not in str(caught.value)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_no_json_value_crashes_the_parser(value: object) -> None:
    with contextlib.suppress(UnsupportedAction):
        parse_action(value)


@given(st.sampled_from(KINDS), st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.text(max_size=20))
def test_actions_survive_json(kind: str, x: float, y: float, text: str) -> None:
    point = {"x": x, "y": y}
    fields: dict[str, object] = {
        "click": {"target": point},
        "double_click": {"target": point},
        "move": {"target": point},
        "long_press": {"target": point},
        "drag": {"start": point, "end": point},
        "swipe": {"start": point, "end": point},
        "type": {"text": text},
        "answer": {"text": text},
        "key": {"key": text or "a"},
        "hotkey": {"keys": [text]},
        "open_app": {"name": text},
        "goto": {"url": text},
        "native": {"dialect": "d", "code": text},
    }.get(kind, {})
    action = parse_action({"type": kind, **fields})  # type: ignore[dict-item]
    assert parse_action(action.model_dump(mode="json")) == action


def test_a_mapping_without_a_type_is_told_what_it_lacks() -> None:
    with pytest.raises(UnsupportedAction, match=r"it has no 'type', such as 'click'.*a string of the suite's own language, android_world"):
        parse_action({"action_type": "navigate_home"}, dialect="android_world")
