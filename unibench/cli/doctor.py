"""``unibench doctor``."""

from __future__ import annotations

import json
import platform
from typing import TYPE_CHECKING, Annotated

import typer

from unibench.cli.common import Format, FormatOption, out, print_json

if TYPE_CHECKING:
    from unibench.suite import Finding


def doctor(
    suite: Annotated[str | None, typer.Argument(metavar="[SUITE]", help="Only this suite.")] = None,
    format: FormatOption = Format.TABLE,
) -> None:
    """Try what works here: each suite's upstream and a real boot of its machine. Exit code 3 if something does not."""
    from unibench import __version__, registry
    from unibench.errors import UnibenchError
    from unibench.suite import Finding

    names = [registry.find_face(suite).name] if suite else registry.suite_names()
    found: dict[str, list[Finding]] = {"unibench": _ourselves(__version__)}
    for name in names:
        try:
            with registry.open_suite(name) as remote:
                found[name] = remote.probe()
        except UnibenchError as error:
            found[name] = [Finding(what="session process", ok=False, detail=str(error))]
    if format is Format.JSON:
        print_json(json.dumps({name: [f.model_dump(mode="json") for f in findings] for name, findings in found.items()}, indent=1))
    else:
        _show(found)
    if any(not finding.ok for findings in found.values() for finding in findings):
        raise typer.Exit(3)


def _ourselves(version: str) -> list[Finding]:
    from importlib.metadata import packages_distributions

    from unibench.suite import Finding

    found = [Finding(what="python", ok=True, detail=platform.python_version()), Finding(what="unibench", ok=True, detail=version)]
    owners = set(packages_distributions().get("unibench", []))
    if strangers := owners - {"unibench-gui"}:
        found.append(
            Finding(
                what="import name",
                ok=False,
                detail=f"another package installs 'unibench', too: {', '.join(sorted(strangers))}",
                mend=f"pip uninstall {' '.join(sorted(strangers))}, then reinstall unibench-gui",
            )
        )
    return found


def _show(found: dict[str, list[Finding]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table("for", "what", "", "found", box=None, pad_edge=False)
    for name, findings in found.items():
        for finding in findings:
            state = Text("ok", style="green") if finding.ok else Text("missing", style="red")
            table.add_row(name, finding.what, state, finding.detail + (f"\n-> {finding.mend}" if finding.mend else ""))
    out().print(table)
