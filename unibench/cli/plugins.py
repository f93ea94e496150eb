"""Commands of suites and plug-ins, from the entry-point group ``unibench.commands``.

An entry point ``GROUP.NAME`` becomes ``unibench GROUP NAME``. It is a function whose parameters are the command's arguments and options (by
their annotations, as Typer reads them) and which yields lines of text; ``SystemExit(1)`` at its end says that it objects.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any, get_type_hints

import typer


def add_plugins(app: typer.Typer) -> None:
    """Adds the commands of all installed plug-ins. Their modules are imported only for their own group."""
    groups: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group="unibench.commands"), key=lambda each: each.name):
        group, _, name = point.name.partition(".")
        if name:
            groups.setdefault(group, []).append(point)
    for group, points in groups.items():
        sub = typer.Typer(no_args_is_help=True, help=f"Commands of {group}.")
        if group in sys.argv[1:2]:
            for point in points:
                sub.command(point.name.partition(".")[2])(_printing(point.load()))
        else:
            sub.command("…", hidden=True)(_nothing)
        app.add_typer(sub, name=group)


def _nothing() -> None:
    pass


def _printing(function: Callable[..., Iterator[str]]) -> Callable[..., None]:
    @functools.wraps(function)
    def command(*args: Any, **kwargs: Any) -> None:
        from unibench.cli.harmless import harmless

        for line in function(*args, **kwargs):
            typer.echo(harmless(line))

    hints = get_type_hints(function)
    parameters = inspect.signature(function).parameters.values()
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(annotation=hints[parameter.name]) for parameter in parameters]
    )
    command.__annotations__ = {**hints, "return": None}
    return command
