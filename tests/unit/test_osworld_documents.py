"""What OSWorld's document recipes take for right and for wrong, the stand-ins, and the scripts of reports; no desktop is needed."""

from __future__ import annotations

import base64
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from unibench.errors import Unavailable
from unibench.golden.control import BELOW_GOLDEN, PASSED, NotApplicable, Provenance, Readback, RecipeFailed, Role
from unibench.golden.results import ControlRun, Outcome
from unibench_golden_checks.osworld import app_files, documents, files, stand_ins, writer_edits
from unibench_golden_checks.osworld.artefacts import artefact_controls
from unibench_golden_checks.osworld.controls import MODULE
from unibench_golden_checks.osworld.office import in_office
from unibench_golden_checks.osworld.one_text import with_one_text
from unibench_golden_checks.osworld.repro import file_step, script
from unibench_osworld import OsworldSettings
from unibench_osworld.assets import AssetStore, Need, needs
from unibench_osworld.suite import OsworldSuite
from unibench_osworld.task_files import TaskFile, TaskSet
from unibench_osworld.upstream_source import Function, UpstreamSource

DATA = os.environ.get("UNIBENCH_TEST_DATA", "")
URL = "https://huggingface.co/datasets/xlangai/ubuntu_osworld_file_cache/resolve/main/"


def paragraph(text: str, align: str = "left", font: str = "Calibri") -> dict[str, Any]:
    return {"text": text, "align": align, "fonts": [font], "break": "NONE"}


HEADING = [paragraph("A heading"), paragraph("Text")]
FOOTER = {"style": "Standard", "at": "footer", "text": "1", "field": True, "align": "left"}
COLOURS = {"slide-number": ["ffffff"], "date": ["ffffff"], "footer": ["ffffff"]}
SHEET = {"C3": "19:10", "D3": "10"}


@pytest.mark.parametrize(
    ("task", "before", "found", "right"),
    [
        ("libreoffice_writer/3ef2b351", HEADING, [paragraph("A heading", "centred"), HEADING[1]], True),
        ("libreoffice_writer/3ef2b351", HEADING, [paragraph("A heading", "centred"), paragraph("Text", "centred")], False),
        ("libreoffice_writer/0e763496", HEADING, [paragraph("A heading", font="Times New Roman"), HEADING[1]], False),
        ("libreoffice_writer/ecc2413d", ["one", "two"], ["one", "", "two"], True),
        ("libreoffice_writer/ecc2413d", ["one", "two"], ["one", "two", ""], False),
        ("libreoffice_writer/0e47de2a", [], [FOOTER], True),
        ("libreoffice_writer/0e47de2a", [], [{**FOOTER, "align": "right"}], False),
        ("libreoffice_writer/0e47de2a", [], [{**FOOTER, "field": False}], False),
        ("libreoffice_writer/0e47de2a", [], [], False),
        ("libreoffice_impress/21760ecb", [0, 0], [40, 0], True),
        ("libreoffice_impress/21760ecb", [0, 0], [40, 40], False),
        ("libreoffice_impress/3b27600c", [], ["0000ff", "2a6099"], True),
        ("libreoffice_impress/3b27600c", [], ["0000ff", "none"], False),
        ("libreoffice_impress/ac9bb6cb", COLOURS, {**COLOURS, "slide-number": ["ff0000"]}, True),
        ("libreoffice_impress/ac9bb6cb", COLOURS, {**COLOURS, "slide-number": ["ff0000"], "date": ["ff0000"]}, False),
        ("libreoffice_impress/ce88f674", [], [[19050, 25400]], True),
        ("libreoffice_impress/ce88f674", [], [[19050, 19050]], False),
        ("libreoffice_calc/357ef137", SHEET, {**SHEET, "E3": 191.66666666}, True),
        ("libreoffice_calc/357ef137", SHEET, {**SHEET, "E3": 7.98611111}, False),
        ("libreoffice_calc/357ef137", SHEET, {**SHEET, "E3": 191.66666666, "H12": "junk"}, False),
    ],
)
def test_what_is_right_by_the_instructions_words(task: str, before: Any, found: Any, right: bool) -> None:
    recipe = next(each for name, each in documents.TASKS.items() if name.startswith(task))
    assert recipe.right(found, before) is right


