"""Environments of their own for suites whose upstream does not fit beside unibench: made, found and removed.

``unibench install SUITE`` makes ``envs/<suite>`` under the user's data folder: a virtual environment with the upstream package
without its own requirements, the requirements that the suite's face names instead, and unibench itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlparse

from unibench.data import folder_digest, git_commit
from unibench.errors import FileProblem, Unavailable, UsageError
from unibench.files import read_record, write_atomic
from unibench.record import SCHEMA_VERSION, Record

STEP_SECONDS = 1800
_RECORD = "unibench-environment.json"

Report = Callable[[str], None]


@dataclass(frozen=True)
class EnvironmentFace:
    """What a suite's own environment holds.

    Attributes:
        upstream: upstream's packages as requirement strings, installed without their own requirements.
        requirements: what of those is needed.
        full: what ``--full`` adds.
        left_out: what is left out, and why, for people.
        checkout: a folder that a checkout of upstream has, for ``--from``; empty if upstream cannot come from one.
        checkout_packages: the packages of it that are taken.
        checkout_builds: whether pip builds a copy of the checkout, with the build tools that ``requirements`` brought, instead.
        imports: modules that must import at the end.
    """

    upstream: tuple[str, ...]
    requirements: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    left_out: str = ""
    checkout: str = ""
    checkout_packages: tuple[str, ...] = ()
    checkout_builds: bool = False
    imports: tuple[str, ...] = ()


class EnvironmentRecord(Record):
    """What was installed; written last, so that an environment without it is a broken one.

    Attributes:
        upstream: where upstream's package came from: requirement strings, or the checkout.
        commit: the checkout's commit.
        digest: names the checkout's package; empty for a package index's.
        versions: of all installed distributions.
        seconds: how long it took.
    """

    kind: Literal["unibench-environment"] = "unibench-environment"
    schema_version: str = SCHEMA_VERSION
    suite: str
    upstream: tuple[str, ...]
    commit: str = ""
    digest: str = ""
    full: bool = False
    versions: dict[str, str] = {}
    seconds: float = 0.0


def environment_folder(suite: str) -> Path:
    """Where a suite's own environment is."""
    import platformdirs

    return Path(platformdirs.user_data_dir("unibench")) / "envs" / suite


def environment_variable(suite: str) -> str:
    """The variable that names another Python for a suite's environment."""
    return "UNIBENCH_PYTHON_" + suite.upper().replace("-", "_")


def environment_python(suite: str) -> Path:
    """The interpreter of a suite's own environment.

    Raises:
        Unavailable: it is not there; the message says how to make it.
    """
    variable = environment_variable(suite)
    if chosen := os.environ.get(variable):
        if not Path(chosen).exists():
            raise Unavailable(f"{variable}={chosen} does not exist; set it to the Python of the environment that holds {suite}")
        return Path(chosen)
    python = environment_folder(suite) / "bin" / "python"
    if not python.exists():
        raise Unavailable(f"{suite} needs an environment of its own, which is not here; make it with `unibench install {suite}`")
    return python


def site_packages(suite: str) -> Path | None:
    """The folder of a suite's environment that holds its packages; None if there is no environment."""
    try:
        python = environment_python(suite)
    except Unavailable:
        return None
    root = python.parent.parent
    return next(iter(sorted(root.glob("lib/python3.*/site-packages"))), None)


def environment_record(suite: str) -> EnvironmentRecord | None:
    """What ``install`` wrote; None if it did not make the environment."""
    path = environment_folder(suite) / _RECORD
    try:
        return read_record(path, EnvironmentRecord, "record of an environment") if path.is_file() else None
    except FileProblem:
        return None


def install(
    suite: str, face: EnvironmentFace, *, checkout: str | None = None, full: bool = False, report: Report = lambda text: None
) -> EnvironmentRecord:
    """Makes a suite's environment, in place of the one that is there only when it is whole.

    Raises:
        UsageError: the checkout is none of upstream.
        Unavailable: a package cannot be installed, upstream does not import, or another install of the suite is running.
    """
    source = _checked(face, checkout)
    target = environment_folder(suite)
    target.parent.mkdir(parents=True, exist_ok=True)
    with _only_one(target):
        return _installed(suite, face, source, target, full=full, report=report)


