"""The command table, with "did you mean" for commands."""

from __future__ import annotations

import difflib
from typing import Annotated, Any

import click
import typer
from typer.core import TyperGroup

from unibench.cli import doctor, explain, golden_check, schema, suites


class Commands(TyperGroup):
    """Commands in the order of a newcomer's first hour; an unknown one says what was probably meant."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            close = difflib.get_close_matches(args[0], list(self.commands), n=2, cutoff=0.5)
            mend = f"did you mean {' or '.join(close)}?" if close else f"there is {', '.join(self.commands)}"
            raise click.UsageError(f"no command {args[0]!r}; {mend}", ctx) from error


app = typer.Typer(
    name="unibench",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    help=(
        "One agent, many GUI benchmarks, and no number without the verifier that made it.\n\n"
        "Start with `unibench doctor`, then `unibench golden-check miniwob -t 'click-*'`."
    ),
)


def _version(value: bool) -> None:
    if value:
        from unibench import __version__

        typer.echo(f"unibench {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    pass


app.command("suites")(suites.suites)
app.command("tasks")(suites.tasks)
app.command("doctor")(doctor.doctor)
app.command("golden-check")(golden_check.golden_check)
app.command("explain")(explain.explain)
app.command("schema")(schema.schema)
