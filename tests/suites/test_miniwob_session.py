"""MiniWoB++'s session: what breaks is typed and ends by a deadline, and the next reset works."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsergym.core.observation import extract_focused_element_bid
from playwright.sync_api import sync_playwright

from unibench import registry
from unibench.actions import Answer, Click, Done, Element, Goto, Infeasible, Key, Native, Point, Type, Wait
from unibench.errors import EnvironmentFault, SessionDied, SessionTimeout, Unavailable
from unibench.session.remote import RemoteSuite
from unibench_browsergym.browser import find_chromium
from unibench_browsergym.looking import focused_ref
from unibench_browsergym.miniwob import MiniwobSettings

pytestmark = pytest.mark.browser

ANYTHING_GOES = MiniwobSettings(allow_any_url=True)


def open_with(settings: MiniwobSettings, **seconds: float) -> RemoteSuite:
    remote = registry.open_suite("miniwob", settings)
    remote.face = dataclasses.replace(remote.face, call_seconds={**remote.face.call_seconds, **seconds})
    return remote


@pytest.fixture(scope="module")
def remote() -> Iterator[RemoteSuite]:
    with registry.open_suite("miniwob") as remote:
        yield remote


@pytest.fixture
def lawless() -> Iterator[RemoteSuite]:
    with open_with(ANYTHING_GOES, act=8.0, verify=8.0) as remote:
        yield remote


def works(remote: RemoteSuite) -> None:
    """A whole episode, from reset to success."""
    remote.reset(remote.draw("click-test", 0))
    remote.observe(["axtree"])
    remote.act(native("click('13')"))
    assert remote.verify().passed


def native(code: str) -> Native:
    return Native(dialect="browsergym", code=code)


def descendants(pid: int) -> list[int]:
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def named(pids: list[int], name: str) -> list[int]:
    found = []
    for pid in pids:
        try:
            if name in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode():
                found.append(pid)
        except OSError:
            continue
    return found


def gone(pids: list[int], seconds: float = 15.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(_running(pid) for pid in pids):
            return True
        time.sleep(0.2)
    return False


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# -- what breaks -------------------------------------------------------------------------------


def test_a_hung_page_ends_by_the_deadline(lawless: RemoteSuite) -> None:
    lawless.reset(lawless.draw("click-test", 0))
    with pytest.raises(SessionTimeout, match="did not answer within 8 s"):
        lawless.act(Goto(url="javascript:while(true){}"))
        lawless.verify()
    works(lawless)


def test_a_crashed_page_is_an_environment_fault(lawless: RemoteSuite) -> None:
    lawless.reset(lawless.draw("click-test", 0))
    with pytest.raises(EnvironmentFault, match="crash"):
        lawless.act(Goto(url="chrome://crash"))
    works(lawless)


CLOSES = """
from unibench.errors import EnvironmentFault
from unibench_browsergym.miniwob import MiniwobSettings
from unibench_browsergym.miniwob.suite import MiniwobSuite

suite = MiniwobSuite()
session = suite.open(MiniwobSettings(), "chromium")
session.reset(suite.draw("click-test", 0))
session.handle.page.close()
try:
    session.verify()
except EnvironmentFault as fault:
    print(fault)
