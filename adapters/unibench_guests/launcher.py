"""Holds one box: makes its mounts, gives up its rights, starts bubblewrap, carries its ports, watches its memory.

Run as a script by :mod:`unibench_guests.box`, with the standard library alone: ``launcher.py LIFE REPORT``. The first line
on the descriptor LIFE is the plan; its end, or the owner's death, ends the box. JSON lines on REPORT tell the loopback
ports and how the box ended. The box is a process of its own parent, so no thread of the owner holds its life.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import re
import resource
import shutil
import signal
import socket
import sys
from pathlib import Path
from typing import Any, NoReturn

# Run as a script without site-packages; nothing else is imported from beside it.
sys.path.append(str(Path(__file__).resolve().parents[1]))

from unibench_guests.carrying import Carrier

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_MS_NOSUID, _MS_NODEV, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
_CHUNK = 1 << 16
_OWN_FILES = 8192
"""Files of the stage itself: mount points, and a home's template where it must be copied."""
_ANONYMOUS = re.compile(r"^Pss_Anon: +(\d+) kB$", re.MULTILINE)


def _call(name: str, *args: Any) -> None:
    if getattr(_LIBC, name)(*args) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _mount(source: str, target: str, kind: str, flags: int = 0, data: str = "") -> None:
    try:
        _call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode())
    except OSError as error:
        raise OSError(error.errno, f"cannot mount {kind or source} on {target}: {os.strerror(error.errno or 0)}") from None


class _Stage:
    """The mounts that bubblewrap binds from, in a mount namespace of the box's own."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._root = Path(plan["state"]) / "stage"
        self._user = plan["user"]
        self._count = 0

    def enter(self) -> None:
        uid, gid = os.geteuid(), os.getegid()
        if self._user is None:
            _call("unshare", _CLONE_NEWUSER | _CLONE_NEWNS)
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
            Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
        else:
            _call("unshare", _CLONE_NEWNS)
        _mount("none", "/", "", _MS_REC | _MS_PRIVATE)
        size = sum(mount["size"] for mount in self._plan["mounts"] if mount["kind"] == "overlay") + (1 << 20)
        self._memory(self._root, size, self._plan["files"] + _OWN_FILES)

    def options(self) -> list[str]:
        """Bubblewrap's options for the plan's mounts, in order."""
        options: list[str] = []
        for mount in self._plan["mounts"]:
            kind, source, target = mount["kind"], mount.get("source", ""), mount["target"]
            if kind == "tmpfs":
                here = self._next()
                here.mkdir()
                self._memory(here, mount["size"], self._plan["files"])
                self._own(here)
                options += ["--bind", str(here), target]
            elif kind == "symlink":
                options += ["--symlink", source, target]
            elif kind == "overlay":
                options += ["--bind", self._overlay(source, mount["size"]), target]
            elif Path(source).exists():
                options += ["--bind" if kind == "bind" else "--ro-bind", self._reachable(source), target]
            elif not mount.get("optional"):
                raise FileNotFoundError(2, f"there is no {source}")
        return self._where_all_can_walk(options)

    def _where_all_can_walk(self, options: list[str]) -> list[str]:
        """As root, moves the stage to a folder that the box's user can walk to; what that hides is bound already."""
        if self._user is None:
            return options
        place = next(each for each in ("/mnt", "/media", "/srv", "/opt") if Path(each).is_dir())
        _mount(str(self._root), place, "", _MS_BIND | _MS_REC)
        return [place + each.removeprefix(str(self._root)) if each.startswith(f"{self._root}/") else each for each in options]

    @staticmethod
    def _memory(place: Path, size: int, files: int) -> None:
        """A file system in memory. Bubblewrap's own have no bound on files, each of which takes a kilobyte that no size counts."""
        _mount("tmpfs", str(place), "tmpfs", _MS_NOSUID | _MS_NODEV, f"size={size},nr_inodes={files},mode=755")

    def _next(self) -> Path:
        self._count += 1
        return self._root / str(self._count)

    def _reachable(self, source: str) -> str:
        """The source itself, or as root a bind of it: the box's user need not be able to walk to it."""
        if self._user is None:
            return source
        here = self._next()
        if Path(source).is_dir():
            here.mkdir()
        else:
            here.touch()
        _mount(source, str(here), "", _MS_BIND | _MS_REC)
        return str(here)

    def _overlay(self, lower: str, size: int) -> str:
        here = self._next()
        upper, work, merged = here / "upper", here / "work", here / "merged"
        for made in (here, upper, work, merged):
            made.mkdir(mode=0o755)
            self._own(made)
        escaped = lower.replace("\\", "\\\\").replace(":", "\\:").replace(",", "\\,")
        data = f"lowerdir={escaped},upperdir={upper},workdir={work}"
        # Inside a user namespace, replaced folders need user.* attributes; tmpfs has them since Linux 6.6.
        attempts = [f"{data},userxattr", data] if self._user is None else [data]
        for attempt in attempts:
            with contextlib.suppress(OSError):
                _mount("overlay", str(merged), "overlay", _MS_NOSUID | _MS_NODEV, attempt)
                return str(merged)
        # Some containers refuse overlays: a copy is the same, only slower.
        shutil.copytree(lower, merged, symlinks=True, dirs_exist_ok=True)
        for folder, folders, files in os.walk(merged):
            for name in [*folders, *files]:
                self._own(Path(folder) / name)
        return str(merged)

    def _own(self, path: Path) -> None:
        if self._user is not None:
            os.chown(path, self._user, self._user, follow_symlinks=False)


