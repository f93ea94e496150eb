"""AndroidWorld's golden module: makes controls of recipes."""

from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import unibench_golden_checks.android_world as package
from unibench.actions import Done, Infeasible
from unibench.golden.control import (
    BELOW_GOLDEN,
    NOT_PASSED,
    NOTHING,
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
from unibench.golden.differ import beyond
from unibench.task import InstanceSpec
from unibench_golden_checks.android_world.phone import CommandFailed, Phone, UpstreamAdb
from unibench_golden_checks.android_world.recipe import TRUE_AT_START, Recipe, State, UnexpectedGoal, find
from unibench_golden_checks.android_world.repro import script
from unibench_golden_checks.sources import digest_of

if TYPE_CHECKING:
    from unibench.golden.results import ControlRun
    from unibench_android_world.session import AndroidHandle

MOST = 4000
"""The most characters of a state that a ledger keeps."""
_NO_RECIPES = {"controls", "phone", "recipe", "repro", "prove_reads"}
_DONE = (Done(),)
WORDS = "golden-from-words"
DATA = "golden"


@cache
def load() -> None:
    """Imports every module of this package, so that all recipes are registered."""
    for module in pkgutil.iter_modules(package.__path__):
        if module.name not in _NO_RECIPES:
            importlib.import_module(f"{package.__name__}.{module.name}")


@cache
def recipe_of(task: str) -> type[Recipe] | None:
    """The recipe of a task; None if it has none."""
    from android_world import registry

    load()
    cls = registry.TaskRegistry().get_registry("android_world")[task]
    return find([base.__name__ for base in cls.__mro__])


class AndroidWorldGolden:
    """See :class:`unibench.golden.control.GoldenModule`."""

    def controls(self, spec: InstanceSpec) -> Sequence[Control]:
        recipe = recipe_of(spec.task)
        return [] if recipe is None else controls_of(recipe, true_at_start=self.true_at_start(spec.task))

    def recipe_digest(self, task: str) -> str:
        recipe = recipe_of(task)
        own = [base.__module__ for base in (recipe.__mro__ if recipe else ()) if base.__module__.startswith(package.__name__)]
        return digest_of([*own, __name__], besides=[f"{package.__name__}.repro"])  # which writes scripts of faults that were found

    def true_at_start(self, task: str) -> bool:
        load()
        return task in TRUE_AT_START

    def repro(self, spec: InstanceSpec, goal: str, run: ControlRun, packages: Mapping[str, str]) -> str:
        return script(spec, goal, run, packages)


def controls_of(recipe: type[Recipe], *, true_at_start: bool) -> list[Control]:
    """The controls of an instance that this recipe serves."""
    note = recipe.note
    by_data = Provenance(source="verifier-data", means="adb", note=note)
    by_words = Provenance(source="instruction", means="adb", note=note)
    found: list[Control] = []
    if true_at_start:
        found += [
            Control("untouched", Role.UNTOUCHED, PASSED, NOTHING),
            Control("idle", Role.TRIVIAL, PASSED, NOTHING),
            Control("claims-done", Role.TRIVIAL, PASSED, NOTHING, final=_DONE),
            Control("claims-infeasible", Role.TRIVIAL, PASSED, NOTHING, final=(Infeasible(reason="this task cannot be done"),)),
        ]
    from_goal = by_words if recipe.words else by_data
    found.append(Control(DATA, Role.GOLDEN, PASSED, by_data, _build(recipe, DATA, true_at_start), _DONE, state=DATA))
    if recipe.words:
        found.append(Control(WORDS, Role.GOLDEN, PASSED, by_words, _build(recipe, WORDS, true_at_start), _DONE, state=WORDS))
    expect = NOT_PASSED if true_at_start else BELOW_GOLDEN
    for name in recipe.mutations:
        found.append(Control(name, Role.MUTANT, expect, from_goal, _build(recipe, name, true_at_start), _DONE, state=name))
    return found


def _build(recipe: type[Recipe], name: str, true_at_start: bool) -> Callable[[AndroidHandle], Readback]:
    def build(handle: AndroidHandle) -> Readback:
        with handle.working():
            return make(recipe(Phone(UpstreamAdb(handle.env)), handle), name, true_at_start=true_at_start)

    return build


def make(recipe: Recipe, name: str, *, true_at_start: bool) -> Readback:
    """Makes one state, reads it back, and says whether it is right.

    Raises:
        Vacuous: the initial state is right already.
        NotApplicable: the instance has no such state.
        Equivalent: a mutant turned out right.
        RecipeFailed: the phone does not hold what was made.
    """
    try:
        recipe.prepare()
        wanted = recipe.by_words() if recipe.words else recipe.by_data()
        if not true_at_start and recipe.before == wanted:
            raise Vacuous("the initial state is right already", Readback(wanted=_small(wanted), found=_small(recipe.before), right=True))
        if name == DATA:
            wanted = recipe.by_data()
        made: State = wanted
        if name not in (DATA, WORDS):
            made = recipe.mutant(name, wanted)
            if made is None:
                raise NotApplicable(f"this instance has no state {name!r}", Readback(wanted=wanted))
        if made == wanted and name not in (DATA, WORDS):
            raise Equivalent(f"the state {name!r} is right on this instance", Readback(wanted=wanted, made=made, right=True))
        recipe.construct(made)
        found = recipe.read()
    except (CommandFailed, UnexpectedGoal) as error:
        raise RecipeFailed(f"{type(error).__name__}: {error}", Readback(steps=recipe.phone.steps)) from None
    small = [_small(state, wanted, made, found) for state in (wanted, made, found)]
    back = Readback(wanted=small[0], made=small[1], found=small[2], right=found == made and name not in recipe.mutations)
    back = back.model_copy(update={"steps": recipe.phone.steps})
    if found != made:
        raise RecipeFailed(f"{name} reads back as {_text(found)}, not as {_text(made)}", back)
    return back


def _small(state: State, *beside: State) -> State:
    """A state that is fit for a ledger: a long one by what it begins with, or by the rows that states beside it do not have."""
    text = json.dumps(state, ensure_ascii=False)
    if len(text) <= MOST:
        return state
    if isinstance(state, list):
        apart = max((beyond(state, each) for each in beside if isinstance(each, list)), key=len, default=[])
        if apart and len(json.dumps(apart, ensure_ascii=False)) <= MOST:
            return {"rows": len(state), "apart": apart}
    return {"characters": len(text), "digest": hashlib.sha256(text.encode()).hexdigest()[:16], "begins": text[:1000]}


def _text(state: State) -> str:
    return json.dumps(state, ensure_ascii=False)[:300]


MODULE = AndroidWorldGolden()
