"""The Gymnasium environment over MiniWoB++: rewards, endings, faults and vector environments."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import unibench
from unibench.env import Env
from unibench.errors import EnvironmentFault, ResetNeeded, SessionDied, UnknownName, UnsupportedAction, UsageError
from unibench.outcome import Ending, Outcome
from unibench.task import InstanceSpec
from unibench.verdict import Reward, Status, Verdict

pytestmark = pytest.mark.browser

SOLVE = "click('13')"  # the one button of click-test
IDLE = "noop(0)"


@pytest.fixture(scope="module")
def env() -> Iterator[Env]:
    env = unibench.make("miniwob/click-test")
    yield env
    env.close()


def break_it(env: Env) -> None:
    """Kills the session process, as the kernel's out-of-memory killer would."""
    assert env._remote.host.process is not None
    env._remote.host.process.kill()


def test_a_solved_episode(env: Env) -> None:
    observation, info = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert observation["screenshot"].shape == (321, 498, 3)
    assert info["goal"] == "Click the button."
    assert info["brief"].budget.steps == 10
    observation, reward, terminated, truncated, info = env.step(IDLE)
    assert (float(reward), terminated, truncated) == (0.0, False, False)
    assert info["verdict"].status is Status.FAIL, "asked after each step"
    observation, reward, terminated, truncated, info = env.step(SOLVE)
    assert (float(reward), terminated, truncated) == (1.0, True, False)
    assert isinstance(reward, Reward)
    assert reward.verdict == info["verdict"]
    assert isinstance(info["verdict"], Verdict)
    assert (info["ending"], info["outcome"]) == (Ending.SUITE_ENDED, Outcome.SUCCESS)
    with pytest.raises(ResetNeeded):
        env.step(IDLE)


def test_seeds_and_specs_repeat_instances(env: Env) -> None:
    _, first = env.reset(seed=5, options={"task": "click-button"})
    _, again = env.reset(seed=5, options={"task": "click-button"})
    _, other = env.reset(options={"task": "click-button"})
    _, replay = env.reset(options={"spec": InstanceSpec.model_validate_json(other["spec"].model_dump_json())})
    assert first["goal"] == again["goal"]
    assert other["spec"].digest != first["spec"].digest
    assert replay["goal"] == other["goal"]


def test_the_step_budget_truncates_and_the_verifier_is_asked() -> None:
    for how, outcome in (("verify", Outcome.FAILURE), ("fail", Outcome.FAILURE), ("unscored", Outcome.UNSCORED)):
        env = unibench.make("miniwob/click-test", max_steps=2, score_at_budget=how)
        env.reset(seed=0)
        assert not env.step(IDLE)[3]
        _, reward, terminated, truncated, info = env.step(IDLE)
        assert (float(reward), terminated, truncated) == (0.0, False, True)
        assert (info["ending"], info["outcome"]) == (Ending.STEPS, outcome)
        env.close()


def test_success_on_the_last_step_is_success() -> None:
    env = unibench.make("miniwob/click-test", max_steps=1, score_at_budget="fail")
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(SOLVE)
    assert (float(reward), terminated, truncated, info["outcome"]) == (1.0, True, False, Outcome.SUCCESS)
    env.close()


def test_delta_rewards_sum_to_the_score() -> None:
    env = unibench.make("miniwob/click-test", reward="delta")
    env.reset(seed=0)
    assert [float(env.step(action)[1]) for action in (IDLE, SOLVE)] == [0.0, 1.0]
    env.close()


def test_done_and_infeasible_end(env: Env) -> None:
    for action, ending in (({"type": "done"}, Ending.DONE), ({"type": "infeasible", "reason": "x"}, Ending.INFEASIBLE)):
        env.reset(seed=0)
        _, reward, terminated, _, info = env.step(action)
        assert (float(reward), terminated, info["ending"], info["outcome"]) == (0.0, True, ending, Outcome.FAILURE)


def test_an_agents_mistake_is_told_to_it_and_ends_nothing(env: Env) -> None:
    env.reset(seed=0)
    _, _, terminated, truncated, info = env.step("click('no such ref')")
    assert not terminated
    assert not truncated
    assert "Could not find element" in info["action_error"]
    info = env.step("goto('javascript:1')")[4]
    assert info["refused"]
    with pytest.raises(UnsupportedAction):
        env.step({"type": "home"})
    with pytest.raises(UnsupportedAction):
        env.step(17)


def test_faults_raise_typed_errors_by_default(env: Env) -> None:
    env.reset(seed=0)
    break_it(env)
    with pytest.raises(EnvironmentFault) as caught:
        env.step(IDLE)
    assert isinstance(caught.value, SessionDied)
    with pytest.raises(ResetNeeded):
        env.step(IDLE)
    env.reset(seed=0)
    assert env.step(SOLVE)[4]["outcome"] is Outcome.SUCCESS


def test_faults_truncate_without_a_score_if_asked_to() -> None:
    env = unibench.make("miniwob/click-test", on_fault="truncate")
    env.reset(seed=0)
    break_it(env)
    observation, reward, terminated, truncated, info = env.step(IDLE)
    assert env.observation_space.contains(observation)
    assert (float(reward), terminated, truncated) == (0.0, False, True)
    assert (info["outcome"], info["ending"]) == (Outcome.ENV_ERROR, Ending.ENV_ERROR)
    assert "verdict" not in info
    assert "SessionDied" in info["fault"]
    with pytest.raises(ResetNeeded):
        env.step(IDLE)
    env.reset(seed=0)
    assert env.step(SOLVE)[4]["outcome"] is Outcome.SUCCESS
    env.close()


