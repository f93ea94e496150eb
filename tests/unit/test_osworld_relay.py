"""The relay: it carries both ways, keeps what it carries, and lets go of all of it."""

from __future__ import annotations

import gc
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from unibench_guests.carrying import MOST
from unibench_osworld.grader.relay import Relay


@pytest.fixture
def relay() -> Iterator[Relay]:
    found = Relay((5000,))
    yield found
    found.close()


@pytest.fixture
def machine() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=2 * MOST) as listening:
        yield listening


def reach(relay: Relay, machine: socket.socket) -> tuple[socket.socket, socket.socket]:
    """A connection through the relay: its end here, and the machine's."""
    relay.lead_to({5000: machine.getsockname()})
    here = socket.create_connection(("127.0.0.1", relay.ports[5000]))
    there, _ = machine.accept()
    for each in (here, there):
        each.settimeout(10)
    return here, there


def holds(what: Callable[[], bool]) -> bool:
    until = time.monotonic() + 10
    while not what() and time.monotonic() < until:
        time.sleep(0.01)
    return what()


def test_an_answer_comes_back_after_the_question_has_ended(relay: Relay, machine: socket.socket) -> None:
    here, there = reach(relay, machine)
    here.sendall(b"x" * 1_000_000)
    here.shutdown(socket.SHUT_WR)
    got = b""
    while chunk := there.recv(1 << 16):
        got += chunk
    there.sendall(b"answer")
    there.close()
    assert (len(got), here.recv(100), here.recv(100)) == (1_000_000, b"answer", b"")
    assert holds(lambda: relay.carried == 0)
    here.close()


def test_a_silent_machine_is_let_go_when_the_asker_is_gone(relay: Relay, machine: socket.socket, caplog: pytest.LogCaptureFixture) -> None:
    gc.collect()
    caplog.clear()  # of what other tests left
    here, there = reach(relay, machine)
    here.sendall(b"question")
    assert there.recv(100) == b"question"
    here.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    here.close()  # with a reset, as a killed grader's
    assert there.recv(100) == b"", "the machine is told"
    gc.collect()
    there.close()
    assert holds(lambda: relay.carried == 0)
    assert "Task was destroyed" not in caplog.text


def test_connections_to_the_last_machine_end_with_it(relay: Relay, machine: socket.socket) -> None:
    here, there = reach(relay, machine)
    here.sendall(b"question")
    assert there.recv(100) == b"question"
    relay.lead_to({})
    with pytest.raises(ConnectionResetError):
        here.recv(100)
    assert relay.carried == 0
    with socket.create_connection(("127.0.0.1", relay.ports[5000])) as nowhere:
        assert nowhere.recv(100) == b""
    here.close()
    there.close()


def test_a_flood_of_connections_takes_no_more_than_its_share(relay: Relay, machine: socket.socket) -> None:
    relay.lead_to({5000: machine.getsockname()})
    flood = [socket.create_connection(("127.0.0.1", relay.ports[5000])) for _ in range(MOST + 50)]
    assert holds(lambda: relay.carried == MOST)
    flood[-1].settimeout(10)
    with pytest.raises(ConnectionResetError):
        flood[-1].recv(1)
    for each in flood:
        each.close()
    relay.lead_to({})
    with socket.create_server(("127.0.0.1", 0)) as another:
        here, there = reach(relay, another)
        here.sendall(b"question")
        assert there.recv(100) == b"question"
        here.close()
        there.close()


def test_nothing_is_left_when_it_is_closed_under_load(machine: socket.socket, caplog: pytest.LogCaptureFixture) -> None:
    before = threading.active_count()
    for _ in range(5):
        relay = Relay((5000,))
        relay.lead_to({5000: machine.getsockname()})
        open_here = [socket.create_connection(("127.0.0.1", relay.ports[5000])) for _ in range(20)]
        for each in open_here:
            each.sendall(b"question")
        relay.close()
        for each in open_here:
            each.close()
        del relay
    gc.collect()
    assert threading.active_count() == before
    assert caplog.text == ""
