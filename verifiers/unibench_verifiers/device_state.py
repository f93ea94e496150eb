"""Device state: what a phone's settings, files, databases and foreground say, looked at through a shell that any adb can fill.

For Android tasks that have no upstream verifier to import. Each condition reads one thing; a check wants all of its conditions.
"""

from __future__ import annotations

import re
import shlex
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Protocol, TypeAlias

from pydantic import Field, JsonValue

from unibench.kinds import DEVICE_STATE
from unibench.record import Record
from unibench.verdict import AgentWritable, Evidence, Source, Verdict, VerifierDescriptor


class ShellFailed(Exception):
    """A command on the device ended with an exit code other than 0; the check that asked gives no score."""


class Shell(Protocol):
    """What a check needs of a device. It only reads."""

    def shell(self, command: str) -> str:
        """Runs a command line on the device and gives what it wrote.

        Raises:
            ShellFailed: its exit code is not 0.
        """
        ...


Row = dict[str, str]
"""A row: the values by column, as SQLite's ``quote()`` writes them."""


class Setting(Record):
    """A setting has a value; ``null`` is what Android shows for one that is not set."""

    type: Literal["setting"] = "setting"
    namespace: Literal["system", "secure", "global"]
    name: str = Field(pattern=r"^[\w.-]+$")
    expected: str

    @property
    def reads(self) -> str:
        return f"setting {self.namespace} {self.name}"

    def look(self, device: Shell) -> JsonValue:
        return device.shell(f"settings get {self.namespace} {self.name}").strip()

    def holds(self, found: JsonValue, before: JsonValue) -> bool:
        return found == self.expected


class File(Record):
    """A file or a folder is there, or is not; a file's text equals, contains or lacks another.

    Attributes:
        text: the text that ``match`` compares; None asks only whether it is there.
    """

    type: Literal["file"] = "file"
    path: str = Field(pattern=r"^/")
    exists: bool = True
    text: str | None = None
    match: Literal["equals", "contains", "lacks"] = "equals"

    @property
    def reads(self) -> str:
        return f"file {self.path}"

    def look(self, device: Shell) -> JsonValue:
        path = shlex.quote(self.path)
        if device.shell(f"[ -e {path} ] && echo yes || echo no").strip() != "yes":
            return None
        return "" if self.text is None else device.shell(f"cat {path}").replace("\r\n", "\n")

    def holds(self, found: JsonValue, before: JsonValue) -> bool:
        if found is None or not self.exists:
            return (found is not None) == self.exists
        if self.text is None or not isinstance(found, str):
            return True
        return {"equals": found == self.text, "contains": self.text in found, "lacks": self.text not in found}[self.match]


class Foreground(Record):
    """An app is in the foreground."""

    type: Literal["foreground"] = "foreground"
    package: str

    @property
    def reads(self) -> str:
        return "foreground activity"

    def look(self, device: Shell) -> JsonValue:
        for line in device.shell("am stack list").splitlines():
            if "taskId=" in line and "visible=true" in line and (found := re.search(r": ([\w.]+)/", line)):
                return found[1]
        return None

    def holds(self, found: JsonValue, before: JsonValue) -> bool:
        return found == self.package


class Rows(Record):
    """Against the table's rows before, some were added and some removed, and all others are as they were.

    Needs :meth:`DeviceState.before`.

    Attributes:
        key: a column that the database fills in by itself; it is not compared.
        added, removed: rows by column; a column that is not named is not compared. Text is given as it is, not quoted.
    """

    type: Literal["rows"] = "rows"
    database: str = Field(pattern=r"^/")
    table: str = Field(pattern=r"^\w+$")
    columns: tuple[Annotated[str, Field(pattern=r"^\w+$")], ...] = Field(min_length=1)
    key: str = ""
    added: tuple[dict[str, str | int | float | None], ...] = ()
    removed: tuple[dict[str, str | int | float | None], ...] = ()

    @property
    def reads(self) -> str:
        return f"table {self.table} of {self.database}"

    def look(self, device: Shell) -> JsonValue:
        shown = "||char(31)||".join(f"replace(quote({name}),char(10),char(30))" for name in self.columns)
        statement = f"SELECT {shown} FROM {self.table}"
        said = device.shell(f"sqlite3 {shlex.quote(self.database)} {shlex.quote(statement)}")
        # Not splitlines(): to that the \x1e which stands for a newline ends a line as well.
        rows = [line.replace("\x1e", "\n").split("\x1f") for line in said.replace("\r\n", "\n").split("\n") if line]
        return [{name: value for name, value in zip(self.columns, row, strict=True) if name != self.key} for row in rows]

    def holds(self, found: JsonValue, before: JsonValue) -> bool:
        if not isinstance(found, list) or not isinstance(before, list):
            return False
        then, now = Counter(map(_frozen, before)), Counter(map(_frozen, found))
        new, gone = list((now - then).elements()), list((then - now).elements())
        return _match(new, self.added) and _match(gone, self.removed)


