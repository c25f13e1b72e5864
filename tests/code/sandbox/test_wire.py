"""Messages between the daemon and a worker."""

from __future__ import annotations

import asyncio
import socket

import pytest

from pilothouse.code.sandbox.wire import LONGEST, Channel, encode, read_frame, write_frame


async def read(data: bytes) -> object:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    async with asyncio.timeout(5):
        return await read_frame(reader)


async def test_what_is_encoded_is_read() -> None:
    message = {"call": 1, "params": {"text": "é 🙂 \u2028", "list": [1, None, True, 2.5]}}
    assert await read(encode(message)) == message


async def test_half_a_surrogate_pair_is_replaced() -> None:
    assert await read(encode({"out": "a\ud800b"})) == {"out": "a?b"}


@pytest.mark.parametrize("data", [b"", b"\0\0", b"\0\0\0\5abc"])
async def test_a_worker_that_is_gone_says_nothing(data: bytes) -> None:
    assert await read(data) is None


@pytest.mark.parametrize(
    "body",
    [b"garbage", b"[1]", b"1", b"\xff\xfe", b"[" * 100_000 + b"]" * 100_000],
)
async def test_nonsense_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        await read(len(body).to_bytes(4, "big") + body)


async def test_a_message_that_is_too_long_is_refused_before_it_is_read() -> None:
    with pytest.raises(ValueError, match=f"a message of {LONGEST + 1} bytes"):
        await read((LONGEST + 1).to_bytes(4, "big"))


def test_a_message_that_is_too_long_is_not_sent() -> None:
    with pytest.raises(ValueError, match="at most 8 MB"):
        encode({"out": "x" * LONGEST})


async def test_both_ends_understand_each_other() -> None:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=ours)
    channel = Channel(theirs)
    async with asyncio.timeout(5):
        channel.send({"ready": True})
        assert await read_frame(reader) == {"ready": True}
        large = {"reply": 1, "value": "x" * 1_000_000}
        write_frame(writer, large)
        assert await asyncio.to_thread(channel.receive) == large
        writer.close()
        await writer.wait_closed()
    with pytest.raises(EOFError):
        channel.receive()
    theirs.close()
