"""The local desktop: real programs behind OSWorld's REST API, alone with themselves, and gone when they should be."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ET
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from PIL import Image

from tests.conftest import ROOT
from tests.guests.conftest import SCREEN
from unibench.errors import EnvironmentFault, Unavailable
from unibench_guests.box import state_folder, sweep
from unibench_guests.client import GuestClient
from unibench_guests.errors import GuestRefused
from unibench_guests.local import Desktop, LocalDesktop, programs, substrate

pytestmark = pytest.mark.usefixtures("installed")
PYAUTOGUI = "import pyautogui; import time; pyautogui.FAILSAFE = False; {command}"


def sheet(*cells: str) -> bytes:
    """A workbook with one column of texts, the smallest that LibreOffice takes."""
    formats, kinds = "http://schemas.openxmlformats.org", "application/vnd.openxmlformats"
    office, package = f"{formats}/officeDocument/2006/relationships", f"{formats}/package/2006"
    main, sheets = f"{formats}/spreadsheetml/2006/main", f"{kinds}-officedocument.spreadsheetml"

    def leads_to(kind: str, target: str) -> str:
        one = f'<Relationship Id="r1" Type="{office}/{kind}" Target="{target}"/>'
        return f'<Relationships xmlns="{package}/relationships">{one}</Relationships>'

    rows = "".join(f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>{text}</t></is></c></row>' for n, text in enumerate(cells, 1))
    types = f'<Default Extension="rels" ContentType="{kinds}-package.relationships+xml"/>'
    for name, kind in (("workbook", "sheet.main"), ("s", "worksheet")):
        types += f'<Override PartName="/xl/{name}.xml" ContentType="{sheets}.{kind}+xml"/>'
    one_sheet = '<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">{types}</Types>',
        "_rels/.rels": leads_to("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}">{one_sheet}</workbook>',
        "xl/_rels/workbook.xml.rels": leads_to("worksheet", "s.xml"),
        "xl/s.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as book:
        for name, text in parts.items():
            book.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return file.getvalue()


def test_what_the_screen_shows(guest: GuestClient) -> None:
    with Image.open(io.BytesIO(guest.screenshot())) as shown:
        assert shown.size == SCREEN
        shown.load()
    assert guest.screen_size() == SCREEN
    assert guest.platform() == "Linux"
    assert guest.terminal() is None


def test_the_pointer_is_where_pyautogui_puts_it_and_is_on_the_screenshot(guest: GuestClient) -> None:
    guest.execute(["python", "-c", PYAUTOGUI.format(command="pyautogui.moveTo(700, 400)")]).check("moveTo")
    assert guest.cursor_position() == (700, 400)
    before = Image.open(io.BytesIO(guest.screenshot())).crop((680, 380, 730, 430)).tobytes()
    guest.execute(["python", "-c", PYAUTOGUI.format(command="pyautogui.moveTo(100, 100)")]).check("moveTo")
    assert Image.open(io.BytesIO(guest.screenshot())).crop((680, 380, 730, 430)).tobytes() != before


def test_nothing_is_printed_beside_a_programs_own_output(guest: GuestClient) -> None:
    """python-xlib's warnings on stdout made upstream's controllers take the guest for another system."""
    code = PYAUTOGUI.format(command="import platform; print(platform.system())")
    assert guest.execute(["python", "-c", code]).output == "Linux\n"
    assert guest.execute(["python3", "-c", "from PIL import Image; import pyatspi, uno, Xlib, tkinter; print(1)"]).output == "1\n"


def test_commands(guest: GuestClient) -> None:
    ran = guest.execute("echo $HOME; echo no >&2; exit 3", shell=True)
    assert (ran.output, ran.error, ran.returncode) == ("/home/user\n", "no\n", 3)
    assert guest.execute("echo 'a b'").output == "a b\n"
    assert guest.execute(["ls", "~/Desktop"]).returncode == 0
    with pytest.raises(GuestRefused, match="No such file"):
        guest.execute(["/no/such/program"])
    assert guest.run_python("import sys; print(1); print(2, file=sys.stderr)").error == "2\n"
    bash = guest.run_bash_script("pwd; echo no >&2; exit 4", working_dir="/tmp")
    assert (bash.output, bash.error, bash.returncode) == ("/tmp\nno\n", "", 4)
    with pytest.raises(GuestRefused, match="timed out"):
        guest.run_bash_script("sleep 50", timeout=1)


def test_verified_commands(desktop: LocalDesktop) -> None:
    asked = {"command": "touch /tmp/seen", "shell": True, "max_wait_time": 1, "check_interval": 0.1}
    with httpx.Client(base_url=desktop.url, timeout=30) as raw:
        passed = raw.post("/setup/execute_with_verification", json={**asked, "verification": {"command_success": "test -e /tmp/seen"}})
        failed = raw.post("/execute_with_verification", json={**asked, "verification": {"window_exists": "no such window"}})
    assert (passed.status_code, passed.json()["verification"]) == (200, "passed")
    assert (failed.status_code, failed.json()["status"]) == (500, "verification_failed")


def test_files(guest: GuestClient) -> None:
    data = bytes(range(256)) * 5000 + b"\r\n--boundary--\r\n"
    guest.upload("/home/user/a folder/f\u00fcr.bin", data)
    assert guest.file("~/a folder/f\u00fcr.bin") == data
    assert guest.file("/home/user/nothing") is None
    with pytest.raises(GuestRefused):
        guest.file("/home/user")
    with pytest.raises(GuestRefused, match="Read-only"):
        guest.upload("/usr/x", b"x")
    assert {"type": "file", "name": "f\u00fcr.bin"} in guest.list_directory("/home/user/a folder")["children"]
    with pytest.raises(GuestRefused, match="not a directory"):
        guest.list_directory("/no")
    assert guest.desktop_path() == "/home/user/Desktop"


def test_the_wallpaper(guest: GuestClient) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(picture, "PNG")
    guest.upload("/home/user/red.png", picture.getvalue())
    guest.change_wallpaper("/home/user/red.png")
    assert guest.wallpaper() == picture.getvalue()
    with pytest.raises(GuestRefused, match="not found"):
        guest.change_wallpaper("/home/user/blue.png")


def test_a_window_that_is_not_there_is_said_not_to_be(guest: GuestClient) -> None:
    for ask in (guest.activate_window, guest.close_window, guest.window_size, guest.open_file):
        with pytest.raises(GuestRefused) as refused:
            ask("no such window")
        assert refused.value.status == 404


def test_a_document_opens_is_typed_into_and_saved_in_its_own_format(guest: GuestClient) -> None:
    guest.upload("/home/user/Desktop/book.xlsx", sheet("alpha", "beta"))
    guest.open_file("/home/user/Desktop/book.xlsx")
    guest.activate_window("book.xlsx - LibreOffice Calc", strict=True)
    assert guest.window_size("libreoffice-calc") == SCREEN
    # The window has its title before the document is there.
    until, texts = time.monotonic() + 20, {}
    while not texts and time.monotonic() < until:
        tree = ET.fromstring(guest.accessibility_tree())
        texts = {cell.get("name"): cell.text for cell in tree.iterfind("application[@name='soffice']//table-cell")}
    assert (texts["A1"], texts["A2"], texts["A3"]) == ("alpha", "beta", None)
    state, component = (f"{{https://accessibility.ubuntu.example.org/ns/{name}}}" for name in ("state", "component"))
    frame = tree.find("application[@name='soffice']/frame")
    assert frame is not None and frame.get(f"{state}showing") == "true" and frame.get(f"{component}size") == str(SCREEN)
    keys = "pyautogui.hotkey('ctrl', 'end'); pyautogui.press(['down', 'down']); pyautogui.typewrite('<gamma>'); pyautogui.press('enter')"
    guest.execute(["python", "-c", PYAUTOGUI.format(command=f"{keys}; pyautogui.hotkey('ctrl', 's')")]).check("typing")
    until = time.monotonic() + 10
    while b"gamma" not in _texts(guest) and time.monotonic() < until:
        time.sleep(0.1)
    assert b"&lt;gamma&gt;" in _texts(guest)
    guest.close_window("book.xlsx")


def test_the_tree_of_a_program_that_is_killed_meanwhile(guest: GuestClient) -> None:
    # An office that is about to end takes a file, and ends: what the test before closed must be gone.
    until = time.monotonic() + 30
    while guest.execute(["pgrep", "soffice.bin"]).returncode == 0 and time.monotonic() < until:
        time.sleep(0.2)
    guest.upload("/home/user/Desktop/other.xlsx", sheet("alpha"))
    guest.open_file("/home/user/Desktop/other.xlsx")
    until = time.monotonic() + 20
    while "table-cell" not in guest.accessibility_tree() and time.monotonic() < until:
        time.sleep(0.1)
    # A tree of 3000 nodes takes longer than this.
    guest.launch("sleep 0.3; pkill -KILL soffice.bin", shell=True)
    ET.fromstring(guest.accessibility_tree())
    until = time.monotonic() + 30
    while guest.execute(["pgrep", "soffice.bin"]).returncode == 0 and time.monotonic() < until:
        time.sleep(0.2)
    assert "table-cell" not in guest.accessibility_tree()


def _texts(guest: GuestClient) -> bytes:
    data = guest.file("/home/user/Desktop/book.xlsx") or b""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            return b"".join(book.read(name) for name in book.namelist() if name.endswith("sharedStrings.xml"))
    except zipfile.BadZipFile:  # it is being written
        return b""


def test_the_browser_as_tasks_start_it(desktop: LocalDesktop, guest: GuestClient) -> None:
    guest.upload("/home/user/page.html", b"<title>A page</title><button>Press me</button>")
    guest.launch(["google-chrome", "--remote-debugging-port=1337", "/home/user/page.html"])
    guest.launch(["socat", "tcp-listen:9222,fork", "tcp:localhost:1337"])
    until, tabs = time.monotonic() + 20, ""
    while "A page" not in tabs and time.monotonic() < until:
        time.sleep(0.1)
        try:
            tabs = httpx.get(f"http://127.0.0.1:{desktop.ports[9222]}/json/list", timeout=5).text
        except httpx.TransportError:
            continue
    assert "A page" in tabs
    guest.activate_window("Google Chrome")
    wanted = {("entry", "Address and search bar"), ("push-button", "Press me")}
    found: set[tuple[str, str | None]] = set()
    while not wanted <= found and time.monotonic() < until + 20:
        browser = ET.fromstring(guest.accessibility_tree()).find("application[@name='Google Chrome']")
        found = {(each.tag, each.get("name")) for each in browser.iter()} if browser is not None else set()
    assert wanted <= found
    assert guest.execute(["pkill", "chrome"]).returncode == 0
    profile = "/home/user/.config/google-chrome/Default/Preferences"
    while not json.loads(guest.file(profile) or b"{}") and time.monotonic() < until + 20:  # it is written as the browser ends
        time.sleep(0.1)
    assert json.loads(guest.file(profile) or b"{}"), "an empty profile was there before"


def test_it_sees_nothing_of_the_host(desktop: LocalDesktop, guest: GuestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = guest.execute("id -u; hostname; ls -A / /home /root /mnt; cat /etc/shadow; env", shell=True)
    assert seen.output.splitlines()[:2] == ["1000", "user-virtual-machine"]
    assert "UNIBENCH_BOX" not in seen.output and "root\n" not in seen.output
    for target in ("192.0.2.1:80", f"127.0.0.1:{desktop.ports[5000]}"):
        host, port = target.split(":")
        assert guest.execute(["python3", "-c", f"import socket; socket.create_connection(({host!r}, {port}), 3)"]).returncode == 1


def test_it_is_bounded(guest: GuestClient) -> None:
    filled = guest.execute("cat /dev/zero > ~/big; stat -c %s ~/big; rm ~/big; echo x > /x; echo x > /dev/x; ls /x /dev/x", shell=True)
    assert filled.output == f"{Desktop().disk}\n" or int(filled.output) < Desktop().disk + (1 << 20)


def test_a_boot_has_an_untouched_home_and_leaves_no_trace_in_the_template() -> None:
    with LocalDesktop() as desktop:
        with GuestClient(desktop.url) as guest:
            guest.execute("rm -rf ~/.config; mkdir ~/.config; touch ~/.config/mine; echo x > ~/.bashrc", shell=True).check("rm")
        desktop.reset()
        with GuestClient(desktop.url) as guest:
            assert guest.execute("ls ~/.config; cat ~/.bashrc", shell=True).output.startswith(
                "dconf\ngoogle-chrome\nlibreoffice\nmimeapps.list\npulse\nvlc\n# ~/.bashrc"
            )


def test_a_home_of_ones_own_and_a_port_that_leads_out(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine").write_text("hello")

    class Hello(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hello)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made = Desktop(home=tmp_path, reach={8000: server.server_address[1]}, screen=(800, 600), memory=400 << 20, processes=100)
    with LocalDesktop(made) as desktop, GuestClient(desktop.url) as guest:
        assert guest.file("~/folder/mine") == b"hello"
        assert guest.screen_size() == (800, 600)
        guest.download("http://localhost:8000/a", "/home/user/got")
        assert guest.file("/home/user/got") == b"hello"
        assert "fork" in guest.execute("for i in $(seq 200); do sleep 9 & done", shell=True).error
        guest.execute(["pkill", "sleep"])
        with pytest.raises(EnvironmentFault):
            guest.execute(["python3", "-c", "x = []\nwhile True: x.append(b'1' * (10 << 20))"])
        until = time.monotonic() + 10
        while desktop.alive and time.monotonic() < until:
            time.sleep(0.05)
        assert desktop.ended == "memory"
    server.shutdown()
    server.server_close()
    with pytest.raises(EnvironmentFault, match="closed"):
        _ = desktop.url


OWNER = """
import sys, time
from unibench_guests.local import LocalDesktop
desktop = LocalDesktop()
print(desktop.url, desktop._box.pid, flush=True)
time.sleep(600)
"""


def _owner(python: str = sys.executable, *, env: dict[str, str] | None = None, **more: object) -> tuple[subprocess.Popen[str], str, int]:
    owner = subprocess.Popen([python, "-c", OWNER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, **more)  # type: ignore[call-overload]
    line = owner.stdout.readline()
    assert line, owner.stderr.read()
    url, pid = line.split()
    return owner, url, int(pid)


def _eventually_gone(url: str, launcher: int) -> bool:
    until = time.monotonic() + 15
    while time.monotonic() < until:
        if not Path(f"/proc/{launcher}").exists() and not _session_processes(url):
            return True
        time.sleep(0.02)
    return False


def _session_processes(url: str) -> bool:
    try:
        httpx.get(f"{url}/platform", timeout=1)
    except httpx.TransportError:
        return False
    return True


@pytest.mark.parametrize("victim", ["owner", "launcher"])
def test_two_at_once_and_killed_one_after_the_other(victim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = {**os.environ, "TMPDIR": str(tmp_path)}
    first, first_url, first_launcher = _owner(env=place)
    second, second_url, second_launcher = _owner(env=place)
    with GuestClient(first_url) as one, GuestClient(second_url) as two:
        one.upload("/home/user/mine", b"1")
        assert two.file("/home/user/mine") is None
        inner = [pid for pid in _below(first_launcher) if pid != first_launcher]
        assert len(inner) >= 5
        os.kill(first.pid if victim == "owner" else first_launcher, signal.SIGKILL)
        first.wait() if victim == "owner" else None
        until = time.monotonic() + 15
        while (left := [pid for pid in inner if Path(f"/proc/{pid}/exe").exists() and _running(pid)]) and time.monotonic() < until:
            time.sleep(0.02)
        assert not left
        # A killed launcher is its living owner's to reap.
        assert victim == "launcher" or _eventually_gone(first_url, first_launcher)
        assert two.platform() == "Linux"
    for owner in (first, second):
        owner.kill()
        owner.communicate()
    assert _eventually_gone(second_url, second_launcher)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # A launcher that was killed could not remove its folder; the next box does.
    assert len(list(state_folder().glob("box-*"))) == (victim == "launcher")
    sweep(state_folder())
    assert not list(state_folder().glob("box-*"))
    assert str(tmp_path) not in Path("/proc/mounts").read_text()


def _below(pid: int) -> list[int]:
    from unibench_guests.launcher import _family

    return _family(pid)


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_without_rights() -> None:
    """The whole desktop as a user who has none, with the system's Python."""
    if os.geteuid() != 0:
        pytest.skip("the tests run without rights already")
    system = "/usr/bin/python3"
    minor = subprocess.run([system, "-c", "import sys; print(sys.version_info.minor)"], capture_output=True, text=True, check=True).stdout
    if int(minor) != sys.version_info.minor:
        pytest.skip(f"{system} is not the Python of the tests, and cannot import their packages")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        packages = Path(httpx.__file__).parent.parent
        unneeded = shutil.ignore_patterns("scipy*", "numpy*", "mypy*", "ruff*", "hypothesis*", "__pycache__")
        shutil.copytree(packages, place / "packages", ignore=unneeded)
        for source in ("unibench", "adapters/unibench_guests"):
            shutil.copytree(ROOT / source, place / "packages" / Path(source).name, dirs_exist_ok=True)
        for path in place.rglob("*"):
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o644))
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(place / "packages"), "PYTHONDONTWRITEBYTECODE": "1"}
        owner, url, launcher = _owner(system, user=65534, group=65534, extra_groups=[], env=environment, cwd="/")
        with GuestClient(url) as guest:
            assert guest.execute("id -u", shell=True).output == "1000\n"
            guest.execute("rm -rf ~/.config && mkdir ~/.config && ls ~/.config", shell=True).check("rm")
            guest.upload("/home/user/book.xlsx", sheet("alpha"))
            guest.open_file("/home/user/book.xlsx")
        owner.kill()
        owner.communicate()
        assert _eventually_gone(url, launcher)
        shutil.rmtree(f"{tempfile.gettempdir()}/unibench-65534")


