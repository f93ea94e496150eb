"""Which interpreter runs a suite's session process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from unibench.environments import environment_python, environment_variable
from unibench.suite import SuiteFace


def python_for(face: SuiteFace) -> Path:
    """The interpreter of a suite's session process.

    This one; or, for a suite with an environment of its own, the one that ``UNIBENCH_PYTHON_<SUITE>`` names or that is under the
    user's data folder (``envs/<suite>``). Where only a suite's grader lives in that environment, the variable is the grader's.

    Raises:
        Unavailable: the suite's own environment is not there.
    """
    for_its_grader = face.installs is not None and not face.own_environment
    if face.own_environment or (os.environ.get(environment_variable(face.name)) and not for_its_grader):
        return environment_python(face.name)
    return Path(sys.executable)
