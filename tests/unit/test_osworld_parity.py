"""What the parity check says by its exit status, and what it puts into upstream's cache."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from unibench.errors import UsageError
from unibench_golden_checks.osworld import parity
from unibench_osworld.assets import STEP_FILES, Asset, AssetStore, Need
from unibench_osworld.grader.client import cache_name


def row(agree: str) -> parity.Row:
    return parity.Row("os/a", "golden", "1", "1", agree, 1.0)


@pytest.mark.parametrize(
    ("kinds", "status"),
    [
        ([], 1),
        ([parity.SAME, parity.TYPED, parity.UNSTEADY], 0),
        ([parity.NOT_MADE, parity.NOT_MADE], 1),
        ([parity.SAME, parity.NOT_MADE], 1),
        ([parity.SAME, parity.DIFFERS], 1),
        ([parity.UNSTEADY], 1),
    ],
)
def test_only_what_was_compared_and_agrees_exits_0(kinds: list[str], status: int) -> None:
    assert parity.status([row(kind) for kind in kinds]) == status


def test_other_machines_than_a_local_desktop_are_refused() -> None:
    session = cast(Any, SimpleNamespace(substrate=SimpleNamespace(name="vm")))
    with pytest.raises(UsageError, match="parity is for the substrate local, and this is vm"):
        next(parity.rows(cast(Any, None), session, "os/a"))


def test_names_in_upstreams_cache() -> None:
    def named(need: Need) -> str:
        return cache_name(Asset(need, Path("x"), "url", ""))

    assert named(Need("gold", "https://a/b.xlsx", "b_gold.xlsx")) == "b_gold.xlsx"
    assert named(Need("initial", "https://a/b.xlsx", "/home/user/b.xlsx")) == "d43438ff-edc6-5b2e-8ac9-af575f64a889_b.xlsx"
    assert named(STEP_FILES["update_browse_history"]) == "history_new.sqlite"


def test_an_error_is_one_line_with_its_exit_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(parity, "OsworldSuite", lambda: SimpleNamespace(open=lambda *_: AssetStore("osworld", "no/such/mirror")))
    assert parity.main([]) == 3
    said = capsys.readouterr()
    assert said.err == "parity: the mirror no/such/mirror is no folder; set assets to a folder or a URL, or leave it empty\n"
    assert said.out == ""
