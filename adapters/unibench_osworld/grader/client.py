"""The session's side of the grader: starts its box, asks it, tells apart what was the machine's, upstream's or an agent's doing."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, model_validator

from unibench.errors import EnvironmentFault, SetupFault, Unavailable
from unibench_guests.box import SYSTEM, Box, Mount, Plan
from unibench_guests.pathmapped.lines import linux_only
from unibench_osworld.assets import Asset, sha256
from unibench_osworld.grader.relay import Relay

HERE = Path(__file__).parent
IN_BOX = "/unibench/grader"
ENVIRONMENT = "/unibench/environment"
PORTS = (5000, 9222, 8080)
SERVER = "127.0.0.1:5000"
START_SECONDS = 120.0
GRACE_SECONDS = 30.0
MEMORY = 8 << 30
PROCESSES = 192
OPTIONAL = ("easyocr", "librosa")
HARMLESS = ("ipapi.co/", "publicsuffix.org/", "raw.githubusercontent.com/publicsuffix/")
"""What upstream asks in passing, and does without: the time zone (``getters/misc.py``), tldextract's list (it brings a copy)."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Raised(_Strict):
    type: str
    message: str
    detail: str = ""


class Exchange(_Strict):
    """One HTTP exchange of upstream's code."""

    step: int
    method: str
    host: str
    path: str
    seconds: float
    status: int = 0
    error: str = ""
    command: str = ""
    returned: JsonValue = None
    said: str = ""


class Part(_Strict):
    """What the getters of one metric gave, and what it said."""

    found: JsonValue = None
    expected: JsonValue = None
    score: float | str | None = None
    raised: str = ""


class Result(_Strict):
    """What a job gives (``jobs.py``)."""

    exchanges: list[Exchange]
    value: float | None = None
    error: Raised | None = None
    parts: list[Part] = []
    raised: str = ""
    step: int = -1
    made: dict[str, str] = {}


class Reply(_Strict):
    """What the box answers to a call."""

    id: int
    log: str
    result: Result | None = None
    error: Raised | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.result is None) == (self.error is None):
            raise ValueError("it has a result or an error")
        return self


@cache
def _prefixes(python: Path) -> tuple[Path, Path]:
    """Where an interpreter's environment and its standard library are."""
    code = "import sys; print(sys.prefix); print(sys.base_prefix)"
    try:
        done = subprocess.run([str(python), "-I", "-c", code], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"{python} does not run: {error}") from None
    prefix, base = done.stdout.split("\n")[:2]
    return Path(prefix), Path(base)


