"""A server listens to this machine alone, and says who has its port."""

from __future__ import annotations

import os
import socket

import psutil
import pytest

from pilothouse.errors import PilothouseError, ToolError
from pilothouse.loopback import listen

HINT = "give another port"


@pytest.mark.parametrize("host", ["0.0.0.0", "*", "::", "[::]", "192.168.0.4", "example.org", "0"])
def test_no_other_address_is_listened_at(host: str) -> None:
    before = _listening()
    with pytest.raises(ToolError, match="not a loopback address"):
        listen(host, 0, taken_hint=HINT)
    assert _listening() == before


@pytest.mark.parametrize(
    ("host", "address"),
    [("", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("::1", "::1")],
)
def test_every_name_of_this_machine_means_loopback(host: str, address: str) -> None:
    with listen(host, 0, taken_hint=HINT) as sock:
        port = sock.getsockname()[1]
        found = {one for one in _listening() if one[1] == port}
        assert found == {(address, port)}


def test_a_port_that_is_taken_is_refused_with_who_has_it(refusing_port: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PilothouseError, match=f"port {port} is taken by .*pid {os.getpid()}"):
            listen("127.0.0.1", port, taken_hint=HINT)
    # Who only bound it does not listen: nobody is named.
    with pytest.raises(PilothouseError, match=rf"^port {refusing_port} is taken$"):
        listen("127.0.0.1", refusing_port, taken_hint=HINT)


@pytest.mark.parametrize("port", [-1, 65536, "80", True])
def test_what_is_no_port_is_refused(port: object) -> None:
    with pytest.raises(ToolError, match="port"):
        listen("", port, taken_hint=HINT)


def _listening() -> set[tuple[str, int]]:
    found = psutil.Process().net_connections("tcp")
    return {(c.laddr.ip, c.laddr.port) for c in found if c.status == psutil.CONN_LISTEN}
