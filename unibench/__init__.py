"""One agent, many GUI benchmarks, and no number without the verifier that made it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

try:
    __version__ = version("unibench-gui")
except PackageNotFoundError:
    # Another project's package, or a bare checkout, is what was imported.
    __version__ = "0+unknown"

# Public names and where they live; loaded on first use, for `import unibench` must be fast.
_WHERE = {
    "Action": "actions",
    "Brief": "task",
    "Env": "env",
    "Instance": "task",
    "InstanceSpec": "task",
    "Observation": "observations",
    "Reward": "verdict",
    "Session": "suite",
    "Settings": "settings",
    "Status": "verdict",
    "Substrate": "settings",
    "Suite": "suite",
    "SuiteFace": "suite",
    "Task": "task",
    "UnibenchError": "errors",
    "Verdict": "verdict",
    "VerifierDescriptor": "verdict",
    "VerifierKind": "verdict",
    "make": "env",
    "open_suite": "registry",
    "suite_names": "registry",
}

__all__ = ["__version__", *sorted(_WHERE)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"unibench.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'unibench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)


if "gymnasium" in sys.modules:
    import_module("unibench.gym").register()