session.reset(suite.draw("click-test", 0))
session.handle.page.click("#subbtn")
print(session.verify().passed)
session.close()
"""


def test_a_closed_page_is_an_environment_fault() -> None:
    """In a process of its own, with the page in hand, since no action of an agent closes the only page."""
    done = subprocess.run([sys.executable, "-c", CLOSES], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["the page closed", "True"], done.stderr


@pytest.mark.parametrize("victim", ["chromium", "node"])
def test_a_browser_killed_from_outside_is_an_environment_fault(victim: str) -> None:
    with open_with(MiniwobSettings(), act=20.0) as remote:
        works(remote)
        assert remote.pid is not None
        family = named(descendants(remote.pid), victim)
        assert family
        for pid in family:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        with pytest.raises(EnvironmentFault):
            remote.act(Key(key="a"))
            remote.observe(["screenshot"])
        works(remote)


def test_a_killed_supervisor_leaves_nothing_behind(tmp_path: Path) -> None:
    code = (
        "import time\nfrom unibench import registry\nremote = registry.open_suite('miniwob')\n"
        "remote.reset(remote.draw('click-test', 0))\nprint(remote.pid, flush=True)\ntime.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None
        session = int(supervisor.stdout.readline())
        family = [session, *descendants(session)]
        assert len(family) > 2
        supervisor.kill()
    assert gone(family)


def test_closing_leaves_nothing_behind() -> None:
    remote = registry.open_suite("miniwob")
    works(remote)
    assert remote.pid is not None
    family = [remote.pid, *descendants(remote.pid)]
    remote.close()
    assert gone(family)


def test_without_a_browser_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.delenv("UNIBENCH_CHROMIUM", raising=False)
    with registry.open_suite("miniwob") as remote:
        assert len(remote.tasks()) == 125, "tasks need no browser"
        with pytest.raises(Unavailable, match="install Chromium"):
            remote.reset(remote.draw("click-test", 0))
    monkeypatch.setenv("UNIBENCH_CHROMIUM", str(tmp_path / "none"))
    with registry.open_suite("miniwob") as remote, pytest.raises(Unavailable, match="is no file"):
        remote.open()
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no display >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("UNIBENCH_CHROMIUM", str(broken))
    with registry.open_suite("miniwob") as remote, pytest.raises(EnvironmentFault, match="does not start"):
        remote.open()


def test_output_of_libraries_does_not_break_the_wire(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('hello from a library on stdout', flush=True)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    # What is printed before main() runs comes before the first message, and is said to be no message.
    with registry.open_suite("miniwob") as remote, pytest.raises(Unavailable, match="no message"):
        remote.tasks()


# -- what an agent must not do -----------------------------------------------------------------

WRITES = "javascript:WOB_RAW_REWARD_GLOBAL=1;WOB_DONE_GLOBAL=true;void(0)"


@pytest.mark.parametrize(
    "code",
    [
        f"goto({WRITES!r})",
        f"goto(url={WRITES!r})",
        f"goto('  JavaScript:{WRITES[11:]}')",
        f"goto('java\\nscript:{WRITES[11:]}')",
        "goto('data:text/html,x')",
        "goto('file:///etc/passwd')",
        "goto('chrome://settings')",
        "goto('view-source:file:///etc/passwd')",
        "goto('file:///tmp/../etc/passwd')",
        "goto('PAGES%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/hostname')",
        "goto('PAGES..\\\\..\\\\hostname')",
        "goto('PAGESclick-test.html/../../../secret.html')",
        "goto('\\x01javascript:1')",
        "goto('blob:null/1')",
        "upload_file('13', '/etc/passwd')",
        "mouse_upload_file(1, 1, '/etc/passwd')",
        f"noop(0) goto({WRITES!r})",
    ],
)
def test_what_writes_the_verifiers_reads_is_refused_loudly(remote: RemoteSuite, code: str) -> None:
    remote.reset(remote.draw("click-test", 0))
    pages = remote.observe(["url"])["url"].removesuffix("click-test.html")
    result = remote.act(native(code.replace("PAGES", pages)))
    assert result.refused
    assert "the setting allow_" in result.error
    verdict = remote.verify()
    assert not verdict.passed
    assert remote.observe(["url"])["url"].endswith("click-test.html"), "nothing of a refused action is done"
    assert verdict.descriptor.agent_writable.value
    assert "refuses" in verdict.descriptor.agent_writable.prevented_by


@pytest.mark.parametrize(
    "code", ["page.evaluate('1')", "__import__('os').system('id')", "exec('x')", "get_elem_by_bid('1')", "highlight_by_box()", ""]
)
def test_only_listed_functions_are_called(remote: RemoteSuite, code: str) -> None:
    remote.reset(remote.draw("click-test", 0))
    result = remote.act(native(code))
    assert result.error
    assert not remote.verify().passed


def test_going_elsewhere_is_refused_and_the_blank_page_is_not(remote: RemoteSuite) -> None:
    """A reload of the task's own page would draw another instance than the one on record; a web page could hang the browser."""
    remote.reset(remote.draw("click-test", 0))
    own = remote.observe(["url"])["url"]
    for url in (own, "http://127.0.0.1:9/", "https://example.org"):
        assert remote.act(Goto(url=url)).refused
    assert not remote.act(Goto(url="about:blank")).refused
    assert remote.verify().final


