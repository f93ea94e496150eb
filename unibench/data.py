"""Task files and other data that a suite needs and no package brings: copied in, with where they came from on record.

Kept under the user's data folder, ``data/<suite>``, replaced as a whole: a reader sees the old ones or the new ones.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from unibench.errors import FileProblem, UsageError
from unibench.files import read_record, write_atomic
from unibench.record import SCHEMA_VERSION, Record

CLONE_SECONDS = 600
_SOURCE = "unibench-source.json"
_GIT_URL = re.compile(r"^(https?|git|ssh|file)://|^[\w.-]+@[\w.-]+:")


class DataSource(Record):
    """Where a suite's data came from.

    Attributes:
        source: the checkout, folder or git URL.
        commit: upstream's commit; empty if the source is no git checkout.
        dirty: the checkout had changes that are not in the commit.
        digest: SHA-256 over the names and contents of all files, first 32 hex digits.
    """

    kind: Literal["unibench-data-source"] = "unibench-data-source"
    schema_version: str = SCHEMA_VERSION
    suite: str
    source: str
    commit: str = ""
    dirty: bool = False
    digest: str = ""
    files: int = 0


class Problem(Record):
    """Something wrong in a suite's task files.

    Attributes:
        task: the task's id; empty if it concerns several.
        rule: a short name, the same for the same sort of problem.
        message: what, and why it matters.
        fatal: the task cannot be judged as written.
    """

    task: str
    rule: str
    message: str
    fatal: bool = False


@dataclass(frozen=True)
class DataFace:
    """What ``unibench data`` needs to know of a suite.

    Attributes:
        folders: folders of a checkout that are taken, the first that is there; the whole source if it holds ``marker`` itself.
        marker: the file that a folder with data holds.
        check: ``module:function`` of a static check, from the data's folder to problems; imports no upstream.
        unchecked: ``module:function`` that says what the check leaves out on this machine, or takes something else for; empty if nothing.
        what: for people: what SRC is.
    """

    folders: tuple[str, ...]
    marker: str
    check: str = ""
    unchecked: str = ""
    what: str = "an upstream checkout, a git URL or a folder"

    def checker(self) -> Callable[[Path], Sequence[Problem]] | None:
        """The static check, imported."""
        if not self.check:
            return None
        found: Callable[[Path], Sequence[Problem]] = _imported(self.check)
        return found

    def left_unchecked(self) -> str:
        """What the static check leaves out here, with the mend; empty if nothing."""
        return str(_imported(self.unchecked)()) if self.unchecked else ""


def _imported(name: str) -> Any:
    from importlib import import_module

    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def _data_root() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("unibench"))


def brought_folder(suite: str) -> Path:
    """Where ``unibench data`` puts a suite's data."""
    return _data_root() / "data" / suite


def assets_folder(suite: str) -> Path:
    """Where a suite keeps what its tasks download."""
    return _data_root() / "assets" / suite


def brought_source(suite: str) -> DataSource:
    """Where a suite's data came from.

    Raises:
        FileProblem: nothing was brought, or the record of it is broken.
    """
    return read_record(brought_folder(suite) / _SOURCE, DataSource, "record of a data source")


def bring(suite: str, face: DataFace, source: str) -> DataSource:
    """Copies a suite's data from a checkout, a folder or a git URL, in place of what was there.

    Raises:
        FileProblem: the source is not there or holds no such data.
        UsageError: git cannot clone the URL.
    """
    if _GIT_URL.match(source):
        with tempfile.TemporaryDirectory(prefix="unibench-data-") as folder:
            clone = Path(folder) / "source"
            _clone(source, clone)
            return _take(suite, face, clone, source)
    root = Path(source).expanduser()
    if not root.is_dir():
        raise FileProblem(f"{source} is no folder and no git URL; give {face.what}")
    return _take(suite, face, root, str(root.resolve()))


def remove(suite: str) -> bool:
    """Removes what :func:`bring` brought; says whether there was something."""
    folder = brought_folder(suite)
    there = folder.is_dir()
    shutil.rmtree(folder, ignore_errors=True)
    return there


def _take(suite: str, face: DataFace, root: Path, source: str) -> DataSource:
    taken = next((folder for folder in (root, *(root / name for name in face.folders)) if (folder / face.marker).is_file()), None)
    if taken is None:
        raise FileProblem(f"{source} holds no data of {suite}: no {face.marker} in it or in {', '.join(face.folders)}")
    target = brought_folder(suite)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{suite}.", dir=target.parent))
    try:
        # Links are not followed: what they point to is none of the data.
        shutil.copytree(taken, fresh, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git", _SOURCE))
        found = DataSource(
            suite=suite, source=source, commit=git_commit(root), dirty=_dirty(root), digest=folder_digest(fresh), files=_count(fresh)
        )
        write_atomic(fresh / _SOURCE, found.model_dump_json(indent=1))
        fresh.chmod(0o755)
        _swap(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return found


def _swap(fresh: Path, target: Path) -> None:
    old = target.with_name(f".{target.name}.old-{os.getpid()}")
    if target.exists():
        os.replace(target, old)
    os.replace(fresh, target)
    shutil.rmtree(old, ignore_errors=True)


def _count(folder: Path) -> int:
    return sum(1 for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def folder_digest(folder: Path) -> str:
    """Names a folder's contents: SHA-256 over the sorted file names and contents, first 32 hex digits."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            total.update(str(path.relative_to(folder)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:32]


def git_commit(folder: Path) -> str:
    """The commit that a checkout is at; empty if the folder is the top of none."""
    if not (folder / ".git").exists():
        return ""
    done = subprocess.run(["git", "-C", str(folder), "rev-parse", "HEAD"], capture_output=True, text=True, timeout=30)
    return done.stdout.strip() if done.returncode == 0 else ""


def _dirty(folder: Path) -> bool:
    if not (folder / ".git").exists():
        return False
    done = subprocess.run(["git", "-C", str(folder), "status", "--porcelain"], capture_output=True, text=True, timeout=60)
    return bool(done.stdout.strip())


def _clone(url: str, folder: Path) -> None:
    try:
        done = subprocess.run(
            ["git", "clone", "--depth", "1", "--", url, str(folder)],
            capture_output=True,
            text=True,
            timeout=CLONE_SECONDS,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0"},
        )
    except FileNotFoundError:
        raise UsageError(f"cannot clone {url}: git is not installed; give a folder instead") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"cannot clone {url}: it took more than {CLONE_SECONDS} s; clone it yourself and give the folder") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["git said nothing"])[-1]
        raise UsageError(f"cannot clone {url}: {last}")
