"""Runs in a sandbox: a Python script as a Windows guest would run it, over the path-mapped files, read-only.

JSON on stdin (``code``, ``root``); JSON on stdout (``output``, ``error``, ``returncode``, ``gap``). The script gets its own
``os``, ``platform``, ``time``, ``pyautogui`` and ``subprocess``, which hold what is written here; anything else is a gap.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import ntpath
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lines
import paths

PURE = ("abspath", "basename", "dirname", "isabs", "join", "normpath", "split", "splitdrive", "splitext", "normcase")
REAL = ("json", "re", "math", "datetime", "string", "itertools", "collections")
INPUT = (
    "hotkey", "press", "keyDown", "keyUp", "typewrite", "write", "click", "doubleClick", "rightClick", "moveTo", "move",
    "dragTo", "mouseDown", "mouseUp", "scroll", "hscroll",
)  # fmt: skip
"""Keys and the mouse reach the desktop, on which there is no window; so they change no file."""


class Gap(BaseException):
    """What this guest cannot do."""


class Module(types.ModuleType):
    """A module with what it is given; the rest is a gap."""

    def __init__(self, name: str, /, **members: Any) -> None:
        super().__init__(name)
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Gap(f"Python's {self.__name__}.{name}")


def nothing(*args: Any, **kwargs: Any) -> None:
    """Done to a desktop on which there is nothing, or not waited for."""


def modules(root: Path) -> dict[str, Any]:
    """The modules that a script can import."""

    def at(path: Any) -> Path:
        try:
            return paths.mapped(root, str(path))
        except paths.NotAllowed as error:
            raise OSError(22, "Invalid argument", str(path)) from error
        except paths.NotMapped as error:
            raise Gap(str(error)) from None

    def listdir(path: Any) -> list[str]:
        folder = at(path)
        if not folder.is_dir():
            raise FileNotFoundError(f"[WinError 3] The system cannot find the path specified: {path!r}")
        return sorted(each.name for each in folder.iterdir())

    def call(command: Any, *args: Any, **kwargs: Any) -> int:
        line = command if isinstance(command, str) else " ".join(map(str, command))
        if lines.killed(line):
            return 128  # no such process: none runs
        raise Gap(f"the command {line!r}")

    path = Module(
        "os.path",
        **{name: getattr(ntpath, name) for name in PURE},
        sep="\\",
        exists=lambda value: at(value).exists(),
        isfile=lambda value: at(value).is_file(),
        isdir=lambda value: at(value).is_dir(),
        getsize=lambda value: at(value).stat().st_size,
        expanduser=paths.expand,
        expandvars=paths.expand,
    )
    environment = dict(paths.ENVIRONMENT)
    made = {
        "os": Module(
            "os",
            name="nt",
            sep="\\",
            path=path,
            environ=environment,
            system=call,
            getenv=lambda name, default=None: environment.get(name.upper(), default),
            listdir=listdir,
        ),
        "os.path": path,
        "platform": Module("platform", system=lambda: "Windows", machine=lambda: "AMD64"),
        "sys": Module("sys", platform="win32", exit=sys.exit),
        "time": Module("time", sleep=nothing),
        "pyautogui": Module("pyautogui", FAILSAFE=True, PAUSE=0.1, **dict.fromkeys(INPUT, nothing)),
        "subprocess": Module("subprocess", call=call, PIPE=-1),
        "PIL": Module("PIL", Image=Module("PIL.Image")),
    }
    made["open"] = opener(at)
    return made


def opener(at: Callable[[Any], Path]) -> Callable[..., Any]:
    """``open`` for reading. Windows' preferred encoding, as Python takes it there."""

    def open_(path: Any, mode: str = "r", *args: Any, encoding: str | None = None, **kwargs: Any) -> Any:
        if set(mode) - set("rbt"):
            raise Gap(f"open(…, {mode!r})")
        file = at(path)
        if not file.is_file():
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return file.open(mode) if "b" in mode else file.open(mode, encoding=encoding or "cp1252")

    return open_


def run(code: str, root: Path) -> dict[str, Any]:
    """The script's output, errors and exit status; or what of it is a gap."""
    offered = modules(root)

    def importing(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if name in REAL:
            return builtins.__import__(name)
        found = offered.get(name if fromlist else name.partition(".")[0])
        if found is None:
            raise Gap(f"Python's module {name}")
        return found

    scope = {name: value for name, value in vars(builtins).items() if name not in ("eval", "exec", "compile", "input", "breakpoint")}
    scope |= {"__import__": importing, "open": offered["open"], "exit": sys.exit, "quit": sys.exit}
    output, error = io.StringIO(), io.StringIO()
    status, gap = 0, ""
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(error):
        try:
            exec(compile(code, "<string>", "exec"), {"__builtins__": scope, "__name__": "__main__"})
        except Gap as missing:
            gap = str(missing)
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:  # noqa: BLE001 - whatever the script raises is its output, as in any interpreter
            traceback.print_exc()
            status = 1
    return {"output": output.getvalue(), "error": error.getvalue(), "returncode": status, "gap": gap}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps(run(asked["code"], Path(asked["root"]))))