def test_what_is_missing_is_named_with_its_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "SESSION", {**programs.SESSION, "openbox": "/no/such/openbox"})
    with pytest.raises(Unavailable, match=r"lacks openbox; mend: apt-get install -y --no-install-recommends openbox"):
        LocalDesktop()
    monkeypatch.undo()
    monkeypatch.setattr(programs, "PYTHON_PACKAGES", ("pyautogui_of_no_name",))
    with pytest.raises(Unavailable, match=r"pip install 'unibench-gui\[desktop\]'"):
        LocalDesktop()


def test_the_substrate_names_what_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made = substrate()
    assert (made.name, made.fidelity) == ("local", "stand-in")
    assert substrate() == made
    monkeypatch.setattr(programs, "versions", lambda: {"chromium": "another"})
    assert substrate().digest != made.digest


def test_the_probe_boots_one() -> None:
    from unibench_guests.local.probe import probe

    found = probe()
    assert [finding.what for finding in found if not finding.ok] == []
    assert [finding.detail for finding in found if "screenshot" in finding.what] == ["1920x1080 pixels"]
    assert len(found) == 4


def test_the_server_has_every_route_that_upstreams_controllers_call(desktop: LocalDesktop) -> None:
    """The routes of OSWorld's controllers, as section 3 of its API has them."""
    get = ["screenshot", "accessibility", "terminal", "platform", "cursor_position"]
    post = "execute run_python run_bash_script file screen_size window_size desktop_path list_directory start_recording end_recording"
    setup = "execute launch execute_with_verification upload open_file activate_window close_window change_wallpaper download_file"
    routes = [*post.split(), *(f"setup/{name}" for name in setup.split())]
    with httpx.Client(base_url=desktop.url, timeout=30) as raw:
        assert [name for name in get if raw.get(f"/{name}").status_code != 200] == []
        assert [name for name in routes if raw.post(f"/{name}", json={}).status_code in (404, 405)] == []
        assert raw.get("/nothing").status_code == 404
        assert raw.post("/screenshot").status_code == 405
        assert raw.post("/setup/upload", content=b"x", headers={"Content-Type": "multipart/form-data; boundary=q"}).status_code == 400
        assert raw.post("/execute", content=b"no json").status_code == 400
        assert json.loads(raw.post("/end_recording").text)["status"] == "error"
