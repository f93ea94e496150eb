"""Upstream in this process: what it is, and how it is kept from disturbing or being disturbed."""

from __future__ import annotations

import contextlib
import datetime
import functools
import hashlib
import importlib
import os
import random
import shutil
import sys
import tempfile
import time
import types
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

TESTED = {"252e0ff3deed": "d9c569f764b3"}
"""Digests of sources that this adapter was tried with, and their commits."""


@cache
def source_digest() -> str:
    """A digest of the installed android_world's sources, since its version number never changes.

    Files that the installation generates (``*_pb2*.py``) and tests are left out.
    """
    spec = find_spec("android_world")
    assert spec is not None and spec.submodule_search_locations
    root = Path(spec.submodule_search_locations[0])
    sums = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".json", ".textproto", ".proto") and "_pb2" not in path.name and not path.name.endswith("_test.py"):
            sums.update(f"{path.relative_to(root)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return sums.hexdigest()[:12]


def versions() -> dict[str, str]:
    """Upstream's packages, android_world with its commit where the sources are known, with their digest where not."""
    digest = source_digest()
    return {
        "android_world": f"{version('android_world')}+{TESTED.get(digest, f'src.{digest}')}",
        "android_env": version("android_env"),
    }


def own_folder() -> Path:
    """A folder for temporary files of this process alone: upstream gives its files fixed names in the shared one."""
    folder = Path(tempfile.mkdtemp(prefix=f"unibench-android-{os.getpid()}-"))
    tempfile.tempdir = str(folder)
    os.environ["TMPDIR"] = str(folder)
    return folder


def sweep(shared: Path) -> None:
    """Removes the folders of processes that are gone: a killed session process cannot remove its own."""
    for folder in shared.glob("unibench-android-*-*"):
        owner = folder.name.split("-")[2]
        if owner.isdigit() and not _lives(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):  # another's; no number of a process
        return True
    return True


def quiet() -> None:
    """Keeps upstream's log, which writes each screen and each command, out of the session's stderr."""
    from absl import logging

    logging.set_verbosity(logging.ERROR)


def provide_ffmpeg(folder: Path) -> bool:
    """Puts an ffmpeg on PATH if there is none: four tasks write MP3 files. Whether there is one now."""
    if shutil.which("ffmpeg"):
        return True
    try:
        found = importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        return False
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    (bin_folder / "ffmpeg").symlink_to(found)
    os.environ["PATH"] = f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}"
    return True


def remember_songs(module: types.ModuleType, folder: Path) -> None:
    """Lets upstream encode a song once and copy it from then on: equal arguments give equal files, and each control sets up fifteen anew.

    Args:
        module: android_world.task_evals.utils.user_data_generation.
        folder: for a file that is being written.
    """
    real = module._create_test_mp3

    @functools.lru_cache(maxsize=128)  # of about 0.4 MB each
    def song(artist: str, title: str, milliseconds: int) -> bytes:
        path = folder / "song.mp3"
        real(str(path), artist, title, milliseconds)
        return path.read_bytes()

    def instead(file_path: str, artist: str, title: str, duration_milliseconds: int = 1000) -> str:
        Path(file_path).write_bytes(song(artist, title, duration_milliseconds))
        return file_path

    module._create_test_mp3 = instead  # type: ignore[attr-defined]


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Makes what upstream draws without a seed of its own depend on the instance's: uuids, numpy's noise, song lengths."""
    import numpy as np

    random.seed(seed)
    np.random.seed(seed % 2**32)
    source = random.Random(seed)
    real = uuid.uuid4
    uuid.uuid4 = lambda: uuid.UUID(int=source.getrandbits(128), version=4)
    try:
        yield
    finally:
        uuid.uuid4 = real


@contextlib.contextmanager
def sleeping(sleep: Callable[[float], None]) -> Iterator[None]:
    """Lets ``time.sleep`` be another one where android_world calls it: a simulated device's time passes without waiting."""
    real = time.sleep

    def instead(seconds: float) -> None:
        caller = str(sys._getframe(1).f_globals.get("__name__", ""))
        (sleep if caller.startswith("android_world.") else real)(seconds)

    time.sleep = instead  # type: ignore[assignment]
    try:
        yield
    finally:
        time.sleep = real


@contextlib.contextmanager
def forwarder(*, install: bool) -> Iterator[None]:
    """Says for upstream's loader whether the accessibility forwarder is downloaded and installed; its own function always does."""
    from android_world.env import android_world_controller as module

    real = module.AndroidWorldController
    module.AndroidWorldController = functools.partial(real, install_a11y_forwarding_app=install)
    try:
        yield
    finally:
        module.AndroidWorldController = real


@contextlib.contextmanager
def device_clock(module: types.ModuleType, now: datetime.datetime) -> Iterator[None]:
    """Lets a module's ``datetime.datetime.now()`` say the device's time.

    MarkorCreateFolder names its folder by the wall clock (android_world/task_evals/single/markor.py at d9c569f7), so that no
    draw could be repeated.
    """

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Clock:
            return cls.fromtimestamp(now.timestamp(), tz)

    real = module.datetime
    stand_in = types.ModuleType("datetime")
    stand_in.__dict__.update({**vars(datetime), "datetime": Clock})
    module.datetime = stand_in  # type: ignore[attr-defined]
    try:
        yield
    finally:
        module.datetime = real  # type: ignore[attr-defined]