def test_wrong_names_are_said() -> None:
    with pytest.raises(UnknownName, match="did you mean 'miniwob'"):
        unibench.make("miniwobb/click-test")
    with pytest.raises(UnknownName, match="did you mean 'click-test'"):
        unibench.make("miniwob/click-tst")
    with pytest.raises(UnknownName, match="did you mean 'screenshot'"):
        unibench.make("miniwob/click-test", observe=["screenshots"])
    with pytest.raises(UsageError, match="max_steps is 0"):
        unibench.make("miniwob/click-test", max_steps=0)
    env = unibench.make("miniwob")
    with pytest.raises(UsageError, match="has no task"):
        env.reset(seed=0)
    with pytest.raises(UnknownName, match="reset option 'tsk'"):
        env.reset(seed=0, options={"tsk": "x"})
    env.close()


def test_gymnasium_make_by_the_prefixed_id() -> None:
    code = (
        "import unibench, gymnasium\n"
        "env = gymnasium.make('unibench.gym:unibench/miniwob-v0', task='click-test', render_mode='rgb_array')\n"
        "env.reset(seed=0)\nprint(env.render().shape, env.spec.id)\nenv.close()\n"
    )
    done = subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(321, 498, 3) unibench/miniwob-v0"


def test_importing_unibench_first_or_gymnasium_first_registers() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import gymnasium, unibench; print('unibench/miniwob-v0' in gymnasium.registry)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True"


# -- vector environments -----------------------------------------------------------------------


def make_one() -> Env:
    return unibench.make("miniwob/click-test", observe=["screenshot", "url", "axtree"], on_fault="truncate")


@pytest.mark.parametrize("vector", ["sync", "async"])
def test_vector_environments_carry_verdicts(vector: str) -> None:
    makers = [make_one, make_one]
    venv: Any = SyncVectorEnv(makers) if vector == "sync" else AsyncVectorEnv(makers, shared_memory=False)
    try:
        observation, _ = venv.reset(seed=3)
        assert observation["screenshot"].shape == (2, 321, 498, 3)
        _, rewards, terminated, _, info = venv.step([SOLVE, IDLE])
        assert rewards.tolist() == [1.0, 0.0]
        assert terminated.tolist() == [True, False]
        assert [verdict.status for verdict in info["verdict"]] == [Status.PASS, Status.FAIL]
        assert info["outcome"][0] is Outcome.SUCCESS
    finally:
        venv.close()


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_one_broken_sub_environment_does_not_end_the_others(mode: AutoresetMode) -> None:
    venv = SyncVectorEnv([make_one, make_one], autoreset_mode=mode)
    try:
        venv.reset(seed=0)
        break_it(venv.envs[1])  # type: ignore[arg-type]
        _, rewards, terminated, truncated, info = venv.step([IDLE, IDLE])
        assert rewards.tolist() == [0.0, 0.0]
        assert (terminated.tolist(), truncated.tolist()) == ([False, False], [False, True])
        told = info["final_info"] if mode is AutoresetMode.SAME_STEP else info
        assert told["outcome"][1] is Outcome.ENV_ERROR
        if mode is AutoresetMode.NEXT_STEP:
            venv.step([IDLE, IDLE])
        _, rewards, terminated, _, info = venv.step([IDLE, SOLVE])
        assert rewards.tolist() == [0.0, 1.0]
        assert terminated.tolist() == [False, True]
    finally:
        venv.close()


def test_a_reset_that_fails_is_truncated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from unibench.errors import SetupFault
    from unibench.session.remote import RemoteSuite

    env = unibench.make("miniwob/click-test", on_fault="truncate")
    reset = RemoteSuite.reset
    monkeypatch.setattr(RemoteSuite, "reset", lambda self, spec: (_ for _ in ()).throw(SetupFault("the page did not load")))
    observation, info = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    assert info["outcome"] is Outcome.SETUP_ERROR
    _, reward, _, truncated, info = env.step(IDLE)
    assert (float(reward), truncated, info["outcome"], info["ending"]) == (0.0, True, Outcome.SETUP_ERROR, Ending.SETUP_ERROR)
    monkeypatch.setattr(RemoteSuite, "reset", reset)
    env.reset(seed=0)
    assert env.step(SOLVE)[4]["outcome"] is Outcome.SUCCESS
    env.close()


def test_action_samples_are_actions_and_repeat() -> None:
    space = unibench.make("miniwob").action_space
    space.seed(1)
    first = [space.sample() for _ in range(20)]
    space.seed(1)
    assert first == [space.sample() for _ in range(20)]
    assert all(space.contains(action) for action in first)
    assert space.contains("click('1')")
    assert not space.contains({"type": "home"})
    assert not space.contains(np.float64(1))


def test_a_killed_session_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    env = unibench.make("miniwob/click-test", observe=["url"])
    env.reset(seed=0)
    assert list(tmp_path.iterdir()), "the browser writes there"
    break_it(env)
    env.close()
    assert list(tmp_path.iterdir()) == []


def test_a_closed_environment_can_be_reset_and_closed_again() -> None:
    env = unibench.make("miniwob/click-test", observe=["url"])
    env.reset(seed=0)
    env.close()
    env.reset(seed=0)
    process = env._remote.host.process
    assert process is not None
    env.close()
    assert not process.alive
