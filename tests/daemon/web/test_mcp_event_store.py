"""What a broken stream missed is said again, as long as it is not too old."""

from __future__ import annotations

import mcp_types as types
from mcp.server.streamable_http import EventMessage

from pilothouse.daemon.web.mcp_event_store import BYTES, MESSAGES, RecentEventStore


def said(text: str) -> types.JSONRPCNotification:
    return types.JSONRPCNotification(jsonrpc="2.0", method=text)


async def heard_after(events: RecentEventStore, last: str) -> tuple[str | None, list[str]]:
    heard: list[str] = []

    async def hear(event: EventMessage) -> None:
        assert isinstance(event.message, types.JSONRPCNotification)
        heard.append(event.message.method)

    return await events.replay_events_after(last, hear), heard


async def test_the_rest_of_ones_own_stream_is_heard() -> None:
    events = RecentEventStore()
    first = await events.store_event("a", None)
    await events.store_event("a", said("one"))
    await events.store_event("b", said("another's"))
    second = await events.store_event("a", said("two"))
    assert await heard_after(events, first) == ("a", ["one", "two"])
    assert await heard_after(events, second) == ("a", [])


async def test_an_id_that_was_made_up_finds_nothing() -> None:
    events = RecentEventStore()
    await events.store_event("a", said("one"))
    for made_up in ("1", "0", "", "00000000-1"):
        assert await heard_after(events, made_up) == (None, [])


async def test_the_oldest_is_forgotten_by_count_and_by_size() -> None:
    events = RecentEventStore()
    first = await events.store_event("a", said("one"))
    for _ in range(MESSAGES):
        await events.store_event("a", said("more"))
    assert await heard_after(events, first) == (None, [])
    large = await events.store_event("a", said("x" * (BYTES // 2)))
    await events.store_event("a", said("y" * (BYTES // 2)))
    assert await heard_after(events, large) == (None, [])
