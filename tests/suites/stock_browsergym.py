"""Stock BrowserGym, unmodified, as a process: plays scripted episodes and prints what it gave. For the parity test.

A step is an action string; ``{role 'name'}`` in it stands for the ref of that element in stock's own AXTree.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import miniwob

os.environ["MINIWOB_URL"] = (Path(miniwob.__file__).parent / "html" / "miniwob").as_uri() + "/"

import browsergym.miniwob
import gymnasium
import playwright.sync_api
from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.utils.obs import flatten_axtree_to_str


def choose_browser(executable: str) -> None:
    """Stock launches a second browser for its chat without any argument, so the executable must be its default."""
    launch = playwright.sync_api.BrowserType.launch

    def with_executable(self: Any, **kwargs: Any) -> Any:
        return launch(self, **{"executable_path": executable, **kwargs})

    playwright.sync_api.BrowserType.launch = with_executable


def resolve(step: str, tree: str) -> str:
    """The step with each element's ref filled in."""

    def ref(found: re.Match[str]) -> str:
        line = next(line for line in tree.splitlines() if found.group(1) in line)
        return line.split("]")[0].strip().lstrip("[")

    return re.sub(r"\{(.*?)\}", ref, step)


def play(task: str, seed: int, steps: list[str]) -> dict[str, Any]:
    actions = HighLevelActionSet(subsets=["chat", "infeas", "bid", "coord", "nav", "tab"])
    env = gymnasium.make(f"browsergym/miniwob.{task}", action_mapping=actions.to_python_code, disable_env_checker=True)
    observation, _ = env.reset(seed=seed)
    played: list[dict[str, Any]] = []
    for step in steps:
        action = resolve(step, flatten_axtree_to_str(observation["axtree_object"]))
        observation, reward, terminated, _, _ = env.step(action)
        played.append(
            {"action": action, "reward": float(reward), "ended": bool(terminated), "error": bool(observation["last_action_error"])}
        )
        if terminated:
            break
    goal = observation["goal"]
    env.close()
    return {"task": task, "seed": seed, "goal": goal, "steps": played}


def main() -> None:
    choose_browser(sys.argv[1])
    assert browsergym.miniwob.ALL_MINIWOB_TASKS
    print(json.dumps([play(*episode) for episode in json.load(sys.stdin)]))  # noqa: T201


if __name__ == "__main__":
    main()
