"""The path-mapped guest: Windows paths over a folder, the guest API's file half, and what it lacks refused and remembered."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench.errors import EnvironmentFault
from unibench_guests.errors import GuestRefused
from unibench_guests.pathmapped import PathMappedGuest
from unibench_guests.pathmapped import guest as guest_module
from unibench_guests.pathmapped.guest import version
from unibench_guests.pathmapped.paths import HOME, NotMapped, expand, mapped
from unibench_guests.windows import WindowsGuestClient

DESKTOP = HOME + "\\Desktop"


@pytest.fixture
def machine() -> Iterator[PathMappedGuest]:
    with PathMappedGuest() as running:
        yield running


@pytest.fixture
def guest(machine: PathMappedGuest) -> Iterator[WindowsGuestClient]:
    with WindowsGuestClient(machine.url, seconds=30) as client:
        yield client


# Paths


@pytest.mark.parametrize(
    "path",
    [
        r"C:\Users\Docker\a.txt",
        "C:/Users/Docker/a.txt",
        r"c:\users\DOCKER\A.TXT",
        r"C:\Users\Docker\Desktop\..\a.txt",
        "C:\\Users\\Docker\\/a.txt",
        r"C:\Users\Docker\a.txt.",
        "/Users/Docker/a.txt",
    ],
)
def test_all_spellings_of_a_path_are_one_file(tmp_path: Path, path: str) -> None:
    file = tmp_path / "C/Users/Docker/a.txt"
    file.parent.mkdir(parents=True)
    (file.parent / "Desktop").mkdir()
    file.write_text("x")
    assert mapped(tmp_path, path) == file


@pytest.mark.parametrize(
    "path", ["a.txt", "C:a.txt", r"D:\a.txt", r"\\host\share\a", r"C:\con", r"C:\a\nul.txt", r"C:\a.txt:stream", r"C:\a*", ""]
)
def test_what_is_no_absolute_path_on_drive_c_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(NotMapped):
        mapped(tmp_path, path)


@given(st.text(alphabet="C:\\/.ab ~%", max_size=40))
def test_no_path_leaves_the_folder(path: str) -> None:
    root = Path("/nonexistent/root")
    try:
        found = mapped(root, path)
    except NotMapped:
        return
    assert found == root / "C" or (found.is_relative_to(root / "C") and ".." not in found.parts)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "C").mkdir()
    (tmp_path / "C" / "out").symlink_to("/etc")
    with pytest.raises(NotMapped, match="link"):
        mapped(tmp_path, r"C:\out\passwd")


def test_variables_and_the_home_are_expanded_as_windows_does() -> None:
    assert expand("~\\a") == HOME + "\\a"
    assert expand("%LocalAppData%/x") == HOME + "\\AppData\\Local/x"
    assert expand("%nothing%") == "%nothing%"


# The API


def test_files_go_up_and_down(guest: WindowsGuestClient) -> None:
    path = DESKTOP + "\\a.bin"
    data = bytes(range(256)) * 5
    guest.upload(path, data)
    assert guest.file(path.replace("\\", "/").upper()) == data
    assert guest.file("%USERPROFILE%/Desktop/a.bin") == data
    assert guest.file(DESKTOP + "\\b.bin") is None


def test_an_upload_makes_no_folder_as_upstreams_server_makes_none(guest: WindowsGuestClient) -> None:
    with pytest.raises(GuestRefused, match="500"):
        guest.upload(DESKTOP + "\\new\\a.txt", b"x")
    guest.create_folder(DESKTOP + "\\new")
    guest.upload(DESKTOP + "\\new\\a.txt", b"x")
    tree = guest.list_directory(DESKTOP)
    assert tree == {
        "type": "directory",
        "name": "Desktop",
        "children": [{"type": "directory", "name": "new", "children": [{"type": "file", "name": "a.txt"}]}],
    }


def test_questions_about_files_and_folders(guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    guest.probe()
    assert guest.platform() == "Windows"
    assert (guest.desktop_path(), guest.documents_path()) == (DESKTOP, HOME + "\\Documents")
    guest.create_file(DESKTOP + "\\a.txt", "one\n")
    assert guest.file(DESKTOP + "\\a.txt") == b"one\r\n"
    assert guest.file_exists("a.txt", DESKTOP) and not guest.folder_exists("a.txt", DESKTOP)
    guest.recycle(DESKTOP + "\\a.txt")
    assert not guest.file_exists("a.txt", DESKTOP)
    assert [each.read_bytes() for each in machine.at("C:\\$Recycle.Bin").iterdir()] == [b"one\r\n"]
    assert machine.gaps == []


def test_fresh_forgets_everything(guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    guest.create_file(DESKTOP + "\\a.txt")
    guest.launch(["start", "msedge"])
    with pytest.raises(GuestRefused):
        guest.screenshot()
    assert machine.gaps and machine.launched == ["start msedge"]
    machine.fresh()
    assert not guest.file_exists("a.txt", DESKTOP)
    assert (machine.gaps, machine.launched) == ([], [])


def test_what_it_does_not_do_is_refused_and_remembered(guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    with pytest.raises(GuestRefused, match="UI Automation"):
        guest.accessibility_tree()
    with pytest.raises(GuestRefused, match="500"):
        guest.is_details_view(DESKTOP)
    with pytest.raises(GuestRefused, match="'reg query HKCU"):
        guest.execute(["cmd", "/c", "reg", "query", "HKCU"])
    with pytest.raises(GuestRefused, match="Get-AppxPackage"):
        guest.execute(["powershell", "-Command", "Get-AppxPackage"])
    with pytest.raises(GuestRefused, match="joined"):
        guest.execute(["cmd", "/c", "mkdir", "C:\\a", "|", "mkdir", "C:\\b"])
    with pytest.raises(GuestRefused, match="drive C"):
        guest.file("D:\\a.txt")
    assert len(machine.gaps) == 6


def test_an_unknown_route_is_remembered(guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    with pytest.raises(GuestRefused, match="no route GET /no_such_route") as refused:
        guest.http.ask("GET", "/no_such_route")
    assert refused.value.status == 404 and machine.gaps == ["GET /no_such_route: no such route"]
    with pytest.raises(GuestRefused):
        guest.http.ask("GET", "/file")
    assert machine.gaps[1:] == ["GET /file: no such route"]


def test_a_fault_of_the_files_is_remembered_and_a_missing_file_is_not(guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    assert guest.file(DESKTOP + "\\a.txt") is None and machine.gaps == []
    guest.create_file(DESKTOP + "\\a.txt")
    with pytest.raises(GuestRefused, match="FileNotFoundError"):
        guest.execute(["cmd", "/c", "copy", DESKTOP + "\\a.txt", "C:\\no\\folder"])
    with pytest.raises(GuestRefused, match=r"FileExistsError|NotADirectoryError"):
        guest.execute(["cmd", "/c", "mkdir", DESKTOP + "\\a.txt\\b"])
    with pytest.raises(GuestRefused, match="OSError"):
        guest.file(DESKTOP + "\\" + 300 * "a")
    assert len(machine.gaps) == 3 and not any(str(machine.root) in gap for gap in machine.gaps)


def test_a_window_that_is_not_there_is_no_gap_but_an_answer(guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    with pytest.raises(GuestRefused, match="not found") as refused:
        guest.activate_window("Documents")
    assert refused.value.status == 404 and machine.gaps == []


@pytest.mark.parametrize("path", ["", "C:\\Users\\Docker\\AppData\\Roaming\x0blc\x0blcrc", "C:\\a?.txt"])
def test_a_path_that_no_windows_has_is_an_error_and_no_gap(guest: WindowsGuestClient, machine: PathMappedGuest, path: str) -> None:
    with pytest.raises(GuestRefused, match="500"):
        guest.file(path)
    assert machine.gaps == []


def test_a_terminal_is_answered_as_upstreams_server_does_on_windows(guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    with pytest.raises(GuestRefused, match="not implemented for platform Windows"):
        guest.terminal()
    assert machine.gaps == []


# Commands


def test_the_few_commands_that_it_knows(guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    new = HOME + "\\Downloads\\project\\.vscode"
    assert guest.execute(["powershell", "-Command", "New-Item", "-ItemType", "Directory", "-Force", "-Path", new]).returncode == 0
    assert machine.at(new).is_dir()
    asks = "if (Test-Path -Path '{}') {{ 'yes' }}"
    assert guest.execute(["powershell", "-Command", asks.format(new)]).output == "yes\n"
    assert guest.execute(["powershell", "-Command", asks.format(new + "x")]).output == ""
    size = guest.execute(["cmd", "/c", f"fsutil file createnew {HOME}\\big.bin 15000000"])
    assert size.returncode == 0 and machine.at(HOME + "\\big.bin").stat().st_size == 15_000_000
    assert guest.execute(["cmd", "/c", "mkdir", new]).returncode == 1
    assert guest.execute(["cmd", "/c", "copy", HOME + "\\big.bin", new]).returncode == 0
    assert machine.at(new + "\\big.bin").exists()
    killed = guest.execute("taskkill /IM chrome.exe /F", shell=True)
    assert (killed.returncode, "chrome.exe" in killed.error) == (128, True)
    assert machine.gaps == []


@pytest.mark.parametrize(
    "line",
    [
        "taskkill /im x.exe & reg add HKCU\\Software\\x",
        "taskkill /im x.exe\nreg add HKCU\\Software\\x",
        "taskkill /im x.exe /f > C:\\a.txt",
        'taskkill /fi "status eq running"',
        "sudo reboot",
        "sudo chown -R user:user /home/user/.config/x & reg add HKCU\\Software\\x",
        "sudo chown -R user:user /home/user/.config/x /etc",
        "powershell -Command Get-Process | Stop-Process",
    ],
)
def test_what_is_joined_to_a_known_command_is_a_gap(guest: WindowsGuestClient, machine: PathMappedGuest, line: str) -> None:
    with pytest.raises(GuestRefused, match="the path-mapped guest has no"):
        guest.execute(line, shell=True)
    assert len(machine.gaps) == 1


def test_upstreams_own_sudo_is_answered_as_windows_does(guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    done = guest.execute(["sudo chown -R user:user /home/user/.config/google-chrome/Default/History"], shell=True)
    assert done.returncode == 1 and "not recognized" in done.error and machine.gaps == []


def python(guest: WindowsGuestClient, code: str) -> tuple[str, int]:
    done = guest.execute(["python", "-c", code])
    return done.output, done.returncode


def test_python_sees_windows_and_the_guests_files(sandboxed: None, guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    asked = "import os; print(os.path.join(os.getenv('LOCALAPPDATA'), 'Google/Chrome/User Data'))"
    assert python(guest, asked) == (HOME + "\\AppData\\Local\\Google/Chrome/User Data\n", 0)
    assert python(guest, "import platform; print(platform.system())") == ("Windows\n", 0)
    guest.create_file(HOME + "\\Pictures\\a.txt", "b.png\n")
    listing = (
        "import os; print(','.join(f for f in os.listdir('C:/Users/Docker/Pictures') if os.path.isfile('C:/Users/Docker/Pictures/' + f)))"
    )
    assert python(guest, listing) == ("a.txt\n", 0)
    assert python(guest, "print(open('C:/Users/Docker/Pictures/a.txt').read().splitlines())") == ("['b.png']\n", 0)
    failed = guest.execute(["python", "-c", "open('C:/nothing')"])
    assert failed.returncode == 1 and "FileNotFoundError" in failed.error
    keys = "import pyautogui; import time; pyautogui.hotkey('ctrl', 's'); time.sleep(600)"
    assert python(guest, keys) == ("", 0)
    assert python(guest, "import os; print(os.system('taskkill /F /IM msedge.exe /T'))") == ("128\n", 0)
    assert machine.gaps == []


@pytest.mark.parametrize(
    "code",
    [
        "import pyautogui; pyautogui.screenshot()",
        "import pyautogui; print(pyautogui.getActiveWindowTitle())",
        "import os; os.stat('C:/').st_file_attributes",
        "import os; os.remove('C:/Users/Docker/a')",
        "open('C:/Users/Docker/a', 'w')",
        "import winreg",
        "import subprocess; subprocess.call('shutdown /s')",
        "import os; os.system('taskkill /im x.exe & reg add HKCU')",
        "import os; os.listdir('D:/')",
        "print(eval('1'))",
    ],
)
def test_what_python_cannot_do_here_is_a_gap_or_an_error(
    sandboxed: None, guest: WindowsGuestClient, machine: PathMappedGuest, code: str
) -> None:
    if "eval" in code:
        assert guest.execute(["python", "-c", code]).returncode == 1
        return
    with pytest.raises(GuestRefused):
        guest.execute(["python", "-c", code])
    assert len(machine.gaps) == 1


def test_a_script_that_gets_out_of_its_names_is_still_in_a_sandbox(
    sandboxed: None, guest: WindowsGuestClient, machine: PathMappedGuest, tmp_path: Path
) -> None:
    found = "posix = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'BuiltinImporter'][0].load_module('posix')"
    mark = tmp_path / "mark"
    for path, said in ((str(mark), "FileNotFoundError: [Errno 2]"), ("/guest/C/mark", "OSError: [Errno 30] Read-only file system")):
        done = guest.execute(["python", "-c", f"{found}; print('out'); posix.open({path!r}, posix.O_WRONLY | posix.O_CREAT)"])
        assert (done.output, done.returncode) == ("out\n", 1)
        assert done.error.splitlines()[-1].startswith(said) and path in done.error
    assert not mark.exists() and not (machine.root / "C" / "mark").exists()


def test_a_script_that_ends_python_itself_gives_no_answer(sandboxed: None, guest: WindowsGuestClient, machine: PathMappedGuest) -> None:
    found = "posix = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'BuiltinImporter'][0].load_module('posix')"
    for last in (r"posix.write(2, b'\xff')", "posix.write(1, b'[]')"):
        with pytest.raises(EnvironmentFault, match="without an answer"):
            guest.execute(["python", "-c", f"{found}; {last}; posix._exit(1)"])
    assert len(machine.gaps) == 2


def test_a_script_that_never_ends_is_ended(sandboxed: None, machine: PathMappedGuest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unibench_guests.pathmapped.commands.SECONDS", 1.0)
    with WindowsGuestClient(machine.url, seconds=30) as guest, pytest.raises(EnvironmentFault, match="deadline"):
        guest.execute(["python", "-c", "while True: pass"])
    assert len(machine.gaps) == 1


def test_the_digest_names_the_code_and_the_untouched_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = version()
    assert before.startswith("pathmapped-")
    shutil.copytree(Path(guest_module.__file__).parent, tmp_path / "copy")
    monkeypatch.setattr(guest_module, "__file__", str(tmp_path / "copy" / "guest.py"))
    assert version() == before
    with (tmp_path / "copy" / "sandboxed_python.py").open("a") as code:
        code.write("# altered\n")
    altered = version()
    monkeypatch.setattr(guest_module, "FOLDERS", (*guest_module.FOLDERS, "Saved Games"))
    assert len({before, altered, version()}) == 3
