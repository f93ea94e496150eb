"""Archives that an agent packed: what is in them stays in the folder that they are unpacked into.

Python does that by itself since 3.14, and since 3.11.4 where it is asked to; Debian 12's, which is older, cannot.
"""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any


class OutsideDestinationError(tarfile.TarError):
    """A member would lie outside."""


class LinkOutsideDestinationError(tarfile.TarError):
    """A link leads outside."""


class SpecialFileError(tarfile.TarError):
    """A member is a device or a pipe."""


def keep_inside() -> None:
    """From here on ``TarFile.extract`` and ``extractall`` of this process refuse such members."""
    if hasattr(tarfile, "data_filter"):
        tarfile.TarFile.extraction_filter = staticmethod(tarfile.data_filter)
        return
    unpack = tarfile.TarFile.extract

    def extract(self: tarfile.TarFile, member: Any, path: Any = "", *args: Any, **kwargs: Any) -> None:
        check(self.getmember(member) if isinstance(member, str) else member, str(path))
        unpack(self, member, path, *args, **kwargs)

    tarfile.TarFile.extract = extract  # type: ignore[method-assign]


def check(member: tarfile.TarInfo, folder: str) -> None:
    """
    Raises:
        tarfile.TarError: the member does not stay in the folder, given the links that are there already.
    """
    root = Path(folder).resolve()
    target = root / member.name
    if not _inside(root, target):
        raise OutsideDestinationError(f"{member.name!r} would lie outside of the folder")
    if member.issym() or member.islnk():
        leads = (target.parent if member.issym() else root) / member.linkname
        if not _inside(root, leads):
            raise LinkOutsideDestinationError(f"{member.name!r} leads to {member.linkname!r}, outside of the folder")
    elif not (member.isfile() or member.isdir()):
        raise SpecialFileError(f"{member.name!r} is a device or a pipe")


def _inside(root: Path, path: Path) -> bool:
    return path.resolve().is_relative_to(root)
