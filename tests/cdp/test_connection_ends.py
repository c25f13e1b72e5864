"""What the connection does when a target, a renderer or the wire itself is lost."""

from __future__ import annotations

import asyncio

import pytest

from pilothouse.cdp import (
    Connection,
    Status,
)
from pilothouse.cdp.protocol import Page, Runtime, Target
from pilothouse.errors import (
    ConnectionLost,
    SessionGone,
    TargetCrashed,
)
from tests.cdp.new_target_session import VERSION, attach
from tests.fake_chrome import FakeChrome


async def test_session_is_there_when_its_attach_event_is_heard(connection: Connection) -> None:
    seen: list[bool] = []
    connection.on(
        Target.attachedToTarget, lambda e: seen.append(e.params["sessionId"] in connection.sessions)
    )
    await attach(connection)
    assert seen == [True]


async def test_target_that_closes_fails_its_commands_at_once(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    """F12: within 100 ms; Chrome itself never answers them."""
    session = await attach(connection)
    fake_chrome.hold("Runtime.evaluate")
    reply = session.send(Runtime.evaluate(expression="forever"))
    await fake_chrome.heard("Runtime.evaluate")
    await connection.send(Target.closeTarget(targetId=session.target_id))
    async with asyncio.timeout(0.1):
        with pytest.raises(SessionGone):
            await reply
    with pytest.raises(SessionGone):
        await session.send(Page.enable())
    assert not session.alive


async def test_crash_fails_its_commands_at_once_spares_others_and_a_reload_revives(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    """F4: within 250 ms."""
    session, other = await attach(connection), await attach(connection)
    fake_chrome.hold("Runtime.evaluate")
    reply = session.send(Runtime.evaluate(expression="forever"))
    spared = other.send(Runtime.evaluate(expression="1"))
    await fake_chrome.heard("Runtime.evaluate", times=2)
    fake_chrome.crash(fake_chrome.model.targets[session.target_id])
    async with asyncio.timeout(0.25):
        with pytest.raises(TargetCrashed):
            await reply
    assert not spared.done()
    with pytest.raises(TargetCrashed, match="renderer crashed"):
        await session.send(Runtime.evaluate(expression="1"))
    assert session.state == "crashed"
    fake_chrome.release()
    await spared


async def test_dropped_connection_fails_everything_pending_at_once_and_is_restored(
    wire: Connection, fake_chrome: FakeChrome
) -> None:
    """F1: within 100 ms."""
    session = await attach(wire)
    fake_chrome.hold("Runtime.evaluate")
    replies = [session.send(Runtime.evaluate(expression=str(n))) for n in range(50)]
    await fake_chrome.heard("Runtime.evaluate", times=50)
    epoch = wire.epoch
    fake_chrome.drop()
    async with asyncio.timeout(0.5):
        outcomes = await asyncio.gather(*replies, return_exceptions=True)
    assert all(isinstance(outcome, ConnectionLost) for outcome in outcomes)
    assert wire.epoch == epoch + 1
    await wire.wait_open(5)
    assert (await wire.send(VERSION))["product"]
    with pytest.raises(ConnectionLost):
        await session.send(Page.enable())
    assert (await attach(wire)).alive


async def test_command_during_a_reconnect_fails_at_once_and_says_so(
    wire: Connection, fake_chrome: FakeChrome
) -> None:
    await wire.send(VERSION)
    await fake_chrome.refuse()
    dropped = asyncio.Event()
    wire.on_status(lambda status: dropped.set())
    fake_chrome.drop()
    await dropped.wait()
    with pytest.raises(ConnectionLost, match="being restored") as caught:
        await wire.send(VERSION)
    assert not caught.value.terminal
    await fake_chrome.accept()
    await wire.wait_open(10)


async def test_drop_without_reconnect_is_final(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    closed = asyncio.Event()
    connection.on_status(lambda status: closed.set())
    fake_chrome.drop()
    await closed.wait()
    assert connection.status is Status.CLOSED
    with pytest.raises(ConnectionLost) as caught:
        await connection.send(VERSION)
    assert caught.value.terminal
    with pytest.raises(ConnectionLost):
        await connection.wait_open(1)


async def test_hundred_drops_leave_nothing_hanging(
    wire: Connection, fake_chrome: FakeChrome
) -> None:
    """F1: 100 drops, 0 hangs; each is restored in well under a second."""
    for _ in range(100):
        await wire.send(VERSION)
        fake_chrome.hold("Target.getTargets")
        reply = wire.send(Target.getTargets())
        await fake_chrome.heard("Target.getTargets", times=wire.epoch + 1)
        fake_chrome.drop()
        with pytest.raises(ConnectionLost):
            await reply
        fake_chrome.release()
        await wire.wait_open(1)
    assert wire.pending() == []
