"""WindowsAgentArena's own evaluators, and its task files, on the path-mapped guest.

Needs `unibench install windows-agent-arena --from CHECKOUT` and upstream's task files (UNIBENCH_TEST_DATA); skips with the reason else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from unibench import environments
from unibench.errors import Unavailable
from unibench.golden.control import all_controls
from unibench.golden.results import ControlRun, Outcome
from unibench.verdict import Status
from unibench_golden_checks.windows_agent_arena.controls import MODULE
from unibench_osworld.assets import needs, place_of
from unibench_osworld.session import DesktopSession
from unibench_windows_agent_arena import FACE, WindowsSettings
from unibench_windows_agent_arena.suite import WindowsAgentArenaSuite

DATA = os.environ.get("UNIBENCH_TEST_DATA", "")


@pytest.fixture(scope="module")
def real(sandboxed: None) -> Iterator[tuple[WindowsAgentArenaSuite, DesktopSession]]:
    if not DATA:
        pytest.skip("UNIBENCH_TEST_DATA names no folder with upstream's task files")
    try:
        environments.environment_python(FACE.name)
    except Unavailable as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNIBENCH_WINDOWS_AGENT_ARENA_TASKS", str(Path(DATA) / "windows_agent_arena"))
        suite = WindowsAgentArenaSuite()
        session = suite.open(WindowsSettings(pause=0, stand_ins=True), "path-mapped")
        assert isinstance(session, DesktopSession)
        yield suite, session
        session.close()


@pytest.mark.parametrize(
    "task",
    [
        "vs_code/276cc624-87ea-4f08-ab93-f770e3790175-WOS",
        "vlc/8ba5ae7a-5ae5-4eab-9fcc-5dd4fe3abf89-2-WOS",
        "msedge/1376d5e7-deb7-471a-9ecc-c5d4e155b0c8-wos",
        "chrome/7a5a7856-f1b6-42a4-ade9-1ca81ca0f263-wos",
        "file_explorer/016c9a9d-f2b9-4428-8fdb-f74f4439ece6-WOS",
        "file_explorer/b0c9dac6-52ba-4937-aabb-b0abdc2a8138-WOS",
        "libreoffice_writer/0e763496-b6bb-4508-a427-fad0b6c3e195-WOS",
    ],
)
def test_upstreams_evaluators_accept_a_golden_and_refuse_the_untouched(
    real: tuple[WindowsAgentArenaSuite, DesktopSession], task: str
) -> None:
    suite, session = real
    spec = suite.draw(task, 0)
    controls = {control.name: control for control in all_controls(MODULE, spec)}
    for name, passes in (("golden", True), ("untouched", False)):
        session.reset(spec)
        if (build := controls[name].build) is not None:
            build(session.handle)
        for action in controls[name].final:
            session.act(action)
        verdict = session.verify()
        assert (verdict.error, verdict.passed) == (None, passes)


@pytest.mark.parametrize(("name", "stands"), [("switched-off", True), ("other-experiment", False)])
def test_a_repro_shows_the_fault_with_upstream_alone(
    real: tuple[WindowsAgentArenaSuite, DesktopSession], name: str, stands: bool, tmp_path: Path
) -> None:
    suite, session = real
    spec = suite.draw("chrome/480bcfea-d68f-4aaa-a0a9-2589ef319381-wos", 0)
    control = next(each for each in MODULE.controls(spec) if each.name == name)
    goal = session.reset(spec).brief.text
    assert control.build is not None
    run = ControlRun(
        control=name,
        role=control.role,
        expect=control.expect,
        provenance=control.provenance,
        outcome=Outcome.JUDGED,
        readback=control.build(session.handle),
    )
    script = tmp_path / "repro.py"
    script.write_text(MODULE.repro(spec, goal, run, suite.upstream()))
    done = subprocess.run([str(environments.environment_python(FACE.name)), str(script)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (int(stands), f"upstream says {float(stands)} of a state that is wrong")


WEEKLY = "libreoffice_calc/1e8df695-bd1b-45b3-b557-e7d599cf7597-WOS"


def test_a_gold_file_of_a_mirror_is_put_in_place_and_changed(real: tuple[WindowsAgentArenaSuite, DesktopSession], tmp_path: Path) -> None:
    """The mirror holds OSWorld's files of the task of that id; whether WindowsAgentArena's own are the same is not known here."""
    suite, _ = real
    osworlds = Path(DATA) / "osworld" / "file_cache" / WEEKLY.removesuffix("-WOS")
    tmp_path.chmod(0o755)
    for need in needs(suite.files[WEEKLY]):
        place = tmp_path / place_of(need.url)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(osworlds / place.name, place)
    settings = WindowsSettings(pause=0, assets=str(tmp_path))
    assert suite.unavailable(WEEKLY, settings, "path-mapped") == ()
    session = suite.open(settings, "path-mapped")
    spec = suite.draw(WEEKLY, 0)
    try:
        for control in all_controls(MODULE, spec):
            if control.name not in ("untouched", "golden", "one-cell"):
                continue
            session.reset(spec)
            if control.build is not None:
                control.build(session.handle)
            verdict = session.verify()
            assert (verdict.error, verdict.status) == (None, Status.PASS if control.name == "golden" else Status.FAIL)
    finally:
        session.close()
