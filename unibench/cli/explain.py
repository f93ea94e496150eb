"""``unibench explain``."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unibench.cli.common import Format, FormatOption, SetOption, SubstrateOption, SuiteArgument, out, print_json, settings_from

if TYPE_CHECKING:
    from unibench.golden.results import ControlRun


def explain(
    suite: SuiteArgument,
    task: Annotated[str, typer.Argument(metavar="TASK", help="The task's name, or a glob or beginning that fits no other.")],
    control: Annotated[
        list[str] | None, typer.Option("--control", "-c", metavar="NAME", help="Only this control, e.g. golden; repeatable.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, max=2**32 - 1, help="Which instance.")] = 0,
    draw: Annotated[int, typer.Option("--draw", metavar="N", min=0, help="Which draw of the seed, where one was drawn anew.")] = 0,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Where screenshots go; a new temporary folder else.")
    ] = None,
    substrate: SubstrateOption = None,
    set_: SetOption = None,
    format: FormatOption = Format.TABLE,
) -> None:
    """Run one task's controls now and show what was made, what the verifier read, and a screenshot of each end state."""
    from unibench import registry
    from unibench.errors import UnknownName
    from unibench.files import write_atomic
    from unibench.golden.results import ControlRun
    from unibench.selection import select_one

    face = registry.find_face(suite)
    folder = output
    shown: list[tuple[ControlRun, Path | None]] = []
    goal = ""
    settings = settings_from(face, set_)
    with registry.open_suite(suite, settings, substrate or face.checked_on(settings)) as remote:
        task = select_one([each.id for each in remote.tasks()], task, suite)
        descriptor = remote.describe(task)
        unavailable = remote.unavailable(task)
        spec = remote.draw(task, seed, draw)
        names = [each["control"] for each in remote.call("controls", spec=spec.model_dump(mode="json"))[0]["controls"]]
        for name in control or ():
            if name not in names:
                raise UnknownName.among(f"control of {task}", name, names)
        for name in control or names:
            reply, frames = remote.call("run_control", spec=spec.model_dump(mode="json"), control=name, shot="always")
            path = None
            if frames:
                folder = folder or Path(tempfile.mkdtemp(prefix=f"unibench-{face.name}-"))
                path = folder / f"{task}-{seed}-{name}.png"
                write_atomic(path, frames[0])
            shown.append((ControlRun.model_validate(reply["run"]), path))
            goal = reply["goal"]
    if format is Format.JSON:
        rows = [{**run.model_dump(mode="json"), "screenshot": str(path) if path else None} for run, path in shown]
        head = {"suite": suite, "task": task, "goal": goal, "spec": spec.model_dump(mode="json")}
        print_json(json.dumps({**head, "verifier": descriptor.model_dump(mode="json"), "controls": rows}, indent=1))
        return
    console = out()
    console.print(f"{suite}/{task}, seed {seed}: {goal}", markup=False)
    reads = ", ".join(descriptor.reads)
    console.print(f"verifier: {descriptor.row}, {descriptor.implementation}, of {descriptor.owner}; reads {reads}", markup=False)
    if descriptor.raw is not None:
        console.print(f"passes if {descriptor.raw.name} {descriptor.raw.passes}", markup=False)
    if unavailable:
        console.print(f"a golden check leaves it undecided here: {'; '.join(unavailable)}", markup=False)
    for run, path in shown:
        console.print()
        for line in _lines(run, path):
            console.print(line, markup=False)


def _lines(run: ControlRun, path: Path | None) -> list[str]:
    from unibench.golden.differ import SMALL, difference
    from unibench.golden.judge import meets

    lines = [f"{run.control} ({run.role}): a sound verifier says {run.expect}"]
    back = run.readback
    if back is not None:
        lines.append(f"  wanted       {_json(back.wanted)}")
        if back.made is not None and back.made != back.wanted:
            lines.append(f"  set out for  {_json(back.made)}")
        lines.append(
            f"  read back    {_json(back.found)}"
            + ("" if back.right is None else "  right" if back.right else "  wrong by the instruction's words")
        )
        if len(_json(back.found)) > SMALL and (differs := difference(back.found, back.wanted)):
            lines.append(f"  it differs   {differs}")
        lines.append(f"  made by      {run.provenance.means}, from {run.provenance.source}; {len(back.steps)} inputs")
    if run.left:
        lines.append(f"  left behind  {', '.join(run.left)}")
    if run.final:
        lines.append(f"  then         {', '.join(str(action['type']) for action in run.final)}")
    if run.judgement is None:
        lines.append(f"  not judged   {run.outcome}: {run.message}")
    else:
        found = run.judgement
        if found.error is not None:
            lines.append(f"  raised       {found.error.type}: {found.error.message}")
        else:
            for part in found.children or (found,):
                name = f"{part.name}: " if part.name else ""
                lines.append(f"  verifier     {name}expected {_json(part.evidence.expected)}, found {_json(part.evidence.found)}")
            agrees = meets(run.expect, found, {})
            lines.append(
                f"  verdict      {found.status}, score {found.score}, raw {found.raw}"
                + ("" if agrees else "   <- not what a sound verifier says")
            )
            if not agrees and found.evidence.decided_by:
                lines.append(f"  decided by   {found.evidence.decided_by}")
    if path is not None:
        lines.append(f"  screenshot   {path}")
    return lines


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
