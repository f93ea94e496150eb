"""``unibench doctor osworld``: what works here, tried for real."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from unibench.environments import environment_python, environment_record
from unibench.errors import UnibenchError
from unibench.suite import Finding
from unibench_osworld import DesktopSettings

if TYPE_CHECKING:
    from unibench_osworld.suite import OsworldSuite


def probe(suite: OsworldSuite, settings: DesktopSettings) -> list[Finding]:
    """Task files, their static check, upstream's evaluators in their box, and a boot of the local desktop."""
    return [*_tasks(suite), *_grader(suite, settings), *(_desktop() if any(s.name == "local" for s in suite.face.substrates) else ())]


def _tasks(suite: OsworldSuite) -> list[Finding]:
    files = suite.files
    problems = suite.problems()
    counts = ", ".join(f"{count} {rule}" for rule, count in Counter(problem.rule for problem in problems).most_common())
    tasks, fatal = {problem.task for problem in problems}, {problem.task for problem in problems if problem.fatal}
    said = f"{len(problems)} problems in {len(tasks)} tasks, fatal in {len(fatal)}: {counts}" if problems else "no problem"
    return [
        Finding(what="task files", ok=True, detail=f"{len(files.tasks)} tasks in {files.folder}, version {files.version}"),
        Finding(what="static check", ok=True, detail=f"{said}; `unibench data {suite.name} --check` lists them"),
    ]


def _grader(suite: OsworldSuite, settings: DesktopSettings) -> list[Finding]:
    mend = suite.installing
    try:
        from unibench_osworld.grader.client import Grader

        start = time.monotonic()
        grader = Grader(environment_python(suite.grader_suite), suite.store(settings).folders)
        try:
            offers = {key: len(names) for key, names in grader.offers.items()}
        finally:
            grader.close()
    except UnibenchError as error:
        return [Finding(what="evaluators", ok=False, detail=str(error), mend=mend)]
    record = environment_record(suite.grader_suite)
    full = "" if record is not None and record.full else "; without easyocr and librosa (--full)"
    counts = f"{offers['metrics']} metrics, {offers['getters']} getters"
    whose = suite.judges or suite.package_version
    detail = f"{whose}: {counts}, imported in their box in {time.monotonic() - start:.1f} s{full}"
    return [Finding(what="evaluators", ok=True, detail=detail, mend=mend if suite.judges else "")]


def _desktop() -> list[Finding]:
    try:
        from unibench_guests.local import LocalDesktop, substrate

        start = time.monotonic()
        with LocalDesktop():
            seconds = time.monotonic() - start
        return [Finding(what="local desktop", ok=True, detail=f"booted in {seconds:.2f} s; digest {substrate().digest}")]
    except UnibenchError as error:
        return [Finding(what="local desktop", ok=False, detail=str(error))]