@pytest.mark.parametrize(
    "code", ["noop('abc')", "noop(None)", "noop([1])", "noop(True, 3)", "scroll(1e400, 1)", "mouse_click(1e400, 1)", "click({'a': 1})"]
)
def test_odd_arguments_are_the_actions_error(remote: RemoteSuite, code: str) -> None:
    """Else an agent that fails could make its episode an unscored fault of the environment."""
    remote.reset(remote.draw("click-test", 0))
    assert remote.act(native(code)).error
    assert not remote.verify().passed


@pytest.mark.parametrize("steps", [["go_back()\ngo_forward()"], ["goto('about:blank')\ngo_back()"]])
def test_a_reload_is_not_the_instance_on_record(remote: RemoteSuite, steps: list[str]) -> None:
    """A fresh load draws another instance, which an agent could repeat until it is easy."""
    remote.reset(remote.draw("click-test", 0))
    for step in steps:
        remote.act(native(step))
    verdict = remote.verify()
    assert verdict.final
    assert not verdict.passed


@pytest.mark.parametrize("code", ["noop(-100000) noop(40000)", "mouse_click(-1e300, 1e300)", "scroll(0, 1e12)"])
def test_numbers_that_would_hang_are_the_actions_error(remote: RemoteSuite, code: str) -> None:
    remote.reset(remote.draw("click-test", 0))
    assert remote.act(native(code)).error
    assert remote.act(Click(target=Point(x=-1e300, y=1e300))).error
    assert not remote.verify().passed


def test_a_long_action_is_not_even_parsed(remote: RemoteSuite) -> None:
    remote.reset(remote.draw("click-test", 0))
    assert "at most" in remote.act(native("f(" * 100_000)).error


def test_a_page_that_runs_what_a_user_types_says_so(remote: RemoteSuite) -> None:
    """The descriptor promises no prevention where there is none, and the hole is real."""
    assert remote.describe("click-test").agent_writable.prevented_by
    assert remote.describe("terminal").agent_writable.prevented_by == ""
    remote.reset(remote.draw("terminal", 0))
    remote.act(native("mouse_click(120, 250)"))
    remote.act(Type(text="<img src=x onerror=core.endEpisode(1)>"))
    remote.act(Key(key="Enter"))
    remote.act(Wait(seconds=0.3))
    assert remote.verify().passed


@pytest.mark.parametrize("code", ["noop(60000)", "noop(9000) noop(9000)", "keyboard_type('x', )" * 31, f"keyboard_type('{'x' * 4000}')"])
def test_no_action_outlasts_the_deadline(remote: RemoteSuite, code: str) -> None:
    """Else an agent that fails could make its episode unscored."""
    remote.reset(remote.draw("click-test", 0))
    assert "at most" in remote.act(native(code)).error
    assert "at most" in remote.act(Wait(seconds=60)).error
    assert not remote.verify().passed


def test_with_upstreams_setting_the_verifier_can_be_written(lawless: RemoteSuite) -> None:
    """The hole is real: this is why the default refuses."""
    lawless.reset(lawless.draw("click-test", 0))
    assert not lawless.act(native(f"goto({WRITES!r})")).refused
    verdict = lawless.verify()
    assert verdict.passed
    assert verdict.descriptor.agent_writable.prevented_by == ""


# -- actions -----------------------------------------------------------------------------------


