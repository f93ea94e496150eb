"""A path-mapped guest: the file half of a Windows guest, over a folder of this machine. A test bench for verifiers, not for agents.

It speaks the guest API of WindowsAgentArena's server and has files, folders and a profile; it has no screen, no windows, no
registry and no programs. What it is asked for beyond that is a *gap*: refused, and remembered, so that no verdict comes of it.
"""

from unibench_guests.pathmapped.guest import PathMappedGuest

__all__ = ["PathMappedGuest"]
