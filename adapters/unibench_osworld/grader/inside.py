"""Runs in the box: imports upstream once, then serves each call in a forked process that is shut off from this one.

JSON lines on stdin and stdout. A call is ``{"id", "job", "seconds", ...}``; the answer ``{"id", "result" | "error", "log"}``. Standard
library only, beside upstream; started as a script by :mod:`unibench_osworld.grader.client`.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable
from typing import Any, NoReturn

HERE = os.path.dirname(os.path.abspath(__file__))
LOG_BYTES = 64_000
MAX_RESULT = 16 << 20
JOB_DATA = 3 << 30
JOB_FILE = 2 << 30
JOB_TMP = "size=2g,nr_inodes=100k,mode=1777"

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_CLONE_NEWNS, _CLONE_NEWUSER, _CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
_MS_REC, _MS_PRIVATE = 16384, 1 << 18


def stand_in(name: str) -> None:
    """A module that imports, and says what is missing when something of it is used."""

    class Missing(types.ModuleType):
        def __getattr__(self, attribute: str) -> Any:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            raise ImportError(f"{name} is not installed in the grader's environment ({name}.{attribute} is needed)")

    module = Missing(name)
    module.__path__ = []  # type: ignore[attr-defined]
    sys.modules[name] = module


def import_upstream(optional: list[str]) -> dict[str, Any]:
    """Imports upstream's modules; of the optional packages, those that are not there are stood in for."""
    import importlib.util

    for name in optional:
        if importlib.util.find_spec(name) is None:
            stand_in(name)
    os.chdir("/tmp")
    from jobs import upstream_module

    upstream = upstream_module()
    metrics = [name for name in dir(upstream.metrics) if not name.startswith("_")]
    getters = [name[4:] for name in dir(upstream.getters) if name.startswith("get_")]
    return {"metrics": metrics, "getters": getters}


def _call(name: str, *args: Any) -> None:
    if getattr(_LIBC, name)(*args) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _shut_off() -> None:
    """Namespaces of the job's own: what it starts dies with it, it sees no process but these, and its /tmp is empty."""
    uid, gid = os.geteuid(), os.getegid()
    _call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)  # the server's own memory stays shut; /proc/self must be ours to write
    _call("unshare", _CLONE_NEWUSER | _CLONE_NEWPID | _CLONE_NEWNS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _own_tmp() -> None:
    _call("mount", b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None)
    _call("mount", b"tmpfs", b"/tmp", b"tmpfs", ctypes.c_ulong(2 | 4), JOB_TMP.encode())
    os.makedirs("/tmp/home")
    os.makedirs("/tmp/work")
    os.chdir("/tmp/work")


def _limits() -> None:
    with open("/proc/self/statm") as file:
        data = int(file.read().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (data + JOB_DATA, data + JOB_DATA))
    resource.setrlimit(resource.RLIMIT_FSIZE, (JOB_FILE, JOB_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _job(call: dict[str, Any], out: int, log: int) -> NoReturn:
    """The job's process: does it, tells the result, ends."""
    import archives
    import jobs

    os.dup2(log, 1)
    os.dup2(log, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # upstream prints what a guest says
    archives.keep_inside()
    try:
        # What was open before is the server's: its calls and its answers.
        for fd in [int(name) for name in os.listdir("/proc/self/fd")]:
            if fd > 2 and fd not in (out, log):
                with contextlib.suppress(OSError):  # the listing's own is shut already
                    os.close(fd)
        _own_tmp()
        _limits()
        answer = {"result": jobs.JOBS[call["job"]](call)}
    except BaseException as error:  # noqa: BLE001 - the border between upstream's code and us
        answer = {"error": {"type": type(error).__name__, "message": str(error)[:2000], "detail": traceback.format_exc()[-4000:]}}
    sys.stdout.flush()
    sys.stderr.flush()
    data = json.dumps(answer, default=repr, allow_nan=False).encode()
    while data:
        data = data[os.write(out, data) :]
    os._exit(0)


def _guardian(call: dict[str, Any], out: int, log: int) -> NoReturn:
    """Between the server and the job: makes the job's namespaces, and ends it when told to."""
    os.setsid()
    try:
        _shut_off()
        _call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)  # the job must not write into its guardian either
        job = os.fork()
    except BaseException as error:  # noqa: BLE001 - told to the session as any other
        os.write(out, json.dumps({"error": {"type": type(error).__name__, "message": f"no sandbox for the job: {error}"}}).encode())
        os._exit(1)
    if job == 0:
        _call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)
        _call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _job(call, out, log)
    os.close(out)

    def end(*_: object) -> None:
        with contextlib.suppress(ProcessLookupError):  # it ended by itself just now
            os.kill(job, signal.SIGKILL)

    signal.signal(signal.SIGTERM, end)
    try:
        os.waitpid(job, 0)
    finally:
        os._exit(0)  # never up the stack: that is the server's


def serve_one(call: dict[str, Any]) -> dict[str, Any]:
    """One call: a job's answer, or why there is none."""
    taken, out = os.pipe()
    log = os.memfd_create("log")
    guardian = os.fork()
    if guardian == 0:
        os.close(taken)
        _guardian(call, out, log)
    os.close(out)
    until = time.monotonic() + float(call["seconds"])
    data, late = b"", False
    while len(data) <= MAX_RESULT:
        ready, _, _ = select.select([taken], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            late = True
            break
        chunk = os.read(taken, 1 << 16)
        if not chunk:
            break
        data += chunk
    os.close(taken)
    if late or len(data) > MAX_RESULT:
        os.kill(guardian, signal.SIGTERM)
    os.waitpid(guardian, 0)
    size = os.lseek(log, 0, os.SEEK_END)
    text = os.pread(log, LOG_BYTES, max(0, size - LOG_BYTES)).decode(errors="replace")
    os.close(log)
    if late:
        return {"error": {"type": "GraderTimeout", "message": f"it did not end within {call['seconds']:g} s"}, "log": text}
    try:
        answer = json.loads(data)
    except ValueError:
        return {"error": {"type": "GraderDied", "message": "its process ended without an answer"}, "log": text}
    if not isinstance(answer, dict):
        return {"error": {"type": "GraderDied", "message": "its answer is no answer"}, "log": text}
    return {"result": answer["result"], "log": text} if "result" in answer else {"error": answer.get("error"), "log": text}


def main(send: Callable[[dict[str, Any]], None], optional: list[str]) -> None:
    sys.path.insert(0, HERE)
    try:
        send({"ready": import_upstream(optional)})
    except BaseException as error:  # noqa: BLE001 - told to the session, which says how to mend it
        send({"error": {"type": type(error).__name__, "message": str(error), "detail": traceback.format_exc()[-4000:]}})
        return
    import jobs  # noqa: F401 - before the first fork

    _call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)
    for line in sys.stdin:
        call = json.loads(line)
        send({**serve_one(call), "id": call["id"]})


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def send(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    main(send, json.loads(sys.argv[1]))