def test_points_are_pixels_of_the_screenshot(remote: RemoteSuite) -> None:
    for task in ("click-test", "click-test-2"):
        remote.reset(remote.draw(task, 2))
        seen = remote.observe(["screenshot", "extra_element_properties", "axtree"])
        ref = next(
            line.split("]")[0].strip().lstrip("[") for line in seen["axtree"].splitlines() if "button 'ONE'" in line or "Click Me" in line
        )
        x, y, width, height = seen["extra_element_properties"][ref]["bbox"]
        assert x + width < seen["screenshot"].size[0]
        remote.act(Click(target=Point(x=x + width / 2, y=y + height / 2)))
        assert remote.verify().passed


def test_typing_and_refs(remote: RemoteSuite) -> None:
    instance = remote.reset(remote.draw("enter-text", 5))
    word = instance.brief.text.split('"')[1]
    tree = remote.observe(["axtree"])["axtree"].splitlines()
    field, button = (next(line for line in tree if role in line).split("]")[0].strip().lstrip("[") for role in ("textbox", "button"))
    assert remote.act(Click(target=Element(ref="9999"))).error
    remote.act(Type(text=word, target=Element(ref=field)))
    assert not remote.verify().final
    remote.act(Click(target=Element(ref=button)))
    verdict = remote.verify()
    assert verdict.passed
    assert verdict.final
    assert verdict.raw == 1.0


def test_answers_end_nothing_unless_set() -> None:
    for ends in (False, True):
        with registry.open_suite("miniwob", MiniwobSettings(end_on_answer=ends)) as remote:
            remote.reset(remote.draw("click-test", 0))
            assert remote.act(Answer(text="42")).ended is ends


def test_a_new_tab_ends_the_episode_as_upstream_does(remote: RemoteSuite) -> None:
    remote.reset(remote.draw("click-test", 0))
    remote.act(native("new_tab()"))
    verdict = remote.verify()
    assert verdict.final
    assert verdict.raw is None
    assert verdict.evidence.note == "invalid page, terminating task"


def test_infeasible_and_done_are_judged_by_the_page(remote: RemoteSuite) -> None:
    for action in (Done(), Infeasible(reason="no")):
        remote.reset(remote.draw("click-test", 0))
        assert remote.act(action).ended
        assert not remote.verify().passed


# -- where it is called from -------------------------------------------------------------------


def test_it_works_from_a_thread() -> None:
    failed: list[BaseException] = []

    def episode() -> None:
        try:
            with registry.open_suite("miniwob") as remote:
                works(remote)
        except BaseException as error:  # noqa: BLE001 - handed to the main thread
            failed.append(error)

    thread = threading.Thread(target=episode)
    thread.start()
    thread.join()
    assert not failed


def test_one_session_serves_several_threads(remote: RemoteSuite) -> None:
    specs = []
    threads = [threading.Thread(target=lambda seed=seed: specs.append(remote.draw("click-test", seed))) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(spec.seed for spec in specs) == list(range(8))


def test_it_works_inside_a_running_event_loop() -> None:
    async def cell() -> None:
        with registry.open_suite("miniwob") as remote:
            works(remote)

    asyncio.run(cell())


def test_calls_without_an_episode_are_refused() -> None:
    with registry.open_suite("miniwob") as remote:
        remote.tasks()
        with pytest.raises((EnvironmentFault, SessionDied), match="no running episode"):
            remote.act(Done())


@pytest.mark.parametrize(
    ("html", "focus"),
    [
        ("<input bid='1'><input>", "document.querySelector('[bid]').focus()"),
        ("<input><input bid='1'>", "document.querySelector('input').focus()"),
        ("<p bid='2'>nothing</p>", "0"),
        ("<div bid='3'></div>", "const r = document.querySelector('div').attachShadow({mode: 'open'});"
         " r.innerHTML = \"<input bid='4'>\"; r.firstChild.focus()"),
        ("<iframe bid='a' srcdoc=\"<input bid='a5' autofocus>\"></iframe>",
         "document.querySelector('iframe').contentDocument.querySelector('input').focus()"),
    ],
)  # fmt: skip
def test_the_focus_is_where_upstream_finds_it(html: str, focus: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium())
        page = browser.new_page()
        page.set_content(html)
        page.wait_for_timeout(100)
        page.evaluate(focus)
        assert focused_ref(page) == extract_focused_element_bid(page)
        browser.close()
