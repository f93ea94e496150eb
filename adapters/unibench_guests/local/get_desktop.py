"""``python -m unibench_guests.local.get_desktop``: sees to it that the local desktop's programs are there.

What is missing is installed from Debian, where root and apt are there; else one message says what to do. Applications that the
desktop can do without (GIMP, VLC, Thunderbird …) are installed too, but are no reason to fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from unibench.errors import Unavailable
from unibench_guests.local.programs import check_installed, missing_applications, missing_packages

_UPDATE = ["apt-get", "update", "-q"]
_INSTALL = ["apt-get", "install", "-q", "-y", "--no-install-recommends"]


def get_desktop() -> None:
    """
    Raises:
        Unavailable: something is missing and cannot be installed.
    """
    missing, more = missing_packages(), missing_applications()
    if (missing or more) and shutil.which("apt-get") and os.geteuid() == 0 and _runs(_UPDATE):
        if missing:
            _runs([*_INSTALL, *missing])
        if more:
            _runs([*_INSTALL, *more])
    check_installed()


def _runs(command: list[str]) -> bool:
    sys.stderr.write(f"+ {' '.join(command)}\n")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.run(command, env=quiet, stdout=sys.stderr, check=False).returncode == 0


if __name__ == "__main__":
    try:
        get_desktop()
    except Unavailable as error:
        sys.stderr.write(f"unibench: {error}\n")
        sys.exit(error.exit_code)