THEME = "gimp/7767eef2-56a3-4cea-8c9f-48c070c7d65b"


class Guest:
    """A guest that keeps files and answers every command alike."""

    def __init__(self, kept: dict[str, bytes] | None = None, output: str = "", code: int = 0) -> None:
        self.kept = dict(kept or {})
        self.ran: list[list[str]] = []
        self._result = SimpleNamespace(output=output, error="Traceback\nRuntimeError: no open document", returncode=code)

    def file(self, path: str) -> bytes | None:
        return self.kept.get(path)

    def upload(self, path: str, data: bytes) -> None:
        self.kept[path] = data

    def execute(self, command: list[str], **how: Any) -> Any:
        self.ran.append(command)
        return self._result


def handle(guest: Guest) -> Any:
    return SimpleNamespace(guest=guest)


@pytest.mark.parametrize("task", [name for name in files.TASKS if not name.startswith(("multi_apps/3f05f3b9", "multi_apps/3c8f201a"))])
def test_goldens_are_right_and_mutants_are_not(task: str) -> None:
    for control in files.TASKS[task].controls():
        assert control.build is not None
        back = control.build(handle(Guest({files.CONFIG: stand_ins.CONFIG.encode()})))
        assert back.right is (control.role is Role.GOLDEN), control.name
        assert control.expect == (PASSED if control.role is Role.GOLDEN else BELOW_GOLDEN)


@pytest.mark.parametrize("task", ["multi_apps/3f05f3b9", "multi_apps/3c8f201a"])
def test_songs_and_pictures_too(task: str) -> None:
    try:
        stand_ins.environment_python("osworld")
    except Unavailable as error:
        pytest.skip(str(error))
    for control in next(each for name, each in files.TASKS.items() if name.startswith(task)).controls():
        assert control.build is not None
        assert control.build(handle(Guest())).right is (control.role is Role.GOLDEN), control.name


def test_a_file_is_not_put_under_a_running_application_that_writes_it() -> None:
    (golden, *_) = (c for c in app_files.TASKS[THEME].controls() if c.role is Role.GOLDEN)
    guest = Guest(output="1\n")
    assert golden.build is not None
    with pytest.raises(NotApplicable, match="gimp runs here"):
        golden.build(handle(guest))
    assert guest.kept == {}


@pytest.mark.parametrize("task", app_files.TASKS)
def test_an_applications_file_is_right_in_the_golden_only(task: str) -> None:
    for control in app_files.TASKS[task].controls():
        assert control.build is not None
        assert control.build(handle(Guest(output="0\n"))).right is (control.role is Role.GOLDEN), control.name


def test_what_is_sent_into_the_guest_stands_alone() -> None:
    guest = Guest(output='noise\nRESULT [{"text": "x"}]\n')
    assert in_office(handle(guest), "/home/user/it's.docx", writer_edits.align, paragraph=0, command="CenterPara") == [{"text": "x"}]
    source = guest.ran[0][-1]
    compile(source, "sent", "exec")
    assert "import unibench" not in source and "from unibench" not in source
    assert source.rstrip().splitlines()[-2].startswith("result = align(document(")


def test_a_function_that_raises_in_the_guest_is_a_failed_recipe() -> None:
    with pytest.raises(RecipeFailed, match="align in LibreOffice: RuntimeError: no open document"):
        in_office(handle(Guest(code=1)), "/home/user/a.docx", writer_edits.align)


