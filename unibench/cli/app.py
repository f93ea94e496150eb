"""The command table."""

from __future__ import annotations

from typing import Annotated

import typer

from unibench.cli import data, doctor, explain, golden_check, install, replay, run, schema, scorecard, show, suites
from unibench.cli.plugins import add_plugins

app = typer.Typer(
    name="unibench",
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
app.command("install")(install.install)
app.command("uninstall")(install.uninstall)
app.command("data")(data.data)
app.command("golden-check")(golden_check.golden_check)
app.command("explain")(explain.explain)
app.command("run")(run.run)
app.command("scorecard")(scorecard.scorecard)
app.command("show")(show.show)
app.command("replay")(replay.replay)
app.command("schema")(schema.schema)
add_plugins(app)
