"""Many MiniWoB++ environments at once: steps a second and memory, unibench's make_vec against stock BrowserGym.

Both take a screenshot a step of the same pages with the same browser. Stock runs in Gymnasium's AsyncVectorEnv, a process
and two browsers an environment; where 48 do not fit into memory or time, --stock says how many are tried.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.vector import AsyncVectorEnv
from miniwob_episode import TASK, stock

import unibench

IDLE = "noop(0)"


def memory() -> float:
    """Gigabytes of this process and all below it; pages that several share are counted once (PSS)."""
    below, pages = {os.getpid()}, 0
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            stats[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    for _ in range(10):
        below |= {pid for pid, parent in stats.items() if parent in below}
    for pid in below:
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            pages += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return pages / 2**20


def measured(envs: gymnasium.vector.VectorEnv[Any, Any, Any], seconds: float) -> str:
    """Steps until the time is over; the line that says what came of it."""
    start = time.perf_counter()
    envs.reset(seed=0)
    reset = time.perf_counter() - start
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds or not count:
        envs.step([IDLE] * envs.num_envs)
        count += envs.num_envs
    rate = count / (time.perf_counter() - start)
    line = f"{envs.num_envs:>6}{reset:>12.1f}{rate:>12.1f}{memory():>12.2f}"
    envs.close()
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=48)
    parser.add_argument("--stock", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=15)
    options = parser.parse_args()
    sys.stdout.write(f"{'':28}{'envs':>6}{'reset s':>12}{'steps/s':>12}{'GB':>12}\n")

    def show(name: str, line: str) -> None:
        sys.stdout.write(f"{name:28}{line}\n")
        sys.stdout.flush()

    ours = unibench.make_vec("miniwob", options.envs, tasks=[TASK], observe=["screenshot"], ledger_policy="ignore")
    show("unibench.make_vec", measured(ours, options.seconds))
    seeded = {"reseed_in_page": True}
    ours = unibench.make_vec("miniwob", options.envs, tasks=[TASK], observe=["screenshot"], ledger_policy="ignore", settings=seeded)
    show("unibench.make_vec, reseeding", measured(ours, options.seconds))
    if options.stock:
        stocks = AsyncVectorEnv([stock] * options.stock, shared_memory=False, context="spawn")
        show("stock, AsyncVectorEnv", measured(stocks, options.seconds))


if __name__ == "__main__":
    main()
