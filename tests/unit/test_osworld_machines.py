"""Which machine a desktop suite gets from its settings, and what is said before anything starts."""

from __future__ import annotations

import socket

import pytest

from unibench.errors import EnvironmentFault, Unavailable
from unibench_osworld.machines import SERVER, Remote


def listening() -> tuple[socket.socket, int]:
    server = socket.create_server(("127.0.0.1", 0))
    return server, server.getsockname()[1]


def test_an_address_where_nobody_listens_is_refused_at_once() -> None:
    server, port = listening()
    server.close()
    with pytest.raises(Unavailable, match=f"no guest answers at 127.0.0.1:{port}: connection refused; is its server up?") as caught:
        Remote(f"127.0.0.1:{port}")
    assert caught.value.exit_code == 3


def test_a_host_that_has_no_name_is_refused() -> None:
    with pytest.raises(Unavailable, match="no guest answers at no-such-host.invalid:5000: "):
        Remote("no-such-host.invalid")


def test_a_guest_that_goes_away_is_a_fault_of_the_next_reset() -> None:
    server, port = listening()
    with server:
        machine = Remote(f"127.0.0.1:{port}")
        assert machine.targets[SERVER] == ("127.0.0.1", port)
        machine.fresh()
    with pytest.raises(EnvironmentFault, match="connection refused"):
        machine.fresh()
