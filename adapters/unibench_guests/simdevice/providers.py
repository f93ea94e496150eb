"""``content`` and ``sqlite3``: messages, contacts, and any database on the device.

The tables have the columns that Android 13's providers show; types, constraints and further tables are invented.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from unibench_guests.simdevice.device import Completed, NotSimulated

if TYPE_CHECKING:
    from unibench_guests.simdevice.device import SimulatedDevice

SMS_DATABASE = "/data/data/com.android.providers.telephony/databases/mmssms.db"
CONTACTS_DATABASE = "/data/data/com.android.providers.contacts/databases/contacts2.db"
SENT, RECEIVED = 2, 1
_SMS = (
    "_id", "thread_id", "address", "person", "date", "date_sent", "protocol", "read", "status", "type", "reply_path_present",
    "subject", "body", "service_center", "locked", "sub_id", "error_code", "creator", "seen",
)  # fmt: skip
_SMS_SCHEMA = """CREATE TABLE IF NOT EXISTS sms(_id INTEGER PRIMARY KEY AUTOINCREMENT, thread_id INTEGER, address TEXT, person INTEGER,
  date INTEGER, date_sent INTEGER DEFAULT 0, protocol INTEGER, read INTEGER DEFAULT 0, status INTEGER DEFAULT -1, type INTEGER,
  reply_path_present INTEGER, subject TEXT, body TEXT, service_center TEXT, locked INTEGER DEFAULT 0, sub_id INTEGER DEFAULT -1,
  error_code INTEGER DEFAULT -1, creator TEXT, seen INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS threads(_id INTEGER PRIMARY KEY);"""
_CONTACTS_SCHEMA = """CREATE TABLE IF NOT EXISTS raw_contacts(_id INTEGER PRIMARY KEY AUTOINCREMENT, account_type TEXT, account_name TEXT);
CREATE TABLE IF NOT EXISTS data(_id INTEGER PRIMARY KEY AUTOINCREMENT, raw_contact_id INTEGER, mimetype TEXT, data1 TEXT);"""
NAME, PHONE = "vnd.android.cursor.item/name", "vnd.android.cursor.item/phone_v2"


def _open(device: SimulatedDevice, path: str, schema: str) -> sqlite3.Connection:
    """A provider's database; a missing one is made anew, as the provider does."""
    device.path(path).parent.mkdir(parents=True, exist_ok=True)
    connection = device.database(path)
    connection.executescript(schema)
    return connection


def make_databases(device: SimulatedDevice) -> None:
    """Makes the providers' databases."""
    _open(device, SMS_DATABASE, _SMS_SCHEMA).close()
    _open(device, CONTACTS_DATABASE, _CONTACTS_SCHEMA).close()


def add_message(device: SimulatedDevice, number: str, body: str, kind: int) -> None:
    """A message that came in, or was sent, now."""
    now = int(device.now() * 1000)
    with closing(_open(device, SMS_DATABASE, _SMS_SCHEMA)) as base, base:
        base.execute(
            "INSERT INTO sms(thread_id,address,date,date_sent,read,status,type,body,seen) VALUES(1,?,?,?,1,-1,?,?,1)",
            (number, now, now, kind, body),
        )


def add_contact(device: SimulatedDevice, name: str, number: str) -> None:
    with closing(_open(device, CONTACTS_DATABASE, _CONTACTS_SCHEMA)) as base, base:
        raw = base.execute("INSERT INTO raw_contacts DEFAULT VALUES").lastrowid
        base.executemany("INSERT INTO data(raw_contact_id,mimetype,data1) VALUES(?,?,?)", [(raw, NAME, name), (raw, PHONE, number)])


def _options(words: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    waiting = list(words)
    while waiting:
        name = waiting.pop(0)
        if name not in ("--uri", "--bind", "--projection", "--where", "--sort", "--user"):
            raise NotSimulated(f"the option {name} of content")
        found.setdefault(name, []).append(waiting.pop(0))
    return found


def _bound(binds: Sequence[str]) -> dict[str, object]:
    """Column values from ``column:type:value``."""
    found: dict[str, object] = {}
    for bind in binds:
        column, kind, value = bind.split(":", 2)
        match kind:
            case "s":
                found[column] = value
            case "i" | "l":
                found[column] = int(value)
            case "n":
                found[column] = None
            case _:
                raise NotSimulated(f"a bound value of type {kind!r}")
    return found


def content(device: SimulatedDevice, words: list[str]) -> Completed | str:
    verb, options = words[0], _options(words[1:])
    uri = options["--uri"][0].rstrip("/")
    if verb == "delete" and (uri == "content://call_log/calls" or uri.startswith("content://media/external/")):
        return ""  # there are no calls, and no media scanner: those tables are always empty
    if (
        uri == "content://contacts/phones"
        and verb == "query"
        and options.get("--projection", ["display_name:number"]) == ["display_name:number"]
    ):
        return _phones(device)
    path, schema, table, where, columns, order = _table(uri)
    with closing(_open(device, path, schema)) as base, base:
        match verb:
            case "query":
                shown = options["--projection"][0].split(":") if "--projection" in options else list(columns)
                if unknown := [column for column in shown if column not in columns]:
                    return Completed(1, b"", f"Error while accessing provider: Invalid column {unknown[0]}\n".encode())
                asked = " AND ".join(f"({part})" for part in [*where, *options.get("--where", [])]) or "1"
                sort = options.get("--sort", [order])[0]
                rows = base.execute(f"SELECT {','.join(shown)} FROM {table} WHERE {asked} ORDER BY {sort}").fetchall()
                return _rows(shown, rows)
            case "insert":
                values = _bound(options.get("--bind", []))
                if unknown := [column for column in values if column not in columns]:
                    return Completed(1, b"", f"Error while accessing provider: no column {unknown[0]}\n".encode())
                marks = ",".join("?" * len(values))
                base.execute(f"INSERT INTO {table}({','.join(values)}) VALUES({marks})", list(values.values()))
                return ""
            case "delete":
                asked = " AND ".join(f"({part})" for part in [*where, *options.get("--where", [])]) or "1"
                base.execute(f"DELETE FROM {table} WHERE {asked}")
                return ""
    raise NotSimulated(f"content {verb} of {uri}")


def _table(uri: str) -> tuple[str, str, str, list[str], tuple[str, ...], str]:
    """Database, schema, table, conditions, columns and order that a URI stands for."""
    boxes = {"content://sms": [], "content://sms/sent": [f"type={SENT}"], "content://sms/inbox": [f"type={RECEIVED}"]}
    if uri in boxes:
        return SMS_DATABASE, _SMS_SCHEMA, "sms", boxes[uri], _SMS, "date DESC, _id DESC"
    columns = {"raw_contacts": ("_id", "account_type", "account_name"), "data": ("_id", "raw_contact_id", "mimetype", "data1")}
    table = uri.removeprefix("content://com.android.contacts/")
    if table in columns:
        return CONTACTS_DATABASE, _CONTACTS_SCHEMA, table, [], columns[table], "_id"
    raise NotSimulated(f"the content URI {uri}")


def _phones(device: SimulatedDevice) -> str:
    """The old contacts provider's view: each phone number with its contact's name."""
    with closing(_open(device, CONTACTS_DATABASE, _CONTACTS_SCHEMA)) as base:
        rows = base.execute(
            "SELECT n.data1, p.data1 FROM data p LEFT JOIN data n ON n.raw_contact_id = p.raw_contact_id AND n.mimetype = ? "
            "WHERE p.mimetype = ? ORDER BY p._id",
            (NAME, PHONE),
        ).fetchall()
    return _rows(["display_name", "number"], rows)


def _rows(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    shown = (
        ", ".join(f"{column}={'NULL' if value is None else value}" for column, value in zip(columns, row, strict=True)) for row in rows
    )
    return "".join(f"Row: {number} {text}\n" for number, text in enumerate(shown)) or "No result found.\n"


def sqlite3_(device: SimulatedDevice, words: list[str]) -> Completed | str:
    """``sqlite3 DATABASE 'STATEMENTS'`` with the default output; no options, no dot commands."""
    if len(words) != 2 or words[0].startswith("-") or words[1].lstrip().startswith("."):
        raise NotSimulated("sqlite3 other than with a database and statements")
    path, text = words
    if not device.path(path).parent.is_dir():
        return Completed(1, b"", f'Error: unable to open database "{path}": unable to open database file\n'.encode())
    out = ""
    with closing(device.database(path)) as base:
        try:
            for statement in _statements(text):
                for row in base.execute(statement):
                    out += "|".join("" if value is None else str(value) for value in row) + "\n"
            base.commit()
        except sqlite3.Error as error:
            base.rollback()
            return Completed(1, out.encode(), f"Error: {error}\n".encode())
    device.settle_times()
    return out


def _statements(text: str) -> list[str]:
    """The single statements of a text; a semicolon inside a literal ends none."""
    found, current = [], ""
    for piece in text.split(";"):
        current += piece
        if sqlite3.complete_statement(current + ";"):
            if current.strip():
                found.append(current)
            current = ""
        else:
            current += ";"
    if current.strip("; \n\t"):
        found.append(current)
    return found
