"""The registry of verifier kinds. Plug-ins add to it by the entry-point group ``unibench.verifiers``."""

from __future__ import annotations

from importlib.metadata import entry_points

from unibench.errors import UnknownName
from unibench.verdict import VerifierDescriptor, VerifierKind

_KINDS: dict[str, VerifierKind] = {}


def register_kind(kind: VerifierKind) -> VerifierKind:
    """Adds a kind; the same kind twice is fine, another under the same name is not."""
    known = _KINDS.setdefault(kind.name, kind)
    if known != kind:
        raise ValueError(f"verifier kind {kind.name!r} is already registered as: {known.summary}")
    return kind


FILE_COMPARE = register_kind(VerifierKind(name="file-compare", summary="compares a file with a gold copy or a rule", reads="files"))
DEVICE_STATE = register_kind(
    VerifierKind(name="device-state", summary="reads settings, databases or processes of the machine", reads="device")
)
PAGE_STATE = register_kind(VerifierKind(name="page-state", summary="reads the state of a web page", reads="page"))
TOKEN_F1 = register_kind(VerifierKind(name="token-f1", summary="bag-of-tokens F1 between an answer and a reference", reads="answer"))
GRAPH_CR = register_kind(VerifierKind(name="graph-cr", summary="coverage rate over a graph of subtasks", reads="graph"))
REFUSAL_KIND = register_kind(
    VerifierKind(name="refusal", summary="passes if the agent says that the task cannot be done", reads="the agent's last action")
)
RUNTIME_GUI = register_kind(
    VerifierKind(name="runtime-gui", summary="reads what running programs show or do, as windows, widgets or status", reads="screen")
)
IMAGE_SIMILARITY = register_kind(VerifierKind(name="image-similarity", summary="how alike two images are", reads="files"))


def kinds() -> dict[str, VerifierKind]:
    """All registered kinds by name, those of installed plug-ins too."""
    for point in entry_points(group="unibench.verifiers"):
        if point.name not in _KINDS:
            register_kind(point.load())
    return dict(sorted(_KINDS.items()))


def check_kind(descriptor: VerifierDescriptor) -> None:
    """Checks that a descriptor and its children are of registered kinds.

    Raises:
        UnknownName: a kind is not registered.
    """
    if descriptor.kind not in _KINDS and descriptor.kind not in kinds():
        raise UnknownName.among("verifier kind", descriptor.kind, _KINDS)
    for child in descriptor.children:
        check_kind(child)
