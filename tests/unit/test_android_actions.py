"""AndroidWorld's actions: from the canonical ones to upstream's JSONAction and back, fuzzed; and who may act at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench.actions import Action, Click, Element, Key, Native, Point, Scroll, Swipe, parse_action
from unibench.errors import UnsupportedAction
from unibench_android_world import FACE
from unibench_android_world.actions import NoSuchAction, Translated, translate

needs_upstream = pytest.mark.skipif(
    not os.environ.get("UNIBENCH_PYTHON_ANDROID_WORLD"),
    reason="needs android_world (unibench install android_world); then: "
    "UNIBENCH_PYTHON_ANDROID_WORLD=PYTHON pytest tests/unit/test_android_actions.py",
)

numbers = st.floats(-1e7, 1e7, allow_nan=False)
points = st.builds(Point, x=numbers, y=numbers)
targets = st.one_of(points, st.builds(Element, ref=st.one_of(st.integers(-3, 10**12).map(str), st.text(max_size=5))))
FORMS: dict[str, dict[str, Any]] = {
    "click": {"target": targets, "button": st.sampled_from(["left", "middle", "right"])},
    "double_click": {"target": targets},
    "long_press": {"target": targets, "seconds": st.floats(0.1, 60)},
    "scroll": {"target": st.none() | targets, "dx": numbers, "dy": numbers},
    "type": {"text": st.text(), "target": st.none() | targets},
    "key": {"key": st.sampled_from(["Enter", "Tab", "a", "F5", " ", "Control", "\0"])},
    "swipe": {"start": points, "end": points, "seconds": st.floats(0.1, 60)},
    "drag": {"start": points, "end": points},
    "back": {},
    "home": {},
    "open_app": {"name": st.text(min_size=1)},
    "wait": {"seconds": st.floats(0.1, 60)},
}
"""Every kind of action that the suite takes, answers and ends apart, which the session sees to."""
actions = st.sampled_from(sorted(FORMS)).flatmap(lambda kind: st.fixed_dictionaries({"type": st.just(kind), **FORMS[kind]}))

BACK_AND_FORTH = """
import json, sys
from unibench.actions import Native
from unibench_android_world.actions import translate
from android_world.env.json_action import JSONAction
for line in sys.stdin:
    fields = json.loads(line)
    once = JSONAction(**fields)
    again = translate(Native(dialect="android_world", code=once.json_str())).fields
    assert JSONAction(**again) == once, (fields, again)
    print("same")
"""


WHAT_GOES_WRONG = """
import subprocess
from types import SimpleNamespace
from android_env.components.errors import AdbControllerError, ReadObservationError
from android_env.proto import adb_pb2
from unibench.errors import EnvironmentFault
from unibench_android_world.actions import NoSuchAction, Translated, perform, translate
from unibench.actions import Native

def adb_error(cause):
    error = AdbControllerError("x")
    error.__cause__ = cause
    return error

def outcome(raised, answers=True):
    def execute_action(action):
        raise raised
    def execute_adb_call(request):
        if not answers:
            raise adb_error(subprocess.CalledProcessError(1, "adb"))
        return adb_pb2.AdbResponse(status=adb_pb2.AdbResponse.OK)
    env = SimpleNamespace(execute_action=execute_action, controller=SimpleNamespace(execute_adb_call=execute_adb_call))
    try:
        return perform(Translated({"action_type": "wait"}), env)
    except EnvironmentFault as fault:
        return fault

ended = subprocess.CalledProcessError(252, "adb", output=b"** No activities found\\n")
assert outcome(adb_error(ended)) == ("the phone refused it: ** No activities found", False)
assert isinstance(outcome(adb_error(ended), answers=False), EnvironmentFault)
assert isinstance(outcome(adb_error(subprocess.TimeoutExpired("adb", 1))), EnvironmentFault)
assert isinstance(outcome(ReadObservationError("no screen")), EnvironmentFault)
assert isinstance(outcome(RuntimeError("Could not get a11y tree.")), EnvironmentFault)
for senseless in (ValueError("x"), IndexError("x"), AttributeError("x"), OverflowError("x")):
    assert outcome(senseless) == (f"{type(senseless).__name__}: x", False)
