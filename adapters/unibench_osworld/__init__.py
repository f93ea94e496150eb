"""OSWorld: the suite's static face. Importing it imports no upstream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from unibench.data import DataFace
from unibench.environments import EnvironmentFace
from unibench.settings import Settings, Substrate, setting
from unibench.suite import Headline, Offers, SuiteFace

FOLDERS = ("evaluation_examples",)
"""Where a checkout of upstream keeps its tasks."""
PACKAGE = "desktop-env"
VERSION = "1.0.2"
SCREEN = (1920, 1080)
"""Upstream's (``desktop_env.py``, ``screen_size``)."""


class DesktopSettings(Settings):
    """How a desktop suite is run; each field knows upstream's value and whether it affects scores."""

    tasks: str = setting("", upstream="", affects_scores=False, description="folder with the task files; what `unibench data` brought else")
    assets: str = setting(
        "",
        upstream="",
        affects_scores=False,
        description="mirror of what tasks download: a folder or a URL, laid out as upstream's file cache",
    )
    screen_width: int = setting(
        SCREEN[0], upstream=SCREEN[0], affects_scores=True, gt=0, le=16384, description="pixels; a machine with another screen is refused"
    )
    screen_height: int = setting(SCREEN[1], upstream=SCREEN[1], affects_scores=True, gt=0, le=16384, description="pixels")
    pause: float = setting(2.0, upstream=2.0, affects_scores=True, ge=0, le=60, description="seconds to sleep after each action")
    ready_seconds: float = setting(
        0.0,
        upstream=60.0,
        affects_scores=True,
        ge=0,
        le=600,
        description="seconds to sleep after the set-up, before the agent sees anything",
    )
    settle_seconds: float = setting(
        0.0, upstream=20.0, affects_scores=True, ge=0, le=600, description="seconds to sleep before the verifier is asked"
    )
    retry_seconds: float = setting(
        0.5,
        upstream=5.0,
        affects_scores=True,
        ge=0,
        le=60,
        description="seconds between upstream's three tries to fetch a file from the machine",
    )
    network: bool = setting(
        False,
        upstream=True,
        affects_scores=True,
        description="fetch a task's files from the URLs in it; neither the machine nor the grader gets a network by this",
    )
    borrowed_files: bool = setting(
        True,
        upstream=False,
        affects_scores=True,
        description="take an initial file that cannot be had from another task of its domain that has one of the same name",
    )
    stand_ins: bool = setting(
        False,
        upstream=False,
        affects_scores=True,
        description="make an initial file that cannot be had; for a golden check, as it is not what the instruction speaks of",
    )
    grader_seconds: float = setting(
        300.0, upstream=0.0, affects_scores=True, gt=0, le=3600, description="how long upstream's evaluator may take (upstream: no limit)"
    )
    guest_seconds: float = setting(
        60.0,
        upstream=0.0,
        affects_scores=False,
        gt=0,
        le=600,
        description="how long the machine may take to show something; its accessibility tree half as long again",
    )
    address: str = setting(
        "", upstream="", affects_scores=False, description="for the substrate remote: HOST[:SERVER[:CHROMIUM[:VNC[:VLC]]]]"
    )
    provider: str = setting("docker", upstream="vmware", affects_scores=False, description="for the substrate vm: upstream's provider")
    vm_path: str = setting("", upstream="", affects_scores=False, description="for the substrate vm: upstream's path_to_vm")
    region: str = setting("", upstream="", affects_scores=False, description="for the substrate vm: upstream's region")
    client_password: str = setting("password", upstream="password", affects_scores=True, description="the guest user's password")

    @property
    def screen(self) -> tuple[int, int]:
        """Width and height, in pixels."""
        return self.screen_width, self.screen_height


class OsworldSettings(DesktopSettings):
    """OSWorld's settings."""


OBSERVATIONS: dict[str, Literal["image", "text", "json"]] = {
    "screenshot": "image",
    "a11y": "text",
    "terminal": "text",
}

ACTIONS = (
    "click", "double_click", "move", "drag", "scroll", "type", "key", "hotkey", "long_press",
    "wait", "answer", "done", "infeasible", "native",
)  # fmt: skip


def offers(settings: Settings) -> Offers:
    """What a desktop takes and shows."""
    assert isinstance(settings, DesktopSettings)
    return Offers(actions=ACTIONS, dialects=("pyautogui", "computer_13"), observations=OBSERVATIONS, screen=settings.screen)


def environment(settings: Settings) -> Mapping[str, str]:
    """The task files' folder, which the suite needs before it sees any settings."""
    assert isinstance(settings, DesktopSettings)
    return {"UNIBENCH_OSWORLD_TASKS": settings.tasks} if settings.tasks else {}


GRADER_REQUIREMENTS = (
    "numpy>=1.26,<2", "Pillow~=11.0", "gymnasium~=0.28.1", "requests", "pytz", "opencv-python-headless>=4.5,<5", "pandas>=2.2,<2.3",
    "requests-toolbelt~=1.0", "lxml", "cssselect", "xmltodict", "openpyxl", "python-docx", "python-pptx", "pypdf", "rapidfuzz",
    "pyacoustid", "ImageHash", "scikit-image", "pymupdf", "chardet", "playwright", "formulas", "pydrive", "fastdtw", "odfpy",
    "func-timeout", "beautifulsoup4", "PyYAML", "mutagen", "borb<3", "pypdf2", "pdfplumber", "python-dotenv", "tldextract", "scipy",
    "flask~=3.0", "psutil", "filelock",
)  # fmt: skip
"""What upstream's controllers and evaluators import (desktop-env 1.0.2); its own list pulls in torch, CUDA and cloud SDKs as well."""

FULL_REQUIREMENTS = ("easyocr>=1.6.2,<2", "librosa")

FACE = SuiteFace(
    name="osworld",
    title="OSWorld",
    summary="369 tasks on a real desktop, judged by upstream's evaluators on files, settings, pages and windows",
    suite="unibench_osworld.suite:OsworldSuite",
    settings=OsworldSettings,
    offers=offers,
    observe=("screenshot", "a11y"),
    substrates=(
        Substrate(name="local", fidelity="stand-in"),
        Substrate(name="vm", fidelity="official"),
        Substrate(name="remote", fidelity="equivalent"),
    ),
    packages=(f"{PACKAGE}=={VERSION}",),
    instances_differ=False,
    headline=Headline(
        name="OSWorld's success rate",
        tasks=369,
        instances=1,
        rule="the mean of the tasks' scores, partial ones as they are; a task without a result is left out",
        source="xlang-ai/OSWorld, show_result.py, get_result",
    ),
    environment=environment,
    installs=EnvironmentFace(
        upstream=(f"{PACKAGE}=={VERSION}",),
        requirements=GRADER_REQUIREMENTS,
        full=FULL_REQUIREMENTS,
        left_out="torch and easyocr (1 task reads text in images), librosa (3 tasks compare sounds); `--full` installs them",
        checkout="desktop_env",
        checkout_packages=("desktop_env",),
    ),
    data=DataFace(
        folders=FOLDERS,
        marker="test_all.json",
        check="unibench_osworld.task_check:check_folder",
        unchecked="unibench_osworld.task_check:left_unchecked",
    ),
    call_seconds={"*": 120.0, "open": 120.0, "reset": 600.0, "verify": 700.0, "run_control": 1500.0, "probe": 180.0, "observe": 90.0},
)
