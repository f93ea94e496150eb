"""A recipe's digest covers what it stands on: a changed recipe makes a ledger's entry stale, whichever file was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from unibench_golden_checks import sources

PACKAGE = "unibench_golden_checks"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules that a digest was made of."""
    found: list[str] = []
    real = sources._text

    def text(name: str) -> str:
        found.append(name.removeprefix(f"{PACKAGE}."))
        return real(name)

    monkeypatch.setattr(sources, "_text", text)
    return found


@pytest.mark.parametrize(
    ("module", "stands_on"),
    [
        ("osworld.office_settings", {"osworld.office", "osworld.uno_bridge", "osworld.settings"}),
        ("osworld.documents", {"osworld.office", "osworld.uno_bridge", "osworld.writer_edits", "osworld.calc_edits"}),
        ("osworld.artefacts", {"osworld.stand_ins", "osworld.make_file"}),
        ("windows_agent_arena.explorer", {"windows_agent_arena.making", "windows_agent_arena.make_file", "osworld.make_file"}),
        ("android_world.messages", {"android_world.notes", "android_world.files", "android_world.phone", "android_world.recipe"}),
        ("windows_agent_arena.browsers", {"windows_agent_arena.making", "osworld.settings"}),
        ("miniwob.dragging", {"miniwob.hand", "miniwob.recipe"}),
    ],
)
def test_it_covers_what_the_module_imports(read: list[str], module: str, stands_on: set[str]) -> None:
    sources.digest_of([f"{PACKAGE}.{module}"])
    assert stands_on | {module} <= set(read)


def test_it_changes_with_a_module_far_below(monkeypatch: pytest.MonkeyPatch) -> None:
    real = sources._text
    before = sources.digest_of([f"{PACKAGE}.osworld.documents"])
    assert sources.digest_of([f"{PACKAGE}.osworld.documents"]) == before
    without = sources.digest_of([f"{PACKAGE}.osworld.documents"], besides=[f"{PACKAGE}.osworld.uno_bridge"])
    monkeypatch.setattr(sources, "_text", lambda name: real(name) + ("# changed" if name.endswith("uno_bridge") else ""))
    assert sources.digest_of([f"{PACKAGE}.osworld.documents"]) != before
    assert sources.digest_of([f"{PACKAGE}.osworld.documents"], besides=[f"{PACKAGE}.osworld.uno_bridge"]) == without


def test_imports_within_functions_and_of_modules_by_name_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = f"import json\nfrom {PACKAGE}.osworld import office, settings as s\ndef f():\n    import {PACKAGE}.osworld.vlc\n"
    real = sources._text
    monkeypatch.setattr(sources, "_text", lambda name: source if name == "x" else real(name))
    assert set(sources._imported("x")) == {f"{PACKAGE}.osworld{name}" for name in ("", ".office", ".settings", ".vlc")}
