"""The JSON Schemas of every file the tool writes, generated from the models. ``schemas/`` holds them; a test keeps them in step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unibench.errors import UnknownName
from unibench.files import write_atomic
from unibench.golden.results import Ledger
from unibench.record import SCHEMA_VERSION, Record
from unibench.runs.records import EpisodeRecord, Manifest
from unibench.scorecard.rows import Scorecard
from unibench.task import InstanceSpec
from unibench.verdict import Verdict, VerifierDescriptor

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, type[Record]]:
    """The models by the name of their schema."""
    return {
        "ledger": Ledger,
        "run-manifest": Manifest,
        "episode": EpisodeRecord,
        "scorecard": Scorecard,
        "instance-spec": InstanceSpec,
        "verdict": Verdict,
        "verifier-descriptor": VerifierDescriptor,
    }


def schema_of(name: str) -> dict[str, Any]:
    """One schema.

    Raises:
        UnknownName: there is none of that name.
    """
    models = schemas()
    if name not in models:
        raise UnknownName.among("schema", name, models)
    body = models[name].model_json_schema(mode="serialization")
    return {"$schema": DIALECT, "$id": f"unibench:{name}:{SCHEMA_VERSION}", **body}


def write_schemas(folder: Path) -> list[Path]:
    """Writes all schemas, and returns their paths."""
    paths = []
    for name in schemas():
        path = folder / f"{name}.schema.json"
        write_atomic(path, json.dumps(schema_of(name), indent=1, sort_keys=True) + "\n")
        paths.append(path)
    return paths
