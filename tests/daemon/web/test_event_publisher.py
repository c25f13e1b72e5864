"""The stream of events: nothing while nobody listens, everything in order while somebody does."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pilothouse.daemon.daemon import Daemon
from pilothouse.daemon.rpc import RpcRequest
from pilothouse.daemon.web.event_publisher import RESET, EventPublisher, EventRing
from pilothouse.errors import ToolError
from tests.daemon.mcp_sessions_without_browser import Room

WITHIN_S = 20.0


@pytest.fixture
async def daemon(tmp_path: Path) -> Daemon:
    return Room(tmp_path).daemon


class Viewer:
    """One reader of a stream."""

    def __init__(self, publisher: EventPublisher, last_id: str = "") -> None:
        self._stream = publisher.stream(last_id)
        self.last_id = last_id

    async def next(self) -> dict[str, Any]:
        async with asyncio.timeout(WITHIN_S):
            message = (await anext(self._stream)).decode()
        head, data = message.strip().split("\n")
        self.last_id = head.removeprefix("id: ")
        event: dict[str, Any] = json.loads(data.removeprefix("data: "))
        return event

    async def until(self, kind: str) -> dict[str, Any]:
        while (event := await self.next())["type"] != kind:
            pass
        return event

    async def close(self) -> None:
        await self._stream.aclose()  # type: ignore[attr-defined]


def call(daemon: Daemon, name: str, answer: Any = None, error: str = "") -> None:
    request = RpcRequest(f"tab.{name}", {"target": "e1", "value": "not to be shown"})
    try:
        with daemon.journals.record_call("me", request) as record:
            record.answer = answer
            if error:
                raise ToolError(error)
    except ToolError:
        pass


def test_a_ring_gives_what_followed_and_says_what_it_lost() -> None:
    ring = EventRing(3)
    for n in range(5):
        ring.add(b"%d" % n)
    assert ring.after(5) == []
    assert ring.after(3) == [(4, b"3"), (5, b"4")]
    assert ring.after(2) is not None
    assert ring.after(1) is None
    assert ring.after(6) is None


def test_ids_of_another_ring_are_not_taken_for_its_own() -> None:
    ring, other = EventRing(), EventRing()
    assert ring.number_of(ring.id_of(7)) == 7
    for strange in (other.id_of(7), "", "7", f"{ring.id_of(7)}x", ring.id_of(7) + "0" * 20):
        assert ring.number_of(strange) is None


async def test_nothing_is_watched_or_kept_while_nobody_looks(daemon: Daemon) -> None:
    publisher = EventPublisher(daemon)
    assert daemon.journals.on_call is None
    call(daemon, "click")
    assert (publisher.ring.last, list(publisher.calls)) == (0, [])
    viewer = Viewer(publisher)
    assert (await viewer.next())["type"] == "reset"
    assert daemon.journals.on_call is not None
    await viewer.close()
    publisher.stop()
    assert daemon.journals.on_call is None
    call(daemon, "click")
    assert list(publisher.calls) == []


async def test_a_call_is_told_when_it_starts_and_when_it_ends(daemon: Daemon) -> None:
    publisher = EventPublisher(daemon)
    viewer = Viewer(publisher)
    await viewer.until("reset")
    call(daemon, "click", {"action": "click", "text": "clicked button"})
    started = await viewer.until("call_started")
    finished = await viewer.until("call_finished")
    assert (started["name"], started["owner"], started["on"]) == ("click", "me", "e1")
    assert finished["number"] == started["number"]
    assert finished["summary"] == ["clicked button"]
    assert "not to be shown" not in json.dumps([started, finished])
    call(daemon, "fill", error="e1 is gone")
    assert (await viewer.until("call_finished"))["error"] == "e1 is gone"
    await viewer.close()
    publisher.close()


async def test_a_viewer_that_comes_back_gets_what_it_missed_in_order(daemon: Daemon) -> None:
    publisher = EventPublisher(daemon)
    first = Viewer(publisher)
    await first.until("reset")
    call(daemon, "one")
    assert (await first.until("call_finished"))["name"] == "one"
    await first.close()
    for name in ("two", "three"):
        call(daemon, name)
    again = Viewer(publisher, first.last_id)
    assert (await again.until("call_finished"))["name"] == "two"
    assert (await again.until("call_finished"))["name"] == "three"
    await again.close()
    publisher.close()


async def test_a_viewer_that_missed_too_much_is_told_to_read_the_state(daemon: Daemon) -> None:
    publisher = EventPublisher(daemon)
    viewer = Viewer(publisher)
    await viewer.until("reset")
    old = viewer.last_id
    for _ in range(600):
        call(daemon, "click")
    late = Viewer(publisher, old)
    assert (await late.next())["type"] == json.loads(RESET)["type"]
    for one in (viewer, late):
        await one.close()
    publisher.close()


async def test_viewers_are_counted_and_told(daemon: Daemon) -> None:
    publisher = EventPublisher(daemon)
    one, two = Viewer(publisher), Viewer(publisher)
    await one.until("reset")
    await two.until("reset")
    assert publisher.viewers == 2
    assert (await one.until("viewers_changed"))["viewers"] == 2
    await two.close()
    assert (await one.until("viewers_changed"))["viewers"] == 1
    await one.close()
    publisher.close()


async def test_streams_end_with_the_sessions(daemon: Daemon) -> None:
    publisher = EventPublisher(daemon)
    viewer = Viewer(publisher)
    await viewer.until("reset")
    publisher.end_streams()
    with pytest.raises(StopAsyncIteration):
        await viewer.until("an event that never comes")
    publisher.close()
