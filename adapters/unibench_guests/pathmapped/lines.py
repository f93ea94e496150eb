"""What command lines say, for both who are given one. Standard library only: the sandboxed Python uses it as well."""

from __future__ import annotations

import re

LINUX_ONLY = "sudo chown -R user:user /home/user/.config/"
"""What upstream's set-up controller runs after it has put a browser's history in place, on Windows as well, where it cannot work."""
_JOINS = re.compile(r"[|&<>^\r\n]")
_KILL = re.compile(r"(?i)taskkill(?:\.exe)?(?:\s+/[ft])*\s+/im\s+(\S+)(?:\s+/[ft])*")


def joined(line: str) -> bool:
    """Whether a line is more than one command, or sends its output elsewhere."""
    return _JOINS.search(line) is not None


def killed(line: str) -> str | None:
    """The program that a line ends, if that is all it does."""
    found = _KILL.fullmatch(line.strip())
    return found.group(1) if found and not joined(line.strip()) else None


def linux_only(line: str) -> bool:
    """Whether a line is upstream's ``sudo`` alone."""
    return line.startswith(LINUX_ONLY) and not joined(line) and len(line.split()) == 5
