"""The path-mapped guest as a machine: the verifiers that only look at files, profiles and paths can be checked on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unibench.settings import Substrate
from unibench_guests.pathmapped import PathMappedGuest
from unibench_guests.pathmapped.guest import version
from unibench_osworld.machines import SERVER, Machine


class PathMapped(Machine):
    """A Windows user's files in a folder of this machine, behind the guest API."""

    def __init__(self) -> None:
        self.guest = PathMappedGuest()

    def fresh(self) -> None:
        self.guest.fresh()

    @property
    def targets(self) -> Mapping[int, tuple[str, int]]:
        return {SERVER: ("127.0.0.1", self.guest.port)}

    @property
    def gaps(self) -> Sequence[str]:
        return tuple(self.guest.gaps)

    def substrate(self, named: Substrate) -> Substrate:
        return named.model_copy(update={"digest": version()})

    def close(self) -> None:
        self.guest.close()
