"""``unibench suites`` and ``unibench tasks``."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from unibench.cli.common import Format, FormatOption, SetOption, SuiteArgument, TaskOption, out, print_json, settings_from
from unibench.selection import select

if TYPE_CHECKING:
    from unibench.suite import SuiteFace
    from unibench.task import Task
    from unibench.verdict import VerifierDescriptor

TAGS = 60
"""As many tags are listed below a table of tasks."""


def suites(
    name: Annotated[str | None, typer.Argument(metavar="[SUITE]", help="Show one suite: its settings, observations and actions.")] = None,
    format: FormatOption = Format.TABLE,
) -> None:
    """List the installed suites, or show one."""
    from unibench import registry

    faces = [registry.find_face(each) for each in ([name] if name else registry.suite_names())]
    if format is Format.JSON:
        print_json(json.dumps([_face_json(face) for face in faces], indent=1))
    elif name:
        _show_one(faces[0])
    else:
        _show_all(faces)


def _face_json(face: SuiteFace) -> dict[str, object]:
    offers = face.offers(face.settings())
    return {
        "name": face.name,
        "title": face.title,
        "summary": face.summary,
        "packages": list(face.packages),
        "substrates": [substrate.model_dump(mode="json") for substrate in face.substrates],
        "settings": {
            field: {"default": info.default, **face.settings.facts(field), "description": info.description}
            for field, info in face.settings.model_fields.items()
        },
        "offers": offers.model_dump(mode="json"),
    }


def _show_all(faces: list[SuiteFace]) -> None:
    from rich.table import Table

    table = Table("suite", "what", "substrates", box=None, pad_edge=False)
    for face in faces:
        substrates = ", ".join(f"{s.name} ({s.fidelity})" for s in face.substrates)
        table.add_row(face.name, f"{face.title}: {face.summary}", substrates)
    out().print(table)


def _show_one(face: SuiteFace) -> None:
    from rich.table import Table

    console = out()
    offers = face.offers(face.settings())
    console.print(f"{face.name}: {face.title}. {face.summary}.")
    own = f"an environment of its own (`unibench install {face.name}`)" if face.own_environment else "none"
    console.print(f"packages: {', '.join(face.packages) or own}")
    console.print("substrates: " + ", ".join(f"{s.name} ({s.fidelity})" for s in face.substrates))
    console.print(f"screen: {offers.screen[0]}x{offers.screen[1]} pixels")
    console.print(f"observations: {', '.join(offers.observations)}")
    console.print(f"actions: {', '.join(offers.actions)}" + (f"; native: {', '.join(offers.dialects)}" if offers.dialects else ""))
    table = Table("setting", "default", "upstream", "affects scores", "what", box=None, pad_edge=False)
    for field, info in face.settings.model_fields.items():
        facts = face.settings.facts(field)
        table.add_row(field, str(info.default), str(facts["upstream"]), "yes" if facts["affects_scores"] else "no", info.description or "")
    console.print()
    console.print(table)


def tasks(
    suite: SuiteArgument,
    task: TaskOption = None,
    verifiers: Annotated[bool, typer.Option("--verifiers", help="Show each task's verifier, and the counts by kind.")] = False,
    set_: SetOption = None,
    format: FormatOption = Format.TABLE,
) -> None:
    """List a suite's tasks, and what judges them."""
    from unibench import registry

    face = registry.find_face(suite)
    with registry.open_suite(suite, settings_from(face, set_)) as remote:
        every = {each.id: each for each in remote.tasks()}
        chosen = [every[name] for name in select(list(every.values()), task, suite)]
        descriptors = remote.describe_all([each.id for each in chosen]) if verifiers or format is Format.JSON else []
    if format is Format.JSON:
        rows = [
            {"task": each.model_dump(mode="json"), "verifier": descriptor.model_dump(mode="json"), "digest": descriptor.digest}
            for each, descriptor in zip(chosen, descriptors, strict=True)
        ]
        print_json(json.dumps(rows, indent=1))
    elif verifiers:
        _show_verifiers(chosen, descriptors)
    else:
        _show_tasks(chosen)


def _show_tasks(chosen: list[Task]) -> None:
    from rich.table import Column, Table

    table = Table(Column("task", overflow="fold"), "instruction", "steps", box=None, pad_edge=False)
    for each in chosen:
        table.add_row(each.id, each.instruction, str(each.budget.steps or ""))
    console = out()
    console.print(table)
    if tags := Counter(tag for each in chosen for tag in each.tags):
        shown = [f"{tag} {count}" for tag, count in sorted(tags.items())[:TAGS]]
        console.print(f"tags (for -t): {', '.join(shown)}" + (f" and {len(tags) - TAGS} more" if len(tags) > TAGS else ""))
    console.print(f"{len(chosen)} tasks")


def _show_verifiers(chosen: list[Task], descriptors: list[VerifierDescriptor]) -> None:
    from rich.table import Column, Table

    headings = ("verifier row", "scale", "asked", "agent can write it", "implementation")
    table = Table(Column("task", overflow="fold"), *headings, box=None, pad_edge=False)
    for each, descriptor in zip(chosen, descriptors, strict=True):
        writable = descriptor.agent_writable
        can = "no" if not writable.value else "yes, unless prevented" if writable.prevented_by else "yes"
        table.add_row(each.id, descriptor.row, descriptor.scale, descriptor.when, can, descriptor.implementation)
    console = out()
    console.print(table)
    rows = Counter(descriptor.row for descriptor in descriptors)
    console.print(f"{len(chosen)} tasks: " + ", ".join(f"{count} {row}" for row, count in rows.most_common()))
    judges = Counter(name for descriptor in descriptors for name in {leaf.implementation for leaf in leaves(descriptor)})
    for name, count in judges.most_common(1):
        console.print(f"the largest verifier is {name}: {count} of {len(chosen)} tasks ({count / len(chosen):.0%})")
    acting = Counter(step.partition(":")[0] for descriptor in descriptors for step in descriptor.acts_first)
    if acting:
        console.print(
            f"before looking, {sum(1 for d in descriptors if d.acts_first)} verifiers act: "
            + ", ".join(f"{step} {count}" for step, count in acting.most_common())
        )
    if live := sum(descriptor.network for descriptor in descriptors):
        console.print(f"{live} need the network when they judge")


def leaves(descriptor: VerifierDescriptor) -> list[VerifierDescriptor]:
    """The plain verifiers of a descriptor: itself, or its children's."""
    if not descriptor.children:
        return [descriptor]
    return [leaf for child in descriptor.children for leaf in leaves(child)]
