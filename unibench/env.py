"""One Gymnasium environment for all suites, over a session process."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import gymnasium
import numpy as np

from unibench import registry
from unibench.actions import parse_action
from unibench.errors import Fault, ResetNeeded, UnknownName, UsageError
from unibench.observations import Observation, Screenshot
from unibench.outcome import ending_of, outcome_of
from unibench.rules import AT_BUDGET, EpisodeRules, ScoreAtBudget, Spent
from unibench.session.remote import RemoteSuite
from unibench.settings import Settings
from unibench.spaces import ActionSpace, observation_space
from unibench.step_limit import StepLimit, step_limit, steps_of
from unibench.suite import SuiteFace
from unibench.task import Budget, InstanceSpec, Task
from unibench.verdict import Reward, Status, Verdict, VerifierDescriptor

OnFault = Literal["raise", "truncate"]
RewardMode = Literal["final", "delta"]


class Env(gymnasium.Env[dict[str, Any], Any]):
    """A task of a suite as a Gymnasium environment. The undiscounted return is the verdict's score.

    ``info["verdict"]`` is the contract: a :class:`~unibench.verdict.Verdict` whenever the verifier was asked. The reward is a
    :class:`~unibench.verdict.Reward`, which carries the same. At the episode's end ``info["ending"]`` and ``info["outcome"]``
    say how it ended and what that makes of it.

    Args:
        suite: an installed suite's name.
        task: the task's id; or None, if every ``reset`` names one in ``options={"task": …}``.
        observe: names of observations, as a list or with commas; the suite's default else.
        settings: a Settings object, or a mapping of setting names to values.
        substrate: the machine; the suite's default else.
        max_steps: the budget in steps, or a multiple of what a human needs (``"2x"``); the task's own else.
        on_fault: ``raise`` typed errors, or ``truncate`` the episode: reward 0.0, ``truncated``, no verdict.
        score_at_budget: when the step budget ends the episode: ``verify``, ``fail``, or ``unscored``; upstream's rule else.
        reward: ``final`` gives the score with the last step; ``delta`` its increments as they come.
        session: a session that is open already, with its settings and substrate; ``close`` gives it up.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}

    def __init__(
        self,
        suite: str,
        task: str | None = None,
        *,
        observe: Sequence[str] | str | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        substrate: str | None = None,
        max_steps: StepLimit | None = None,
        on_fault: OnFault = "raise",
        score_at_budget: ScoreAtBudget | None = None,
        reward: RewardMode = "final",
        render_mode: str | None = None,
        session: RemoteSuite | None = None,
    ) -> None:
        for what, value, known in (
            ("on_fault", on_fault, get_args(OnFault)),
            ("score_at_budget", score_at_budget, (None, *get_args(ScoreAtBudget))),
            ("reward", reward, get_args(RewardMode)),
        ):
            if value not in known:
                raise UnknownName.among(f"value of {what}", str(value), filter(None, known))
        face = registry.find_face(suite)
        chosen = chosen_settings(face, settings)
        self.face = face
        self._remote = session or registry.open_suite(suite, chosen, substrate)
        self.settings = self._remote.settings
        self.offers = face.offers(self.settings)
        if isinstance(observe, str):
            observe = [name.strip() for name in observe.split(",")]
        self.observe = tuple(observe if observe is not None else face.observe)
        for name in self.observe:
            if name not in self.offers.observations:
                raise UnknownName.among(f"observation of {suite}", name, self.offers.observations)
        self.task = task
        self.render_mode = render_mode
        self.observation_space = observation_space(self.offers, self.observe)
        self.action_space = ActionSpace(self.offers)
        self._max_steps = step_limit(max_steps) if max_steps is not None else None
        self._on_fault = on_fault
        self._score_at_budget: ScoreAtBudget = score_at_budget or face.score_at_budget
        self._reward = reward
        self._known: dict[str, Task] | None = None
        self._rules: EpisodeRules | None = None
        self._descriptors: dict[str, VerifierDescriptor] = {}
        self._live = False
        self._failed_reset: dict[str, Any] = {}
        self._steps = 0
        self._paid = 0.0
        self._started = 0.0
        self.last_observation: Observation | None = None
        """The latest observation as the session gave it, with the time that each part took."""

    # -- Gymnasium -----------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Draws an instance and brings it up.

        Args:
            seed: the instance's seed; without one, the next of this environment's own sequence.
            options: ``{"task": id}`` names another task; ``{"spec": InstanceSpec}`` replays an instance.

        Returns:
            The observation, and an info with ``brief``, ``spec`` and ``goal``.
        """
        super().reset(seed=seed)
        options = options or {}
        self._live = False
        self._failed_reset = {}
        try:
            spec = self._spec(seed, options)
            steps = steps_of(self._max_steps, self._definitions[spec.task]) if isinstance(self._max_steps, str) else self._max_steps
            brief = self._remote.reset(spec).brief
            if spec.task not in self._descriptors:
                self._descriptors[spec.task] = self._remote.describe(spec.task)
            descriptor = self._descriptors[spec.task]
            observation = self._look()
        except Fault as fault:
            if self._on_fault == "raise":
                raise
            self._failed_reset = self._faulted(fault)
            return self._blank(), self._failed_reset
        budget = Budget(steps=steps or brief.budget.steps, seconds=brief.budget.seconds)
        self._rules = EpisodeRules(descriptor, budget, self._score_at_budget)
        brief = brief.model_copy(update={"budget": budget, "observations": self.observe})
        self._live = True
        self._steps, self._paid, self._started = 0, 0.0, time.monotonic()
        return observation, {"brief": brief, "spec": spec, "goal": brief.text}

    def step(self, action: Any) -> tuple[dict[str, Any], Reward, bool, bool, dict[str, Any]]:
        """Does an action: an :data:`~unibench.actions.Action`, a mapping of that form, or a native string.

        Raises:
            ResetNeeded: there is no running episode.
            UnsupportedAction: it is no action of this suite.
            EnvironmentFault: the machine broke (with ``on_fault="raise"``).
        """
        if not self._live or self._rules is None:
            if self._failed_reset:
                # A vector environment steps every sub-environment, one whose reset failed as well.
                return self._blank(), Reward(0.0), False, True, self._failed_reset
            raise ResetNeeded("there is no running episode; call reset() first")
        parsed = parse_action(action, dialect=self.action_space.dialect)  # type: ignore[attr-defined]
        self._steps += 1
        try:
            result = self._remote.act(parsed)
            spent = Spent(self._steps, time.monotonic() - self._started)
            verdict = self._remote.verify() if self._rules.each_step else None
            ending = self._rules.ending(parsed, result, verdict, spent)
            if verdict is None and self._rules.asks(ending):
                verdict = self._remote.verify()
            observation = self._look() if ending is None else self._last_look()
        except Fault as fault:
            self._live = False
            if self._on_fault == "raise":
                raise
            return self._blank(), Reward(0.0), False, True, self._faulted(fault)
        verdict = self._rules.counted(ending, verdict)
        info: dict[str, Any] = {"action_error": result.error, "refused": result.refused}
        if verdict is not None:
            info["verdict"] = verdict
        if ending is not None:
            self._live = False
            info["ending"] = ending
            info["outcome"] = outcome_of(ending, verdict)
        truncated = ending in AT_BUDGET
        return observation, self._pay(verdict, last=ending is not None), ending is not None and not truncated, truncated, info

    def render(self) -> Any:
        """The screen as an array (height, width, 3), for ``render_mode="rgb_array"``."""
        if self.render_mode != "rgb_array":
            return None
        return self._remote.observe(["screenshot"])["screenshot"].array()

    def close(self) -> None:
        """Ends the session process; safe to call twice."""
        self._live = False
        self._remote.close()

    # -- inside --------------------------------------------------------------------------------

    def _spec(self, seed: int | None, options: dict[str, Any]) -> InstanceSpec:
        unknown = set(options) - {"task", "spec"}
        if unknown:
            raise UnknownName.among("reset option", sorted(unknown)[0], ["task", "spec"])
        if "spec" in options:
            spec = options["spec"]
            return spec if isinstance(spec, InstanceSpec) else InstanceSpec.model_validate(spec)
        task = options.get("task", self.task)
        if task is None:
            raise UsageError(
                f"this environment has no task; name one: unibench.make('{self.face.name}/TASK'), or reset(options={{'task': …}})"
            )
        self.check_task(task)
        drawn = seed if seed is not None else int(self.np_random.integers(0, 2**31 - 1))
        return self._remote.draw(task, drawn)

    def check_task(self, task: str | None) -> None:
        """Checks that the suite has such a task; None is fine.

        Raises:
            UnknownName: it has none.
        """
        if task is None:
            return
        if task not in self._definitions:
            raise UnknownName.among(f"task of {self.face.name}", task, self._definitions)

    @property
    def _definitions(self) -> dict[str, Task]:
        if self._known is None:
            self._known = {each.id: each for each in self._remote.tasks()}
        return self._known

    def _pay(self, verdict: Verdict | None, *, last: bool) -> Reward:
        score = 0.0 if verdict is None or verdict.status is Status.UNSCORED else float(verdict.score or 0.0)
        if self._reward == "final":
            return Reward(score if last else 0.0, verdict)
        due = score - self._paid if verdict is not None else 0.0
        self._paid += due
        return Reward(due, verdict)

    def _look(self) -> dict[str, Any]:
        self.last_observation = self._remote.observe(self.observe) if self.observe else Observation({})
        values = self.last_observation.values
        return {name: values[name].array() if isinstance(values[name], Screenshot) else values[name] for name in self.observe}

    def _last_look(self) -> dict[str, Any]:
        """The observation after the end: what breaks now changes no verdict."""
        try:
            return self._look()
        except Fault:
            return self._blank()

    def _blank(self) -> dict[str, Any]:
        """An observation of nothing, of the right form, for an episode that broke."""
        width, height = self.offers.screen
        nothing: dict[str, Any] = {"image": np.zeros((height, width, 3), np.uint8), "text": "", "json": None}
        return {name: nothing[self.offers.observations[name]] for name in self.observe}

    def _faulted(self, fault: Fault) -> dict[str, Any]:
        ending = ending_of(fault)
        return {"ending": ending, "outcome": outcome_of(ending, None), "fault": f"{type(fault).__name__}: {fault}"}


def chosen_settings(face: SuiteFace, settings: Settings | Mapping[str, Any] | None) -> Settings | None:
    """The suite's settings from what a user gave.

    Raises:
        UsageError: they are no settings of this suite.
    """
    if settings is None or isinstance(settings, face.settings):
        return settings
    if isinstance(settings, Mapping):
        return face.settings.parse(settings)
    raise UsageError(f"settings of {face.name} are a mapping of names to values, not {type(settings).__name__}")


def make(name: str, **kwargs: Any) -> Env:
    """An environment by ``suite/task``, or by ``suite`` alone if ``reset`` shall name the task.

    Args:
        name: ``"miniwob/click-test"``.
        kwargs: as for :class:`Env`.

    Raises:
        UnknownName: there is no such suite or task.
    """
    suite, _, task = name.partition("/")
    env = Env(suite, task or None, **kwargs)
    try:
        env.check_task(task or None)
    except BaseException:
        env.close()
        raise
    return env
