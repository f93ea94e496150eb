"""The command line. Each command's module imports what is heavy only when the command runs."""

from __future__ import annotations

import io
import os
import signal
import stat
import sys
from typing import NoReturn

from unibench.errors import FileProblem, UnibenchError


def main() -> None:
    """The ``unibench`` command. Exit codes: 0 did it, 1 did it and you asked to object, 2 wrong use, 3 the environment cannot."""
    from unibench.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A locale that lacks a character of a page is no reason to lose what was computed.
            stream.reconfigure(errors="backslashreplace")
    for name in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(name) is signal.SIG_DFL:  # nohup ignores the latter
            signal.signal(name, _interrupt)
    try:
        app(prog_name="unibench")
    except UnibenchError as error:
        fail(error)
    except BrokenPipeError:
        # The reader of our output has gone (`| head`), which is no error of ours; keep Python from flushing into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        fail(FileProblem(f"cannot write the output: {error.strerror or error}"))


def _interrupt(number: int, _: object) -> NoReturn:
    """A scheduler's or a closing terminal's wish is the user's: what was computed is kept, and sessions are ended."""
    for name in (signal.SIGTERM, signal.SIGHUP):  # a second one would break off the clean-up
        signal.signal(name, lambda *_: None)
    if number == signal.SIGHUP:
        for stream in (1, 2):
            if stat.S_ISCHR(os.fstat(stream).st_mode):  # the terminal, which takes no more words
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    raise KeyboardInterrupt


def fail(error: UnibenchError) -> None:
    """Ends with one line on stderr and the error's exit code."""
    from unibench.cli.harmless import harmless

    sys.stderr.write(f"unibench: {harmless(str(error))}\n")
    if error.detail and os.environ.get("UNIBENCH_DEBUG"):
        sys.stderr.write(harmless(error.detail) + "\n")
    sys.exit(error.exit_code)
