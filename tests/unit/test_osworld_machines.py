"""Which machine a desktop suite gets from its settings, and what is said before anything starts."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from unibench.errors import EnvironmentFault, InvalidSetting, Unavailable, UnknownName
from unibench_osworld import OsworldSettings
from unibench_osworld.machines import SERVER, Remote, check_settings
from unibench_osworld.suite import OsworldSuite
from unibench_osworld.upstream_source import UpstreamSource
from unibench_windows_agent_arena import PATH_MAPPED, WindowsSettings
from unibench_windows_agent_arena.suite import WindowsAgentArenaSuite


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
    with pytest.raises(Unavailable, match=r"no guest answers at no-such-host\.invalid:5000: "):
        Remote("no-such-host.invalid")


def test_a_guest_that_goes_away_is_a_fault_of_the_next_reset() -> None:
    server, port = listening()
    with server:
        machine = Remote(f"127.0.0.1:{port}")
        assert machine.targets[SERVER] == ("127.0.0.1", port)
        machine.fresh()
    with pytest.raises(EnvironmentFault, match="connection refused"):
        machine.fresh()


@pytest.mark.parametrize(
    ("substrate", "given", "says"),
    [
        ("local", {"address": "127.0.0.1:5000"}, "address needs --substrate remote; this is local"),
        ("vm", {"address": "127.0.0.1:5000"}, "address needs --substrate remote; this is vm"),
        ("local", {"provider": "vmware"}, "provider needs --substrate vm"),
        ("remote", {"address": "127.0.0.1:5000", "region": "us-east-1"}, "region needs --substrate vm; this is remote"),
        ("local", {"vm_path": "a.vmx"}, "vm_path needs --substrate vm"),
    ],
)
def test_a_setting_of_another_substrate_is_refused(substrate: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidSetting, match=says) as caught:
        OsworldSuite().open(OsworldSettings(**given), substrate)
    assert caught.value.exit_code == 2


def test_the_path_mapped_guest_has_no_address() -> None:
    with pytest.raises(InvalidSetting, match="address needs --substrate remote; this is path-mapped"):
        WindowsAgentArenaSuite().open(WindowsSettings(address="10.0.0.7"), PATH_MAPPED)


def test_what_a_substrate_reads_passes() -> None:
    check_settings("local", OsworldSettings())
    check_settings("vm", OsworldSettings(provider="vmware", vm_path="a.vmx", region="x"))
    check_settings("remote", OsworldSettings(address="10.0.0.7"))


def test_a_provider_that_upstream_does_not_have_is_refused_with_what_was_meant() -> None:
    suite = OsworldSuite()
    suite.source = UpstreamSource(Path("desktop_env"), "1.0.2", providers=("vmware", "docker", "aws"))
    with pytest.raises(UnknownName, match=r"no provider 'dockr'; did you mean 'docker'\?") as caught:
        suite.open(OsworldSettings(provider="dockr"), "vm")
    assert caught.value.exit_code == 2
    check_settings("vm", OsworldSettings(provider=" Docker"), suite.source.providers)  # upstream takes it, too
    check_settings("vm", OsworldSettings(provider="dockr"))  # nobody knows which there are
