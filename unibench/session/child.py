"""What every child of the supervisor does: serves calls over stdin and stdout, one after another, from the main thread."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from unibench.errors import ContractBroken, UnibenchError
from unibench.redaction import redacted
from unibench.session.wire import Frames, receive, send

IDLE_SECONDS = 0.03
"""After so long without a call, a session may prepare what comes next."""

Reply = tuple[Any, Frames]
Message = tuple[dict[str, Any], Frames]


class Served:
    """The base of what a child serves: its methods ``do_<name>`` are the calls."""

    def turn_to(self, session: int) -> None:
        """The next call is for this one of the sessions it holds."""

    def idle(self) -> None:
        """No call has come for a while."""

    def close(self) -> None:
        """Lets go of everything; called before the child ends."""


def failure(error: BaseException) -> dict[str, Any]:
    """An error as it goes over the wire."""
    detail = getattr(error, "detail", "") or redacted(traceback.format_exc())[-4000:]
    if isinstance(error, UnibenchError):
        return {"type": type(error).__name__, "message": str(error), "detail": detail}
    return {"type": "", "message": f"{type(error).__name__}: {error}", "detail": detail}


def serve(worker: Served, inbox: queue.SimpleQueue[Message], out: BinaryIO) -> None:
    """Answers calls until told to end."""
    while True:
        header, frames = _next(worker, inbox)
        if header["method"] == "bye":
            worker.close()
            send(out, {"id": header["id"], "result": None})
            return
        serve_one(worker, header, frames, out)


def _next(worker: Served, inbox: queue.SimpleQueue[Message]) -> Message:
    try:
        return inbox.get(timeout=IDLE_SECONDS)
    except queue.Empty:
        try:
            worker.idle()
        except Exception:  # noqa: BLE001 - the session call's border; the next call will meet what broke
            traceback.print_exc()
        return inbox.get()


def serve_one(worker: Served, header: dict[str, Any], frames: Frames, out: BinaryIO) -> None:
    call: Callable[..., Reply] | None = getattr(worker, f"do_{header['method']}", None)
    params = header.get("params", {})
    try:
        worker.turn_to(header.get("session", 0))
        if call is None:
            raise ContractBroken(f"this process knows no call {header['method']!r}")
        result, replied = call(**params, frames=frames) if frames else call(**params)
        send(out, {"id": header["id"], "result": result}, replied)
    except Exception as error:  # noqa: BLE001 - the session call's and the agent call's border
        send(out, {"id": header["id"], "error": failure(error)})


def listen(stream: BinaryIO, inbox: queue.SimpleQueue[Message]) -> None:
    """Feeds calls to the main thread; at the stream's end, ends this process and its children at once."""
    try:
        while (message := receive(stream)) is not None:
            inbox.put(message)
    finally:
        end_group()


def end_group() -> None:
    """Ends this process and what it started. The supervisor made it the leader of a process group."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)


def run_child(worker: Served) -> None:
    """Serves until the supervisor says bye, closes stdin, or dies."""
    # What upstream or an agent prints must not get between the messages.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(sys.stdin.buffer, inbox), daemon=True, name="wire").start()
    serve(worker, inbox, out)
    out.close()
