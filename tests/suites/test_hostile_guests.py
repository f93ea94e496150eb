"""Guests that attack, through the real path: a session process, upstream's evaluators in their box, a machine at an address.

Whatever a guest's services answer, this machine is untouched, the outcome is typed, and time and memory are bounded. Needs `unibench
install osworld`; skips with the reason else.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websocket import WebSocketException

from tests.suites.hostile_guest import (
    MIB,
    OK,
    Behaviour,
    Canary,
    Service,
    bomb,
    docx,
    hangs_up,
    huge_docx,
    in_turn,
    laughs,
    link,
    output,
    paragraph,
    png,
    raw,
    says,
    silent,
    tar,
)
from unibench.actions import Native
from unibench.environments import environment_python
from unibench.errors import EnvironmentFault, SetupFault, Unavailable
from unibench.verdict import Status, Verdict
from unibench_golden_checks.osworld.browser import Page
from unibench_guests.errors import GuestRefused
from unibench_osworld import OsworldSettings
from unibench_osworld.session import DesktopSession
from unibench_osworld.suite import OsworldSuite
from unibench_osworld.task_files import TaskSet

SESSION_MEMORY = 700 * MIB
"""What a session may hold more than before: an answer is at most 256 MiB, and may lie in it twice."""
SECONDS = 135.0
"""Within which each attack must be over; most take one."""

COMMAND = {"type": "vm_command_line", "command": "cat answer"}
GOLD = "https://h/resolve/main/hostile/gold"


def file(name: str) -> dict[str, str]:
    return {"type": "vm_file", "path": f"/home/user/{name}", "dest": name}


def rule(**rules: Any) -> dict[str, Any]:
    return {"type": "rule", "rules": rules}


def rule_of(rules: list[Any]) -> dict[str, Any]:
    return {"type": "rule", "rules": rules}


def gold(name: str) -> dict[str, str]:
    return {"type": "cloud_file", "path": f"{GOLD}/{name}", "dest": f"gold_{name}"}


EVALUATORS: dict[str, dict[str, Any]] = {
    "command": {"func": "exact_match", "result": COMMAND, "expected": rule(expected="yes")},
    "eval": {"func": "check_gnome_favorite_apps", "result": COMMAND, "expected": rule(expected=["a"])},
    "text": {"func": "file_contains", "result": file("a.txt"), "expected": rule(expected=["yes"])},
    "docx": {"func": "is_first_line_centered", "result": file("a.docx")},
    "text of docx": {"func": "compare_docx_files", "result": file("a.docx"), "expected": gold("gold.docx")},
    "xml": {"func": "find_default_font", "result": file("a.xcu"), "expected": rule(font_name="yes")},
    "json": {"func": "check_json", "result": file("a.json"), "expected": rule(expect=[{"key": ["a"], "method": "eq", "ref": 1}])},
    "image": {"func": "check_image_size", "result": file("a.png"), "expected": rule(height=1, width=1)},
    "archive": {"func": "compare_archive", "result": file("a.tar"), "expected": gold("gold.tar"), "options": {"file_type": "text"}},
    "python": {"func": "check_python_file_by_test_suite", "result": file("main.py"), "expected": gold("suite.py")},
    "tree": {"func": "check_accessibility_tree", "result": {"type": "accessibility_tree"}, "expected": rule_of([{"selectors": ["b"]}])},
    "vlc": {
        "func": "is_vlc_playing",
        "result": {"type": "vlc_playing_info", "dest": "status.xml"},
        "expected": rule(type="file_name", file_name="yes"),
    },
    "tabs": {"func": "is_expected_tabs", "result": {"type": "open_tabs_info"}, "expected": rule(type="url", urls=["yes"])},
}


@dataclass
class Guest:
    """A machine with hostile services, and a session of the suite on it."""

    suite: OsworldSuite
    session: DesktopSession
    server: Service
    browser: Service
    vlc: Service
    canary: Canary
    settings: OsworldSettings

    def reset(self, task: str) -> None:
        self.session.reset(self.suite.draw(f"hostile/{task}", 0))

    def judged(self, task: str) -> Verdict:
        self.reset(task)
        return self.session.verify()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, sandboxed: None) -> Iterator[Guest]:
    try:
        environment_python("osworld")
    except Unavailable as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("hostile")
    folder.chmod(0o755)
    (folder / "examples" / "hostile").mkdir(parents=True)
    (folder / "test_all.json").write_text(json.dumps({"hostile": list(EVALUATORS)}))
    for name, evaluator in EVALUATORS.items():
        config = [{"type": "execute", "parameters": {"command": ["true"]}}]
        task = {"id": name, "instruction": "do", "config": config, "evaluator": evaluator}
        (folder / "examples" / "hostile" / f"{name}.json").write_text(json.dumps(task))
    golds = folder / "mirror" / "hostile" / "gold"
    golds.mkdir(parents=True)
    (golds / "gold.docx").write_bytes(docx(paragraph("gold")))
    (golds / "gold.tar").write_bytes(tar(a=b"the gold text"))
    (golds / "suite.py").write_text("def test():\n    import main\n    return main.answer() == 42\n")
    server, browser, vlc, canary = Service(), Service(), Service(), Canary(folder)
    settings = OsworldSettings(
        tasks=str(folder),
        assets=str(folder / "mirror"),
        address=f"127.0.0.1:{server.port}:{browser.port}:1:{vlc.port}",
        pause=0,
        retry_seconds=0,
        grader_seconds=6,
        guest_seconds=1.5,
    )
    suite = OsworldSuite()
    suite.files = TaskSet.load(folder)
    session = suite.open(settings, "remote")
    assert isinstance(session, DesktopSession)
    yield Guest(suite, session, server, browser, vlc, canary, settings)
    session.close()
    for each in (server, browser, vlc):
        each.close()
    canary.close()


@pytest.fixture
def guest(machine: Guest) -> Iterator[Guest]:
    """The machine, honest again; afterwards it is asked whether this machine was touched."""
    for service in (machine.server, machine.browser, machine.vlc):
        service.does.clear()
        service.asked.clear()
    machine.session._settings = machine.settings
    if machine.session._episode is None:
        machine.reset("command")
    before = _alone()
    peak, over = [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            peak[0] = max(peak[0], _alone())

    watching = threading.Thread(target=watch)
    watching.start()
    start = time.monotonic()
    yield machine
    seconds = time.monotonic() - start
    over.set()
    watching.join()
    assert seconds < SECONDS
    assert peak[0] - before < SESSION_MEMORY
    machine.canary.sings()


def _alone() -> int:
    """Bytes that this process itself holds: the session's, the server's answers included."""
    fields = Path("/proc/self/statm").read_text().split()
    return (int(fields[1]) - int(fields[2])) * 4096


# -- what an agent is shown ------------------------------------------------------------------------

Attack = Callable[[Guest], Mapping[str, Behaviour]]


def on(route: str, behaviour: Behaviour) -> Attack:
    return lambda guest: {route: behaviour}


def redirect(route: str, to: str) -> Attack:
    return lambda guest: {route: says(b"", 302, Location=to.format(port=guest.canary.port, file=guest.canary.file))}


LOOKS: dict[str, Attack] = {
    "never answers": on("/screenshot", silent),
    "hangs up": on("/screenshot", hangs_up),
    "headers that drip": on("/screenshot", raw(OK, b"X-More: yes\r\n", every=0.05, endless=True)),
    "a body that drips": on("/screenshot", raw(OK + b"Content-Length: 100000\r\n\r\n", b"x", every=0.05, endless=True)),
    "a chunk that drips": on("/screenshot", raw(OK + b"Transfer-Encoding: chunked\r\n\r\n1", b";x", every=0.05, endless=True)),
    "an endless body": on("/screenshot", raw(OK + b"\r\n", bytes(MIB), endless=True)),
    "endless headers": on("/screenshot", raw(OK, b"X-More: " + b"y" * 60_000 + b"\r\n", endless=True)),
    "a redirect to this machine": redirect("/screenshot", "http://127.0.0.1:{port}/"),
    "a redirect to a file": redirect("/screenshot", "file://{file}"),
    "500 for ever": on("*", says("no", 500)),
    "another content type": on("/screenshot", says("<html>screenshot</html>", Content_Type="text/html")),
    "a screenshot of 16384 by 16384 pixels": on("/screenshot", says(png(16_384, 16_384, bomb(8)))),
    "a screenshot that unpacks to a gigabyte": on("/screenshot", says(png(1920, 1080, bomb(1024)))),
    "a screenshot that unpacks to a gigabyte, in two chunks": on("/screenshot", says(png(1920, 1080, bomb(1024), parts=2))),
    "a screenshot that unpacks to a gigabyte, in many chunks": on("/screenshot", says(png(1920, 1080, bomb(1024), parts=50))),
    "a screenshot that breaks off": on("/screenshot", says(png(1920, 1080)[:-30])),
    "a screenshot of other pixels": on("/screenshot", says(png(1920, 1080, b"no pixels"))),
    "a screenshot of another size": on("/screenshot", says(png(64, 64))),
    "a tree of a thousand million laughs": on("/accessibility", says({"AT": laughs() + "<x>&e9;</x>"})),
    "a tree that is a huge number": on("/accessibility", says('{"AT": ' + "9" * 100_000 + "}")),
    "a tree that is not a number": on("/accessibility", says('{"AT": NaN}')),
    "JSON a hundred thousand deep": on("/accessibility", says("[" * 100_000)),
}


@pytest.mark.parametrize("attack", LOOKS)
def test_what_cannot_be_shown_is_the_environments_fault(guest: Guest, attack: str) -> None:
    does = LOOKS[attack](guest)
    guest.server.does = dict(does)
    what = "a11y" if "/accessibility" in does else "screenshot"
    with pytest.raises(EnvironmentFault) as fault:
        guest.session.observe([what])
    assert type(fault.value) in (EnvironmentFault, GuestRefused)
    assert len(str(fault.value)) < 500 and str(fault.value).isprintable()


def test_any_text_that_can_be_shown_arrives(guest: Guest) -> None:
    for text in ("\ud800", "\0", "\x1b]0;title\x07", "<a>" * 50_000):
        guest.server.does = {"/accessibility": says({"AT": text}), "/terminal": says({"output": text})}
        seen = guest.session.observe(["a11y", "terminal"])
        assert seen["terminal"] == seen["a11y"] == text


# -- what an agent does ----------------------------------------------------------------------------


@pytest.mark.parametrize("behaviour", [hangs_up, says("no", 500), raw(b"no HTTP\r\n\r\n")], ids=["hangs up", "500 for ever", "no HTTP"])
def test_a_machine_that_takes_no_actions_is_the_environments_fault(guest: Guest, behaviour: Behaviour) -> None:
    guest.server.does = {"*": behaviour}
    with pytest.raises(EnvironmentFault):
        guest.session.act(Native(dialect="pyautogui", code="pyautogui.press('a')"))


@pytest.mark.parametrize(
    "behaviour", [says("no", 500), says("nonsense"), says([1]), hangs_up], ids=["500", "nonsense", "a list", "hangs up"]
)
def test_a_set_up_that_the_machine_does_not_take_is_a_set_up_fault(guest: Guest, behaviour: Behaviour) -> None:
    guest.server.does = {"/setup/execute": behaviour}
    with pytest.raises(SetupFault):
        guest.reset("command")
    guest.server.does = {}
    guest.reset("command")


# -- what a verifier reads -------------------------------------------------------------------------


def evaluated(code: str) -> Behaviour:
    """A command's output whose evaluation runs the code."""
    return output(f"[exec({code!r}, {{}})] * 0")


