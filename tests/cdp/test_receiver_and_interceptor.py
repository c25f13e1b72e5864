"""Frames that are taken out of a connection before anybody else sees them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from pilothouse.cdp import Connection, Event, Status
from pilothouse.cdp.message import Envelope, encode_envelope
from pilothouse.cdp.protocol import Runtime
from pilothouse.errors import ConnectionLost
from tests.cdp.new_target_session import VERSION, attach
from tests.fake_chrome import FakeChrome


class Others:
    """Takes the replies to its own ids and the events of one session."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.ids: set[int] = set()
        self.session = ""
        self.taken: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.lost: list[str] = []
        connection.interceptor = self

    def ask(self, method: str) -> int:
        number = self.connection.reserve_id()
        self.ids.add(number)
        self.connection.write(msgspec.json.encode({"id": number, "method": method}))
        return number

    def intercept(self, message: bytes) -> bool:
        said = msgspec.json.decode(message)
        own = said.get("id") in self.ids or (
            bool(self.session) and self.session == said.get("sessionId")
        )
        if own:
            self.ids.discard(said.get("id", 0))
            self.taken.put_nowait(said)
        return own

    def intercept_envelope(self, message: Envelope) -> bool:
        return self.intercept(encode_envelope(message))

    def has_pending_commands(self) -> bool:
        return bool(self.ids)

    def on_connection_lost(self, reason: str) -> None:
        self.lost.append(reason)


async def test_a_reply_to_a_reserved_id_is_taken_and_ours_are_not(connection: Connection) -> None:
    others = Others(connection)
    number = others.ask("Browser.getVersion")
    reply = connection.send(VERSION)
    async with asyncio.timeout(5):
        taken = await others.taken.get()
        assert (await reply)["product"] == taken["result"]["product"]
    assert taken["id"] == number
    assert others.taken.empty()
    assert connection.counts.unknown_id == 0


async def test_events_of_a_session_that_is_anothers_are_told_to_nobody_else(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)
    heard: list[Event[Any]] = []
    connection.on_any_event(heard.append)
    others = Others(connection)
    others.session = session.id
    fake_chrome.emit("Page.loadEventFired", {"timestamp": 1}, session.id)
    async with asyncio.timeout(5):
        assert (await others.taken.get())["method"] == "Page.loadEventFired"
    assert heard == []


async def test_who_takes_frames_hears_that_the_wire_is_gone(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    others = Others(connection)
    closed = asyncio.Event()
    connection.on_status(lambda status: closed.set() if status is Status.CLOSED else None)
    fake_chrome.drop()
    async with asyncio.timeout(5):
        await closed.wait()
    assert len(others.lost) == 1
    with pytest.raises(ConnectionLost):
        connection.write(b"{}")


async def test_a_reply_that_another_waits_for_counts_as_a_question(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    """A wire that is asked something is read at once, whoever asks."""
    receiver = connection._receiver
    assert receiver is not None
    nobody = receiver.last_sent_at()
    fake_chrome.hold("Browser.getVersion")
    others = Others(connection)
    others.ask("Browser.getVersion")
    assert receiver.last_sent_at() > nobody
    fake_chrome.release()
    async with asyncio.timeout(5):
        await others.taken.get()
    assert receiver.last_sent_at() == nobody


async def test_a_command_of_ours_still_finds_its_reply_beside_anothers(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)
    fake_chrome.answer("Runtime.evaluate", lambda p: {"result": {"value": p["expression"]}})
    others = Others(connection)
    for number in range(20):
        others.ask("Browser.getVersion")
        got = await session.send(Runtime.evaluate(expression=str(number)))
        assert got["result"]["value"] == str(number)
