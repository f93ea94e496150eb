"""AndroidWorld without its upstream: the face, instance records, and the recipes' engine on the simulated device."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import make_dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unibench import registry
from unibench.errors import ContractBroken, Unavailable, UsageError
from unibench.golden.control import Equivalent, NotApplicable, RecipeFailed, Role, Vacuous
from unibench_android_world import params
from unibench_android_world.emulators import find_adb
from unibench_android_world.upstream import remember_songs
from unibench_golden_checks.android_world.controls import DATA, WORDS, controls_of, load, make
from unibench_golden_checks.android_world.messages import messages
from unibench_golden_checks.android_world.notes import CreateNote, DeleteNote, MergeNotes, MoveNote
from unibench_golden_checks.android_world.phone import CommandFailed, Phone, literal
from unibench_golden_checks.android_world.recipe import RECIPES, TRUE_AT_START, Recipe, State, find
from unibench_golden_checks.android_world.switches import Brightness
from unibench_guests.simdevice import SimulatedDevice, userland

_MARKOR = "/data/media/0/Documents/Markor"


class DirectAdb:
    """The simulated device without adb."""

    def __init__(self, device: SimulatedDevice) -> None:
        self.device = device

    def shell(self, command: str) -> str:
        done = self.device.shell(command)
        if done.code:
            raise CommandFailed(f"{command}: {done.err.decode()}")
        return done.out.decode()

    def push(self, local: Path, remote: str) -> None:
        target = self.device.path(remote)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(local.read_bytes())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedDevice]:
    if userland.missing():
        pytest.skip("apt install mksh toybox, then: pytest tests/unit/test_android_recipes.py")
    device = SimulatedDevice(tmp_path_factory.mktemp("device"))
    device.path(_MARKOR).mkdir(parents=True)
    device.keep()
    yield device
    device.close()


@pytest.fixture
def device(built: SimulatedDevice) -> SimulatedDevice:
    built.restore()
    return built


def on(device: SimulatedDevice, recipe: type[Recipe], goal: str, **task: Any) -> Recipe:
    """A recipe on the device, with a stand-in for upstream's task object."""
    answers: list[str] = []
    handle = SimpleNamespace(task=SimpleNamespace(**task), env=None, goal=goal, say=answers.append)
    return recipe(Phone(DirectAdb(device)), handle)


def note(device: SimulatedDevice, name: str) -> str | None:
    path = device.path(f"{_MARKOR}/{name}")
    return path.read_text() if path.exists() else None


