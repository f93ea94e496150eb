"""64 environments in one process group, stepped together: what an RL loop does, without the learning.

python examples/vector_envs.py [--envs 64] [--steps 20]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

import unibench


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()

    # Pages are drawn anew in place where that equals a fresh load; tasks that the golden check found invalid are not
    # played if miniwob.ledger.json is in this folder.
    envs = unibench.make_vec("miniwob/click-*", options.envs, observe=["screenshot"], settings={"reseed_in_page": True})
    outcomes: Counter[str] = Counter()
    try:
        observation, _ = envs.reset(seed=0)
        sys.stdout.write(f"{options.envs} environments, {len(envs.tasks)} tasks, screenshots {observation['screenshot'].shape}\n")
        start = time.perf_counter()
        for _ in range(options.steps):
            actions = envs.action_space.sample()  # here a policy would look at the observation
            observation, _, terminated, truncated, infos = envs.step(actions)
            for lane in (terminated | truncated).nonzero()[0]:
                # A verdict says which verifier gave the reward; an outcome of "env_error" has none and is no data.
                verdict = infos["verdict"][lane] if "verdict" in infos else None
                outcomes[f"{infos['outcome'][lane]} by {verdict.descriptor.row if verdict is not None else 'nobody'}"] += 1
        seconds = time.perf_counter() - start
    finally:
        envs.close()
    sys.stdout.write(f"{options.steps * options.envs / seconds:.0f} steps a second; episodes ended: {dict(outcomes)}\n")


if __name__ == "__main__":
    main()