def test_every_recipe_is_for_the_file_that_its_verifier_reads() -> None:
    if not DATA:
        pytest.skip("UNIBENCH_TEST_DATA names no folder with upstream's task files")
    tasks = TaskSet.load(Path(DATA) / "osworld" / "evaluation_examples")
    for name, recipe in documents.TASKS.items():
        assert {(check.result or {}).get("path") for check in tasks[name].checks} == {recipe.path}
        assert any(need.name == recipe.path for need in needs(tasks[name]))
    assert {place.rpartition("/")[0] for place in stand_ins.BY_PLACE} <= set(tasks.tasks)
    read = {path for name in files.TASKS for check in tasks[name].checks if (path := (check.result or {}).get("path"))}
    assert {files.CONFIG, files.PICTURE, files.REPORT} <= read


class Maker:
    version = "1"

    def without_programs(self, task: str) -> bool:
        return False

    def makes(self, place: str) -> bool:
        return place.endswith(".docx")

    def make(self, place: str) -> bytes:
        return place.encode()


def test_a_stand_in_is_made_for_an_initial_file_only_and_only_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    mirror = tmp_path / "mirror"
    (mirror / "writer/2").mkdir(parents=True)
    (mirror / "writer/2/own.docx").write_bytes(b"own")
    store = AssetStore("osworld", str(mirror), online=False, maker=Maker())
    made = store.get(Need("initial", URL + "writer/1/a%20b.docx", "/home/user/a b.docx"))
    assert (made.origin, made.path.read_bytes()) == ("stand-in", b"writer/1/a b.docx")
    assert store.get(Need("initial", URL + "writer/2/own.docx", "/home/user/own.docx")).origin == "mirror"
    for role, name in (("gold", "a.docx"), ("initial", "a.bin")):
        with pytest.raises(Unavailable, match="is not here"):
            store.get(Need(role, URL + f"writer/1/{name}", name))  # type: ignore[arg-type]
    config = [{"type": "download", "parameters": {"files": [{"url": URL + f"writer/{n}", "path": n} for n in ("1/a.docx", "2/own.docx")]}}]
    task = TaskFile("writer", "1", {"config": config, "evaluator": {"func": "f"}})
    assert store.stand_ins(task) == ["1/a.docx"] and store.lacking(task) == []
    assert AssetStore("osworld", str(mirror), online=False).lacking(task) != []


def test_the_mend_of_missing_files_names_stand_ins_only_where_they_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    store = AssetStore("osworld", online=False)

    def mend(*places: str, maker: Maker | None) -> str:
        files = [{"url": URL + place, "path": place} for place in places]
        return store.mend(TaskFile("w", "1", {"config": [{"type": "download", "parameters": {"files": files}}], "evaluator": {}}), maker)

    fetched = "give a mirror with --set assets=DIR, or --set network=true"
    assert mend(maker=Maker()) == ""
    assert mend("w/1/a.docx", maker=Maker()) == f"{fetched}, or --set stand_ins=true for a golden check"
    assert mend("w/1/a.docx", "w/1/a.bin", maker=Maker()) == fetched
    assert mend("w/1/a.docx", maker=None) == fetched


def test_a_task_without_its_files_says_the_mend_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    files = [{"url": URL + f"w/1/{name}", "path": name} for name in ("a.bin", "b.bin", "b.bin")]
    task = TaskFile("w", "1", {"config": [{"type": "download", "parameters": {"files": files}}], "evaluator": {"func": "infeasible"}})
    suite = OsworldSuite()
    suite.files = TaskSet(tmp_path, tasks={task.id: task})
    suite.source = UpstreamSource(tmp_path, "1.0.2", metrics={"infeasible": Function("infeasible", "m.py")}, setup={"download": ("files",)})
    assert suite.unavailable("w/1", OsworldSettings(), "remote") == (
        f"the initial file a.bin is not here ({URL}w/1/a.bin)",
        f"the initial file b.bin is not here ({URL}w/1/b.bin); give a mirror with --set assets=DIR, or --set network=true",
    )


