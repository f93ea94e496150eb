"""What the session process adds to a step with a 1920x1080 screenshot: the same session in this process, and over the wire."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH", "")]))

from picture_suite import FACE, PictureSuite, picture  # noqa: E402

from unibench.actions import Click, Point  # noqa: E402
from unibench.session.remote import RemoteSuite  # noqa: E402
from unibench.settings import Settings  # noqa: E402

ROUNDS = 200


def timed(session: Any) -> float:
    """Milliseconds of one step, acting and looking: the median."""

    def step() -> None:
        session.act(Click(target=Point(x=1, y=1)))
        session.observe(["screenshot"])

    return statistics.median(measure(step) for _ in range(ROUNDS))


def measure(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    suite = PictureSuite()
    spec = suite.draw("look", 0)
    here = suite.open(Settings(), "memory")
    here.reset(spec)
    with RemoteSuite(FACE, "picture_suite:FACE") as there:
        there.reset(spec)
        inside, outside = timed(here), timed(there)
    size = len(picture()) / 2**20
    sys.stdout.write(f"a step with a 1920x1080 screenshot of {size:.1f} MB: in process {inside:.2f} ms, over the wire {outside:.2f} ms, ")
    sys.stdout.write(f"so the wire adds {outside - inside:.2f} ms\n")


if __name__ == "__main__":
    main()