class TestRecipes:
    GOAL: ClassVar[str] = 'Create a new note in Markor named a_b.md with the following text: It\'s $HOME, "quoted"\nand `more`.'

    def test_a_golden_is_made_from_the_goals_words(self, device: SimulatedDevice) -> None:
        back = make(on(device, CreateNote, self.GOAL), WORDS, true_at_start=False)
        assert back.right is True
        assert note(device, "a_b.md") == 'It\'s $HOME, "quoted"\nand `more`.'

    def test_each_mutant_differs_and_is_marked_wrong(self, device: SimulatedDevice) -> None:
        for name in CreateNote.mutations:
            device.restore()
            back = make(on(device, CreateNote, self.GOAL), name, true_at_start=False)
            assert back.right is False
            assert back.found == back.made != back.wanted

    def test_doing_nothing_being_right_is_vacuous(self, device: SimulatedDevice) -> None:
        device.path(f"{_MARKOR}/a_b.md").write_text('It\'s $HOME, "quoted"\nand `more`.')
        with pytest.raises(Vacuous):
            make(on(device, CreateNote, self.GOAL), WORDS, true_at_start=False)

    def test_a_device_that_does_not_keep_what_is_written_fails_the_recipe(self, device: SimulatedDevice) -> None:
        recipe = on(device, CreateNote, self.GOAL)
        recipe.phone._adb.push = lambda local, remote: None  # type: ignore[method-assign]
        with pytest.raises(RecipeFailed, match="reads back"):
            make(recipe, WORDS, true_at_start=False)

    def test_a_goal_of_another_form_fails_the_recipe(self, device: SimulatedDevice) -> None:
        with pytest.raises(RecipeFailed, match="does not look like"):
            make(on(device, CreateNote, "Make a note."), WORDS, true_at_start=False)

    def test_a_mutant_that_is_right_is_said_to_be(self, device: SimulatedDevice) -> None:
        class Same(CreateNote):
            def mutant(self, name: str, wanted: State) -> State | None:
                return wanted

        with pytest.raises(Equivalent):
            make(on(device, Same, self.GOAL), "other-name", true_at_start=False)

    def test_a_state_that_the_instance_has_not_is_not_applicable(self, device: SimulatedDevice) -> None:
        device.path(f"{_MARKOR}/only.md").write_text("x")
        with pytest.raises(NotApplicable):
            make(on(device, DeleteNote, "Delete the note in Markor named only.md."), "all-deleted", true_at_start=False)

    def test_moves_keep_what_they_do_not_name(self, device: SimulatedDevice) -> None:
        for name in ("From/a.md", "From/b.md", "To/c.md"):
            device.path(f"{_MARKOR}/{name}").parent.mkdir(exist_ok=True)
            device.path(f"{_MARKOR}/{name}").write_text(name)
        make(on(device, MoveNote, "In Markor, move the note a.md from From to To."), WORDS, true_at_start=False)
        assert [note(device, name) for name in ("From/a.md", "To/a.md", "From/b.md", "To/c.md")] == [
            None,
            "From/a.md",
            "From/b.md",
            "To/c.md",
        ]

    def test_merging_puts_a_blank_line_between(self, device: SimulatedDevice) -> None:
        for name in ("1.md", "2.md", "3.md"):
            device.path(f"{_MARKOR}/{name}").write_text(f"text {name}\n")
        goal = (
            "Merge the contents of Markor notes 1.md, 2.md and 3.md (in the same order) into a new Markor note named new and save it. "
            "Add a new line between the content of each note."
        )
        make(on(device, MergeNotes, goal), WORDS, true_at_start=False)
        assert note(device, "new") == "text 1.md\n\ntext 2.md\n\ntext 3.md\n"

    def test_settings_need_no_upstream(self, device: SimulatedDevice) -> None:
        recipe = on(device, Brightness, "Turn brightness to the max value.", params={"max_or_min": "max"})
        assert make(recipe, "one-short", true_at_start=False).found == {"screen_brightness": "254"}

    def test_a_rows_text_may_have_several_lines(self, device: SimulatedDevice) -> None:
        phone = Phone(DirectAdb(device))
        phone.sql("/data/a.db", "CREATE TABLE t(a, b)")
        rows = [{"a": "first\nsecond\u2028third", "b": None}, {"a": "'; --", "b": 2}]
        for row in rows:
            phone.insert("/data/a.db", "t", row)
        assert phone.rows("/data/a.db", "t", ["a", "b"]) == [{name: literal(value) for name, value in row.items()} for row in rows]

    def test_every_command_is_kept_for_a_replay(self, device: SimulatedDevice) -> None:
        back = make(on(device, CreateNote, self.GOAL), WORDS, true_at_start=False)
        assert ["write", f"{CreateNote.folder}/a_b.md", 'It\'s $HOME, "quoted"\nand `more`.'] in back.steps


class TestRegistry:
    def test_the_most_derived_class_decides(self) -> None:
        load()
        assert find(["SystemBrightnessMax", "_SystemBrightnessToggle", "TaskEval"]) is Brightness
        assert find(["TaskEval", "ABC"]) is None

    def test_words_come_with_a_second_golden(self) -> None:
        names = [(control.name, control.role) for control in controls_of(CreateNote, true_at_start=False)]
        assert names[:2] == [(DATA, Role.GOLDEN), (WORDS, Role.GOLDEN)]
        assert all(role is Role.MUTANT for _, role in names[2:])

    def test_a_task_that_is_true_at_start_must_pass_untouched(self) -> None:
        load()
        assert sorted(TRUE_AT_START) == sorted(f"System{what}Verify" for what in (
            "BluetoothTurnOff", "BluetoothTurnOn", "BrightnessMax", "BrightnessMin", "WifiTurnOff", "WifiTurnOn",
        ))  # fmt: skip
        roles = {control.name: control.expect.type for control in controls_of(RECIPES["SystemWifiTurnOnVerify"], true_at_start=True)}
        assert roles["untouched"] == roles["claims-done"] == "passed"
        assert roles["broken"] == "not-passed"


