"""The contract, as tests that an adapter's own test class inherits. Each message is the clause that was broken."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, ClassVar

import pytest

from unibench import kinds, registry
from unibench.actions import Done, Home, Infeasible, Native
from unibench.errors import SessionDied, UnibenchError, UnknownName, UnsupportedAction
from unibench.golden.check import GoldenCheck, Plan
from unibench.golden.results import Decision
from unibench.observations import Screenshot
from unibench.record import canonical_json
from unibench.session.remote import RemoteSuite
from unibench.task import InstanceSpec
from unibench.verdict import Status, VerifierDescriptor

IMPORT_IS_LIGHT = "importing an adapter's face must not import its upstream"
IDS_ARE_UNIQUE = "a task's id must be unique in its suite"
DESCRIBE_IS_PURE = "a descriptor is a pure function of task, settings and version: asked twice, it must be the same"
DESCRIBE_BEFORE_RESET = "a descriptor must be complete before any reset"
DRAW_REPEATS = "the same (task, seed, index) must draw the same instance"
DRAW_VARIES = "another index must draw another instance's digest"
SPEC_IS_JSON = "an instance spec must survive JSON"
RESET_REPEATS = "the same spec must give the same goal, whatever ran before"
BRIEF_TELLS_NO_PARAMS = "a brief must not carry the spec's parameters"
ONLY_WHAT_WAS_ASKED = "observe must give just the names that were asked for"
SCREEN_IS_AS_OFFERED = "a screenshot must have the offered screen's size"


BAD_NATIVE_IS_ERROR = "a native action that means nothing must be the action's error, not an exception"
DONE_ENDS = "done must end the episode"
VERDICT_IS_OF_ITS_TASK = "a verdict must carry the descriptor that describe() gives"
UNTOUCHED_IS_SCORED = "the verifier must judge the untouched state, not raise on it"
NEXT_RESET_WORKS = "after a killed session process, the next reset must work"


class SuiteContract:
    """Inherit, and set what is yours.

    Attributes:
        suite: the suite's name.
        tasks: a few representative tasks.
        golden: tasks that the golden check must find valid, with at least one refused mutant.
        upstream_modules: top-level modules that importing the face must not import.
        settings: settings to run with.
        substrate: the machine; the suite's default else.
    """

    suite: ClassVar[str]
    tasks: ClassVar[tuple[str, ...]]
    golden: ClassVar[tuple[str, ...]] = ()
    upstream_modules: ClassVar[tuple[str, ...]] = ()
    settings: ClassVar[dict[str, Any]] = {}
    substrate: ClassVar[str | None] = None

    remote: ClassVar[RemoteSuite]

    @classmethod
    def setup_class(cls) -> None:
        """Opens the suite once for all tests; its session process starts with the first call."""
        face = registry.find_face(cls.suite)
        cls.remote = registry.open_suite(cls.suite, face.settings.parse(cls.settings), cls.substrate)

    @classmethod
    def teardown_class(cls) -> None:
        cls.remote.close()

    # -- the face ------------------------------------------------------------------------------

    def test_importing_the_face_is_light(self) -> None:
        heavy = ["gymnasium", "typer", "playwright", "torch", *self.upstream_modules]
        code = (
            "import sys; from unibench import registry; face = registry.find_face(sys.argv[1]); face.offers(face.settings());"
            "print([name for name in sys.argv[2:] if name in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", code, self.suite, *heavy], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == "[]", f"{IMPORT_IS_LIGHT}: {done.stdout}"

    def test_every_setting_knows_upstreams_value(self) -> None:
        model = registry.find_face(self.suite).settings
        for name, field in model.model_fields.items():
            assert {"upstream", "affects_scores"} <= set(model.facts(name))
            assert field.description

    def test_an_unknown_setting_is_refused(self) -> None:
        with pytest.raises(UnknownName):
            registry.find_face(self.suite).settings.parse({"no_such_setting": "1"})

    # -- tasks and descriptors -----------------------------------------------------------------

    def test_task_ids_are_unique(self) -> None:
        remote = self.remote
        ids = [task.id for task in remote.tasks()]
        assert ids
        assert len(ids) == len(set(ids)), IDS_ARE_UNIQUE
        assert set(self.tasks) <= set(ids)

    def test_every_task_is_described_before_any_reset(self) -> None:
        remote = self.remote
        ids = [task.id for task in remote.tasks()]
        with registry.open_suite(self.suite, remote.settings, self.substrate) as fresh:
            first = fresh.describe_all(ids)
        assert len(first) == len(ids), DESCRIBE_BEFORE_RESET
        for descriptor in first:
            kinds.check_kind(descriptor)
            assert VerifierDescriptor.model_validate_json(canonical_json(descriptor)).digest == descriptor.digest
        remote.reset(remote.draw(self.tasks[0], 0))
        assert [d.digest for d in remote.describe_all(ids)] == [d.digest for d in first], DESCRIBE_IS_PURE

    def test_an_unknown_task_is_said(self) -> None:
        remote = self.remote
        with pytest.raises(UnknownName):
            remote.draw("no-such-task-at-all", 0)

    def test_draws_repeat(self) -> None:
        remote = self.remote
        for task in self.tasks:
            spec = remote.draw(task, 7)
            assert spec == remote.draw(task, 7), DRAW_REPEATS
            assert spec.digest != remote.draw(task, 7, 1).digest, DRAW_VARIES
            assert InstanceSpec.model_validate_json(spec.model_dump_json()).digest == spec.digest, SPEC_IS_JSON

    # -- an episode ----------------------------------------------------------------------------

    def test_resets_repeat(self) -> None:
        remote = self.remote
        for task in self.tasks:
            spec = remote.draw(task, 3)
            first = remote.reset(spec)
            remote.act(Done())
            remote.reset(remote.draw(task, 4))
            again = remote.reset(spec)
            assert again.brief == first.brief, RESET_REPEATS
            assert again.initial_state == first.initial_state, RESET_REPEATS
            assert "params" not in json.loads(first.brief.model_dump_json()), BRIEF_TELLS_NO_PARAMS

    def test_observes_what_was_asked(self) -> None:
        remote = self.remote
        offers = remote.face.offers(remote.settings)
        remote.reset(remote.draw(self.tasks[0], 0))
        for name, kind in offers.observations.items():
            observation = remote.observe([name])
            assert list(observation.values) == [name], ONLY_WHAT_WAS_ASKED
            value = observation[name]
            if kind == "image":
                assert isinstance(value, Screenshot)
                assert value.size == offers.screen, SCREEN_IS_AS_OFFERED
                assert value.array().shape == (offers.screen[1], offers.screen[0], 3)
            elif kind == "text":
                assert isinstance(value, str)
            else:
                json.dumps(value)
        assert set(remote.observe(list(offers.observations)).values) == set(offers.observations)
        with pytest.raises(UnknownName, match="no-such-observation"):
            remote.observe(["no-such-observation"])

    def test_an_unsupported_action_raises(self) -> None:
        remote = self.remote
        offers = remote.face.offers(remote.settings)
        remote.reset(remote.draw(self.tasks[0], 0))
        strange = [Native(dialect="no-such-dialect", code="x")] + ([Home()] if "home" not in offers.actions else [])
        for action in strange:
            with pytest.raises(UnsupportedAction):
                remote.act(action)

    def test_a_senseless_native_action_is_an_error(self) -> None:
        remote = self.remote
        remote.reset(remote.draw(self.tasks[0], 0))
        for dialect in remote.face.offers(remote.settings).dialects:
            assert remote.act(Native(dialect=dialect, code="no_such_function(1)")).error, BAD_NATIVE_IS_ERROR

    def test_untouched_is_judged(self) -> None:
        remote = self.remote
        for task in self.tasks:
            remote.reset(remote.draw(task, 0))
            verdict = remote.verify()
            assert verdict.status is not Status.UNSCORED, f"{UNTOUCHED_IS_SCORED}: {verdict.error}"
            assert verdict.descriptor.digest == remote.describe(task).digest, VERDICT_IS_OF_ITS_TASK
            # A verifier that acts first has consumed the episode; the next one must not notice.
            remote.reset(remote.draw(task, 0))

    def test_done_and_infeasible_end(self) -> None:
        remote = self.remote
        for action in (Done(), Infeasible(reason="because")):
            remote.reset(remote.draw(self.tasks[0], 0))
            assert remote.act(action).ended, DONE_ENDS
            assert remote.verify().status is not Status.UNSCORED

    def test_artifacts_are_bytes(self) -> None:
        remote = self.remote
        remote.reset(remote.draw(self.tasks[0], 0))
        assert all(isinstance(data, bytes) for data in remote.artifacts().values())

    def test_a_killed_session_is_noticed_and_replaced(self) -> None:
        with registry.open_suite(self.suite, self.remote.settings, self.substrate) as remote:
            with pytest.raises(SessionDied):
                remote.act(Done())
            spec = remote.draw(self.tasks[0], 0)
            remote.reset(spec)
            assert remote.host.process is not None
            remote.host.process.kill()
            with pytest.raises(UnibenchError, match="session process"):
                remote.act(Done())
            assert remote.reset(spec).spec == spec, NEXT_RESET_WORKS
            remote.close()
            remote.close()

    # -- the golden check ----------------------------------------------------------------------

    def test_golden_tasks_are_valid(self) -> None:
        remote = self.remote
        if not self.golden:
            pytest.skip("this adapter's test class names no golden tasks")
        plan = Plan(lambda: registry.open_suite(self.suite, remote.settings, self.substrate), self.golden, seeds=(0, 1))
        ledger = GoldenCheck(plan).run()
        for entry in ledger.entries:
            assert entry.decision is Decision.VALID, f"{entry.task}: {entry.reasons} {[fault.line for fault in entry.faults]}"
            assert "no-mutant" not in entry.notes, f"{entry.task} has no mutant that was refused"

    # -- Gymnasium -----------------------------------------------------------------------------

    def test_gymnasium_check_env(self) -> None:
        pytest.importorskip("gymnasium")
        from gymnasium.utils.env_checker import check_env

        import unibench

        env = unibench.make(f"{self.suite}/{self.tasks[0]}", settings=self.settings, substrate=self.substrate)
        try:
            check_env(env, skip_render_check="screenshot" not in env.offers.observations)
        finally:
            env.close()