def test_the_module_offers_stand_ins() -> None:
    assert MODULE.makes("a/b/c.docx") and not MODULE.makes("a/b/c.exe")
    assert stand_ins.recipe("libreoffice_writer/ecc2413d-8a48-416e-a3a2-d30106ca36cb/Sample_Statutory_Declaration.docx") != (
        stand_ins.recipe("libreoffice_writer/other/Sample_Statutory_Declaration.docx")
    )


METRICS = "def contains(path, rules, **options):\n    return 1.0 if rules['text'].encode() in open(path, 'rb').read() else 0.0\n"


@pytest.mark.parametrize(("role", "text", "code"), [("mutant", "b", 1), ("mutant", "z", 0), ("golden", "b", 0), ("golden", "z", 1)])
def test_the_script_of_a_report_exits_with_1_while_the_fault_stands(role: str, text: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "desktop_env/evaluators/metrics").mkdir(parents=True)
    (tmp_path / "desktop_env/evaluators/metrics/__init__.py").write_text(METRICS)
    evaluator = {"func": "contains", "result": {"type": "vm_file", "path": "/home/user/a.txt"}}
    evaluator["expected"] = {"type": "rule", "rules": {"text": text}}
    task = TaskFile("os", "1", {"instruction": "Do {it}\nnow", "evaluator": evaluator})
    steps = [file_step("/home/user/a.txt", base64.b64encode(b"abc").decode())]
    run = ControlRun(
        control=role,
        role=Role(role),
        expect=PASSED if role == "golden" else BELOW_GOLDEN,
        provenance=Provenance(source="instruction", means="file"),
        outcome=Outcome.JUDGED,
        readback=Readback(found={"a": 1}, steps=steps),
    )
    source = script(task, run, {"desktop-env": "1.0.2", "tasks": "x"})
    done = subprocess.run([sys.executable, "-c", source], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, timeout=60)
    assert done.returncode == code, done.stderr
    assert script(task, run.model_copy(update={"readback": Readback(steps=[["put", "/home/user/a.txt", 3]])}), {}) == ""


def package(parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


@pytest.mark.parametrize(
    ("suffix", "parts", "part", "after"),
    [
        (
            ".docx",
            {"word/document.xml": "<w:t>a</w:t><w:t> </w:t>", "x": "<w:t>y</w:t>"},
            "word/document.xml",
            "<w:t>a xyz</w:t><w:t> </w:t>",
        ),
        (
            ".pptx",
            {"ppt/slides/slide2.xml": "<a:t>b</a:t>", "ppt/slides/slide10.xml": "<a:t>c</a:t>", "ppt/slides/slide11.xml": "<p/>"},
            "ppt/slides/slide10.xml",
            "<a:t>c xyz</a:t>",
        ),
    ],
)
def test_one_text_is_changed_and_nothing_else(suffix: str, parts: dict[str, str], part: str, after: str) -> None:
    changed = with_one_text(package(parts), suffix)
    assert changed is not None
    with zipfile.ZipFile(io.BytesIO(changed[0])) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == {**parts, part: after}
    assert with_one_text(package({"word/document.xml": "<w:t> </w:t>"}), suffix) is None


@pytest.mark.parametrize(("name", "mutant"), [("a.docx", "one-paragraph"), ("a.pptx", "one-slide"), ("a.png", "one-region"), ("a.pdf", "")])
def test_a_gold_file_of_each_kind_has_its_mutant(name: str, mutant: str) -> None:
    evaluator = {"func": "f", "result": {"type": "vm_file", "path": f"/home/user/{name}"}}
    evaluator["expected"] = {"type": "cloud_file", "path": URL + name, "dest": f"gold_{name}"}  # type: ignore[assignment]
    found = [control.name for control in artefact_controls(TaskFile("os", "1", {"evaluator": evaluator}))]
    assert found == ["golden", "initial-file", *([mutant] if mutant else [])]
