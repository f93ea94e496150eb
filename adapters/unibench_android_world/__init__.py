"""AndroidWorld: the suite's static face."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar, Literal

from unibench.environments import EnvironmentFace
from unibench.settings import Settings, Substrate, setting
from unibench.suite import Headline, Offers, SuiteFace
from unibench_android_world.environment import BUILD, IMPORTS, REQUIREMENTS, UPSTREAM

SCREEN = (1080, 2400)
"""Pixel 6, on which AndroidWorld is developed (android_world/env/env_launcher.py at d9c569f7)."""


class AndroidWorldSettings(Settings):
    """How AndroidWorld is run; each field knows upstream's value and whether it affects scores."""

    console_port: int = setting(
        5554,
        upstream=5554,
        affects_scores=False,
        ge=5554,
        le=5680,
        description="the emulator's console port; adb's is the next one",
    )
    grpc_port: int = setting(8554, upstream=8554, affects_scores=False, ge=1024, le=65535, description="the emulator's gRPC port")
    adb_path: str = setting(
        "",
        upstream="~/Android/Sdk/platform-tools/adb",
        affects_scores=False,
        program=True,
        description="the adb client; empty looks on PATH and in the SDK's usual places",
    )
    avd: str = setting(
        "",
        upstream="",
        affects_scores=False,
        description="the Android Virtual Device to start when no emulator answers on the console port; it ends with the session",
    )
    snapshot: str = setting(
        "",
        upstream="",
        affects_scores=False,
        description="the snapshot of the virtual device that the emulator is brought to when a session opens",
    )
    emulator_path: str = setting(
        "",
        upstream="",
        affects_scores=False,
        program=True,
        description="the emulator; empty looks on PATH and in the SDK's usual places",
    )
    emulator_arguments: str = setting(
        "-no-window -no-audio -no-boot-anim",
        upstream="",
        affects_scores=False,
        program=True,
        description="what else the emulator is started with",
    )
    transport: Literal["in-process", "adb"] = setting(
        "in-process",
        upstream="adb",
        affects_scores=False,
        description="how the simulated device is reached: in this process, or by a real adb client and server",
    )
    install_forwarder: bool = setting(
        True,
        upstream=True,
        affects_scores=False,
        description="download and install the accessibility forwarder each time; false if it is on the phone already",
    )
    first_setup: bool = setting(
        False,
        upstream=False,
        affects_scores=False,
        description="download and set up the apps on the emulator first; needed once",
    )
    freeze_datetime: bool = setting(True, upstream=True, affects_scores=True, description="set the device's clock to October 2023")
    settle_seconds: float = setting(
        1.0,
        upstream=1.0,
        affects_scores=True,
        ge=0,
        le=60,
        description="seconds to sleep after each action, as upstream's agents do before they look",
    )


class Observations:
    """What can be observed, and of which form it is."""

    KINDS: ClassVar[dict[str, Literal["image", "text", "json"]]] = {
        "screenshot": "image",
        "ui": "text",
        "ui_elements": "json",
        "a11y_forest": "json",
        "activity": "text",
    }


def offers(settings: Settings) -> Offers:
    """What AndroidWorld takes and shows."""
    return Offers(
        actions=(
            "click", "double_click", "scroll", "type", "key", "long_press", "swipe", "drag", "back", "home", "open_app",
            "wait", "answer", "done", "infeasible", "native",
        ),
        dialects=("android_world",),
        observations=Observations.KINDS,
        screen=SCREEN,
    )  # fmt: skip


def environment(settings: Settings) -> Mapping[str, str]:
    """Upstream writes noise files in sets' order, which the hash seed decides, and reads in the locale's encoding; pydub needs PATH."""
    return {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "GRPC_VERBOSITY": "NONE", "PATH": os.environ.get("PATH", os.defpath)}


FACE = SuiteFace(
    name="android_world",
    title="AndroidWorld",
    summary="116 phone tasks on random instances, judged by the device's state",
    suite="unibench_android_world.suite:AndroidWorldSuite",
    settings=AndroidWorldSettings,
    offers=offers,
    observe=("screenshot", "ui"),
    substrates=(
        Substrate(name="emulator", fidelity="official"),
        Substrate(name="simdevice", fidelity="stand-in", agents=False),
    ),
    environment=environment,
    headline=Headline(
        name="success rate",
        tasks=116,
        instances=1,
        rule="the mean of the tasks' mean scores; an episode that raised is left out",
        source="android_world/suite_utils.py at d9c569f7, process_episodes",
    ),
    own_environment=True,
    installs=EnvironmentFace(
        upstream=UPSTREAM,
        requirements=(*BUILD, *REQUIREMENTS),
        left_out="what upstream's own agents need (google-generativeai, IPython, matplotlib …)",
        checkout="android_world/task_evals",
        checkout_packages=("task_evals",),
        checkout_builds=True,
        imports=IMPORTS,
    ),
    score_at_budget="fail",  # android_world/suite_utils.py at d9c569f7: ``task_successful if interaction_results.done else 0.0``
    call_seconds={"*": 60.0, "hello": 90.0, "open": 1800.0, "reset": 300.0, "verify": 120.0, "probe": 300.0, "run_control": 400.0},
)
