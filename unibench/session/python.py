"""Which interpreter runs a suite's session process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from unibench.errors import Unavailable
from unibench.suite import SuiteFace


def python_for(face: SuiteFace) -> Path:
    """The interpreter of a suite's environment.

    ``UNIBENCH_PYTHON_<SUITE>`` if set; else this interpreter, or for a suite with an environment of its own the one
    under the user's data folder (``envs/<suite>``).

    Raises:
        Unavailable: the suite's own environment is not there.
    """
    variable = "UNIBENCH_PYTHON_" + face.name.upper().replace("-", "_")
    if chosen := os.environ.get(variable):
        if not Path(chosen).exists():
            raise Unavailable(f"{variable}={chosen} does not exist; set it to the Python of the environment that holds {face.name}")
        return Path(chosen)
    if not face.own_environment:
        return Path(sys.executable)
    import platformdirs

    python = Path(platformdirs.user_data_dir("unibench")) / "envs" / face.name / "bin" / "python"
    if not python.exists():
        raise Unavailable(
            f"{face.name} lives in an environment of its own, which is not at {python}; make it, or set {variable} to its Python"
        )
    return python
