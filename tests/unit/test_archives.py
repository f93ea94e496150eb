"""Archives that an agent packed, on a Python that has no filter of its own."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from unibench_osworld.grader import archives


def member(name: str, kind: bytes = tarfile.REGTYPE, leads: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname = kind, leads
    return found


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (member("../a"), archives.OutsideDestinationError),
        (member("/etc/passwd"), archives.OutsideDestinationError),
        (member("inside/../../a"), archives.OutsideDestinationError),
        (member("link/a"), archives.OutsideDestinationError),
        (member("a", tarfile.SYMTYPE, "../gold"), archives.LinkOutsideDestinationError),
        (member("a", tarfile.SYMTYPE, "/etc/passwd"), archives.LinkOutsideDestinationError),
        (member("a", tarfile.LNKTYPE, "../gold"), archives.LinkOutsideDestinationError),
        (member("a", tarfile.FIFOTYPE), archives.SpecialFileError),
        (member("a", tarfile.CHRTYPE), archives.SpecialFileError),
    ],
)
def test_what_would_leave_the_folder_is_refused(tmp_path: Path, made: tarfile.TarInfo, error: type[Exception]) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "link").symlink_to(tmp_path)
    with pytest.raises(error):
        archives.check(made, str(tmp_path / "out"))


STAY = (
    member("a"),
    member("./b/c"),
    member("d", tarfile.DIRTYPE),
    member("e/f", tarfile.SYMTYPE, "../a"),
    member("g", tarfile.LNKTYPE, "a"),
)


@pytest.mark.parametrize("made", STAY, ids=lambda made: made.name)
def test_what_stays_in_it_is_not(tmp_path: Path, made: tarfile.TarInfo) -> None:
    archives.check(made, str(tmp_path))


def test_without_a_filter_extracting_asks_for_each_member(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    monkeypatch.setattr(tarfile.TarFile, "extract", tarfile.TarFile.extract)
    archives.keep_inside()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.addfile(member("good"))
        tar.addfile(member("../bad"))
    packed.seek(0)
    with tarfile.open(fileobj=packed) as tar:
        tar.extract("good", tmp_path / "out")
        with pytest.raises(archives.OutsideDestinationError):
            tar.extract("../bad", tmp_path / "out")
    assert (tmp_path / "out" / "good").exists() and not (tmp_path / "bad").exists()
