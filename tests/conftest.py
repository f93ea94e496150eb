"""What the tests share: where upstream data lies, and the environment for plug-ins that live in one of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from unibench.errors import Unavailable
from unibench_guests import sandbox

ROOT = Path(__file__).resolve().parent.parent

# A shell's background job ignores it, and so would every process that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test is timed: on a busy machine any example may take long.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def data() -> Path:
    """Upstream's task files for tests; skips where there are none."""
    place = os.environ.get("UNIBENCH_TEST_DATA")
    if not place:
        pytest.skip("UNIBENCH_TEST_DATA is not set: it names the folder with upstream's task files")
    return Path(place)


@pytest.fixture(scope="session")
def sandboxed() -> None:
    """Skips where this system lets no sandbox be made."""
    try:
        sandbox.run(["true"])
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """unibench's wheel, built from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)])
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """The Python of an environment as upstreams have them: old numpy, old pydantic, no gymnasium; the wheel without its
    dependencies, and the example plug-in."""
    place = tmp_path_factory.mktemp("foreign environment")
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    run([*pip, "numpy==1.26.4", "pydantic==2.10.6", "hatchling"])
    run([*pip, "--no-deps", str(wheel)])
    run([*pip, "--no-deps", "--no-build-isolation", str(ROOT / "examples" / "notebook_suite")])
    return python


def run(command: list[str], **kwargs: object) -> None:
    """Runs a set-up command; a failure shows what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
