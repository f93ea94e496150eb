"""Rows, intervals and bounds, on records made by hand."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from tests.unit.test_files import MACHINE
from tests.unit.test_verdict import descriptor
from unibench.errors import UnknownName
from unibench.outcome import Ending, outcome_of
from unibench.record import SCHEMA_VERSION
from unibench.runs.records import AgentIdentity, Dropped, EpisodeRecord, Manifest, Protocol
from unibench.scorecard import DifferentProtocols, MixedVerifierError, Scorecard, check_together, mean_score, scorecard
from unibench.scorecard.intervals import over_tasks, wilson
from unibench.scorecard.render import HEADINGS, as_csv, as_json, escaped, labelled, latex, markdown
from unibench.scorecard.together import FIELDS, Difference
from unibench.suite import Headline
from unibench.task import InstanceSpec
from unibench.verdict import Verdict, VerifierDescriptor

BINARY, GRADED = descriptor(), descriptor(kind="token-f1", scale="graded")


def episode(task: str, score: float | None, *, seed: int = 0, of: VerifierDescriptor = BINARY, **fields: Any) -> EpisodeRecord:
    verdict = None if score is None else Verdict.of(of, score)
    ending = Ending.ENV_ERROR if score is None else Ending.DONE
    spec = InstanceSpec(suite="s", task=task, seed=seed)
    needed = {"spec": spec, "goal": "g", "steps": 1, "started_at": "t", "seconds": 1.0, "ending": ending}
    return EpisodeRecord.of(of, verdict, outcome=outcome_of(ending, verdict), **{**needed, **fields})


def manifest(*dropped: Dropped, of: Headline | None = None, agent: AgentIdentity | None = None, **changed: Any) -> Manifest:
    protocol = Protocol(
        suite=changed.pop("suite", "s"),
        upstream={"x": "1"},
        substrate=MACHINE,
        settings={},
        settings_digest="d",
        observe=("a",),
        dialects=(),
        max_steps=None,
        score_at_budget="verify",
        act_seconds=1,
        retries=2,
        ledger_policy="drop-invalid",
        unibench="0.1.0",
    ).model_copy(update=changed)
    return Manifest(
        schema_version=SCHEMA_VERSION,
        made_at="t",
        protocol=protocol,
        agent=agent or AgentIdentity(name="a_b"),
        specs=("x",) * 3,
        dropped=dropped,
        tasks=4,
        headline=of or Headline(),
    )


def card(*records: EpisodeRecord, dropped: tuple[Dropped, ...] = (), **changed: Any) -> Scorecard:
    differences = changed.pop("differences", ())
    return scorecard(manifest(*dropped, **changed), records, {d.digest: d for d in (BINARY, GRADED)}, run="r", differences=differences)


@given(st.integers(1, 300), st.data())
def test_wilson_is_scipys_for_counts(n: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, n))
    theirs = binomtest(passed, n).proportion_ci(confidence_level=0.95, method="wilson")
    assert wilson(passed / n, n) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_a_perfect_score_has_no_perfect_interval() -> None:
    assert wilson(1.0, 20) == pytest.approx((0.839, 1.0), abs=1e-3)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_the_bootstrap_holds_the_mean_and_repeats(means: list[float]) -> None:
    found = over_tasks(means)
    assert found is not None
    assert found[0] - 1e-9 <= sum(means) / len(means) <= found[1] + 1e-9
    assert found == over_tasks(means)


def test_rows_are_by_kind_and_never_pooled() -> None:
    found = card(episode("t", 1.0), episode("u", 0.0), episode("v", 0.5, of=GRADED))
    assert [(row.row, row.scale, row.n, row.score) for row in found.rows] == [
        ("page-state", "binary", 2, 0.5),
        ("token-f1", "graded", 1, 0.5),
    ]
    assert found.official.kinds == ("page-state (binary)", "token-f1 (graded)")
    assert "mixes 2 kinds" in markdown([found])


def test_a_mean_over_kinds_is_refused_by_name() -> None:
    with pytest.raises(MixedVerifierError, match=r"page-state \(binary\), token-f1 \(graded\)"):
        mean_score([episode("t", 1.0), episode("v", 0.5, of=GRADED)])
    assert mean_score([episode("t", 1.0), episode("t", 0.0, seed=1), episode("u", 1.0)]) == 0.75
    assert mean_score([episode("t", None)]) is None


def test_tasks_count_once_however_often_they_ran() -> None:
    (row,) = card(*(episode("t", 1.0, seed=seed) for seed in range(9)), episode("u", 0.0)).rows
    assert (row.n, row.tasks, row.score, row.method) == (10, 2, 0.5, "Wilson on task means")
    assert row.interval == wilson(0.5, 2)


def test_unscored_episodes_are_bounded_and_not_hidden() -> None:
    (row,) = card(episode("t", 1.0), episode("u", None), episode("v", 0.0)).rows
    assert (row.n, row.unscored, row.score) == (2, 1, 0.5)
    assert row.bounds == pytest.approx((1 / 3, 2 / 3))
    assert row.outcomes == {"success": 1, "env_error": 1, "failure": 1}


def test_valid_tasks_stand_beside_all() -> None:
    found = card(episode("t", 1.0, checked="valid"), episode("u", 0.0, checked="stale"))
    assert [(row.tasks_shown, row.n, row.score) for row in found.rows] == [("all", 2, 0.5), ("valid", 1, 1.0)]
    assert "stale in the ledger, so not applied: 1 episodes" in markdown([found])


def test_every_format_has_every_row_and_says_what_was_dropped() -> None:
    found = card(episode("t", 1.0), dropped=(Dropped(task="x_y", reason="invalid: flaky"),))
    assert next(csv.reader(io.StringIO(as_csv([found])))) == [*HEADINGS, "remarks"]
    assert json.loads(as_json([found]))[0]["dropped"] == [{"task": "x_y", "spec": "", "reason": "invalid: flaky"}]
    assert "dropped, invalid: flaky: 1 tasks (x_y)" in markdown([found])
    assert r"a\_b & s & page-state" in latex([found])
    for text in (as_csv([found]), markdown([found]), latex([found])):
        assert "official: mean over all tasks; one kind" in text
        assert "1 of 4" in text


def test_latex_escapes_what_it_must() -> None:
    assert escaped("50% of a_b & #1 {x} \\") == r"50\% of a\_b \& \#1 \{x\} \textbackslash{}"


# -- upstream's headline -----------------------------------------------------------------------


def test_the_headline_is_by_the_suites_own_rule() -> None:
    records = [episode("t", 1.0, seed=seed) for seed in range(3)] + [episode("u", 0.0), episode("v", None)]
    by_task = card(*records).official
    assert (by_task.score, by_task.n, by_task.tasks, by_task.of, by_task.unscored) == (0.5, 4, 2, 4, 1)
    rule = Headline(name="mean reward", mean_over="episodes", unscored="zero", tasks=9, instances=3, rule="all", source="x.py")
    by_episode = card(*records, of=rule).official
    assert (by_episode.score, by_episode.n, by_episode.tasks, by_episode.of) == (3 / 5, 5, 3, 9)
    assert by_episode.lacks == ("3 of 9 tasks", "1 of 3 instances a task")


def test_the_headline_over_valid_tasks_stands_beside_it_and_says_that_it_mixes() -> None:
    found = card(episode("t", 1.0, checked="valid"), episode("v", 0.5, of=GRADED, checked="invalid"))
    assert (found.official.score, found.official.valid_score, found.official.valid_tasks) == (0.75, 1.0, 1)
    for text in (as_csv([found]), markdown([found]), latex([found])):
        assert text.count("official: mean over all tasks; mixes 2 kinds") == 2
        assert "1 valid" in text
        assert "the official row is not upstream's own number: 2 of 4 tasks" in text
    assert card(episode("t", 1.0)).official.valid_score is None, "nothing is valid without a golden check"


def test_the_headline_says_where_the_run_was_not_as_upstreams() -> None:
    found = card(*(episode(task, 1.0) for task in "tuvw"), max_steps=3, score_at_budget="fail")
    assert found.official.lacks == ("a budget of the run's own: max_steps, score_at_budget",)
    upstreams = manifest(score_at_budget="fail").model_copy(update={"upstream_at_budget": "fail"})
    assert scorecard(upstreams, [episode(task, 1.0) for task in "tuvw"], {BINARY.digest: BINARY}).official.lacks == ()
    other = manifest(substrate=MACHINE.model_copy(update={"fidelity": "stand-in"})).model_copy(update={"not_upstreams": ("slow_mo",)})
    lacks = scorecard(other, [episode(task, 1.0) for task in "tuvw"], {BINARY.digest: BINARY}).official.lacks
    assert lacks == ("settings that are not upstream's: slow_mo", "a stand-in for the machine")


def test_what_is_not_on_record_makes_a_reference_result() -> None:
    assert card(episode("t", 1.0)).missing == ()
    unknown = card(episode("t", 1.0), agent=AgentIdentity(name="m:A"), upstream={})
    assert unknown.missing == ("upstream's versions", "what the agent says of itself (describe())")
    for text in (as_csv([unknown]), markdown([unknown]), latex([unknown])):
        assert "a reference result, for it is not on record: upstream's versions, what the agent says" in text
    assert card(episode("t", 1.0), agent=AgentIdentity(name="m:A", described={"model": "x"})).missing == ()


def test_a_budget_of_cost_that_bounds_nothing_is_said() -> None:
    found = card(episode("t", 1.0), episode("u", 1.0, usage={"cost": 1.0}), max_cost=2.0)
    assert "--max-cost did not bound 1 episodes" in markdown([found])
    assert card(episode("t", 1.0)).without_cost == 0


# -- several runs in one table -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"max_steps": 9}, "max_steps"),
        ({"settings_digest": "e", "settings": {"slow": 1}}, "settings"),
        ({"upstream": {"x": "2"}}, "upstream"),
        ({"observe": ("b",)}, "observe"),
        ({"score_at_budget": "fail"}, "score_at_budget"),
        ({"max_cost": 1.0}, "max_cost"),
        ({"unibench": "0.2.0"}, "unibench"),
        ({"substrate": MACHINE.model_copy(update={"digest": "another"})}, "substrate"),
        ({"ledger": "abc"}, "ledger"),
    ],
)
def test_runs_that_differ_are_refused_with_what_differs_unless_allowed(changed: dict[str, Any], field: str) -> None:
    runs = {"one": manifest(), "two": manifest(**changed)}
    with pytest.raises(DifferentProtocols, match=rf"differ in {field} \(one: .*; two: .*--allow-diff {field}$"):
        check_together(runs)
    (found,) = check_together(runs, [field])["s"]
    shown = card(episode("t", 1.0), differences=(found,))
    for text in (as_csv([shown]), markdown([shown]), as_json([shown])):
        assert field in text
    assert rf"\par\footnotesize allowed to differ: {escaped(field)} (" in latex([shown])


def test_other_instances_are_refused_too() -> None:
    other = manifest().model_copy(update={"specs": ("x", "y")})
    with pytest.raises(DifferentProtocols, match=r"instances \(one: 3, digest .*; two: 2, digest"):
        check_together({"one": manifest(), "two": other})
    paired = manifest().model_copy(update={"tasks": 3})
    assert check_together({"one": manifest(), "two": paired}) == {"s": ()}, "--specs-from leaves out what was dropped"
    assert check_together({"one": manifest(), "two": manifest().model_copy(update={"specs": ("x",) * 3})}) == {"s": ()}


@pytest.mark.parametrize(
    "changed",
    [
        {"agent": AgentIdentity(name="other")},
        {"unibench": "0.1.7"},
        {"settings": {"quiet": True}},
        {"substrate": MACHINE.model_copy(update={"name": "another machine", "digest": "d"})},
        {"suite": "another suite", "upstream": {"y": "3"}},
    ],
)
def test_agents_machines_patches_and_settings_that_change_no_score_may_differ(changed: dict[str, Any]) -> None:
    assert all(differing == () for differing in check_together({"one": manifest(), "two": manifest(**changed)}).values())


def test_only_names_of_fields_are_allowed() -> None:
    with pytest.raises(UnknownName, match="did you mean 'max_steps'"):
        check_together({"one": manifest()}, ["max_step"])
    assert {"settings", "instances", "observe"} < set(FIELDS)


def test_suites_are_sections_and_agents_are_told_apart_by_their_arguments() -> None:
    one = card(episode("t", 1.0), agent=AgentIdentity(name="chat", arguments={"model": "m-1", "api_key": "[redacted]"}))
    two = card(episode("t", 1.0), agent=AgentIdentity(name="chat", arguments={"model": "m-2"}), suite="z")
    text = markdown([one, two])
    assert text.index("## s") < text.index("| chat model=m-1 | s |") < text.index("## z") < text.index("| chat model=m-2 | z |")
    assert latex([one, two]).count(r"\midrule") == 2
    assert "## " not in markdown([one, one])


@pytest.mark.parametrize("write", [markdown, as_csv, as_json, latex])
def test_rows_of_different_agents_are_never_the_same_text(write: Callable[[list[Scorecard]], str]) -> None:
    url = "https://openrouter.ai/api/v1/some/long/way/that/takes/more/than/eighty/characters/in/all"
    models = ("anthropic/claude-3.5-sonnet", "anthropic/claude-3-haiku")
    agents = [AgentIdentity(name="chat", arguments={"base_url": url, "model": model}) for model in models]
    cards = [card(episode("t", 1.0), agent=agent) for agent in agents]
    shown = write(cards)
    assert all(f"chat model={model}" in shown for model in models)
    alone = write(cards[:1])
    assert f"chat model={models[0]} base{escaped('_') if write is latex else '_'}url={url}" in alone, "alone it is named whole, and not cut"


def test_rows_that_differ_in_a_secret_or_in_nothing_are_told_apart_by_their_runs() -> None:
    agents = [AgentIdentity(name="chat", arguments={"api_key": "[redacted]"}, withheld=each) for each in "ab"]
    cards = [card(episode("t", 1.0), agent=agent).model_copy(update={"run": run}) for agent, run in zip(agents, ("r", "s"), strict=True)]
    assert [each.label for each in labelled(cards)] == ["chat (r)", "chat (s)"]
    assert labelled(cards[:1])[0].label == "chat"


def test_a_card_without_episodes_claims_nothing_of_verifiers() -> None:
    text = markdown([card()])
    assert "official: mean over all tasks; no episode yet" in text
    assert "implementations" not in text


def test_a_difference_is_one_line() -> None:
    assert Difference(field="max_steps", values={"r": "9", "s": "null"}).line == "max_steps (r: 9; s: null)"
