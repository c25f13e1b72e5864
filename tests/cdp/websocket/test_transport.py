"""The WebSocket wire once it is up: messages, silence and the end, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from pilothouse.cdp.transport import MAX_INBOUND_BYTES, Transport
from pilothouse.cdp.websocket.transport import WebSocketTimeouts, dial_websocket
from tests.websocket_peers import Ear, accept, echo, improper, url


@pytest.fixture(autouse=True)
async def _bounded() -> AsyncIterator[None]:
    async with asyncio.timeout(20):
        yield


@contextlib.asynccontextmanager
async def talking(
    behave: Callable[[ServerConnection], Awaitable[None]], **options: Any
) -> AsyncIterator[tuple[Transport, Ear]]:
    """A wire to a server that behaves so."""
    ear = Ear()
    async with serve(behave, "127.0.0.1", 0, close_timeout=1, **options) as server:
        wire = await dial_websocket(url(server))(ear)
        yield wire, ear
        wire.close()
        await ear.loss()


# Messages.


async def test_text_goes_both_ways_whatever_its_size() -> None:
    async with talking(echo, max_size=None) as (wire, ear):
        sizes = [0, 1, 125, 126, 65535, 65536, 3_000_000]
        for size in sizes:
            wire.write(b"x" * size)
        heard = await ear.hear(len(sizes))
        assert [(kind, len(text)) for kind, text in heard] == [("frame", size) for size in sizes]
        assert wire.unsent() == 0


async def test_fragments_are_joined_with_a_ping_between_them() -> None:
    async def behave(connection: ServerConnection) -> None:
        async def parts() -> AsyncIterator[str]:
            yield "one "
            await (await connection.ping())
            yield "two "
            yield "three"

        await connection.send(parts())
        await connection.wait_closed()

    async with talking(behave) as (_, ear):
        assert await ear.hear(1) == [("frame", "one two three")]


async def test_binary_message_is_garbage_and_the_wire_stays_up() -> None:
    async def behave(connection: ServerConnection) -> None:
        await connection.send(b"\0\1")
        await echo(connection)

    async with talking(behave) as (wire, ear):
        wire.write(b"still here")
        assert await ear.hear(2) == [("garbage", "a binary frame"), ("frame", "still here")]


async def test_no_compression_is_offered() -> None:
    offered: list[str | None] = []

    async def behave(connection: ServerConnection) -> None:
        assert connection.request is not None
        offered.append(connection.request.headers.get("Sec-WebSocket-Extensions"))
        await echo(connection)

    async with talking(behave) as (wire, ear):
        wire.write(b"a")
        await ear.hear(1)
    assert offered == [None]


# The end.


@pytest.mark.parametrize(
    ("code", "reason", "told"),
    [
        (1000, "", "closed by the other side (1000)"),
        (1011, "target\nclosed", "closed by the other side (1011) target closed"),
    ],
)
async def test_close_of_the_other_side_is_answered_and_told_once(
    code: int, reason: str, told: str
) -> None:
    answered = asyncio.get_running_loop().create_future()

    async def behave(connection: ServerConnection) -> None:
        await connection.send("last")
        await connection.close(code, reason)
        answered.set_result(connection.close_code)

    async with talking(behave) as (wire, ear):
        assert await ear.loss() == told
        assert await answered == code
        wire.write(b"into the void")
        wire.close()
    assert [kind for kind, _ in ear.heard] == ["frame", "lost"]


async def test_close_by_us_is_told_once_and_nothing_follows() -> None:
    async def behave(connection: ServerConnection) -> None:
        for number in range(100):
            await connection.send(str(number))

    ear = Ear()
    async with serve(behave, "127.0.0.1", 0) as server:
        wire = await dial_websocket(url(server))(ear)
        ear.on_text = lambda frame: wire.close()
        assert await ear.loss() == "closed by us"
        wire.close()
    assert ear.heard == [("frame", "0"), ("lost", "closed by us")]


async def test_dropped_socket_is_told() -> None:
    async def behave(connection: ServerConnection) -> None:
        connection.transport.abort()

    async with talking(behave) as (_, ear):
        assert await ear.loss() == "the socket closed"


async def test_message_beyond_the_limit_is_refused_at_its_header_with_1009() -> None:
    closed_with = asyncio.get_running_loop().create_future()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await accept(reader))
        writer.write(b"\x81\x7f" + (MAX_INBOUND_BYTES + 1).to_bytes(8))
        frame = await reader.readexactly(8)
        mask = frame[2:6]
        closed_with.set_result(bytes(a ^ b for a, b in zip(frame[6:8], mask, strict=False)))

    async with improper(behave) as address:
        ear = Ear()
        await dial_websocket(address)(ear)
        assert await ear.loss() == f"a message exceeded {MAX_INBOUND_BYTES} bytes"
        assert await closed_with == (1009).to_bytes(2)


async def test_messages_and_close_right_behind_the_handshake_come_after_the_dial() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await accept(reader) + b"\x81\x02hi\x88\x02\x03\xe9")

    async with improper(behave) as address:
        ear = Ear()
        await dial_websocket(address)(ear)
        assert ear.heard == []
        assert await ear.loss() == "closed by the other side (1001)"
        assert [kind for kind, _ in ear.heard] == ["frame", "lost"]


async def test_unsent_grows_while_the_other_side_does_not_read() -> None:
    over = asyncio.Event()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await accept(reader))
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        await over.wait()

    async with improper(behave) as address:
        ear = Ear()
        wire = await dial_websocket(address)(ear)
        for _ in range(16):
            wire.write(b"x" * 1024 * 1024)
        assert wire.unsent() > 1024 * 1024
        wire.close()
        assert await ear.loss() == "closed by us"
        over.set()


# Silence.


async def test_silent_wire_is_pinged_and_given_up_when_no_answer_comes() -> None:
    got = asyncio.get_running_loop().create_future()

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await accept(reader))
        got.set_result(await reader.readexactly(6))
        await reader.read()

    async with improper(behave) as address:
        ear = Ear()
        patience = WebSocketTimeouts(idle_s=0.05, pong_s=0.05)
        await dial_websocket(address, timeouts=patience)(ear)
        assert "no reply to a ping" in await ear.loss()
        assert (await got)[:2] == b"\x89\x80"


async def test_silent_wire_that_answers_pings_stays_up() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await accept(reader))
        for _ in range(3):
            assert (await reader.readexactly(6))[:2] == b"\x89\x80"
            writer.write(b"\x8a\x00")
        writer.write(b"\x81\x04done")
        await reader.read()

    async with improper(behave) as address:
        ear = Ear()
        patience = WebSocketTimeouts(idle_s=0.02, pong_s=0.4)
        wire = await dial_websocket(address, timeouts=patience)(ear)
        assert await ear.hear(1) == [("frame", "done")]
        wire.close()
        assert await ear.loss() == "closed by us"
