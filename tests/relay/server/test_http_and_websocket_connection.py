"""Lines over real sockets: large messages, fragments, slow readers, every way to hang up."""

from __future__ import annotations

import asyncio
import hashlib
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from pilothouse.asyncio_tasks import run
from pilothouse.cdp.websocket.client_codec import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    encode_frame,
)
from tests.relay.relay_port_and_clients import WITHIN_S, Peer, Port, opened

MB = 1_000_000


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[Port]:
    async with opened(tmp_path) as found:
        yield found


async def exchange(port: Port, *sizes: int) -> None:
    """Messages of these sizes there and back, with a client that is not ours."""
    url = f"ws://127.0.0.1:{port.port}/cdp?token={port.token}"
    async with asyncio.timeout(WITHIN_S), connect(url, max_size=None) as client:
        assert client.response is not None
        # It offers compression; none is agreed on.
        assert "Sec-WebSocket-Extensions" not in client.response.headers
        for size in sizes:
            sent = hashlib.sha256(b"%d" % size).hexdigest() * (size // 64 + 1)
            await client.send(sent[:size])
            assert await client.recv() == sent[:size]


async def test_messages_of_every_length_of_head_come_back_as_they_went(port: Port) -> None:
    await exchange(port, 0, 1, 125, 126, 127, 65535, 65536, 300_000)


async def test_twenty_megabytes_pass_both_ways(port: Port) -> None:
    await exchange(port, 20 * MB)


def test_a_hundred_megabytes_pass_both_ways_on_the_event_loop_of_the_daemon(tmp_path: Path) -> None:
    async def visit() -> None:
        async with opened(tmp_path) as port:
            await exchange(port, 10)
            peer, sent = await port.join(), bytes(range(250)) * (MB * 100 // 250)
            peer.send(sent)
            assert await peer.text() == sent

    run(visit())


async def test_fragments_make_one_message_and_pings_between_them_are_answered(port: Port) -> None:
    peer = await port.join()
    mask = b"abcd"
    first = bytearray(encode_frame(1, b"one ", mask))
    first[0] &= 0x7F
    middle = bytearray(encode_frame(CONTINUATION, b"two ", b"wxyz"))
    middle[0] &= 0x7F
    for part in (first, encode_frame(PING, b"there?", mask), middle):
        peer.writer.write(bytes(part))
    peer.writer.write(encode_frame(CONTINUATION, b"three", b"1234"))
    assert await peer.frame() == (PONG, b"there?")
    assert await peer.text() == b"one two three"


async def test_bytes_that_come_one_by_one_are_understood(port: Port) -> None:
    peer = await port.connect()
    for byte in port.upgrade("/cdp", port.bearer):
        peer.writer.write(bytes([byte]))
        await peer.writer.drain()
    assert (await peer.head())[0] == 101
    for byte in encode_frame(1, b"hello", b"mask"):
        peer.writer.write(bytes([byte]))
        await asyncio.sleep(0)
    assert await peer.text() == b"hello"


async def test_what_comes_with_the_request_is_not_lost(port: Port) -> None:
    peer = await port.connect()
    peer.writer.write(port.upgrade("/cdp", port.bearer) + encode_frame(1, b"early", b"mask"))
    assert (await peer.head())[0] == 101
    assert await peer.text() == b"early"


async def test_what_is_said_to_a_client_before_it_is_in_follows_its_welcome(port: Port) -> None:
    port.on_join = lambda spec, line: line.send(b"first")
    peer = await port.join()
    peer.send(b"second")
    assert await peer.text() == b"first"
    assert await peer.text() == b"second"


# A client that does not read.


async def fill(port: Port, line_of: int, size: int, total: int) -> None:
    """Send messages to one client, leaving the others their turns."""
    line = port.clients[line_of].line
    for _ in range(total // size):
        line.send(b"x" * size)
        await asyncio.sleep(0)


async def test_a_client_that_reads_nothing_is_dropped_at_its_bound_and_harms_nobody(
    port: Port,
) -> None:
    deaf, other = await port.join(receive_bytes=4096), await port.join()
    deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]
    await fill(port, 0, 4 * MB, 90 * MB)
    reason = await port.clients[0].went()
    assert "unread" in reason
    # What waited for it is gone with it, and what is sent to it now goes nowhere.
    port.clients[0].line.send(b"x")
    assert port.clients[0].line.unsent() < 5 * MB
    other.send(b"still here")
    assert await other.text() == b"still here"
    assert not port.clients[1].gone.done()


async def test_a_client_may_be_sent_more_than_the_bound_in_one_message(tmp_path: Path) -> None:
    async with opened(tmp_path, unsent_bytes=MB) as port:
        peer = await port.join()
        line = port.clients[0].line
        line.send(b"x" * (20 * MB))
        assert line.unsent() > 2 * MB
        line.send(b"y" * 1000)
        line.send(b"z")
        assert len(await peer.text()) == 20 * MB
        assert len(await peer.text()) == 1000
        assert await peer.text() == b"z"
        assert not port.clients[0].gone.done()


async def test_a_client_that_takes_nothing_for_long_is_dropped(tmp_path: Path) -> None:
    async with opened(tmp_path, stalled_s=0.05, sweep_s=0.01) as port:
        deaf, other = await port.join(receive_bytes=4096), await port.join()
        deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]
        port.clients[0].line.send(b"x" * (20 * MB))
        assert "the client read nothing" in await port.clients[0].went()
        # Who has nothing to take may be silent for ever.
        other.send(b"still here")
        assert await other.text() == b"still here"


async def test_a_silent_client_is_asked_whether_it_lives(tmp_path: Path) -> None:
    async with opened(tmp_path, silent_s=0.01, sweep_s=0.01) as port:
        peer = await port.join()
        assert await peer.frame() == (PING, b"")
        peer.send(b"", PONG)
        peer.send(b"here")
        while (heard := await peer.frame())[0] == PING:
            pass
        assert heard == (TEXT, b"here")


# Every way to hang up.


async def test_a_client_that_says_goodbye_hears_it_back(port: Port) -> None:
    peer = await port.join()
    peer.send(b"\x03\xe8done", CLOSE)
    assert await peer.frame() == (CLOSE, b"\x03\xe8")
    assert await port.clients[0].went() == "closed by the peer (1000) done"
    with pytest.raises(ConnectionError):
        await peer.frame()


async def test_a_client_that_is_closed_hears_why(port: Port) -> None:
    peer = await port.join()
    line = port.clients[0].line
    line.send(b"last words")
    line.close(4000, "enough")
    assert not port.clients[0].gone.done()
    line.send(b"not any more")
    line.close(4001, "again")
    peer.send(b"nobody hears this")
    assert await peer.text() == b"last words"
    assert await peer.closed() == (4000, "enough")
    assert await port.clients[0].went() == "closed by us (4000) enough"
    peer.send(b"\x0f\xa0", CLOSE)
    with pytest.raises(ConnectionError):
        await peer.frame()
    assert port.clients[0].frames == []


async def test_one_that_does_not_answer_a_goodbye_is_hung_up_on(tmp_path: Path) -> None:
    async with opened(tmp_path, linger_s=0.01) as port:
        peer = await port.join()
        port.clients[0].line.close(4000, "enough")
        assert await peer.closed() == (4000, "enough")
        with pytest.raises(ConnectionError):
            await peer.frame()


async def test_nothing_follows_a_goodbye(tmp_path: Path) -> None:
    async with opened(tmp_path, linger_s=0.01) as port:
        peer = await port.join()
        line = port.clients[0].line
        line.send(b"a")
        line.close(4000, "b")
        line.send(b"c")
        assert await peer.reader.read() == b"\x81\x01a\x88\x03\x0f\xa0b"


async def test_a_half_closed_line_is_closed(port: Port) -> None:
    peer = await port.join()
    peer.writer.write_eof()
    assert "without a close frame" in await port.clients[0].went()
    assert await peer.closed() == (0, "")


async def test_a_torn_line_is_noticed_and_the_other_client_is_not_harmed(port: Port) -> None:
    torn, other = await port.join(), await port.join()
    sock = torn.writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    torn.close()
    assert await port.clients[0].went()
    other.send(b"still here")
    assert await other.text() == b"still here"


async def test_a_client_that_leaves_while_it_joins_is_told_of_to_who_lets_it_in(
    port: Port,
) -> None:
    for leave in (Peer.close, lambda peer: peer.writer.write_eof()):
        port.clients.clear()
        port.gate.clear()
        peer = await port.connect()
        peer.writer.write(port.upgrade("/cdp", port.bearer))
        # One more request, which is answered, says that the first one has been read.
        await port.get("/client-slot")
        leave(peer)
        await port.get("/client-slot")
        port.gate.set()
        await port.get("/client-slot")
        assert "before it was let in" in await port.clients[0].went()
        assert (await port.get("/client-slot"))["clients"] == []


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (encode_frame(BINARY, b"x", b"mask"), 1003),
        (b"\x81\x01x", 1002),
        (b"\xc1\x81maskx", 1002),
        (b"\x83\x80mask", 1002),
        (b"\x81\xff" + b"\xff" * 12, 1009),
        (b"\x81\xff" + (2**28 + 1).to_bytes(8) + b"mask", 1009),
    ],
)
async def test_who_breaks_the_protocol_is_closed_and_told_how(
    port: Port, sent: bytes, code: int
) -> None:
    peer, other = await port.join(), await port.join()
    peer.writer.write(sent)
    assert (await peer.closed())[0] == code
    assert await port.clients[0].went()
    other.send(b"still here")
    assert await other.text() == b"still here"


