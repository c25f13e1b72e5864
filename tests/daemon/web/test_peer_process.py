"""Which process holds the other end of a connection."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from pilothouse.daemon.web.peer_process import peer_process, socket_inode

_TABLE = """  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  ...
   0: 0100007F:1CF3 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0
   1: 0100007F:D431 0100007F:1CF3 01 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0
"""


@pytest.mark.skipif(sys.byteorder != "little", reason="a little-endian machine's table")
def test_socket_is_found_by_both_of_its_ends() -> None:
    ours, theirs = ("127.0.0.1", 0x1CF3), ("127.0.0.1", 0xD431)
    assert socket_inode(_TABLE, theirs, ours) == 4242
    assert socket_inode(_TABLE, ours, theirs) == 0
    assert socket_inode("", theirs, ours) == 0
    assert socket_inode("head\nhalf a line", theirs, ours) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says who holds a socket")
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_process_at_the_other_end_is_known(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        port = server.getsockname()[1]
        code = "import socket, sys; s = socket.create_connection(sys.argv[1:]); sys.stdin.read()"
        with subprocess.Popen(
            [sys.executable, "-c", code, host, str(port)], stdin=subprocess.PIPE
        ) as other:
            accepted, theirs = server.accept()
            with accepted:
                assert peer_process(theirs[:2], (host, port)).startswith(f"{other.pid}-")
        with socket.create_connection((host, port)) as own:
            assert peer_process(own.getsockname()[:2], (host, port)).startswith(f"{os.getpid()}-")


def test_connection_that_is_not_there_has_no_process() -> None:
    assert peer_process(("127.0.0.1", 1), ("127.0.0.1", 2)) == ""
