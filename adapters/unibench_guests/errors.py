"""Errors of guests, beside :mod:`unibench.errors`."""

from __future__ import annotations

from unibench.errors import EnvironmentFault


class GuestRefused(EnvironmentFault):
    """The guest's server answered, and said no: no such window, no such file, a command that cannot be started.

    Attributes:
        status: the HTTP status, or 0 if the error crossed a process.
    """

    def __init__(self, message: str, *, status: int = 0, detail: str = "") -> None:
        super().__init__(message, detail=detail)
        self.status = status