class TestRecords:
    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
            lambda inner: (
                st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text().filter(lambda key: not key.startswith("$")), inner)
            ),
            max_leaves=10,
        )
    )
    def test_what_is_drawn_comes_back(self, value: Any) -> None:
        assert params.from_json(params.to_json(value)) == value

    def test_images_keep_their_pixels(self) -> None:
        from PIL import Image

        image = Image.new("RGB", (3, 2), (10, 20, 30))
        image.putpixel((1, 1), (200, 0, 1))
        back = params.from_json(params.to_json({"img": image}))["img"]
        assert (back.size, back.tobytes()) == (image.size, image.tobytes())

    def test_what_cannot_be_recorded_is_said(self) -> None:
        with pytest.raises(ContractBroken, match="object"):
            params.to_json(object())
        with pytest.raises(ContractBroken, match="keys"):
            params.to_json({"$row": 1})

    def test_a_record_names_upstreams_rows_and_no_other_class(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = ModuleType("android_world.task_evals.utils.sqlite_schema_utils")
        rows.Expense, rows.random, rows.Any = make_dataclass("Expense", ["name"]), random, Any  # type: ignore[attr-defined]
        for name in ("android_world", "android_world.task_evals", "android_world.task_evals.utils"):
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        monkeypatch.setitem(sys.modules, rows.__name__, rows)
        sys.modules["android_world.task_evals.utils"].sqlite_schema_utils = rows  # type: ignore[attr-defined]
        drawn = {"rows": [rows.Expense("tea")]}
        assert params.from_json(params.to_json(drawn)) == drawn
        for name in ("random", "Any", "Popen"):
            with pytest.raises(UsageError, match="sqlite_schema_utils has not"):
                params.from_json({"$row": name, "fields": {}})


def test_the_face_needs_no_upstream() -> None:
    face = registry.find_face("android_world")
    assert [(machine.name, machine.fidelity, machine.agents) for machine in face.substrates] == [
        ("emulator", "official", True),
        ("simdevice", "stand-in", False),
    ]
    assert face.score_at_budget == "fail"
    assert face.environment(face.settings())["PYTHONHASHSEED"] == "0"


def test_a_missing_adb_is_said(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="--set adb_path"):
        find_adb(str(tmp_path / "adb"))


@given(st.none() | st.integers(-(2**63), 2**63 - 1) | st.text(alphabet="a'\";é ") | st.binary(max_size=4))
def test_literals_are_what_sqlite_quotes(value: Any) -> None:
    import sqlite3

    assert sqlite3.connect(":memory:").execute("SELECT quote(?)", (value,)).fetchone()[0] == literal(value)


def test_messages_with_commas_and_equal_signs_are_read_whole() -> None:
    row = "Row: 0 _id=2, thread_id=1, address=+15, person=NULL, date=5, type=2, subject=NULL, body=a=b, c, service_center=NULL, locked=0\n"
    assert messages(row) == [{"address": "+15", "body": "a=b, c", "type": "2"}]


def test_a_song_is_encoded_once_and_another_one_anew(tmp_path: Path) -> None:
    made: list[tuple[str, str, int]] = []

    def create(file_path: str, artist: str, title: str, duration_milliseconds: int = 1000) -> str:
        made.append((artist, title, duration_milliseconds))
        Path(file_path).write_text(f"{artist} {title} {duration_milliseconds}")
        return file_path

    module: Any = SimpleNamespace(_create_test_mp3=create)
    remember_songs(module, tmp_path)
    for number, title in enumerate(("one", "two", "one")):
        path = str(tmp_path / f"{number}.mp3")
        assert module._create_test_mp3(path, artist="a", title=title, duration_milliseconds=7) == path
    assert [(tmp_path / f"{n}.mp3").read_text() for n in range(3)] == ["a one 7", "a two 7", "a one 7"]
    assert made == [("a", "one", 7), ("a", "two", 7)]
