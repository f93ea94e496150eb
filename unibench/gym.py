"""One Gymnasium id a suite: ``gymnasium.make("unibench/miniwob-v0", task="click-test")``.

``import unibench`` registers them only if gymnasium has been imported before, since it must start fast; the form with a
module prefix, ``"unibench.gym:unibench/miniwob-v0"``, always works.
"""

from __future__ import annotations

import gymnasium

from unibench.registry import suite_names


def register() -> None:
    """Registers the installed suites; twice is fine."""
    for name in suite_names():
        env_id = f"unibench/{name}-v0"
        if env_id not in gymnasium.registry:
            gymnasium.register(id=env_id, entry_point="unibench.env:Env", kwargs={"suite": name})


register()
