"""One agent, many GUI benchmarks, and no number without the verifier that made it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

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
    "make_vec": "vec",
    "open_suite": "registry",
    "suite_names": "registry",
}

__all__ = ["__version__", *sorted(_WHERE)]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name in _WHERE:
        return getattr(import_module(f"unibench.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'unibench' has no attribute {name!r}")


def _version() -> str:
    # importlib.metadata takes a third of the command's start, so it waits until somebody asks.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("unibench-gui")
    except PackageNotFoundError:
        return "0+unknown"  # a bare checkout


def __dir__() -> list[str]:
    return list(__all__)


if "gymnasium" in sys.modules:
    import_module("unibench.gym").register()
