"""The files that tasks download, initial ones and gold ones: from the mirror, from what was fetched before, or from their URL.

They are fetched before an episode starts, never by a grader: a download that fails makes the task unavailable and is never an
agent's failure. Each is written whole or not at all, and its SHA-256 is on record.
"""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlparse

from unibench.data import assets_folder
from unibench.errors import Unavailable
from unibench.files import write_atomic
from unibench.golden.control import MakesStandIns
from unibench_osworld.task_files import TaskFile

FETCH_SECONDS = 60
MAX_BYTES = 2 * 1024**3
_MARK = "/resolve/main/"

Role = Literal["initial", "postconfig", "gold"]
Origin = Literal["mirror", "store", "url", "same-name", "stand-in"]


@dataclass(frozen=True)
class Need:
    """A file that a task downloads.

    Attributes:
        role: ``initial`` (set-up), ``postconfig`` (before the verifier looks), ``gold`` (what is compared with).
        url: where upstream has it.
        name: what the file is called at its destination: the guest path, or the name in the grader's cache.
        cached: its name in upstream's cache, where that does not follow from URL and name.
    """

    role: Role
    url: str
    name: str
    cached: str = ""


@dataclass(frozen=True)
class Asset:
    """A file that is here.

    Attributes:
        origin: how it was come by; ``same-name`` is another task's file of the same name, which stands in; ``stand-in``
            was made for the golden check.
        sha256: of its contents.
    """

    need: Need
    path: Path
    origin: Origin
    sha256: str


STEP_FILES = {
    "update_browse_history": Need(
        "initial",
        "https://huggingface.co/datasets/xlangai/ubuntu_osworld_file_cache/resolve/main/chrome/44ee5668-ecd5-4366-a6ce-c1c9b8d4e938/history_empty.sqlite?download=true",
        "history_empty.sqlite",
        cached="history_new.sqlite",
    )
}
"""What a step downloads without the task saying so (``controllers/setup.py``, ``_update_browse_history_setup``)."""


def needs(task: TaskFile) -> list[Need]:
    """All files that a task downloads, in its order."""
    found = [Need("initial", url, path) for step in task.config for url, path in step.files]
    found += [STEP_FILES[step.type] for step in task.config if step.type in STEP_FILES]
    found += [Need("postconfig", url, path) for step in task.postconfig for url, path in step.files]
    for check in task.checks:
        for config in (check.result, check.expected):
            if config and config.get("type") == "cloud_file":
                many = bool(config.get("multi", False))
                urls, names = config.get("path", ""), config.get("dest", "")
                found += [Need("gold", str(u), str(n)) for u, n in (zip(urls, names, strict=False) if many else [(urls, names)])]
    return found


def place_of(url: str) -> PurePosixPath:
    """Where a URL's file lies in a mirror: the path after ``resolve/main``, or host and path.

    Raises:
        ValueError: the path leaves the mirror.
    """
    parsed = urlparse(url)
    path = unquote(parsed.path)
    place = PurePosixPath(path.partition(_MARK)[2] if _MARK in path else f"{parsed.netloc}{path}")
    if place.is_absolute() or ".." in place.parts or not place.parts:
        raise ValueError(f"{url} names no file of a mirror")
    return place


