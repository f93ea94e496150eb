"""MiniWoB++'s golden module: makes controls of recipes."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import unibench_golden_checks.miniwob as package
from unibench.actions import Action
from unibench.golden.control import (
    BELOW_GOLDEN,
    PASSED,
    Control,
    Equivalent,
    NotApplicable,
    Provenance,
    Readback,
    RecipeFailed,
    Role,
    Vacuous,
)
from unibench.golden.results import ControlRun
from unibench.task import InstanceSpec
from unibench_browsergym.miniwob.session import MiniwobHandle
from unibench_golden_checks.miniwob.as_actions import as_actions
from unibench_golden_checks.miniwob.hand import Hand
from unibench_golden_checks.miniwob.recipe import RECIPES, Recipe, State
from unibench_golden_checks.sources import digest_of

SUBMIT_AT_ONCE = "submit-at-once"
_NO_RECIPES = {"hand", "recipe", "controls", "as_actions"}


@cache
def recipes() -> dict[str, type[Recipe]]:
    """All recipes by task, from every module of this package."""
    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in _NO_RECIPES:
            importlib.import_module(f"{package.__name__}.{module.name}")
    return RECIPES


class MiniwobGolden:
    """See :class:`unibench.golden.control.GoldenModule`."""

    def controls(self, spec: InstanceSpec) -> Sequence[Control]:
        recipe = recipes().get(spec.task)
        if recipe is None:
            return []
        means = "script-write" if recipe.writes else "real-input"
        provenance = Provenance(source="instruction", means=means, note="; ".join(filter(None, (recipe.writes, recipe.timing))))
        golden = Control("golden", Role.GOLDEN, PASSED, provenance, build=lambda handle: golden_state(recipe, handle), state="golden")
        names = ((SUBMIT_AT_ONCE,) if recipe.submits else ()) + recipe.mutations
        return [golden, *(mutant(recipe, name, provenance) for name in names)]

    def recipe_digest(self, task: str) -> str:
        return digest_of(cls.__module__ for cls in recipes()[task].__mro__ if cls.__module__.startswith(package.__name__))

    def true_at_start(self, task: str) -> bool:
        return False

    def unplayable(self, task: str) -> str:
        recipe = recipes().get(task)
        if recipe is None:
            return "there is no recipe"
        return f"its recipe writes by script: {recipe.writes}" if recipe.writes else recipe.live

    def actions(self, spec: InstanceSpec, handle: MiniwobHandle) -> Sequence[Action]:
        recipe = recipes()[spec.task](Hand(handle.page), handle.goal)
        make_golden(recipe)
        return as_actions(recipe.hand.steps, recipe.hand.waited)

    def repro(self, spec: InstanceSpec, goal: str, run: ControlRun, packages: Mapping[str, str]) -> str:
        from jinja2 import Template  # the session process itself does without

        template = Template(files(package).joinpath("repro.py.jinja").read_text(encoding="utf-8"), keep_trailing_newline=True)
        verb = "rejects" if run.role is Role.GOLDEN else "accepts"
        text: str = template.render(
            title=f"{spec.task}: the verifier {verb} the state {run.control!r}.",
            packages=" ".join(f"{name}=={version}" for name, version in packages.items()),
            task=spec.task,
            seed=spec.params["seed"],
            goal=repr(goal),
            wanted_reward=1.0 if run.role is Role.GOLDEN else 0.0,
            steps=json.dumps(run.readback.steps if run.readback else []),
        )
        return text


def mutant(recipe: type[Recipe], name: str, provenance: Provenance) -> Control:
    """The control of one nearly right state."""
    return Control(name, Role.MUTANT, BELOW_GOLDEN, provenance, build=lambda handle: mutant_state(recipe, name, handle), state=name)


def golden_state(recipe_class: type[Recipe], handle: MiniwobHandle) -> Readback:
    """Makes the right end state, checks it by reading it back, and commits."""
    return make_golden(recipe_class(Hand(handle.page), handle.goal))


def make_golden(recipe: Recipe) -> Readback:
    wanted = recipe.prepare()
    recipe.construct(wanted)
    found = recipe.read()
    if not recipe.right(found):
        back = _readback(recipe, made=wanted, found=found, right=False)
        raise RecipeFailed(f"the golden state reads back as {_text(found)}, not as {_text(wanted)}", back)
    recipe.commit()
    return _readback(recipe, made=wanted, found=found, right=True)


def mutant_state(recipe_class: type[Recipe], name: str, handle: MiniwobHandle) -> Readback:
    """Makes a nearly right end state, checks by reading it back that it is wrong, and commits."""
    recipe = recipe_class(Hand(handle.page), handle.goal)
    recipe.prepare()
    made: State = None
    if name != SUBMIT_AT_ONCE:
        made = recipe.mutant(name)
        if made is None:
            raise NotApplicable(f"this instance has no state {name!r}", _readback(recipe, made=None, found=None, right=None))
        recipe.construct(made)
    found = recipe.read()
    if recipe.right(found):
        back = _readback(recipe, made=made, found=found, right=True)
        if name == SUBMIT_AT_ONCE:
            raise Vacuous("the untouched page is right already", back)
        raise Equivalent(f"the state {_text(found)} is right by the instruction's words", back)
    recipe.commit()
    return _readback(recipe, made=made, found=found, right=False)


def _readback(recipe: Recipe, *, made: State, found: State, right: bool | None) -> Readback:
    return Readback(wanted=recipe.wanted, made=made, found=found, right=right, steps=list(recipe.hand.steps))


def _text(value: State) -> str:
    return json.dumps(value, ensure_ascii=False)[:200]


MODULE = MiniwobGolden()
