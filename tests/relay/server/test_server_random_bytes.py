"""S19: whatever bytes arrive, the relay's process lives, answers, and does not grow."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pilothouse.cdp.websocket.client_codec import encode_frame
from pilothouse.relay.server.auth import ROUTES
from tests.code_and_docs_rules import ROOT
from tests.relay.relay_port_and_clients import EXTENSION_ID, KEY, WITHIN_S
from tests.soak_extent import repeats

AT_ONCE = 10
MOST_GROWTH = 20e6


@dataclass(frozen=True)
class Victim:
    """The process, and the way in."""

    process: psutil.Process
    port: int
    token: str
    errors: Path

    def hears(self, data: bytes) -> bytes:
        """What it answers to bytes, until it hangs up."""
        data = data.replace(b"{port}", b"%d" % self.port).replace(b"{token}", self.token.encode())
        heard = b""
        sock = socket.create_connection(("127.0.0.1", self.port), WITHIN_S)
        # It may hang up in the middle of what it is told.
        with sock, contextlib.suppress(ConnectionError):
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            while part := sock.recv(65536):
                heard += part
        return heard


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Victim]:
    errors = tmp_path_factory.mktemp("victim") / "errors"
    with errors.open("w") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.relay.relay_port_process"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
    with process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        yield Victim(psutil.Process(process.pid), told["port"], told["token"], errors)
        assert process.stdin is not None
        process.stdin.close()


OPEN = (
    b"GET %b HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %b\r\n%b\r\n\r\n"
)
CLIENT = OPEN % (b"/cdp?token={token}", KEY.encode(), b"X: y")
LENDER = OPEN % (
    b"/extension",
    KEY.encode(),
    b"Origin: chrome-extension://%b" % EXTENSION_ID.encode(),
)
NAMES = ["Host", "Origin", "Referer", "Upgrade", "Sec-WebSocket-Key", "Content-Length", "\xff", ""]
VALUES = ["[::1", "127.0.0.1:{port}", "null", "-1", "websocket", "Bearer {token}", "\0", "x" * 5000]

texts = st.text(st.characters(max_codepoint=255), max_size=60)
headers = st.tuples(st.sampled_from(NAMES) | texts, st.sampled_from(VALUES) | texts)
requests = st.builds(
    lambda method, path, query, lines, body: (
        (
            f"{method} {path}?{query} HTTP/1.1\r\nHost: 127.0.0.1:{{port}}\r\n"
            + "".join(f"{name}: {value}\r\n" for name, value in lines)
            + "\r\n"
        ).encode("latin-1")
        + body
    ),
    st.sampled_from(["GET", "POST", "get"]) | texts,
    st.sampled_from([*ROUTES, "//", "/../", "/%"]) | texts,
    st.sampled_from(["token={token}", "token={token}&attach=x", ""]) | texts,
    st.lists(headers, max_size=5),
    st.binary(max_size=100),
)
masks = st.binary(min_size=4, max_size=4)
frames = st.builds(encode_frame, st.integers(0, 15), st.binary(max_size=300), masks)
hellos = st.builds(
    lambda params, mask: encode_frame(
        1, json.dumps({"method": "hello", "params": params}).encode(), mask
    ),
    st.dictionaries(st.sampled_from(["install", "nonce", "proof", "codeProof"]), st.text()),
    masks,
)
streams = st.lists(frames | hellos | st.binary(max_size=30), max_size=6).map(b"".join)
sockets = st.builds(lambda head, rest: head + rest, st.sampled_from([CLIENT, LENDER]), streams)
anything = st.binary(max_size=500) | requests | sockets


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_no_bytes_bring_the_relay_down_or_make_it_grow(victim: Victim) -> None:
    for data in (b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", CLIENT, LENDER) * 20:
        victim.hears(data)
    before = victim.process.memory_info().rss

    @settings(
        max_examples=repeats(40, 10_000),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(anything, min_size=AT_ONCE, max_size=AT_ONCE))
    def throw(many: list[bytes]) -> None:
        for data in many:
            heard = victim.hears(data)
            if b" 101 " not in heard[:20] and b" 200 " not in heard[:20]:
                assert victim.token.encode() not in heard

    throw()
    assert victim.process.is_running()
    asks = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n"
    assert b'"status": "ok"' in victim.hears(asks)
    assert victim.process.memory_info().rss - before < MOST_GROWTH
    assert victim.errors.read_text() == ""
