"""A phone reached by adb: what recipes write and read. Nothing here knows whether it is an emulator or a simulated device."""

from __future__ import annotations

import base64
import hashlib
import shlex
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

_SMALL = 20_000
Tree = dict[str, str | None]
"""Files below a folder by relative path, with their text; None stands for a folder."""


class Adb(Protocol):
    """What a phone needs of adb."""

    def shell(self, command: str) -> str:
        """Runs a command line and gives what it wrote.

        Raises:
            CommandFailed: its exit code is not 0.
        """
        ...

    def push(self, local: Path, remote: str) -> None:
        """Copies a file to the phone."""
        ...


class CommandFailed(Exception):
    """A command on the phone ended with an exit code other than 0."""


class UpstreamAdb:
    """adb as upstream's environment offers it.

    Args:
        env: upstream's ``AsyncEnv``.
    """

    def __init__(self, env: Any) -> None:
        self._env = env

    def shell(self, command: str) -> str:
        from android_env.proto import adb_pb2
        from android_world.env import adb_utils

        reply = adb_utils.issue_generic_request(["shell", command], self._env.controller)
        text = str(reply.generic.output.decode(errors="replace")).replace("\r", "")
        if reply.status != adb_pb2.AdbResponse.OK:
            raise CommandFailed(f"{command[:200]}: {reply.error_message or text}")
        return text

    def push(self, local: Path, remote: str) -> None:
        from android_world.env import adb_utils
        from android_world.utils import file_utils

        adb_utils.check_ok(file_utils.copy_file_to_device(str(local), remote, self._env.controller))


class Phone:
    """What recipes do with a phone; every command is kept, for a replay.

    Attributes:
        steps: the commands so far.
    """

    def __init__(self, adb: Adb) -> None:
        self._adb = adb
        self.steps: list[Any] = []

    def shell(self, *words: str) -> str:
        """Runs one command; each word reaches it as it is."""
        return self.line(shlex.join(words))

    def line(self, command: str) -> str:
        """Runs a command line."""
        self.steps.append(["shell", command])
        return self._adb.shell(command)

    # -- files ---------------------------------------------------------------------------------

    def tree(self, folder: str) -> Tree:
        """All below a folder: the text of small text files, the MD5 of all others. Sorted, for file systems list in orders of their own."""
        where = shlex.quote(folder)
        found: Tree = {path[2:]: None for path in self.line(f"cd {where} && find . -type d | sort").splitlines() if path != "."}
        each = 'while IFS= read -r f; do echo "$f"; base64 -w 0 "$f"; echo; done'
        small = self.line(f"cd {where} && find . -type f -size -{_SMALL}c | sort | {each}").splitlines()
        for path, encoded in zip(small[0::2], small[1::2], strict=True):
            found[path[2:]] = _text(base64.b64decode(encoded))
        for line in self.line(f"cd {where} && find . -type f -size +{_SMALL - 1}c -exec md5sum {{}} + | sort").splitlines():
            digest, _, path = line.partition("  ")
            found[path[2:]] = f"md5 {digest}"
        return found

    def names(self, folder: str) -> list[str]:
        """The names in a folder, sorted."""
        return sorted(self.shell("ls", "-1", folder).splitlines())

    def write(self, path: str, text: str) -> None:
        """Writes a file; a new one, or over an old one."""
        self.steps.append(["write", path, text])
        with tempfile.TemporaryDirectory() as folder:
            local = Path(folder) / "file"
            local.write_text(text, encoding="utf-8")
            self._adb.push(local, path)

    def make(self, folder: str, wanted: Tree, now: Tree) -> None:
        """Brings a folder to the wanted tree, touching only what differs from now."""
        gone = [name for name in now if name not in wanted]
        for name in sorted(gone):
            if not any(name.startswith(f"{other}/") for other in gone):
                self.shell("rm", "-r", f"{folder}/{name}")
        for name in sorted(wanted):
            text = wanted[name]
            if name in now and now[name] == text:
                continue
            if text is None:
                self.shell("mkdir", "-p", f"{folder}/{name}")
            else:
                self.write(f"{folder}/{name}", text)

    # -- databases -----------------------------------------------------------------------------

    def sql(self, database: str, statement: str) -> str:
        """Runs a statement on a database of the phone."""
        return self.line(f"sqlite3 {shlex.quote(database)} {shlex.quote(statement)}")

    def rows(self, database: str, table: str, columns: Iterable[str]) -> list[dict[str, str | None]]:
        """A table's rows by rowid; each value as SQL would write it, so that 1, '1' and NULL stay apart."""
        names = list(columns)
        shown = "||char(31)||".join(f"replace(quote({name}),char(10),char(30))" for name in names)
        said = self.sql(database, f"SELECT {shown} FROM {table} ORDER BY rowid")
        # Not splitlines(): to that the \x1e which stands for a newline ends a line as well.
        return [dict(zip(names, line.replace("\x1e", "\n").split("\x1f"), strict=True)) for line in said.split("\n") if line]

    def insert(self, database: str, table: str, row: Mapping[str, Any]) -> None:
        """Adds a row of plain values."""
        values = ",".join(literal(value) for value in row.values())
        self.sql(database, f"INSERT INTO {table}({','.join(row)}) VALUES({values})")

    # -- apps ----------------------------------------------------------------------------------

    def foreground(self) -> str:
        """The package in the foreground; empty if none is seen."""
        for line in self.shell("am", "stack", "list").splitlines():
            if "taskId=" in line and "visible=true" in line:
                return line.split(": ", 1)[1].split("/", 1)[0]
        return ""

    def open(self, package: str) -> None:
        """Brings an app to the foreground."""
        if self.foreground() != package:
            self.shell("monkey", "-p", package, "1")

    def home(self) -> None:
        """Presses the home key."""
        self.shell("input", "keyevent", "KEYCODE_HOME")

    def stop(self, package: str) -> None:
        """Ends an app, so that it neither holds back nor overwrites what its database says."""
        self.shell("am", "force-stop", package)


def _text(data: bytes) -> str:
    """A file's text; the MD5 of what is none."""
    try:
        if b"\0" not in data:
            return data.decode()
    except UnicodeDecodeError:
        pass
    return f"md5 {hashlib.md5(data, usedforsecurity=False).hexdigest()}"


def literal(value: Any) -> str:
    """A value as SQL writes it, as SQLite's ``quote()`` does."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    return "'" + str(value).replace("'", "''") + "'"