def _become_box(plan: dict[str, Any], listening: dict[str, int], control: int, told: int) -> NoReturn:
    """In the child: mounts, rights, limits, then bubblewrap."""
    try:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_SETMASK, set())
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(name, signal.SIG_DFL)
        stage = _Stage(plan)
        stage.enter()
        options = stage.options()
        user = plan["user"]
        if user is not None:
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == 1:
            os._exit(1)
        for name, value in plan["limits"].items():
            number = getattr(resource, f"RLIMIT_{name}")
            most = resource.getrlimit(number)[1]
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(number, (value, value))
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("700")
        inner = {"listening": listening, "control": control, "reach": plan["reach"], "processes": plan["processes"]}
        kept = {*listening.values(), control}
        for fd in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
            with contextlib.suppress(OSError):
                os.set_inheritable(fd, fd <= 2 or fd in kept)
        # By a descriptor: the box's processes see the command line of bubblewrap, and need not know this machine's paths.
        words = ["--proc", "/proc", "--dev", "/dev", *options, *plan["options"], "--setenv", "UNIBENCH_BOX", json.dumps(inner)]
        given = os.memfd_create("bwrap", 0)
        os.write(given, b"".join(word.encode() + b"\0" for word in words))
        os.lseek(given, 0, os.SEEK_SET)
        os.execve(plan["bwrap"], ["bwrap", "--args", str(given), "--", *plan["argv"]], plan["environment"])
    except (OSError, ValueError) as error:
        os.write(told, str(error).encode())
    os._exit(127)


class _Bridge:
    """Carries connections between a loopback port here and one in the box, without a folder that both can write."""

    def __init__(self) -> None:
        self._carrier = Carrier()
        self._servers: list[asyncio.Server] = []

    async def into(self, path: str) -> int:
        """A loopback port here that leads to a socket that the box accepts on."""
        serve = self._carrier.serve(lambda: asyncio.open_unix_connection(path))
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self._servers.append(server)
        port: int = server.sockets[0].getsockname()[1]
        return port

    async def out_of(self, listening: socket.socket, port: int) -> None:
        """A socket that listens inside the box, led to a loopback port here."""
        serve = self._carrier.serve(lambda: asyncio.open_connection("127.0.0.1", port))
        self._servers.append(await asyncio.start_server(serve, sock=listening))

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        await asyncio.gather(*self._carrier.drop(), return_exceptions=True)


def _family(pid: int) -> list[int]:
    """The process and all below it; what ended meanwhile is left out."""
    found, todo = [], [pid]
    while todo:
        each = todo.pop()
        found.append(each)
        with contextlib.suppress(OSError, ValueError):
            for thread in Path(f"/proc/{each}/task").iterdir():
                todo += [int(child) for child in (thread / "children").read_text().split()]
    return found


def _memory(pid: int) -> int:
    """Bytes of memory that a box's processes hold at most: what forks share is counted for each of them."""
    return sum(map(_alone, _family(pid)))