def sha256(path: Path) -> str:
    """The SHA-256 of a file's contents."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            total.update(chunk)
    return total.hexdigest()


class AssetStore:
    """Finds and keeps what tasks download.

    Args:
        suite: whose files they are.
        mirror: a folder or an ``http(s)`` base URL laid out as upstream's file cache; empty for the URLs in the task files.
        online: whether files that are nowhere here may be fetched.
        borrow: whether an initial file may be another task's of the same name and domain.
        maker: makes stand-ins for initial files that cannot be had; None for none.
    """

    def __init__(
        self, suite: str, mirror: str = "", *, online: bool = True, borrow: bool = True, maker: MakesStandIns | None = None
    ) -> None:
        self._store = assets_folder(suite)
        self._base = mirror.rstrip("/") if mirror.startswith(("http://", "https://")) else ""
        self._mirror = Path(mirror).expanduser() if mirror and not self._base else None
        if self._mirror is not None and not self._mirror.is_dir():
            raise Unavailable(f"the mirror {mirror} is no folder; set assets to a folder or a URL, or leave it empty")
        self._online = online
        self._borrow = borrow
        self._maker = maker

    @property
    def folders(self) -> list[Path]:
        """The folders that files can come from."""
        self._store.mkdir(parents=True, exist_ok=True)
        return [folder for folder in (self._mirror, self._store) if folder is not None]

    def find(self, need: Need) -> tuple[Path, Origin] | None:
        """The file, if it is here; nothing is fetched."""
        try:
            place = place_of(need.url)
        except ValueError:
            return None
        folders: tuple[tuple[Path | None, Origin], ...] = ((self._mirror, "mirror"), (self._store, "store"))
        for folder, origin in folders:
            if folder is not None and (folder / place).is_file():
                return folder / place, origin
        if self._borrow and need.role == "initial" and len(place.parts) >= 3:
            for folder, _ in folders:
                if folder is not None:
                    alike = sorted((folder / place.parts[0]).glob(f"*/{_escaped(place.name)}"))
                    if alike:
                        return alike[0], "same-name"
        return None

    def lacking(self, task: TaskFile) -> list[str]:
        """What is not here and cannot be fetched, in words; empty if the task has all it needs."""
        said = (f"the {need.role} file {PurePosixPath(urlparse(need.url).path).name} is not here ({need.url})" for need in self._away(task))
        return list(dict.fromkeys(said))

    def mend(self, task: TaskFile, maker: MakesStandIns | None) -> str:
        """How what a task lacks can be had; empty if it lacks nothing.

        Args:
            maker: what would make stand-ins, if they were allowed.
        """
        away = self._away(task)
        if not away:
            return ""
        ways = ["give a mirror with --set assets=DIR", "--set network=true"]
        if maker is not None and self._maker is None and all(_makes(maker, need) for need in away):
            ways.append("--set stand_ins=true for a golden check")
        return ", or ".join(ways)

    def _away(self, task: TaskFile) -> list[Need]:
        return [need for need in needs(task) if not self._here(need) and not self._makes(need)]

    def get(self, need: Need) -> Asset:
        """The file, fetched if need be.

        Raises:
            Unavailable: it is not here and cannot be fetched.
        """
        found = self.find(need)
        if found is None and not self._here(need) and self._makes(need):
            found = self._made(need), "stand-in"
        path, origin = found or (self._fetch(need), "url")
        return Asset(need, path, origin, sha256(path))

    def stand_ins(self, task: TaskFile) -> list[str]:
        """The names of the initial files that are not the task's own."""
        names = []
        for need in needs(task):
            found = self.find(need)
            if (found[1] == "same-name") if found else (not self._here(need) and self._makes(need)):
                names.append(need.name)
        return names

    def _here(self, need: Need) -> bool:
        return self.find(need) is not None or (self._online and bool(self._fetch_from(need)))

    def _makes(self, need: Need) -> bool:
        return self._maker is not None and _makes(self._maker, need)

    def _made(self, need: Need) -> Path:
        assert self._maker is not None
        place = place_of(need.url)
        target = self._store / ".stand-ins" / self._maker.version / place
        if not target.is_file():
            write_atomic(target, self._maker.make(str(place)))
        return target

    def all_of(self, task: TaskFile) -> list[Asset]:
        """All that a task downloads.

        Raises:
            Unavailable: something is not here and cannot be fetched.
        """
        return [self.get(need) for need in needs(task)]

    def _fetch_from(self, need: Need) -> str:
        """The URL to fetch from; empty if there is none."""
        if self._base:
            return f"{self._base}/{place_of(need.url)}"
        return need.url if need.url.startswith(("http://", "https://")) else ""

    def _fetch(self, need: Need) -> Path:
        what = f"the {need.role} file {need.url}"
        url = self._fetch_from(need) if self._online else ""
        if not url:
            raise Unavailable(f"{what} is not here; give a mirror with --set assets=DIR, or let it be fetched with --set network=true")
        target = self._store / place_of(need.url)
        try:
            with urllib.request.urlopen(url, timeout=FETCH_SECONDS) as answer:
                data = answer.read(MAX_BYTES + 1)
                declared = int(answer.headers.get("Content-Length") or len(data))
        except (urllib.error.URLError, OSError, ValueError) as error:
            raise Unavailable(f"{what} cannot be fetched: {error}") from None
        if len(data) > MAX_BYTES or len(data) != declared:
            raise Unavailable(f"{what} came broken: {len(data)} of {declared} bytes")
        write_atomic(target, data)
        return target


def _makes(maker: MakesStandIns, need: Need) -> bool:
    try:
        return need.role == "initial" and maker.makes(str(place_of(need.url)))
    except ValueError:
        return False


def _escaped(name: str) -> str:
    return "".join(f"[{ch}]" if ch in "*?[" else ch for ch in name)