for code in ("{", "1", '{"action_type": "click", "keycode": 5}', '{"action_type": "click", "index": Infinity}', "[" * 100_000):
    try:
        raise AssertionError(translate(Native(dialect="android_world", code=code)))
    except NoSuchAction:
        pass
print("told apart")
"""


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value.model_dump(mode="json") if isinstance(value, Point | Element) else value for name, value in fields.items()}


def outcome(action: Action) -> Translated | str:
    try:
        return translate(action)
    except NoSuchAction as senseless:
        return str(senseless)


@given(actions)
def test_every_action_is_something_upstream_can_do_or_a_reason_that_an_agent_may_read(given: dict[str, Any]) -> None:
    done = outcome(parse_action(plain(given)))
    if isinstance(done, str):
        assert done
        return
    assert [bool(done.fields), bool(done.adb), bool(done.seconds)].count(True) == 1
    for word in done.adb:
        assert word.replace("_", "").replace("-", "").isalnum(), "nothing that a phone's shell would read as more than a word"
    if done.fields is not None:
        assert json.loads(json.dumps(done.fields)) == done.fields
        assert set(done.fields) <= {"action_type", "index", "x", "y", "text", "direction", "app_name"}


def test_the_suite_offers_what_it_translates() -> None:
    assert set(FACE.offers(FACE.settings()).actions) == {*FORMS, "answer", "done", "infeasible", "native"}


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        (Click(target=Point(x=10.4, y=2399.6)), {"action_type": "click", "x": 10, "y": 2400}),
        (Click(target=Element(ref="7")), {"action_type": "click", "index": 7}),
        (Scroll(dy=300), {"action_type": "scroll", "direction": "down"}),
        (Scroll(dx=-300, dy=10, target=Element(ref="2")), {"action_type": "scroll", "direction": "left", "index": 2}),
    ],
)
def test_what_becomes_of_some(action: Action, fields: dict[str, Any]) -> None:
    assert translate(action).fields == fields


def test_what_json_action_has_no_word_for_goes_through_adb() -> None:
    swipe = Swipe(start=Point(x=1, y=2), end=Point(x=3, y=4.4), seconds=0.25)
    assert translate(swipe).adb == ("shell", "input", "swipe", "1", "2", "3", "4", "250")
    assert translate(Key(key="Escape")).adb == ("shell", "input", "keyevent", "KEYCODE_ESCAPE")
    with pytest.raises(UnsupportedAction):
        translate(Native(dialect="other", code="x"))


@needs_upstream
def test_upstream_takes_them_and_its_own_language_comes_back_the_same() -> None:
    found: list[dict[str, Any]] = []

    @given(actions)
    def collect(given: dict[str, Any]) -> None:
        done = outcome(parse_action(plain(given)))
        if isinstance(done, Translated) and done.fields is not None:
            found.append(done.fields)

    collect()
    lines = "".join(json.dumps(fields) + "\n" for fields in found)
    python = os.environ["UNIBENCH_PYTHON_ANDROID_WORLD"]
    done = subprocess.run([python, "-c", BACK_AND_FORTH], input=lines, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("same") == len(found) > 20


@needs_upstream
def test_an_agents_mistake_is_told_apart_from_a_phone_that_broke() -> None:
    command = [os.environ["UNIBENCH_PYTHON_ANDROID_WORLD"], "-c", WHAT_GOES_WRONG]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "told apart" in done.stdout


def test_no_agent_acts_on_the_simulated_device(tmp_path: Path) -> None:
    """It is said at once: without upstream, without a machine, before the agent starts."""
    done = subprocess.run(
        [sys.executable, "-m", "unibench", "run", "android_world", "-a", "idle", "--substrate", "simdevice", "-o", "r"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (
        2,
        "unibench: agents do not act on simdevice: it is a test bench for verifiers; --substrate emulator takes them\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_doctor_says_how_the_missing_upstream_is_had(tmp_path: Path) -> None:
    without = {name: value for name, value in os.environ.items() if name != "UNIBENCH_PYTHON_ANDROID_WORLD"}
    done = subprocess.run(
        [sys.executable, "-m", "unibench", "doctor", "android_world"],
        capture_output=True,
        text=True,
        check=False,
        env={**without, "XDG_DATA_HOME": str(tmp_path)},
        timeout=60,
    )
    assert done.returncode == 3
    assert "unibench install android_world" in done.stdout
