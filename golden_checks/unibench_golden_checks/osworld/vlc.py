"""What VLC plays and how its window stands: through its own HTTP interface and its keys."""

from __future__ import annotations

from urllib.parse import quote

from pydantic import JsonValue

from unibench.golden.control import Provenance, RecipeFailed
from unibench_golden_checks.osworld.settings import Make, Recipe, by_hand, in_turn, run, shell
from unibench_osworld.session import DesktopHandle

BY_HTTP = Provenance(source="instruction", means="http", note="VLC's own web interface; the video is a stand-in")
BY_KEY = Provenance(source="instruction", means="gui", note="VLC's own key; the video is a stand-in")
SONG = "/home/user/Desktop/Rick Astley - Never Gonna Give You Up (Official Music Video).mp4"
# The set-up launches VLC and waits for 0.5 s: the first question is asked again until VLC answers.
_ASK = """
import re, sys, time, urllib.request as r
m = r.HTTPPasswordMgrWithDefaultRealm()
u = 'http://localhost:8080/requests/status.xml'
m.add_password(None, u, '', 'password')
o = r.build_opener(r.HTTPBasicAuthHandler(m))
ask = lambda q: o.open(u + q, timeout=5).read().decode()
says = lambda: [re.findall('<state>(.*?)</state>', (t := ask('')))[0], *re.findall('name=.filename.>(.*?)<', t)]
until = time.monotonic() + 20
while True:
    try:
        ask('')
        break
    except OSError:
        if time.monotonic() > until:
            raise
        time.sleep(0.2)
"""
_IN_FRONT = shell("for i in $(seq 100); do wmctrl -lx | grep -q vlc && wmctrl -xa vlc && exit; sleep 0.2; done; exit 1")
"""VLC's window is there and has the focus."""


def _ask(handle: DesktopHandle, code: str) -> str:
    done = handle.guest.execute(["python3", "-c", _ASK + code], seconds=60)
    if done.returncode:
        raise RecipeFailed(f"VLC does not answer: {done.error.strip()[-300:]}")
    return done.output.rstrip("\n")


def plays(path: str, state: str = "playing") -> Make:
    """VLC plays a file; then, with ``paused`` or ``stopped``, does so no longer."""
    commands = {"playing": "pass", "paused": "ask('?command=pl_pause')", "stopped": "ask('?command=pl_stop')"}
    code = (
        f"ask('?command=in_play&input=' + {quote('file://' + quote(path))!r}); "
        "any(says()[0] == 'playing' or time.sleep(0.2) for _ in range(100)) or sys.exit('it does not play'); "
        + commands[state]
        + "; time.sleep(1)"
    )

    def make(handle: DesktopHandle) -> list[JsonValue]:
        _ask(handle, code)
        return [["vlc", path, state]]

    return make


def pressed(*lines: str) -> Make:
    """Keys for VLC's window."""
    return in_turn(_IN_FRONT, by_hand("time.sleep(0.5)", *lines))


def copied(path: str, other: str) -> Make:
    """Another file with the same content."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        run(handle.guest, f"cp '{path}' '{other}'")
        return [["copy", path, other]]

    return make


def playing(handle: DesktopHandle) -> JsonValue:
    """What VLC says: its state, and the file."""
    return _ask(handle, "print(*says(), sep='\\n')")


def covers_the_screen(handle: DesktopHandle) -> JsonValue:
    """What the window manager says of VLC's window."""
    found = run(handle.guest, "xprop -id $(wmctrl -lx | grep vlc | head -1 | cut -d' ' -f1) _NET_WM_STATE")
    return "fullscreen" if "FULLSCREEN" in found else "in a window"


TABLE: dict[str, Recipe] = {
    "vlc/59f21cfb-0120-4326-b255-a5b827b38967": Recipe(
        wanted=f"playing\n{SONG.rpartition('/')[2]}",
        golden=plays(SONG),
        read=playing,
        provenance=BY_HTTP,
        mutants={
            "paused": plays(SONG, "paused"),
            "stopped": plays(SONG, "stopped"),
            "other-file": in_turn(copied(SONG, "/home/user/Desktop/Another video.mp4"), plays("/home/user/Desktop/Another video.mp4")),
        },
    ),
    "vlc/8d9fd4e2-6fdb-46b0-b9b9-02f06495c62f": Recipe(
        wanted="fullscreen",
        golden=pressed("pyautogui.press('f')", "time.sleep(2)"),
        read=covers_the_screen,
        provenance=BY_KEY,
        mutants={
            "there-and-back": pressed("pyautogui.press('f')", "time.sleep(2)", "pyautogui.press('f')", "time.sleep(2)"),
            "minimal-interface": pressed("pyautogui.hotkey('ctrl', 'h')", "time.sleep(2)"),
        },
    ),
}
