"""A browser in the same process gets commands and gives messages that nobody has encoded."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pilothouse.cdp import Command, Connection, Event
from pilothouse.cdp.message import Envelope, ErrorBody, RawCommand, SessionId, encode_params
from pilothouse.cdp.transport import (
    MAX_OUTBOUND_BYTES,
    InProcessTransport,
    Receiver,
)
from pilothouse.errors import CommandFailed, CommandTooLarge, ConnectionLost

INFO = {"targetId": "T", "type": "page"}


class Near:
    """A browser in this process: it repeats the params of each command."""

    def __init__(self) -> None:
        self.commands: list[RawCommand] = []
        self.receiver: Receiver
        self.error: ErrorBody | None = None

    async def dial(self, receiver: Receiver) -> InProcessTransport:
        self.receiver = receiver
        return self

    def write(self, message: bytes) -> None:
        raise AssertionError("a message was encoded")

    def write_command(self, command: RawCommand) -> None:
        self.commands.append(command)
        session = SessionId(command.sessionId)
        self.receiver.on_envelope(
            Envelope(id=command.id, result=command.params, error=self.error, sessionId=session)
        )

    def say(self, method: str, params: dict[str, Any], session: str = "") -> None:
        self.receiver.on_envelope(
            Envelope(method=method, params=encode_params(params), sessionId=SessionId(session))
        )

    def unsent(self) -> int:
        return 0

    def close(self) -> None:
        self.receiver.on_lost("closed")


async def test_commands_and_replies_pass_undecoded() -> None:
    near = Near()
    async with asyncio.timeout(5), await Connection.open(near.dial) as connection:
        assert await connection.send(Command("A.b", {"c": 1})) == {"c": 1}
        (command,) = near.commands
        assert (command.method, bytes(command.params)) == ("A.b", b'{"c":1}')


async def test_events_reach_the_session_that_an_event_attached() -> None:
    near = Near()
    heard: list[Event[Any]] = []
    async with asyncio.timeout(5), await Connection.open(near.dial) as connection:
        near.say("Target.attachedToTarget", {"sessionId": "S", "targetInfo": INFO})
        connection.on_any_event(heard.append)
        near.say("A.came", {"n": 1}, "S")
        near.say("A.came", {"n": 2}, "another")
        near.receiver.on_envelope(Envelope())
        assert [(event.session_id, event.params) for event in heard] == [("S", {"n": 1})]
        assert (connection.counts.unknown_session, connection.counts.malformed) == (1, 1)
        assert await connection.sessions[SessionId("S")].send(Command("A.b")) == {}
        assert near.commands[-1].sessionId == "S"


async def test_an_error_of_the_browser_fails_its_command() -> None:
    near = Near()
    near.error = ErrorBody(-1, "no")
    async with asyncio.timeout(5), await Connection.open(near.dial) as connection:
        with pytest.raises(CommandFailed, match="no"):
            await connection.send(Command("A.b"))


async def test_traces_see_what_a_wire_would_carry() -> None:
    near = Near()
    seen: list[tuple[str, dict[str, Any]]] = []
    sizes: list[tuple[str, bytes, bytes]] = []
    async with asyncio.timeout(5), await Connection.open(near.dial) as connection:
        connection.trace(lambda way, message: seen.append((way, json.loads(message))))
        connection.trace_ends(lambda way, head, tail, size: sizes.append((way, head, tail)))
        await connection.send(Command("A.b", {"c": 1}))
    assert seen == [
        ("send", {"id": 1, "method": "A.b", "params": {"c": 1}}),
        ("receive", {"id": 1, "result": {"c": 1}}),
    ]
    assert [(way, head[:7]) for way, head, _ in sizes] == [
        ("send", b'{"id":1'),
        ("receive", b'{"id":1'),
    ]


async def test_a_command_that_would_stall_chrome_is_refused_here_too() -> None:
    near = Near()
    async with asyncio.timeout(5), await Connection.open(near.dial) as connection:
        with pytest.raises(CommandTooLarge, match="commands over 4 MB stall Chrome"):
            connection.send(Command("A.b", {"c": "x" * MAX_OUTBOUND_BYTES}))
        assert not near.commands
        assert not connection.pending()


async def test_a_closed_connection_takes_no_command() -> None:
    near = Near()
    async with asyncio.timeout(5):
        connection = await Connection.open(near.dial)
        await connection.close()
        with pytest.raises(ConnectionLost):
            connection.write_command(RawCommand(1, "A.b"))
