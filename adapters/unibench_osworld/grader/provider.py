"""Runs in the suite's environment, not in the box: starts, reverts and stops a machine by one of upstream's providers.

Lines ``start``, ``revert`` and ``stop`` on stdin; a JSON line for each on stdout. Standard library and upstream only.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any


def main() -> None:
    name, region, path = json.loads(sys.argv[1])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    state: dict[str, Any] = {}
    for line in sys.stdin:
        try:
            answer = {"address": do(line.strip(), state, name, region or None, path)}
        except Exception as error:  # noqa: BLE001 - upstream's providers raise anything; told to the session
            answer = {"error": f"{type(error).__name__}: {error}", "detail": traceback.format_exc()[-3000:]}
        out.write(json.dumps(answer) + "\n")
        out.flush()


def do(what: str, state: dict[str, Any], name: str, region: str | None, path: str) -> str:
    """One order; gives the machine's address as upstream's provider spells it."""
    if not state:
        from desktop_env.providers import create_vm_manager_and_provider

        manager, provider = create_vm_manager_and_provider(name, region, use_proxy=False)
        state.update(provider=provider, path=path or manager.get_vm_path(os_type="Ubuntu", region=region, screen_size=(1920, 1080)))
    provider = state["provider"]
    if what == "stop":
        provider.stop_emulator(state["path"])
        return ""
    if what == "revert":
        state["path"] = provider.revert_to_snapshot(state["path"], "init_state") or state["path"]
    provider.start_emulator(state["path"], True, "Ubuntu")
    return str(provider.get_ip_address(state["path"]))


if __name__ == "__main__":
    main()
