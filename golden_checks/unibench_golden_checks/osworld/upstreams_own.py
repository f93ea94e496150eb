"""Upstream's own ``DesktopEnv.evaluate()``, unmodified and outside of the grader's box, on a machine that is there.

Runs in the suite's environment, as a script: a JSON object on stdin (address, cache, task, files, made, history); the last line on
stdout is ``{"value": …}``, or ``{"raised": type, "message": …}``. Only for end states that recipes made: nothing of it is shut in.
"""

import json
import shutil
import sys
import types
from pathlib import Path
from typing import Any


def main() -> None:
    call = json.load(sys.stdin)
    for name in ("easyocr", "librosa"):
        try:
            __import__(name)
        except ImportError:
            sys.modules[name] = types.ModuleType(name)
    import desktop_env.desktop_env as upstream

    class Provider:
        """Of a machine that runs already."""

        def start_emulator(self, *args: Any) -> None:
            pass

        def get_ip_address(self, *args: Any) -> str:
            return str(call["address"])

    upstream.create_vm_manager_and_provider = lambda *args, **kwargs: (None, Provider())
    env = upstream.DesktopEnv(
        provider_name="docker", path_to_vm="x", cache_dir=call["cache"], require_a11y_tree=False, client_password=call["password"]
    )
    env._set_task_info(call["task"])
    env.setup_controller.reset_cache_dir(env.cache_dir)
    for name, path in call["files"].items():
        target = Path(env.cache_dir, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for name, text in call["made"].items():
        Path(env.cache_dir, name).write_text(text, encoding="utf-8", errors="surrogateescape")
    env.action_history = call["history"]
    try:
        answer = {"value": float(env.evaluate())}
    except Exception as error:  # noqa: BLE001 - what upstream lets escape is what is asked for
        answer = {"raised": type(error).__name__, "message": str(error)[:300]}
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
