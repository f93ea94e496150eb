"""A run's folder: ``run.sqlite`` with the manifest and every finished episode, ``traces/`` beside it.

Each episode is one transaction, so a kill at any moment leaves each finished one present once and no other.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout
from pydantic import ValidationError

from unibench.errors import FileProblem, UsageError
from unibench.record import SCHEMA_VERSION, canonical_json
from unibench.runs.records import EpisodeRecord, Manifest
from unibench.verdict import VerifierDescriptor

FILE = "run.sqlite"

_TABLES = """
CREATE TABLE IF NOT EXISTS manifest (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS descriptors (digest TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS episodes (
  spec TEXT PRIMARY KEY, position INTEGER NOT NULL, task TEXT NOT NULL, outcome TEXT NOT NULL, score REAL, json TEXT NOT NULL);
"""


class RunStore:
    """One run's folder, open.

    Args:
        folder: the run's folder.
        writing: whether to make it if need be.

    Raises:
        FileProblem: it is no run, cannot be read or cannot be made.
    """

    def __init__(self, folder: Path, *, writing: bool = False) -> None:
        self.folder = folder
        self._writing = writing
        path = folder / FILE
        if not writing and not path.is_file():
            raise FileProblem(f"{folder} is no run: it has no {FILE}")
        with self._said():
            if writing:
                folder.mkdir(parents=True, exist_ok=True)
            self._db = self._open(path, writing=writing)
            if writing:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.executescript(_TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise FileProblem(f"the run in {self.folder} is broken: {first['msg']}") from None
        except (sqlite3.Error, OSError, TypeError, ValueError) as error:
            raise FileProblem(f"the run in {self.folder} cannot be used: {error}") from None

    def manifest(self) -> Manifest | None:
        """The manifest; None before the run has begun."""
        with self._said():
            row = self._db.execute("SELECT json FROM manifest").fetchone()
            if row is None:
                return None
            if f'"schema_version":"{SCHEMA_VERSION}"' not in row[0]:
                raise FileProblem(f"the run in {self.folder} is of another schema version; this unibench reads {SCHEMA_VERSION}")
            return Manifest.model_validate_json(row[0])

    def begin(self, manifest: Manifest) -> None:
        """Writes the manifest, or checks that the run that is there is the same.

        Raises:
            UsageError: another run is there.
        """
        there = self.manifest()
        if there is None:
            with self._said():
                self._db.execute("INSERT INTO manifest VALUES (1, ?)", (canonical_json(manifest),))
        elif there.digest != manifest.digest:
            what = ", ".join(differences(there, manifest))
            raise UsageError(f"{self.folder} holds another run ({what} differ); name another folder with -o")

    def add(self, record: EpisodeRecord, descriptor: VerifierDescriptor, position: int) -> None:
        """Keeps a finished episode, at once and for good."""
        with self._said():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._insert(record, descriptor, position)
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _insert(self, record: EpisodeRecord, descriptor: VerifierDescriptor, position: int) -> None:
        self._db.execute("INSERT OR IGNORE INTO descriptors VALUES (?, ?)", (descriptor.digest, canonical_json(descriptor)))
        values = (record.spec.digest, position, record.spec.task, record.outcome, record.score, canonical_json(record))
        self._db.execute("INSERT INTO episodes VALUES (?, ?, ?, ?, ?, ?)", values)

    def finished(self) -> set[str]:
        """Digests of the instances that are done."""
        with self._said():
            return {row[0] for row in self._db.execute("SELECT spec FROM episodes")}

    def episodes(self) -> list[EpisodeRecord]:
        """All finished episodes, in the order in which the run lists their instances."""
        with self._said():
            rows = self._db.execute("SELECT json FROM episodes ORDER BY position").fetchall()
            return [EpisodeRecord.model_validate_json(row[0]) for row in rows]

    def descriptors(self) -> dict[str, VerifierDescriptor]:
        """The verifiers' descriptors by digest."""
        with self._said():
            rows = self._db.execute("SELECT digest, json FROM descriptors").fetchall()
            return {name: VerifierDescriptor.model_validate_json(text) for name, text in rows}

    def _open(self, path: Path, *, writing: bool) -> sqlite3.Connection:
        if writing:
            return sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        try:
            db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False, isolation_level=None)
            db.execute("SELECT COUNT(*) FROM episodes")
        except sqlite3.OperationalError:
            # A journal that cannot be made beside it: the folder is read-only, so nobody writes it either.
            db = sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True, check_same_thread=False, isolation_level=None)
        return db

    def close(self) -> None:
        if self._writing:
            # One file, so that a finished run can be copied and read anywhere.
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()


def differences(one: Manifest, other: Manifest) -> list[str]:
    """The names of what differs between two manifests."""
    named = [name for name in type(one.protocol).model_fields if getattr(one.protocol, name) != getattr(other.protocol, name)]
    if (one.agent.name, one.agent.arguments) != (other.agent.name, other.agent.arguments):
        named.append("agent")
    elif one.agent.withheld != other.agent.withheld:
        named.append("the agent's secret arguments")
    if one.agent.described != other.agent.described:
        named.append("what the agent says of itself")
    if one.specs != other.specs:
        named.append("instances")
    return named


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keeps a second run out of the same folder. A folder that was made for a run which was refused goes again.

    Raises:
        UsageError: one is running.
    """
    try:
        made = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(f"another run is writing {folder}; wait for it, or name another folder with -o") from None
    except OSError as error:
        raise FileProblem(f"cannot write {folder}: {error.strerror or error}") from None
    for part in folder.glob("traces/*/.*.part"):
        # A kill came while it was written. Nobody else writes here now.
        with contextlib.suppress(OSError):
            part.unlink()
    try:
        yield
    finally:
        lock.release()
        if made and not (folder / FILE).exists():
            with contextlib.suppress(OSError):
                (folder / ".lock").unlink(missing_ok=True)
                for each in made:
                    each.rmdir()