class Grader:
    """Upstream's code in a box, waiting for calls; its processes end with this object.

    Args:
        python: the interpreter of the suite's environment.
        assets: folders of this machine that calls may name files of.

    Raises:
        Unavailable: there is no bubblewrap, or upstream does not import; the message says which.
    """

    def __init__(self, python: Path, assets: Sequence[Path] = ()) -> None:
        self.relay = Relay(PORTS)
        self._assets = {folder.resolve(): f"/unibench/assets/{number}" for number, folder in enumerate(assets) if folder.is_dir()}
        self._next = 0
        self._ended = False
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        try:
            self._box = Box(self._plan(python), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except BaseException:
            self.relay.close()
            raise
        self._tail = bytearray()
        for stream, take in ((self._box.stdout, self._read), (self._box.stderr, self._drain)):
            assert stream is not None
            threading.Thread(target=take, args=(stream,), daemon=True, name="grader").start()
        try:
            first = self._answer(time.monotonic() + START_SECONDS)
        except BaseException:
            self.close()
            raise
        if "error" in first:
            self.close()
            error = first["error"]
            raise Unavailable(
                f"upstream's evaluators do not import: {error['type']}: {error['message']}", detail=str(error.get("detail", ""))
            )
        self.offers: dict[str, list[str]] = first["ready"]

    def _plan(self, python: Path) -> Plan:
        prefix, base = _prefixes(python)
        mounts = [*SYSTEM, Mount("tmpfs", "/tmp", size=256 << 20), Mount("ro", IN_BOX, str(HERE))]
        # Not at its own path, which could lie under the /tmp that each job gets a fresh one of.
        mounts.append(Mount("ro", ENVIRONMENT, str(prefix)))
        if base.is_relative_to("/tmp"):
            raise Unavailable(f"the Python of {prefix} comes from {base}, which the grader's box cannot hold; use one outside of /tmp")
        if not base.is_relative_to("/usr"):
            mounts.append(Mount("ro", str(base), str(base)))
        environment = {
            "HOME": "/tmp/home",
            "LANG": "C.UTF-8",
            "PATH": f"{ENVIRONMENT}/bin:/usr/bin:/bin",
            "NUMBA_CACHE_DIR": "/tmp",
            "OPENBLAS_NUM_THREADS": "1",
        }
        mounts += [Mount("ro", target, str(folder)) for folder, target in self._assets.items()]
        program = (
            f"import sys; sys.path.insert(0, {IN_BOX!r}); import runpy; runpy.run_path({IN_BOX + '/inside.py'!r}, run_name='__main__')"
        )
        return Plan(
            argv=[f"{ENVIRONMENT}/bin/python", "-I", "-c", program, json.dumps(OPTIONAL)],
            mounts=mounts,
            environment=environment,
            reach=self.relay.ports,
            hostname="grader",
            memory=MEMORY,
            processes=PROCESSES,
            chdir="/tmp",
            nested=True,
        )

    def _read(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._lines.put(line)
        self._lines.put(b"")

    def _drain(self, stream: IO[bytes]) -> None:
        while chunk := stream.read1(4096):  # type: ignore[attr-defined]
            self._tail += chunk
            del self._tail[:-8192]

    def _answer(self, until: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise EnvironmentFault("the grader's box does not answer") from None
        if not line:
            self._ended = True
            last = bytes(self._tail).decode(errors="replace").strip().splitlines()
            raise EnvironmentFault(
                f"the grader's box ended{': ' + last[-1] if last else ''}", detail=bytes(self._tail).decode(errors="replace")
            )
        try:
            found = json.loads(line)
        except ValueError:
            raise EnvironmentFault("the grader's box answered with what is no JSON") from None
        if not isinstance(found, dict):
            raise EnvironmentFault("the grader's box answered with what is no JSON object")
        return found

    def place(self, path: Path) -> str:
        """How the box names a file of this machine.

        Raises:
            Unavailable: the file is in none of the folders that the box was given.
        """
        path = path.resolve()
        for folder, target in self._assets.items():
            if path.is_relative_to(folder):
                return str(PurePosixPath(target) / path.relative_to(folder))
        raise Unavailable(f"the grader's box cannot see {path}")

    def call(self, job: str, *, seconds: float, **params: Any) -> dict[str, Any]:
        """One call, in a process of its own.

        Returns:
            ``result`` or ``error`` (type, message, detail), and ``log``: what upstream printed.

        Raises:
            EnvironmentFault: the box is gone.
        """
        self._next += 1
        assert self._box.stdin is not None
        try:
            self._box.stdin.write(json.dumps({"id": self._next, "job": job, "seconds": seconds, **params}).encode() + b"\n")
            self._box.stdin.flush()
        except (BrokenPipeError, ValueError, OSError):
            self._ended = True
            raise EnvironmentFault("the grader's box is gone", detail=bytes(self._tail).decode(errors="replace")) from None
        until = time.monotonic() + seconds + GRACE_SECONDS
        while True:
            found = self._answer(until)
            if found.get("id") == self._next:
                return checked(found)

    @property
    def alive(self) -> bool:
        return not self._ended and self._box.alive

    def close(self) -> None:
        """Ends the box and all in it; safe to call twice."""
        self._box.close()
        self.relay.close()


def set_up(
    grader: Grader, task: Mapping[str, Any], assets: Sequence[Asset], *, seconds: float, lenient: bool = False, **params: Any
) -> tuple[dict[str, str], str]:
    """Brings the machine to a task's initial state.

    Args:
        lenient: go on after a step that failed, as upstream does.

    Returns:
        The files that set-up steps wrote into upstream's cache, by name; and what failed, where that is allowed.

    Raises:
        SetupFault: a step failed; upstream itself ignores that.
    """
    reply = grader.call("set_up", seconds=seconds, task=task, files=cached(grader, assets), **params)
    if "error" in reply:
        said = f"the set-up raised {reply['error']['type']}: {reply['error']['message']}"
        if lenient:
            return {}, said
        raise SetupFault(said, detail=_detail(reply))
    result = reply["result"]
    windows = params.get("os_type") == "Windows"
    failed = next((line for each in result["exchanges"] if (line := failure(each, windows=windows))), "")
    raised, number = result.get("raised", ""), result.get("step", -1)
    if raised or failed:
        step = f"set-up step {number + 1}: " if number >= 0 else ""
        if not lenient:
            raise SetupFault(f"{step}{failed or raised}", detail=_detail(reply))
        failed = f"{step}{failed or raised}"
    made: dict[str, str] = result.get("made", {})
    return made, failed


def cache_name(asset: Asset) -> str:
    """A file's name in upstream's cache.

    Upstream's set-up controller looks for ``<uuid5 of the URL>_<name>``, its getter ``cloud_file`` for the plain ``dest``.
    """
    need = asset.need
    if need.cached or need.role == "gold":
        return need.cached or need.name
    return f"{uuid.uuid5(uuid.NAMESPACE_URL, need.url)}_{PurePosixPath(need.name).name}"


def cached(grader: Grader, assets: Sequence[Asset]) -> dict[str, str]:
    """What is put into upstream's cache before a call: name in the cache, and the file as the box names it."""
    found = {}
    for asset in assets:
        if sha256(asset.path) != asset.sha256:
            raise EnvironmentFault(f"{asset.path} changed since it was looked at")
        found[cache_name(asset)] = grader.place(asset.path)
    return found


def failure(exchange: Mapping[str, Any], *, windows: bool = False) -> str:
    """What of an exchange of the set-up says that its step failed; empty if it did not."""
    if exchange["host"] != SERVER:
        return f"{exchange['host']}{exchange['path']}: {exchange['error']}" if "error" in exchange else ""
    if "error" in exchange:
        return f"{exchange['path']}: {exchange['error']}"
    if exchange["path"].startswith("/setup/") and exchange.get("status") != 200:
        return f"{exchange['path']} gave {exchange.get('status')}: {exchange.get('said', '')}"
    if exchange["path"] == "/setup/execute" and "returned" not in exchange:
        return f"{exchange['path']} gave no result: {exchange.get('said', '')}"
    if exchange["path"] == "/setup/execute" and exchange.get("returned") not in (0, None):
        if windows and linux_only(str(exchange.get("command", ""))):
            return ""
        return f"a command returned {exchange['returned']}: {exchange.get('said', '').strip()}"
    return ""


def lost(exchanges: Sequence[Mapping[str, Any]]) -> str:
    """The exchange that shows that the machine's server went away while judging; empty if it did not."""
    answered = {e["path"] for e in exchanges if e["host"] == SERVER and "status" in e}
    for exchange in exchanges:
        if exchange["host"] == SERVER and "error" in exchange and exchange["path"] not in answered:
            return f"{exchange['path']}: {exchange['error']}"
    return ""


def in_doubt(reply: Mapping[str, Any]) -> bool:
    """Whether a call's end could be the machine's doing: it took too long, or the machine's server was in trouble."""
    if reply.get("error", {}).get("type") == "GraderTimeout":
        return True
    return any(e["host"] == SERVER and e.get("status", 0) >= 500 for e in reply.get("result", {}).get("exchanges", []))


def checked(reply: dict[str, Any]) -> dict[str, Any]:
    """A call's reply, of the form that :meth:`Grader.call` gives. What is evaluated in the call's process can write another one."""
    try:
        return Reply.model_validate(reply).model_dump(exclude_unset=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        said = f"its answer is no answer: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        return {"error": {"type": "GraderDied", "message": said, "detail": ""}, "log": ""}


def not_fetched(exchanges: Sequence[Mapping[str, Any]]) -> str:
    """The exchange with another host that failed while judging; empty if none did."""
    for exchange in exchanges:
        away = not exchange["host"].startswith("127.0.0.1:") and not f"{exchange['host']}{exchange['path']}".startswith(HARMLESS)
        if away and ("error" in exchange or exchange.get("status", 200) >= 400):
            return f"{exchange['host']}{exchange['path']}: {exchange.get('error') or exchange.get('status')}"
    return ""


def _detail(reply: Mapping[str, Any]) -> str:
    return f"{reply.get('error', {}).get('detail', '')}\n{str(reply.get('log', ''))[-3000:]}".strip()