class Content(Record):
    """A content provider shows a row with these values: among the rows of ``content query``, one has them all.

    Attributes:
        absent: no row may have them.
    """

    type: Literal["content"] = "content"
    uri: str = Field(pattern=r"^content://[\w./-]+$")
    columns: tuple[Annotated[str, Field(pattern=r"^\w+$")], ...] = Field(min_length=1)
    values: dict[str, str]
    absent: bool = False

    @property
    def reads(self) -> str:
        return f"content provider {self.uri}"

    def look(self, device: Shell) -> JsonValue:
        said = device.shell(f"content query --uri {self.uri} --projection {':'.join(self.columns)}")
        marks = "".join(rf"{', ' if number else ''}{column}=(.*)" for number, column in enumerate(self.columns))
        pattern = re.compile(rf"Row: \d+ {marks}", re.DOTALL)
        rows: list[JsonValue] = []
        for text in re.split(r"\n(?=Row: \d+ )", said.strip()):
            if row := pattern.fullmatch(text):
                rows.append(dict(zip(self.columns, row.groups(), strict=True)))
        return rows

    def holds(self, found: JsonValue, before: JsonValue) -> bool:
        rows = found if isinstance(found, list) else []
        there = any(isinstance(row, dict) and all(row.get(name) == value for name, value in self.values.items()) for row in rows)
        return there != self.absent


Condition: TypeAlias = Annotated[Setting | File | Foreground | Rows | Content, Field(discriminator="type")]


def literal(value: str | int | float | None) -> str:
    """A value as SQLite's ``quote()`` writes it."""
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def _frozen(row: JsonValue) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, str(value)) for name, value in row.items())) if isinstance(row, dict) else ()


def _match(rows: Sequence[tuple[tuple[str, str], ...]], wanted: Sequence[Mapping[str, str | int | float | None]]) -> bool:
    """Whether the rows and the wanted ones go together one to one."""
    if len(rows) != len(wanted):
        return False
    if not wanted:
        return True
    first, rest = wanted[0], wanted[1:]
    for number, row in enumerate(rows):
        values = dict(row)
        if all(values.get(name) == literal(value) for name, value in first.items()) and _match([*rows[:number], *rows[number + 1 :]], rest):
            return True
    return False


class DeviceState:
    """All of some conditions hold of a device: 1 or 0, nothing between.

    Args:
        name: the check's name in its suite.
        conditions: what must hold.
        owner: the project that the check belongs to.
        acts_first: what the suite does to the device before this looks, in order.
        agent_writable: whether an agent could write what is read without doing the task.
        sources: the files that judge.
    """

    def __init__(
        self,
        name: str,
        conditions: Sequence[Condition],
        *,
        owner: str,
        acts_first: Sequence[str] = (),
        agent_writable: AgentWritable | None = None,
        sources: Sequence[Source] = (),
    ) -> None:
        if not conditions:
            raise ValueError(f"the device-state check {name!r} has no condition, so it would accept any device")
        self.conditions = tuple(conditions)
        self.descriptor = VerifierDescriptor(
            kind=DEVICE_STATE.name,
            name=name,
            implementation="unibench_verifiers.device_state:DeviceState.verify",
            owner=owner,
            sources=tuple(sources),
            scale="binary",
            when="end",
            reads=tuple(dict.fromkeys(condition.reads for condition in self.conditions)),
            acts_first=tuple(acts_first),
            agent_writable=agent_writable or AgentWritable(value=False),
        )

    def before(self, device: Shell) -> list[JsonValue]:
        """What the conditions see at the start; :meth:`verify` compares with it."""
        return [condition.look(device) for condition in self.conditions]

    def verify(self, device: Shell, before: Sequence[JsonValue] | None = None) -> Verdict:
        """Looks at the device and judges it.

        Args:
            device: the device.
            before: what :meth:`before` gave after the task's set-up; needed by :class:`Rows`.

        Raises:
            ShellFailed: the device could not be read.
            ValueError: a condition needs ``before``.
        """
        if before is None and any(isinstance(condition, Rows) for condition in self.conditions):
            raise ValueError(f"the check {self.descriptor.name!r} compares rows with those before; give what before() said")
        start = time.perf_counter()
        then = list(before) if before is not None else [None] * len(self.conditions)
        found = [condition.look(device) for condition in self.conditions]
        held = [condition.holds(now, was) for condition, now, was in zip(self.conditions, found, then, strict=True)]
        return Verdict.of(
            self.descriptor,
            float(all(held)),
            evidence=Evidence(
                expected=[condition.model_dump(mode="json", exclude_defaults=True) for condition in self.conditions],
                found=[_short(value, ok) for value, ok in zip(found, held, strict=True)],
            ),
            seconds=time.perf_counter() - start,
        )


def _short(value: JsonValue, held: bool) -> dict[str, Any]:
    """What was found, in a few hundred characters."""
    if isinstance(value, list) and len(value) > 5:
        return {"holds": held, "found": [*value[:5], f"and {len(value) - 5} more"]}
    return {"holds": held, "found": value[:500] if isinstance(value, str) else value}
