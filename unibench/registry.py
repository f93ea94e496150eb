"""The installed suites. Ours and third parties' come the same way: the entry-point group ``unibench.suites``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from unibench.errors import ContractBroken, UnknownName
from unibench.session.remote import RemoteSuite
from unibench.settings import Settings
from unibench.suite import SuiteFace


@cache
def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="unibench.suites")}


def suite_names() -> list[str]:
    """The names of the installed suites, sorted."""
    return sorted(_points())


def find_face(name: str) -> SuiteFace:
    """A suite's static face; imports the adapter, not its upstream.

    Raises:
        UnknownName: no installed suite has that name.
    """
    point = _points().get(name)
    if point is None:
        raise UnknownName.among("suite", name, _points())
    face = point.load()
    if not isinstance(face, SuiteFace) or face.name != name:
        raise ContractBroken(f"the entry point {point.value} gives no SuiteFace named {name!r}")
    return face


def open_suite(name: str, settings: Settings | None = None, substrate: str | None = None) -> RemoteSuite:
    """A suite in a session process of its own, which starts with the first call.

    Raises:
        UnknownName: no installed suite, or no substrate of it, has that name.
    """
    face = find_face(name)
    return RemoteSuite(face, _points()[name].value, settings, substrate)
