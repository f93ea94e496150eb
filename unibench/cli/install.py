"""``unibench install`` and ``unibench uninstall``."""

from __future__ import annotations

from typing import Annotated

import typer

from unibench.cli.common import SuiteArgument, err, out


def install(
    suite: SuiteArgument,
    checkout: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="CHECKOUT", help="Take upstream's package from this checkout instead of from where it is published."
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Also install the large packages that only a few verifiers need.")] = False,
) -> None:
    """Make the environment that a suite's upstream needs, without what its verifiers do not."""
    from unibench import registry
    from unibench.environments import environment_folder
    from unibench.environments import install as make
    from unibench.errors import UsageError

    face = registry.find_face(suite)
    if face.installs is None:
        how = f"pip install 'unibench-gui[{face.extra}]'" if face.extra else "nothing is to be installed"
        raise UsageError(f"{suite} needs no environment of its own: {how}")
    found = make(suite, face.installs, checkout=checkout, full=full, report=lambda text: err().print(f"  {text} …"))
    console = out()
    where = found.upstream[0] + (f" at {found.commit}" if found.commit else "")
    console.print(f"{suite}: {where}, {len(found.versions)} packages, {found.seconds:.0f} s, in {environment_folder(suite)}")
    if face.installs.left_out and not full:
        console.print(f"left out: {face.installs.left_out}")


def uninstall(
    suite: SuiteArgument,
    data: Annotated[bool, typer.Option("--data", help="Also remove the task files and assets that were brought.")] = False,
) -> None:
    """Remove what `unibench install` made for a suite."""
    import shutil

    from unibench import registry
    from unibench.data import assets_folder, remove
    from unibench.environments import uninstall as take_away

    face = registry.find_face(suite)
    gone = [text for text, done in (("environment", take_away(face.name)), ("task files", data and remove(face.name))) if done]
    if data and assets_folder(face.name).is_dir():
        shutil.rmtree(assets_folder(face.name), ignore_errors=True)
        gone.append("assets")
    out().print(f"{suite}: removed {', '.join(gone)}" if gone else f"{suite}: nothing was installed")
