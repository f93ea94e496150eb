"""The descriptors of AndroidWorld's verifiers: upstream's ``is_successful``, read off its classes."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from unibench.kinds import DEVICE_STATE, RUNTIME_GUI, register_kind
from unibench.verdict import AgentWritable, Join, Raw, Source, VerifierDescriptor, VerifierKind

if TYPE_CHECKING:
    from collections.abc import Mapping

ANSWER_MATCH = register_kind(VerifierKind(name="answer-match", summary="compares the agent's last answer with a reference", reads="answer"))

OWNER = "google-research/android_world"

JUDGED_BY_THE_SCREEN = (
    "BrowserDraw", "BrowserMaze", "BrowserMultiply", "ClockStopWatchPausedVerify", "ClockStopWatchRunning", "ClockTimerEntry",
    "ContactsNewContactDraft",
)  # fmt: skip
"""Tasks that the accessibility tree decides. In the tasks about messages it is only a guard, against a message that is still being sent."""

PARTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "MarkorCreateNoteAndSms": (("markor_task", "MarkorCreateNote"), ("sms_task", "SimpleSmsSend")),
    "TurnOffWifiAndTurnOnBluetooth": (("turn_off_wifi_task", "SystemWifiTurnOff"), ("turn_on_bluetooth_task", "SystemBluetoothTurnOn")),
    "TurnOnWifiAndOpenApp": (("turn_on_wifi_task", "SystemWifiTurnOn"), ("open_app_task", "OpenAppTaskEval")),
    "VlcCreateTwoPlaylists": (("task1", "VlcCreatePlaylist"), ("task2", "VlcCreatePlaylist")),
}
"""Composites: the attribute that holds each part, and the task whose verifier it is. Upstream takes the mean."""

GRADED = (*PARTS, "RetroSavePlaylist")
"""Tasks that can score 0.5."""


@cache
def reads() -> dict[str, list[str]]:
    """What each task's verifier reads, as seen on a device that noted every command (android_world d9c569f7).

    ``unibench android reads`` compares.
    """
    found: dict[str, list[str]] = json.loads(files(__package__).joinpath("reads.json").read_text(encoding="utf-8"))
    return found


def _judging(cls: type[Any]) -> list[str]:
    """The names of upstream's modules that judge: those of the class, and those that its verifier asks or makes its parts of.

    FilesMoveFile, say, makes a ``file_validators.MoveFile`` when it is constructed, and hands its verdict on.
    """
    found = [owner.__module__ for owner in cls.__mro__]
    for owner in cls.__mro__:
        for function in (vars(owner).get("is_successful"), vars(owner).get("__init__")):
            if isinstance(function, FunctionType):
                used = (function.__globals__.get(name) for name in function.__code__.co_names)
                found += [module.__name__ for module in used if isinstance(module, ModuleType)]
    mine = ("android_world.task_evals.", "android_world.utils.")
    return [name for name in dict.fromkeys(found) if name.startswith(mine) and not name.endswith("_pb2")]


def describe(
    task: str, cls: type[Any], registry: Mapping[str, type[Any]], versions: Mapping[str, str], *, name: str = ""
) -> VerifierDescriptor:
    """The descriptor of a task's verifier."""
    judge = next(c for c in cls.__mro__ if "is_successful" in vars(c))
    parts = PARTS.get(task, ())
    looked_at = tuple(reads().get(task, ()))
    kind = DEVICE_STATE
    if looked_at == ("answer",):
        kind = ANSWER_MATCH
    elif task in JUDGED_BY_THE_SCREEN:
        kind = RUNTIME_GUI
    return VerifierDescriptor(
        kind=kind.name,
        name=name or task,
        implementation=f"{judge.__module__}:{judge.__qualname__}.is_successful",
        owner=OWNER,
        sources=tuple(
            Source(project=OWNER, package="android_world", version=versions["android_world"], path=module.replace(".", "/") + ".py")
            for module in _judging(cls)
        ),
        scale="graded" if task in GRADED else "binary",
        raw=Raw(name="is_successful", low=0, high=1, passes="== 1" if task in GRADED else "true"),
        when="end",
        reads=looked_at,
        acts_first=("start clipper", "press back") if task == "SystemCopyToClipboard" else (),
        agent_writable=AgentWritable(value=True, how="the answer is the agent's own text")
        if kind is ANSWER_MATCH
        else AgentWritable(value=False),
        children=tuple(describe(part, registry[part], registry, versions, name=f"{task}/{attribute}") for attribute, part in parts),
        join=Join.MEAN if parts else None,
    )
