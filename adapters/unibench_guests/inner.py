"""The first program inside a box: bounds its processes, opens the ports that lead out, then becomes the real program.

Standard library alone: it runs on the box's own Python. The number of processes is bounded here, inside the box's user
namespace, where Linux (since 5.14) counts the box's processes alone.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import sys


def main() -> None:
    box = json.loads(os.environ.pop("UNIBENCH_BOX"))
    control = socket.socket(fileno=box["control"])
    if box["reach"]:
        opened = [socket.create_server(("127.0.0.1", int(port)), backlog=64) for port in box["reach"]]
        socket.send_fds(control, [b"\0"], [each.fileno() for each in opened])
    control.close()
    if box["processes"]:
        resource.setrlimit(resource.RLIMIT_NPROC, (box["processes"], box["processes"]))
    os.environ["UNIBENCH_PORTS"] = json.dumps(box["listening"])
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
