"""OSWorld's tables against what was measured, and its task files: splits, keys, static check, assets."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from unibench.errors import FileProblem, Unavailable, UnknownName
from unibench.kinds import check_kind
from unibench_osworld import FOLDERS, task_check
from unibench_osworld.assets import AssetStore, needs, place_of
from unibench_osworld.describe import Upstream, describe
from unibench_osworld.getters import GETTERS, getter
from unibench_osworld.metrics import METRICS, metric
from unibench_osworld.task_check import check_task, check_tasks, left_unchecked
from unibench_osworld.task_files import TaskFile, TaskSet, find_folder
from unibench_osworld.upstream_source import UpstreamSource, read_upstream

UPSTREAM = Upstream("desktop-env", "1.0.2")

DATA = os.environ.get("UNIBENCH_TEST_DATA", "")
needs_data = pytest.mark.skipif(not DATA, reason="UNIBENCH_TEST_DATA names no folder with upstream's task files")

GOLD = "https://huggingface.co/datasets/xlangai/ubuntu_osworld_file_cache/resolve/main/libreoffice_calc/x/gold.xlsx"


def task(**evaluator: Any) -> TaskFile:
    return TaskFile("os", "x", {"id": "x", "instruction": "do", "config": [], "evaluator": evaluator})


def compared(**options: Any) -> TaskFile:
    return task(
        func="compare_docx_files",
        result={"type": "vm_file", "path": "/home/user/a.docx", "dest": "a.docx"},
        expected={"type": "cloud_file", "path": GOLD, "dest": "gold.docx"},
        options=options,
    )


@pytest.fixture(scope="module")
def tasks() -> TaskSet:
    return TaskSet.load(find_folder(Path(DATA) / "osworld", FOLDERS))


# -- tables ------------------------------------------------------------------------------------


@needs_data
def test_the_tables_know_every_function_and_getter_of_the_catalogue_with_its_kind() -> None:
    catalogue = json.loads((Path(DATA) / "osworld" / "verifier_catalog.json").read_text())
    ours = {"document-property": "file-property", "image-property": "file-property", "runtime-gui-state": "runtime-gui"}
    ours |= {"audio-similarity": "media-similarity", "video-similarity": "media-similarity"}
    for row in catalogue["functions"]:
        found = metric(row["func"])
        expected = "file-compare" if row["kind"].startswith("file-compare/") else ours.get(row["kind"], row["kind"])
        if found.kind:  # else the getter decides
            assert found.kind == expected, row["func"]
    assert {row["getter"] for row in catalogue["getters"]} <= set(GETTERS)


@needs_data
def test_all_369_descriptors_have_the_measured_counts(tasks: TaskSet) -> None:
    found = {task.id: describe(task, UPSTREAM) for task in tasks.tasks.values()}
    assert len(found) == 369
    for descriptor in found.values():
        check_kind(descriptor)
    leaves = {name: {leaf.name for leaf in (d.children or (d,))} for name, d in found.items()}
    uses = Counter(name for names in leaves.values() for name in names)
    catalogue = json.loads((Path(DATA) / "osworld" / "verifier_catalog.json").read_text())
    assert uses == {row["func"]: row["n_tasks"] for row in catalogue["functions"] if row["n_tasks"]}
    acts = Counter(act.partition(":")[0] for d in found.values() for act in d.acts_first)
    acts.pop("getter")
    assert acts == {
        "sleep": 294,
        "execute": 204,
        "activate_window": 137,
        "launch": 32,
        "download": 16,
        "close_window": 8,
        "command": 4,
        "open": 1,
    }
    assert sum(d.join is not None for d in found.values()) == 51
    assert sum(d.row == "refusal" for d in found.values()) == 29


@needs_data
def test_the_splits_are_upstreams(tasks: TaskSet) -> None:
    assert {name: len(ids) for name, ids in tasks.splits.items()} == {"all": 369, "nogdrive": 361, "small": 39, "infeasible": 29}


def test_a_value_metric_takes_its_kind_from_the_getter() -> None:
    rule = {"type": "rule", "rules": {"expected": "1"}}
    kinds = {
        name: describe(task(func="exact_match", result={"type": name}, expected=rule), UPSTREAM).kind
        for name in ("vm_command_line", "profile_name", "active_tab_info", "vm_terminal_output")
    }
    assert kinds == {
        "vm_command_line": "device-state",
        "profile_name": "app-config",
        "active_tab_info": "page-state",
        "vm_terminal_output": "runtime-gui",
    }


def test_options_make_a_binary_metric_graded() -> None:
    assert describe(compared(), UPSTREAM).scale == "binary"
    assert describe(compared(fuzzy_match=True), UPSTREAM).scale == "graded"


def test_unknown_functions_and_getters_are_named() -> None:
    with pytest.raises(UnknownName, match=r"compare_tabel.*compare_table"):
        metric("compare_tabel")
    with pytest.raises(UnknownName, match=r"'vm_fiel'.*vm_file"):
        getter("vm_fiel")


def test_who_can_write_what_is_read() -> None:
    assert not describe(task(func="infeasible"), UPSTREAM).agent_writable.value
    both = task(
        func="compare_text_file",
        result={"type": "vm_file", "path": "/home/user/a", "dest": "a"},
        expected={"type": "vm_file", "path": "/home/user/gold", "dest": "b"},
    )
    assert "/home/user/gold" in describe(both, UPSTREAM).agent_writable.how
    assert "gold.xlsx" not in describe(compared(), UPSTREAM).agent_writable.how


# -- the static check --------------------------------------------------------------------------


def rules(task: TaskFile, **more: Any) -> set[str]:
    return {problem.rule for problem in check_task(task, **more)}


def test_a_gold_on_the_results_own_path_is_found() -> None:
    bad = task(
        func="compare_text_file",
        result={"type": "vm_file", "path": "/home/user/a", "dest": "a"},
        expected={"type": "cloud_file", "path": GOLD, "dest": "a"},
    )
    assert "gold-on-result" in rules(bad)
    assert "gold-on-result" not in rules(compared())


def test_typos_relative_paths_and_escaping_names_are_found() -> None:
    typo = next(p for p in check_task(task(func="infeasible", postconfg=[])) if p.rule == "unknown-key")
    assert "'postconfig' is probably meant" in typo.message
    assert "relative-path" in rules(task(func="is_utc_0", result={"type": "vm_file", "path": "a.txt", "dest": "a"}))
    assert "escaping-dest" in rules(task(func="is_utc_0", result={"type": "vm_file", "path": "/a", "dest": "../a"}))
    assert "unknown-function" in rules(task(func="compare_tabel"))
    assert "length-differs" in rules(task(func=["is_utc_0", "exact_match"], result=[{"type": "rule"}]))


@needs_data
def test_the_static_check_finds_the_known_faults_of_upstreams_tasks(tasks: TaskSet) -> None:
    found = {(problem.task.split("/")[1][:8], problem.rule) for problem in check_tasks(tasks) if problem.fatal}
    assert found == {("74d5859f", "gold-on-result")}


def test_options_that_the_code_never_reads_are_found(tmp_path: Path) -> None:
    package = tmp_path / "desktop_env"
    for folder in ("evaluators/metrics", "evaluators/getters", "controllers", "providers/gcp"):
        (package / folder).mkdir(parents=True)
    (package / "evaluators/metrics/__init__.py").write_text("from .docs import compare_docx_files\ndef infeasible():\n    pass\n")
    helper = "from .utils import more\ndef compare_docx_files(a, b, **options):\n    return options.get('ignore_blanks'), more(**options)\n"
    (package / "evaluators/metrics/docs.py").write_text(helper)
    (package / "evaluators/metrics/utils.py").write_text("def more(**options):\n    return options['handed_on']\n")
    (package / "evaluators/getters/__init__.py").write_text("from .file import get_vm_file\n")
    (package / "evaluators/getters/file.py").write_text("def get_vm_file(env, config):\n    return config['path'], config['dest']\n")
    (package / "controllers/setup.py").write_text("class S:\n    def _sleep_setup(self, seconds):\n        pass\n")
    branches = "    if provider_name == 'vmware':\n        pass\n    elif provider_name in ['aws', 'amazon web services']:\n        pass\n"
    (package / "providers/__init__.py").write_text(f"def create(provider_name):\n{branches}")
    source = read_upstream(package)
    assert source.providers == ("vmware", "aws", "amazon web services")
    assert "unknown-option" in rules(compared(ignore_blank=True), source=source)
    assert "unknown-option" not in rules(compared(ignore_blanks=True, handed_on=1), source=source)
    skew = [problem.message for problem in check_task(compared(), source) if problem.rule == "version-skew"]
    assert skew == ["desktop-env checkout has no getter cloud_file"]


def test_without_evaluators_the_check_says_what_it_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_check, "installed_source", lambda suite: None)
    assert left_unchecked().endswith("were left unchecked, as the evaluators are not installed -> unibench install osworld")
    monkeypatch.setattr(task_check, "installed_source", lambda suite: UpstreamSource(Path("x"), "1.0.2"))
    assert left_unchecked() == ""


# -- task files and assets ---------------------------------------------------------------------


def test_a_folder_without_tasks_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"no test_all\.json"):
        find_folder(tmp_path, FOLDERS)


def test_a_mirrors_file_is_found_recorded_and_never_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    mirror = tmp_path / "mirror"
    (mirror / "libreoffice_calc/x").mkdir(parents=True)
    need = needs(compared())[0]
    store = AssetStore("osworld", str(mirror), online=False)
    assert any("gold.xlsx" in line for line in store.lacking(compared()))
    with pytest.raises(Unavailable, match=r"gold\.xlsx is not here"):
        store.get(need)
    (mirror / "libreoffice_calc/x/gold.xlsx").write_bytes(b"gold")
    asset = store.get(need)
    assert (asset.origin, asset.sha256[:8]) == ("mirror", hashlib.sha256(b"gold").hexdigest()[:8])
    assert store.lacking(compared()) == []


def test_only_an_initial_file_may_be_borrowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "libreoffice_calc/other").mkdir(parents=True)
    (tmp_path / "libreoffice_calc/other/gold.xlsx").write_bytes(b"x")
    gold = needs(compared())[0]
    initial = type(gold)("initial", gold.url, "/home/user/gold.xlsx")
    store = AssetStore("osworld", str(tmp_path), online=False)
    assert store.find(gold) is None
    found = store.find(initial)
    assert found is not None and found[1] == "same-name"
    assert AssetStore("osworld", str(tmp_path), online=False, borrow=False).find(initial) is None


def test_a_download_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    need = needs(compared())[0]
    with pytest.raises(Unavailable, match="cannot be fetched"):
        AssetStore("osworld", "http://127.0.0.1:9/", online=True).get(need)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("url", ["https://h/resolve/main/../../etc/passwd", "https://h/resolve/main/%2e%2e/x", "https://h/resolve/main/"])
def test_a_url_cannot_leave_the_mirror(url: str) -> None:
    with pytest.raises(ValueError, match="names no file"):
        place_of(url)


def test_every_metric_has_a_module() -> None:
    assert all(found.module for found in METRICS.values())