async def test_the_end_of_the_relay_is_told_to_everybody(tmp_path: Path) -> None:
    async with opened(tmp_path, linger_s=0.05) as port:
        url = f"ws://127.0.0.1:{port.port}/cdp?token={port.token}"
        async with connect(url) as client:
            idle = await port.connect()
            await port.get("/client-slot")
            await port.server.close()
            with pytest.raises(ConnectionClosed) as caught:
                await client.recv()
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == 1001
            assert await port.clients[0].went()
            assert await idle.closed() == (0, "")


async def test_a_request_that_never_ends_is_given_up(tmp_path: Path) -> None:
    async with opened(tmp_path, head_s=0.01) as port:
        for start in (b"", b"GET / HTTP/1.1\r\nHost: x"):
            peer = await port.connect()
            peer.writer.write(start)
            assert (await peer.head())[0] == 408


async def test_what_is_sent_beside_a_request_does_not_destroy_its_answer(port: Port) -> None:
    peer = await port.connect()
    peer.writer.write(port.head("/", "Content-Length: 1000000", method="POST"))
    peer.writer.write(b"x" * MB)
    assert (await peer.head())[0] == 401


async def test_who_says_too_much_before_it_is_answered_is_dropped(port: Port) -> None:
    port.gate.clear()
    peer = await port.connect()
    peer.writer.write(port.upgrade("/cdp", port.bearer))
    peer.writer.write(b"x" * 200_000)
    assert await peer.closed() == (0, "")
    port.gate.set()
