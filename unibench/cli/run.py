"""``unibench run``."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from unibench.cli.common import SetOption, SubstrateOption, SuiteArgument, TaskOption, err, out, settings_from
from unibench.errors import Unavailable, UsageError
from unibench.selection import select

if TYPE_CHECKING:
    from unibench.agents.process import AgentProcess
    from unibench.runs.plan import RunPlan
    from unibench.runs.records import EpisodeRecord
    from unibench.runs.runner import Runner
    from unibench.suite import SuiteFace
    from unibench.task import InstanceSpec


SAID = 100
"""From how many instances on it is said that they are being drawn."""


class Policy(StrEnum):
    DROP_INVALID = "drop-invalid"
    VALID_ONLY = "valid-only"
    IGNORE = "ignore"


class AtBudget(StrEnum):
    VERIFY = "verify"
    FAIL = "fail"
    UNSCORED = "unscored"


def run(
    suite: SuiteArgument,
    agent: Annotated[
        str, typer.Option("--agent", "-a", metavar="AGENT", help="MODULE:CLASS (or a function), or built in: idle, random, claims-done …")
    ],
    argument: Annotated[list[str] | None, typer.Option("-A", metavar="K=V", help="An argument of the agent. Repeatable.")] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", metavar="MODEL", help="The agent's argument 'model'.")] = None,
    task: TaskOption = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Only the first N tasks.")] = None,
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="Instances a task, drawn from seeds 0 to N-1.")] = 1,
    specs_from: Annotated[
        Path | None, typer.Option("--specs-from", metavar="RUN", help="The same instances as another run had, to pair agents.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="DIR", help="The run's folder; runs/SUITE-AGENT else.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Episodes side by side.")] = 1,
    observe: Annotated[
        str | None, typer.Option("--observe", metavar="LIST", help="Observations, with commas; the suite's own else.")
    ] = None,
    max_steps: Annotated[
        str | None,
        typer.Option(
            "--max-steps", metavar="N", help="The budget in steps, or a multiple of what a human needs, such as 2x; each task's own else."
        ),
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            "--max-seconds", metavar="S", min=0.001, max=1e7, help="The budget in wall-clock seconds an episode; each task's own else."
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", metavar="C", min=1e-9, max=1e9, help="The budget an episode in the unit of the agent's usage 'cost'."),
    ] = None,
    score_at_budget: Annotated[
        AtBudget | None,
        typer.Option("--score-at-budget", help="What counts when a budget is used up: the verdict, 0, or nothing; upstream's rule else."),
    ] = None,
    act_seconds: Annotated[
        float, typer.Option("--act-seconds", metavar="S", min=0.1, max=86400, help="How long the agent may take for an action.")
    ] = 300,
    ledger: Annotated[
        Path | None, typer.Option("--ledger", metavar="FILE", help="The golden check's ledger; SUITE.ledger.json if there.")
    ] = None,
    ledger_policy: Annotated[Policy, typer.Option("--ledger-policy", help="Which tasks run by the ledger.")] = Policy.DROP_INVALID,
    screenshots: Annotated[bool, typer.Option("--screenshots", help="Keep every screenshot in the traces.")] = False,
    substrate: SubstrateOption = None,
    set_: SetOption = None,
) -> None:
    """Run an agent on a suite. The same command goes on where it was interrupted; nothing is lost or counted twice."""
    from unibench import registry
    from unibench.agents.builtin import GOLDEN
    from unibench.agents.golden import GoldenAgent
    from unibench.agents.needs import observations
    from unibench.agents.process import AgentProcess
    from unibench.runs.plan import draw, plan_run
    from unibench.runs.policy import ledger_for, ledger_path
    from unibench.runs.protocol import manifest_of, protocol_of
    from unibench.runs.runner import Runner
    from unibench.runs.store import RunStore, alone
    from unibench.step_limit import step_limit

    if specs_from is not None and (task or limit or seeds != 1):
        raise UsageError("--specs-from brings the instances; it does not go with -t, --limit or --seeds")
    limit_steps = step_limit(max_steps) if max_steps is not None else None
    face = registry.find_face(suite)
    settings = settings_from(face, set_)
    if not (machine := face.substrate(substrate)).agents:
        raise _no_agents(face, machine.name)
    arguments = {**_arguments(argument), **({"model": model} if model is not None else {})}
    folder = output or Path("runs") / f"{face.name}-{agent.replace(':', '.').replace('/', '.')}"
    known = ledger_for(face.name, ledger, ledger_policy.value)
    if agent == GOLDEN and arguments:
        raise UsageError("the agent golden takes no arguments")

    def open_agent() -> AgentProcess:
        return GoldenAgent() if agent == GOLDEN else AgentProcess(agent, arguments, seconds=act_seconds)

    with ExitStack() as stack:
        # Agent and suite go on to play, so that nothing starts twice.
        first_agent = stack.enter_context(_started(open_agent()))
        names = observations(face, settings, agent, first_agent, observe)
        stack.enter_context(alone(folder))
        remote = stack.enter_context(registry.open_suite(suite, settings, substrate))
        # What the user asked for is looked at first: a machine may take minutes to come up.
        if specs_from is not None:
            specs = _specs_of(specs_from, suite)
        else:
            chosen = select(remote.tasks(), task, suite)[:limit]
            if (count := len(chosen) * seeds) > SAID:
                err().print(f"drawing {count} instances: {len(chosen)} tasks, {seeds} seeds each")
            specs = draw(remote, chosen, range(seeds))
        machine = remote.open()
        if not machine.agents:
            raise _no_agents(face, machine.name)
        plan = plan_run(
            remote,
            machine,
            specs,
            known,
            ledger_policy.value,
            ledger_file=ledger_path(face.name, ledger),
            golden=agent == GOLDEN,
            max_steps=limit_steps,
        )
        if not plan.planned:
            _refuse(face.name, plan)
        protocol = protocol_of(
            remote,
            observe=names,
            max_steps=limit_steps,
            max_seconds=max_seconds,
            max_cost=max_cost,
            score_at_budget=(score_at_budget or AtBudget(face.score_at_budget)).value,
            act_seconds=act_seconds,
            ledger_policy=ledger_policy.value,
            ledger=known,
        )
        manifest = manifest_of(remote, protocol, agent, arguments, first_agent.described, plan)
        with RunStore(folder, writing=True) as store:
            store.begin(manifest)
            runner = Runner(
                store,
                manifest,
                plan.planned,
                open_suite=lambda: registry.open_suite(suite, settings, substrate),
                open_agent=open_agent,
                first=(remote, first_agent),
                jobs=jobs,
                isolation=face.isolation,
                screenshots=screenshots,
            )
            _play(runner, plan)
    from unibench.cli.scorecard import show

    show([folder])
    out().print(f"run: {folder}", markup=False)


def _no_agents(face: SuiteFace, machine: str) -> UsageError:
    others = " or ".join(each.name for each in face.substrates if each.agents and each.name != machine)
    mend = f"; --substrate {others} takes them" if others else ""
    return UsageError(f"agents do not act on {machine}: it is a test bench for verifiers{mend}")


@contextmanager
def _started(agent: AgentProcess) -> Iterator[AgentProcess]:
    """An agent that has started, so that a wrong one is said before anything is written."""
    try:
        agent.start()
        yield agent
    finally:
        agent.close()


def _refuse(suite: str, plan: RunPlan) -> NoReturn:
    """Ends a run that has nothing to play, before its folder holds anything."""
    from unibench.runs.remarks import dropped_by_kind, dropped_reasons, ledger_remarks

    console = err()
    for line in [*dropped_reasons(plan.dropped), *ledger_remarks(suite, plan.ledger)]:
        console.print(line, soft_wrap=True)
    by_ledger = "dropped by the ledger" in dropped_by_kind(plan.dropped)
    mend = "; --ledger-policy ignore runs what the ledger drops" if by_ledger else ""
    raise Unavailable(f"no task is left to run, so no run was made{mend}")


def _specs_of(run: Path, suite: str) -> list[InstanceSpec]:
    from unibench.runs.store import RunStore

    with RunStore(run) as other:
        manifest, episodes = other.manifest(), other.episodes()
    if manifest is None or manifest.protocol.suite != suite:
        raise UsageError(f"{run} is no run of {suite}")
    if len(episodes) < len(manifest.specs):
        raise UsageError(f"{run} is not finished ({len(episodes)} of {len(manifest.specs)} episodes); finish it first")
    return [episode.spec for episode in episodes]


def _arguments(pairs: list[str] | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"-A {pair!r} has no '='; write -A NAME=VALUE")
        found[name] = value
    return found


def _play(runner: Runner, plan: RunPlan) -> None:
    """Plays under a progress bar: the score so far a verifier row, and faults by kind."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from unibench.runs.remarks import dropped_counts, ledger_remarks

    console = err()
    scores: dict[str, list[float]] = {}
    broken: Counter[str] = Counter()

    def counted(record: EpisodeRecord) -> str:
        if record.score is None:
            broken[record.outcome] += 1
        else:
            scores.setdefault(record.row, []).append(record.score)
        said = [f"{name} {sum(each) / len(each):.2f}" for name, each in sorted(scores.items())]
        return ", ".join([*said, *(f"{name} {count}" for name, count in broken.items())])

    so_far = ""
    for record in (earlier := runner.store.episodes()):
        so_far = counted(record)
    if done := len(earlier):
        console.print(f"going on with {runner.store.folder}: {done} of {len(plan.planned)} episodes are there ({so_far})")
    if runner.sessions < runner.jobs:
        console.print(f"{runner.sessions} of {runner.jobs} jobs: more sessions of this suite cannot live side by side")
    for line in ledger_remarks(runner.manifest.protocol.suite, plan.ledger):
        console.print(line, soft_wrap=True)
    for line in dropped_counts(plan.dropped):
        console.print(f"{line} (reasons are in the manifest)")
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[said]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        row = bar.add_task("running", total=len(plan.planned), completed=done, said=so_far)

        def finished(record: EpisodeRecord) -> None:
            bar.update(row, advance=1, description=record.spec.task, said=counted(record))

        runner.finished = finished
        try:
            runner.run()
        except KeyboardInterrupt:
            bar.stop()
            console.print(f"interrupted; {len(runner.store.finished())} of {len(plan.planned)} episodes are kept; the same command goes on")
            sys.exit(130)