def _alone(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/statm").read_text().split()
        return (int(fields[1]) - int(fields[2])) * resource.getpagesize()
    return 0


def _beyond(pid: int, most: int) -> bool:
    """Whether a box's processes hold more than that, what they share counted once; costs more than :func:`_memory`."""
    total = 0
    for each in _family(pid):
        try:
            found = _ANONYMOUS.search(Path(f"/proc/{each}/smaps_rollup").read_text())
            total += int(found.group(1)) << 10 if found else 0
        except ProcessLookupError:
            continue
        except OSError:  # it lets nobody look
            total += _alone(each)
        if total > most:
            return True
    return False


class _Holder:
    def __init__(self, life: int, report: int) -> None:
        self._life, self._report = life, report
        self._reason = ""

    def tell(self, value: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            os.write(self._report, json.dumps(value).encode() + b"\n")

    def run(self) -> None:
        plan = json.loads(self._first_line())
        state = Path(plan["state"])
        # Its sockets are named from within: the length of their paths is bounded.
        os.chdir(state)
        (state / "stage").mkdir(mode=0o755)
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1)
        try:
            asyncio.run(self._hold(plan))
        finally:
            shutil.rmtree(state, ignore_errors=True)

    def _first_line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            data = os.read(self._life, _CHUNK)
            if not data:
                raise SystemExit(1)
            line += data
        return line

    async def _hold(self, plan: dict[str, Any]) -> None:
        listeners = {}
        for port in plan["ports"]:
            listeners[str(port)] = listener = socket.socket(socket.AF_UNIX)
            listener.bind(f"{port}.sock")
            listener.listen(64)
        control, inner_control = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        told_r, told_w = os.pipe()
        child = os.fork()
        if child == 0:
            _become_box(plan, {port: each.fileno() for port, each in listeners.items()}, inner_control.fileno(), told_w)
        os.close(told_w)
        inner_control.close()
        for listener in listeners.values():
            listener.close()
        for fd in (0, 1, 2):
            with contextlib.suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_RDWR), fd)
        loop = asyncio.get_running_loop()
        trouble = await loop.run_in_executor(None, self._trouble, told_r)
        bridge, over = _Bridge(), asyncio.Event()
        if trouble:
            self._reason = f"not started: {trouble}"
            over.set()
        else:
            ports = {port: await bridge.into(f"{port}.sock") for port in listeners}
            if plan["reach"]:
                await self._reach(bridge, control, plan["reach"], over)
            self.tell({"ports": ports})
        self._watch_ends(loop, child, plan["owner"], over)
        await self._watch_memory(child, plan["memory"], over)
        await bridge.close()
        status = self._end(child)
        self.tell({"ended": self._reason or "exit", "status": status})

    @staticmethod
    def _trouble(told: int) -> str:
        with os.fdopen(told, "rb") as pipe:
            return pipe.read(4096).decode(errors="replace")

    async def _reach(self, bridge: _Bridge, control: socket.socket, reach: dict[str, int], over: asyncio.Event) -> None:
        """Takes the sockets that the box's first process opened on its own loopback."""
        control.settimeout(20)
        try:
            _, fds, _, _ = await asyncio.get_running_loop().run_in_executor(None, socket.recv_fds, control, 1, len(reach))
        except OSError:
            fds = []
        control.close()
        if len(fds) != len(reach):
            self._reason = "not started: the box did not open its ports"
            over.set()
        for fd, port in zip(fds, reach.values(), strict=False):
            await bridge.out_of(socket.socket(fileno=fd), port)

    def _watch_ends(self, loop: asyncio.AbstractEventLoop, child: int, owner: int, over: asyncio.Event) -> None:
        def ended(reason: str) -> None:
            self._reason = self._reason or reason
            over.set()
            for fd in watched:
                loop.remove_reader(fd)

        watched = [self._life, os.pidfd_open(child)]
        loop.add_reader(watched[1], ended, "exit")
        try:
            watched.append(os.pidfd_open(owner))
        except ProcessLookupError:
            ended("closed")
            return
        loop.add_reader(watched[2], ended, "closed")
        loop.add_reader(self._life, ended, "closed")

    async def _watch_memory(self, child: int, most: int, over: asyncio.Event) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), 0.2)
                return
            if most and _memory(child) > most and _beyond(child, most):
                self._reason = "memory"
                return

    @staticmethod
    def _end(child: int) -> int:
        """Kills the box and waits until its last process is gone. Returns its wait status."""
        status = 0
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        # The box's processes become ours when bubblewrap ends; its first one takes all others along.
        while True:
            try:
                pid, found = os.waitpid(-1, 0)
            except ChildProcessError:
                return status
            if pid == child:
                status = found
                for each in _family(os.getpid())[1:]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(each, signal.SIGKILL)


if __name__ == "__main__":
    _Holder(int(sys.argv[1]), int(sys.argv[2])).run()
