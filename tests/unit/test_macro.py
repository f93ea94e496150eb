"""The example agent that plays scripts: what a step means, what it sees in either tree, and when it gives up."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from unibench.actions import Answer, Click, Done, Element, Hotkey, Infeasible, Key, Point, Scroll, Type, Wait
from unibench.errors import UsageError
from unibench.observations import Observation
from unibench.task import Brief, Text

sys.path.insert(0, str(ROOT / "examples" / "agents"))

from macro import FOLDER, Macro, read_scripts
from widgets import Widget, on_desktop, on_page

PAGE = """RootWebArea 'A page', focused, url='file:///page.html'
	[13] button 'Say "it\\'s"', clickable
	[14] button "it's", clickable, focused
		InlineTextBox "it's"
	[a7] textbox '', clickable"""
DESKTOP = (
    '<desktop-frame xmlns:st="https://accessibility.ubuntu.example.org/ns/state" '
    'xmlns:cp="https://accessibility.ubuntu.example.org/ns/component">'
    '<frame name="Window" st:showing="true" cp:screencoord="(-438900767, 32547)" cp:size="(860, 21)">'
    '<push-button name="OK" st:showing="true" cp:screencoord="(100, 50)" cp:size="(21, 10)"/>'
    '<push-button name="OK" st:showing="true" cp:screencoord="(300, 50)" cp:size="(20, 10)"/>'
    '<push-button name="Hidden" cp:screencoord="(1, 1)" cp:size="(20, 10)"/>'
    '<push-button name="Empty" st:showing="true" cp:screencoord="(1, 1)" cp:size="(0, 10)"/>'
    '<label st:showing="true" cp:screencoord="(0, 0)" cp:size="(20, 10)">Two\n words</label></frame></desktop-frame>'
)


def agent(folder: Path, steps: str, goal: str = ".*", text: str = "Do it.", **arguments: Any) -> Macro:
    file = folder / "script.toml"
    file.write_text(f"[script]\ngoal = '''{goal}'''\nsteps = '''{steps}'''\n", encoding="utf-8")
    made = Macro(str(file), **arguments)
    made.reset(Brief(suite="s", task="t", goal=(Text(text=text),), actions=(), observations=("a11y",), screen=(400, 300)))
    return made


def played(macro: Macro, observation: dict[str, str]) -> list[Any]:
    """The actions up to the one that ends."""
    actions = [macro.act(Observation(observation))]
    while not isinstance(actions[-1], Done | Infeasible):
        actions.append(macro.act(Observation(observation)))
    return actions


def test_it_sees_what_a_page_has_with_a_ref() -> None:
    assert list(on_page(PAGE)) == [
        Widget("button", 'Say "it\'s"', Element(ref="13")),
        Widget("button", "it's", Element(ref="14")),
        Widget("textbox", "", Element(ref="a7")),
    ]


def test_it_sees_what_shows_on_a_desktop_and_is_on_the_screen() -> None:
    assert list(on_desktop(DESKTOP, (400, 300))) == [
        Widget("push-button", "OK", Point(x=110, y=55)),
        Widget("push-button", "OK", Point(x=310, y=55)),
        Widget("label", "Two\n words", Point(x=10, y=5)),
    ]


@pytest.mark.parametrize(
    ("step", "action"),
    [
        ('click push-button "OK"', Click(target=Point(x=110, y=55))),
        ("right-click push-button #2", Click(target=Point(x=310, y=55), button="right")),
        ('click "two*"', None),
        ('click "Two w*"', Click(target=Point(x=10, y=5))),
        ("press Control+Shift+t", Hotkey(keys=("Control", "Shift", "t"))),
        ("press +", Key(key="+")),
        ("press Control++", Hotkey(keys=("Control", "+"))),
        ("press Control+Space", Hotkey(keys=("Control", " "))),
        (r"type a\tb\n", Type(text="a\tb\n")),
        ("scroll -120", Scroll(dy=-120)),
        ("wait 2", Wait(seconds=2)),
        ("answer 42", Answer(text="42")),
        ("infeasible no such thing", Infeasible(reason="no such thing")),
    ],
)
def test_what_a_step_does(tmp_path: Path, step: str, action: Any) -> None:
    macro = agent(tmp_path, step, patience=2)
    assert macro.act(Observation({"a11y": DESKTOP})) == (action or Wait(seconds=2))


def test_a_script_is_played_in_order_and_says_that_it_is_done(tmp_path: Path) -> None:
    steps = '# a comment\nwait for "OK"\nmaybe click "Cancel"\nclick "OK" #2\npress Enter\n'
    assert played(agent(tmp_path, steps), {"a11y": DESKTOP}) == [Click(target=Point(x=310, y=55)), Key(key="Enter"), Done()]


def test_the_goals_words_are_taken_literally(tmp_path: Path) -> None:
    macro = agent(tmp_path, 'click button "{name}"\ntype {name}', 'the "(?P<name>.+)" button', text='Click the ".*" button.', patience=2)
    assert macro.act(Observation({"axtree": PAGE})) == Wait(seconds=2)
    macro = agent(tmp_path, 'click button "{name}"', "the (?P<name>.+) button", text="Click the it's button.")
    assert played(macro, {"axtree": PAGE}) == [Click(target=Element(ref="14")), Done()]


def test_it_waits_for_a_target_and_then_gives_up(tmp_path: Path) -> None:
    macro = agent(tmp_path, 'click "Late"\nclick "Never"', patience=3)
    assert [macro.act(Observation({"axtree": PAGE})) for _ in range(2)] == [Wait(seconds=2)] * 2
    assert macro.act(Observation({"axtree": "[1] button 'Late'"})) == Click(target=Element(ref="1"))
    assert [macro.act(Observation({"axtree": PAGE})) for _ in range(2)] == [Wait(seconds=2)] * 2
    with pytest.raises(LookupError, match='in 3 looks: click "Never"'):
        macro.act(Observation({"axtree": PAGE}))


def test_a_goal_without_a_script_is_said(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"no script for the goal .Dance\.."):
        agent(tmp_path, "done", "Sing", text="Dance.")


@pytest.mark.parametrize(
    "step", ["fly to the moon", "click", "maybe type x", "wait for", "wait long", "press", "click button #0", "scroll {far}"]
)
def test_what_is_no_step_is_said_before_it_plays(tmp_path: Path, step: str) -> None:
    with pytest.raises(UsageError, match=r"script\.toml cannot be read"):
        agent(tmp_path, step)


@pytest.mark.parametrize("text", ["goal = 1", "[a]\ngoal = '('\nsteps = 'done'", "[a]\ngoal = 'x'", "[a", ""])
def test_a_file_that_is_no_script_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError):
        Macro(str(tmp_path))


def test_each_script_for_a_desktop_is_for_one_task(data: Path) -> None:
    files = (data / "osworld" / "evaluation_examples" / "examples").glob("*/*.json")
    goals = [json.loads(file.read_text(encoding="utf-8"))["instruction"] for file in files]
    for file in sorted(FOLDER.glob("*.toml")):
        for script in read_scripts(file) if file.name != "miniwob.toml" else ():
            assert len([goal for goal in goals if re.search(script.goal, goal)]) == 1, script.goal.pattern