def forged(answer: str) -> Attack:
    """The grader's answer written by the code that it evaluates, into every pipe that it has."""
    code = (
        "import os\nfor fd in range(3, 64):\n try: os.write(fd, %r)\n except OSError: pass\nos._exit(0)" % answer.encode()  # noqa: UP031
    )
    return on("/execute", evaluated(code))


FORK_BOMB = "import os\nwhile True:\n try: os.fork()\n except OSError: pass"
FLOOD = "import socket\nopen_here = []\nfor _ in range(900):\n open_here.append(socket.create_connection(('127.0.0.1', 5000)))"
XXE = '<!DOCTYPE w [<!ENTITY x SYSTEM "file://{file}">]>'
GOLD_XXE = '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///tmp/cache/text of docx/gold_gold.docx">]>'


@dataclass(frozen=True)
class Judged:
    """An attack on a verifier: the task, what the services do, and the outcomes that are right."""

    task: str
    does: Attack
    right: tuple[str, ...]
    at: str = "server"


VERIFIES: dict[str, Judged] = {
    "a payload in a command's output": Judged("eval", lambda g: {"/execute": evaluated(g.canary.payload())}, ("fail",)),
    "an output that is evaluated for ever": Judged("eval", on("/execute", evaluated("while True: pass")), ("GraderTimeout",)),
    "a fork bomb in an output": Judged("eval", on("/execute", evaluated(FORK_BOMB)), ("GraderTimeout",)),
    "a memory bomb in an output": Judged("eval", on("/execute", evaluated("bytearray(64 << 30)")), ("MemoryError",)),
    "a flood of connections": Judged(
        "eval", on("/execute", evaluated(FLOOD)), ("fail", "ConnectionResetError", "OSError", "GraderTimeout")
    ),
    "a forged answer that is a list": Judged("eval", forged('{"result": []}'), ("GraderDied",)),
    "a forged answer of infinite score": Judged("eval", forged('{"result": {"value": Infinity}}'), ("GraderDied",)),
    "a forged answer of another form": Judged("eval", forged('{"result": {"value": 1, "parts": 7, "exchanges": "x"}}'), ("GraderDied",)),
    "a forged answer to another call": Judged("eval", forged('{"id": -1, "log": 3}'), ("GraderDied",)),
    "a Python file that the grader imports": Judged(
        "python", lambda g: {"/file": says(g.canary.payload() + "\ndef answer():\n    return 41\n")}, ("fail",)
    ),
    "a zip bomb as the result": Judged("docx", lambda g: {"/file": says(huge_docx(400))}, ("fail", "MemoryError", "GraderTimeout")),
    "an external entity in a document": Judged(
        "text of docx", lambda g: {"/file": says(docx(paragraph("&x;", XXE.format(file=g.canary.file))))}, ("fail", "XMLSyntaxError")
    ),
    "an external entity that names the gold": Judged(
        "text of docx", on("/file", says(docx(paragraph("&x;", GOLD_XXE)))), ("fail", "XMLSyntaxError")
    ),
    "a thousand million laughs in a result": Judged("xml", on("/file", says(laughs() + "<x>&e9;</x>")), ("fail",)),
    "an archive that writes over the gold": Judged(
        "archive", on("/file", says(tar(a=b"mine", **{"..__gold_gold.tar": tar(a=b"mine")}))), ("OutsideDestinationError",)
    ),
    "an archive with a link to the gold": Judged(
        "archive", on("/file", says(tar(a=link("../gold_gold_gold/a")))), ("LinkOutsideDestinationError",)
    ),
    "a picture of 60000 by 60000 pixels": Judged("image", on("/file", says(png(60_000, 60_000, bomb(1)))), ("DecompressionBombError",)),
    "a file that never ends": Judged("text", on("/file", raw(OK + b"\r\n", bytes(MIB), endless=True)), ("fail", "GraderTimeout")),
    "a file that drips": Judged("text", on("/file", raw(OK + b"\r\n", b"x", every=0.05, endless=True)), ("GraderTimeout",)),
    "a file that changes between reads": Judged("text", on("/file", in_turn(says(b"no"), says(b"yes"))), ("fail",)),
    "a number of a hundred thousand digits": Judged("json", on("/file", says(b'{"a": ' + b"9" * 100_000 + b"}")), ("fail",)),
    "not a number": Judged("json", on("/file", says(b'{"a": NaN}')), ("fail",)),
    "a tree two hundred thousand deep": Judged("tree", on("/accessibility", says({"AT": "<a>" * 200_000})), ("XMLSyntaxError",)),
    "text that is none": Judged("command", on("/execute", output("\ud800\0\x1b]0;yes\x07")), ("fail",)),
    "HTML for JSON": Judged("command", on("/execute", says("<html>")), ("JSONDecodeError",)),
    "JSON of another form": Judged("command", on("/execute", says([1])), ("TypeError",)),
    "a redirect to this machine": Judged("command", redirect("/execute", "http://127.0.0.1:{port}/"), ("fault",)),
    "a redirect to a file": Judged("command", redirect("/execute", "file://{file}"), ("fault",)),
    "never answers": Judged("command", on("*", silent), ("fault",)),
    "hangs up": Judged("command", on("*", hangs_up), ("fault",)),
    "500 for ever": Judged("command", on("*", says("no", 500)), ("fault",)),
    "a browser that leads to this machine": Judged(
        "tabs",
        lambda g: {"*": says({"Browser": "x", "webSocketDebuggerUrl": f"ws://127.0.0.1:{g.canary.port}/"})},
        ("fail", "GraderTimeout"),
        at="browser",
    ),
    "a player with a thousand million laughs": Judged("vlc", on("*", says(laughs() + "<x>&e9;</x>")), ("ParseError",), at="vlc"),
}


