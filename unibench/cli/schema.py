"""``unibench schema``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from unibench.cli.common import out, print_json


def schema(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Print this schema; without it, list them.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write all schemas into this folder.")] = None,
) -> None:
    """Print the JSON Schemas of the files that the tool writes."""
    from unibench.schemas import schema_of, schemas, write_schemas

    if output is not None:
        for path in write_schemas(output):
            out().print(str(path))
    elif name is not None:
        print_json(json.dumps(schema_of(name), indent=1))
    else:
        for each, model in schemas().items():
            out().print(f"{each}: {(model.__doc__ or '').splitlines()[0]}")
