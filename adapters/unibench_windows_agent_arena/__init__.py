"""WindowsAgentArena: the suite's static face. It is OSWorld's evaluator on another machine, with getters of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from unibench.data import DataFace
from unibench.environments import EnvironmentFace
from unibench.settings import Settings, Substrate, setting
from unibench.suite import Offers, SuiteFace
from unibench_osworld import FULL_REQUIREMENTS, GRADER_REQUIREMENTS, DesktopSettings
from unibench_osworld import offers as osworlds_offers

NAME = "windows-agent-arena"
PROJECT = "microsoft/WindowsAgentArena"
FOLDERS = ("src/win-arena-container/client/evaluation_examples_windows", "evaluation_examples_windows")
"""Where a checkout of upstream keeps its tasks, and where a copy of its data does."""
PATH_MAPPED = "path-mapped"
EXAMPLES = {"normal": "examples", "hard": "examples_noctxt"}


class WindowsSettings(DesktopSettings):
    """WindowsAgentArena's settings: OSWorld's with its own screen and waits (``run.py``, ``desktop_env.py`` at 6d39ed8), and how hard."""

    screen_height: int = setting(
        1200, upstream=1200, affects_scores=True, gt=0, le=16384, description="pixels (upstream's --screen_height, run.py)"
    )
    pause: float = setting(3.0, upstream=3.0, affects_scores=True, ge=0, le=60, description="seconds to sleep after each action")
    ready_seconds: float = setting(
        0.0,
        upstream=5.0,
        affects_scores=True,
        ge=0,
        le=600,
        description="seconds to sleep after the set-up, before the agent sees anything",
    )
    settle_seconds: float = setting(
        0.0, upstream=0.0, affects_scores=True, ge=0, le=600, description="seconds to sleep before the verifier is asked"
    )
    diff_lvl: Literal["normal", "hard"] = setting(
        "normal",
        upstream="normal",
        affects_scores=True,
        description="hard: the same tasks with less set up and less said (upstream's --diff_lvl, examples_noctxt)",
    )


def offers(settings: Settings) -> Offers:
    """OSWorld's, but for the terminal: WindowsAgentArena's server cannot tell what it shows."""
    found = osworlds_offers(settings)
    return found.model_copy(update={"observations": {name: kind for name, kind in found.observations.items() if name != "terminal"}})


def checked_on(settings: Settings) -> str | None:
    """The path-mapped guest, unless the address of a guest is given."""
    assert isinstance(settings, WindowsSettings)
    return None if settings.address else PATH_MAPPED


def environment(settings: Settings) -> Mapping[str, str]:
    """The task files' folder and the level, which the suite needs before it sees any settings."""
    assert isinstance(settings, WindowsSettings)
    found = {"UNIBENCH_WINDOWS_AGENT_ARENA_EXAMPLES": EXAMPLES[settings.diff_lvl]}
    return found | ({"UNIBENCH_WINDOWS_AGENT_ARENA_TASKS": settings.tasks} if settings.tasks else {})


FACE = SuiteFace(
    name=NAME,
    title="WindowsAgentArena",
    summary="154 tasks on Windows, judged by OSWorld's evaluators and getters of its own",
    suite="unibench_windows_agent_arena.suite:WindowsAgentArenaSuite",
    settings=WindowsSettings,
    offers=offers,
    observe=("screenshot", "a11y"),
    substrates=(
        Substrate(name="remote", fidelity="equivalent"),
        Substrate(name=PATH_MAPPED, fidelity="stand-in", agents=False),
    ),
    checked_on=checked_on,
    instances_differ=False,
    environment=environment,
    installs=EnvironmentFace(
        upstream=(),
        requirements=(*GRADER_REQUIREMENTS, "LnkParse3", "py7zr<1", "tqdm"),
        full=FULL_REQUIREMENTS,
        left_out="torch, easyocr and librosa; `--full` installs them",
        checkout="src/win-arena-container/client/desktop_env",
        checkout_packages=("desktop_env",),
    ),
    data=DataFace(
        folders=FOLDERS,
        marker="test_all.json",
        check="unibench_windows_agent_arena.suite:check_folder",
        unchecked="unibench_windows_agent_arena.suite:left_unchecked",
    ),
    call_seconds={"*": 120.0, "open": 120.0, "reset": 600.0, "verify": 700.0, "run_control": 1500.0, "probe": 180.0, "observe": 130.0},
)
