"""Reset and step of one MiniWoB++ task: stock BrowserGym and unibench in turn, medians in milliseconds and ratios.

Twice: with half a second's pause before each episode, as an agent's thinking gives, and one episode after another. The
observation set is named in the table. Stock always takes all of its observations, sleeps 0.5 s after an action and starts
two browsers a reset; that is what its users wait for.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import miniwob

import unibench

os.environ["MINIWOB_URL"] = (Path(miniwob.__file__).parent / "html" / "miniwob").as_uri() + "/"

TASK = "click-test"
BLOCK = 4
"""Episodes that an environment plays one after another, as it is used."""
STOCKS = ("screenshot", "dom_object", "axtree_object", "extra_element_properties", "focused", "url", "open_pages_urls")
"""The names under which unibench gives what stock observes."""


def stock(**kwargs: Any) -> Any:
    """Stock BrowserGym with the same browser that unibench takes."""
    import browsergym.miniwob  # noqa: F401 - registers the tasks
    import playwright.sync_api

    from unibench_browsergym.browser import find_chromium

    launch = playwright.sync_api.BrowserType.launch
    executable = find_chromium()
    playwright.sync_api.BrowserType.launch = lambda self, **kwargs: launch(self, **{"executable_path": executable, **kwargs})
    return gymnasium.make(f"browsergym/miniwob.{TASK}", disable_env_checker=True, **kwargs)


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def measured(envs: dict[str, Any], rounds: int, pause: float) -> str:
    """The table for episodes with a pause before each, in seconds."""
    found: dict[str, dict[str, list[float]]] = {name: {"reset": [], "step": []} for name in envs}
    for block in range(rounds):
        for name, env in envs.items():
            time.sleep(1)  # what the one before left running must not slow this one; what it left itself may
            for seed in range(BLOCK * block, BLOCK * (block + 1)):
                time.sleep(pause)
                found[name]["reset"].append(timed(lambda env=env, seed=seed: env.reset(seed=seed)))
                found[name]["step"].append(timed(lambda env=env: env.step("noop(0)")))
    first = found[next(iter(envs))]
    lines = [f"{f'{pause:g} s before each episode':30}{'reset ms':>10}{'ratio':>8}{'step ms':>10}{'ratio':>8}"]
    for name, times in found.items():
        cells = [(statistics.median(times[what]), statistics.median(first[what])) for what in ("reset", "step")]
        lines.append(f"{name:30}" + "".join(f"{mine:>10.1f}{theirs / mine:>7.1f}x" for mine, theirs in cells))
    return "\n".join(lines) + "\n\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    envs = {
        "stock, all its observations": stock(),
        "unibench, all of stock's": unibench.make(f"miniwob/{TASK}", observe=STOCKS),
        "unibench, screenshot": unibench.make(f"miniwob/{TASK}", observe=["screenshot"]),
        "unibench, re-seeded, nothing": unibench.make(f"miniwob/{TASK}", observe=[], settings={"reseed_in_page": True}),
        "stock without its sleep": stock(pre_observation_delay=0),
        "unibench, all, without waiting": unibench.make(f"miniwob/{TASK}", observe=STOCKS, settings={"wait_for_paint": False}),
    }
    for env in envs.values():
        env.reset(seed=0)
    for pause in (0.5, 0.0):
        sys.stdout.write(measured(envs, rounds, pause))
        sys.stdout.flush()
    for env in envs.values():
        env.close()


if __name__ == "__main__":
    main()
