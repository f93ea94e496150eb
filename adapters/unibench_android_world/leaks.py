"""What a task leaves behind on the simulated device after its set-up and tear-down: ``python -m unibench_android_world.leaks GLOB…``."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase

from unibench.errors import UnibenchError, UnknownName
from unibench_android_world import AndroidWorldSettings
from unibench_android_world.session import open_session
from unibench_android_world.suite import AndroidWorldSuite


def main(globs: list[str]) -> int:
    """Writes a line for each task that leaves something to stdout; 1 if there are any.

    Raises:
        UnknownName: no task has such a name.
        Unavailable: there is no upstream, or no simulated device, on this machine.
    """
    from unibench_android_world import FACE

    suite = AndroidWorldSuite()
    for glob in globs:
        if not any(fnmatchcase(task, glob) for task in suite.classes):
            raise UnknownName.among("task of android_world", glob, suite.classes)
    chosen = [task for task in suite.classes if any(fnmatchcase(task, glob) for glob in globs)]
    session = open_session(suite, AndroidWorldSettings(), FACE.substrate("simdevice"))
    left = looked = 0
    try:
        for task in chosen:
            try:
                session.reset(suite.draw(task, 0))
            except UnibenchError as error:
                sys.stdout.write(f"{task}: does not come up: {error}\n")
                continue
            looked += 1
            if names := session.left_behind():
                left += 1
                sys.stdout.write(f"{task}: {', '.join(names)}\n")
    finally:
        session.close()
    sys.stdout.write(f"{looked} tasks set up and torn down, {left} left something behind\n")
    return 1 if left else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:] or ["*"]))
    except UnibenchError as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(problem.exit_code)