@contextlib.contextmanager
def _only_one(target: Path) -> Iterator[None]:
    """Two installs at once would build in one folder, each deleting what the other has."""
    from filelock import FileLock, Timeout

    lock = FileLock(target.with_name(f".{target.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise Unavailable(f"another install of {target.name} is running; wait until it has ended") from None
    try:
        yield
    finally:
        lock.release()


def _installed(suite: str, face: EnvironmentFace, source: Path | None, target: Path, *, full: bool, report: Report) -> EnvironmentRecord:
    started = time.monotonic()
    fresh = target.with_name(f".{suite}.part")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        report("making the environment")
        _run([sys.executable, "-m", "venv", "--prompt", suite, str(fresh)], "python -m venv")
        python = fresh / "bin" / "python"
        wanted = [*face.requirements, *(face.full if full else ()), "pydantic>=2.10", "numpy>=1.26"]
        report(f"installing {len(wanted)} requirements")
        _pip(python, wanted)
        commit = digest = ""
        if source is None:
            report(f"installing {', '.join(face.upstream)}")
            _pip(python, ["--no-deps", *face.upstream])
        else:
            report(f"taking {', '.join(face.checkout_packages)} from {source}")
            commit, digest = _take_packages(face, source, python, _packages_of(fresh))
        report("installing unibench itself")
        _put_ourselves(python, _packages_of(fresh))
        if face.imports:
            report("trying the imports")
            _run([str(python), "-c", "; ".join(f"import {name}" for name in face.imports)], f"import {', '.join(face.imports)}")
        found = EnvironmentRecord(
            suite=suite,
            upstream=(str(source),) if source else face.upstream,
            commit=commit,
            digest=digest,
            full=full,
            versions=_versions(python),
            seconds=round(time.monotonic() - started, 1),
        )
        write_atomic(fresh / _RECORD, found.model_dump_json(indent=1))
        _say_moved(fresh, target)
        shutil.rmtree(target, ignore_errors=True)
        os.replace(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return found


def uninstall(suite: str) -> bool:
    """Removes a suite's environment; says whether there was one."""
    folder = environment_folder(suite)
    there = folder.is_dir()
    shutil.rmtree(folder, ignore_errors=True)
    return there


def _checked(face: EnvironmentFace, checkout: str | None) -> Path | None:
    if checkout is None:
        if not face.upstream:
            raise UsageError("this suite's upstream is on no package index; name a checkout of it with --from")
        return None
    if not face.checkout:
        raise UsageError("this suite's upstream is installed from the package index only; leave --from away")
    root = Path(checkout).expanduser().resolve()
    if not (root / face.checkout).is_dir():
        raise UsageError(f"{checkout} is no checkout of upstream: it has no folder {face.checkout}")
    return root


def _take_packages(face: EnvironmentFace, root: Path, python: Path, target: Path) -> tuple[str, str]:
    """Copies the checkout's packages as they are; building it could write into it, and would pull in its requirements.

    One that must be built (it generates code) is built as a copy, without its requirements.
    """
    base = (root / face.checkout).parent
    if face.checkout_builds:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "checkout"
            _copy_tree(root, copy, "__pycache__", ".git", "build", "*.egg-info")
            _pip(python, ["--no-deps", "--no-build-isolation", str(copy)])
        return git_commit(root), folder_digest(base / face.checkout_packages[0])
    for name in face.checkout_packages:
        if (base / name).is_dir():
            _copy_tree(base / name, target / name, "__pycache__", ".git")
    return git_commit(root), folder_digest(base / face.checkout_packages[0])


def _copy_tree(source: Path, target: Path, *left_out: str) -> None:
    try:
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*left_out))
    except shutil.Error as error:
        raise UsageError(f"the checkout {source} cannot be copied: {error.args[0][0][2]}") from None
    except OSError as error:
        raise UsageError(f"the checkout {source} cannot be copied: {error}") from None


def _say_moved(fresh: Path, target: Path) -> None:
    """Writes the place where an environment will be into its scripts, which name their interpreter by its whole path."""
    old, new = (os.path.abspath(folder) for folder in (fresh, target))  # noqa: PTH100 - as venv: links are not followed
    for path in [*(fresh / "bin").iterdir(), fresh / "pyvenv.cfg"]:
        if path.is_symlink() or not path.is_file():
            continue
        with contextlib.suppress(UnicodeDecodeError):  # a program
            text = path.read_bytes().decode()
            path.write_bytes(text.replace(old, new).encode())


def _packages_of(folder: Path) -> Path:
    return next(iter(sorted(folder.glob("lib/python3.*/site-packages"))))


def _run(command: Sequence[str], what: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=STEP_SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{what} took more than {STEP_SECONDS} s") from None
    if done.returncode:
        lines = [line for line in done.stderr.strip().splitlines() if line.strip() and not line.startswith("WARNING")]
        raise Unavailable(f"{what} failed: {lines[-1] if lines else done.stdout[-300:]}", detail=done.stderr[-4000:])
    return done.stdout


def _pip(python: Path, arguments: Sequence[str]) -> None:
    _run(
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *arguments],
        f"pip install {' '.join(arguments)[:120]}",
    )


def _put_ourselves(python: Path, target: Path) -> None:
    """Our own distribution, without its requirements: gymnasium, typer and rich are the supervisor's alone."""
    ours = distribution("unibench-gui")
    root = _editable_root(ours)
    if root is not None:
        # An editable install is on purpose: what is being edited is what the suite's environment should run.
        _pip(python, ["--no-deps", "--editable", str(root)])
        return
    for file in ours.files or ():
        path = Path(str(file.locate()))
        if ".." in file.parts or not path.is_file():
            continue  # scripts in bin/
        place = target / str(file)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)


def _editable_root(found: Distribution) -> Path | None:
    text = found.read_text("direct_url.json")
    value = json.loads(text) if text else {}
    if not value.get("dir_info", {}).get("editable"):
        return None
    return Path(unquote(urlparse(str(value["url"])).path))


def _versions(python: Path) -> dict[str, str]:
    listed = json.loads(_run([str(python), "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"], "pip list"))
    return {str(each["name"]): str(each["version"]) for each in listed}
