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
from typing import Annotated, Any, get_args, get_type_hints

import typer

from unibench.cli.common import SetOption


def add_plugins(app: typer.Typer) -> None:
    """Adds the commands of all installed plug-ins. Their modules are imported only for their own group."""
    groups: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group="unibench.commands"), key=lambda each: each.name):
        group, _, name = point.name.partition(".")
        if name:
            groups.setdefault(group, []).append(point)
    for group, points in groups.items():
        sub = typer.Typer(no_args_is_help=True, help=f"{', '.join(point.name.partition('.')[2] for point in points)}.")
        if group in sys.argv[1:2]:
            for point in points:
                sub.command(point.name.partition(".")[2])(_printing(point.load()))
        else:
            sub.command("…", hidden=True)(_nothing)
        app.add_typer(sub, name=group)


def _nothing() -> None:
    pass


_TASKS = typer.Option("--task", "-t", metavar="GLOB", help="Only tasks whose name matches; may be given several times.")
_ELSEWHERE: dict[str, Any] = {"task": Annotated[list[str] | None, _TASKS], "set": SetOption}
"""The options that look the same in all commands."""


def _as_elsewhere(parameter: inspect.Parameter, hint: Any) -> Any:
    """A parameter's annotation for Typer: what all commands have is named as they name it."""
    if parameter.default is inspect.Parameter.empty:
        return Annotated[hint, typer.Argument(metavar=parameter.name.upper())]
    known = _ELSEWHERE.get(parameter.name)
    return hint if known is None or hint != get_args(known)[0] else known


def _printing(function: Callable[..., Iterator[str]]) -> Callable[..., None]:
    @functools.wraps(function)
    def command(*args: Any, **kwargs: Any) -> None:
        from unibench.cli.harmless import harmless

        for line in function(*args, **kwargs):
            typer.echo(harmless(line))

    parameters = inspect.signature(function).parameters.values()
    hints = {**get_type_hints(function)}
    for parameter in parameters:
        hints[parameter.name] = _as_elsewhere(parameter, hints[parameter.name])
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(annotation=hints[parameter.name]) for parameter in parameters]
    )
    command.__annotations__ = {**hints, "return": None}
    return command