@pytest.mark.parametrize("attack", VERIFIES)
def test_an_attack_on_a_verifier_has_a_typed_outcome(guest: Guest, attack: str) -> None:
    case = VERIFIES[attack]
    guest.reset(case.task)
    getattr(guest, case.at).does = dict(case.does(guest))
    if set(case.right) <= {"GraderTimeout", "fault"}:
        guest.session._settings = guest.session._settings.model_copy(update={"grader_seconds": 1.5})
    try:
        verdict = guest.session.verify()
    except EnvironmentFault as fault:
        outcome, said = "fault", str(fault)
    else:
        outcome = verdict.error.type if verdict.error is not None else str(verdict.status)
        said = verdict.model_dump_json()
    assert outcome in case.right, said
    assert guest.canary.file.read_text() not in said


def test_a_recipes_browser_is_led_nowhere(guest: Guest) -> None:
    away = f"HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:{guest.canary.port}/\r\nContent-Length: 0\r\n\r\n"
    guest.browser.does = {"*": raw(away.encode())}
    with pytest.raises(WebSocketException):
        Page(f"ws://127.0.0.1:{guest.browser.port}/devtools/page/1")


def test_after_all_that_the_same_session_still_judges(guest: Guest) -> None:
    guest.server.does = {"/execute": output("yes")}
    assert guest.judged("command").status is Status.PASS
