"""Upstream's own evaluators on a local desktop, with real workbooks: golden, untouched and mutants, and parity with upstream's evaluate().

Needs the programs of a local desktop, `unibench install osworld`, and upstream's files (UNIBENCH_TEST_DATA); skips with the reason else.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from unibench.actions import Click, Done, Hotkey, Native, Point, Type
from unibench.environments import environment_python
from unibench.errors import SetupFault, Unavailable
from unibench.golden.control import Control, all_controls
from unibench.testing import SuiteContract
from unibench.verdict import Status
from unibench_golden_checks.osworld import parity
from unibench_golden_checks.osworld.controls import MODULE
from unibench_guests.local import check_installed
from unibench_osworld import OsworldSettings
from unibench_osworld.session import DesktopSession
from unibench_osworld.suite import OsworldSuite

DATA = os.environ.get("UNIBENCH_TEST_DATA", "")
TASK = "libreoffice_calc/42e0a640-4f19-4b28-973d-729602b5a4a7"
HEADING = "libreoffice_writer/3ef2b351-8a84-4ff2-8724-d86eae9b842e"
REFUSAL = "os/b3d4a89c-53f2-4d6b-8b6a-541fb5d205fa"
DEVICE = "os/f9be0997-4b7c-45c5-b05c-4612b44a6118"


@pytest.fixture(scope="module")
def suite(sandboxed: None) -> Iterator[OsworldSuite]:
    if not DATA:
        pytest.skip("UNIBENCH_TEST_DATA names no folder with upstream's task files")
    try:
        environment_python("osworld")
        check_installed()
    except Unavailable as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNIBENCH_OSWORLD_TASKS", str(Path(DATA) / "osworld"))
        yield OsworldSuite()


@pytest.fixture(scope="module")
def session(suite: OsworldSuite) -> Iterator[DesktopSession]:
    settings = OsworldSettings(assets=str(Path(DATA) / "osworld" / "file_cache"), pause=0.2, stand_ins=True)
    found = suite.open(settings, "local")
    assert isinstance(found, DesktopSession)
    yield found
    found.close()


def controls(suite: OsworldSuite) -> dict[str, Control]:
    return {control.name: control for control in all_controls(MODULE, suite.draw(TASK, 0))}


@pytest.mark.parametrize(
    ("task", "name", "value"),
    [
        (TASK, "golden", "1"),
        (TASK, "one-cell", "0"),
        (REFUSAL, "golden", "1"),
        (DEVICE, "golden", "1"),
        (DEVICE, "other-setting", "0"),
    ],
)
def test_end_states_are_judged_as_upstream_judges_them(
    suite: OsworldSuite, session: DesktopSession, task: str, name: str, value: str
) -> None:
    """`python -m unibench_golden_checks.osworld.parity` does the same for any task."""
    (row,) = parity.rows(suite, session, task, [name])
    assert (row.ours, row.upstream, row.agree) == (value, value, parity.SAME)


def test_a_verdict_has_the_tasks_descriptor_and_the_start_file_fails(suite: OsworldSuite, session: DesktopSession) -> None:
    control = controls(suite)["initial-file"]
    parity.prepare(session, suite, TASK, control)
    verdict = session.verify()
    assert verdict.descriptor == suite.describe(TASK, OsworldSettings())
    assert (verdict.status, verdict.error) == (Status.FAIL, None)


def test_what_upstream_raises_is_typed_and_what_differs_is_seen() -> None:
    assert parity.compared("unscored: KeyError", "raised KeyError") == parity.TYPED
    assert parity.compared("unscored: DownloadFailed", "0") == parity.TYPED
    assert parity.compared("unscored: KeyError", "0") == parity.compared("1", "0.96") == parity.DIFFERS


@pytest.mark.parametrize("name", ["golden", "next-paragraph"])
def test_a_document_edited_in_the_app_is_saved_by_the_verifier(suite: OsworldSuite, session: DesktopSession, name: str) -> None:
    spec = suite.draw(HEADING, 0)
    control = next(each for each in MODULE.controls(spec) if each.name == name)
    session.reset(spec)
    assert [asset.origin for asset in session.handle.assets] == ["stand-in"]
    assert control.build is not None
    assert control.build(session.handle).right is (name == "golden")
    assert session.verify().status is (Status.PASS if name == "golden" else Status.FAIL)


def test_an_agents_input_reaches_the_document(suite: OsworldSuite, session: DesktopSession) -> None:
    session.reset(suite.draw(TASK, 0))
    size = session.observe(["screenshot"])["screenshot"].size
    assert size == (1920, 1080)
    before = session.handle.guest.file("/home/user/NetIncome.xlsx")
    assert session.act(Native(dialect="pyautogui", code="pyautogui.hotkey('ctrl', 'home')")).error == ""
    assert session.act(Type(text="a<b\n")).error == ""
    assert session.act(Hotkey(keys=("Control", "s"))).error == ""
    assert session.act(Native(dialect="computer_13", code='{"action_type": "PRESS", "key": "enter"}')).error == ""
    assert session.act(Click(target=Point(x=5000, y=5))).error == "(5000, 5) is not on the screen of 1920x1080 pixels"
    assert "NameError" in session.act(Native(dialect="pyautogui", code="nonsense")).error
    assert "Exception" in session.act(Native(dialect="computer_13", code='{"action_type": "FLY"}')).error
    assert session.act(Done()).ended
    until = time.monotonic() + 10
    while (after := session.handle.guest.file("/home/user/NetIncome.xlsx")) == before and time.monotonic() < until:
        time.sleep(0.2)
    assert after != before


def test_a_failed_set_up_step_ends_the_episode_before_it_starts(suite: OsworldSuite, session: DesktopSession) -> None:
    task = suite.files[TASK]
    broken = {**task.definition, "config": [{"type": "execute", "parameters": {"command": ["false"]}}]}
    suite.files.tasks[TASK] = type(task)(task.domain, task.name, broken)
    try:
        with pytest.raises(SetupFault, match="step 1: a command returned 1"):
            session.reset(suite.draw(TASK, 0))
    finally:
        suite.files.tasks[TASK] = task
    assert session.reset(suite.draw(TASK, 0)).brief.text == task.instruction


class TestOsworldContract(SuiteContract):
    suite = "osworld"
    tasks = (REFUSAL, TASK)
    golden = (REFUSAL,)
    upstream_modules = ("desktop_env", "unibench_guests")
    settings: ClassVar[dict[str, Any]] = {
        "tasks": str(Path(DATA) / "osworld"),
        "assets": str(Path(DATA) / "osworld" / "file_cache"),
        "pause": 0.1,
    }

    @pytest.fixture(scope="class", autouse=True)
    def here(self, suite: OsworldSuite) -> None:
        """Skips where the suite cannot run."""


@pytest.mark.parametrize(
    ("task", "name", "status"),
    [
        ("chrome/030eeff7-b492-4218-b312-701ec99ee0cc", "golden", Status.PASS),
        ("chrome/030eeff7-b492-4218-b312-701ec99ee0cc", "off-again", Status.FAIL),
        # Twice: its set-up's office starts while the recipe asks for one, and two offices on a profile undo each other's settings.
        ("libreoffice_impress/2cd43775-7085-45d8-89fa-9e35c0a915cf", "golden", Status.PASS),
        ("libreoffice_impress/2cd43775-7085-45d8-89fa-9e35c0a915cf", "golden", Status.PASS),
        (DEVICE, "other-setting", Status.FAIL),
    ],
)
def test_settings_made_in_the_application_are_read_back_and_judged(
    suite: OsworldSuite, session: DesktopSession, task: str, name: str, status: Status
) -> None:
    spec = suite.draw(task, 0)
    control = {control.name: control for control in all_controls(MODULE, spec)}[name]
    session.reset(spec)
    assert control.build is not None
    assert control.build(session.handle).right is (status is Status.PASS)
    for action in control.final:
        session.act(action)
    verdict = session.verify()
    assert (verdict.status, verdict.error) == (status, None)
