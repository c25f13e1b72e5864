"""The connection over real sockets, against a Chrome that misbehaves on demand."""

from __future__ import annotations

import asyncio
import socket
import time
import traceback
from typing import Any

import pytest

from pilothouse.cdp import (
    Command,
    Connection,
    Event,
    EventName,
    Status,
    dial_pipe,
)
from pilothouse.cdp.protocol import Page, Runtime, Target
from pilothouse.errors import (
    CommandFailed,
    CommandTimeout,
    CommandTooLarge,
    ConnectionLost,
    InterruptedByNavigation,
)
from tests.cdp.new_target_session import VERSION, attach
from tests.fake_chrome import FakeChrome, FakeError


async def test_reply_reaches_its_command(connection: Connection) -> None:
    assert (await connection.send(VERSION))["product"]


async def test_replies_in_reverse_order_reach_their_own_commands(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)
    fake_chrome.answer("Runtime.evaluate", lambda p: {"result": {"value": p["expression"]}})
    fake_chrome.hold("Runtime.evaluate")
    replies = [session.send(Runtime.evaluate(expression=str(n))) for n in range(20)]
    await fake_chrome.heard("Runtime.evaluate", times=20)
    fake_chrome.release(reverse=True)
    values = [(await reply)["result"]["value"] for reply in replies]
    assert values == [str(n) for n in range(20)]


async def test_raw_result_is_chromes_own_json(connection: Connection) -> None:
    raw = await connection.send(VERSION).raw()
    assert bytes(raw).startswith(b"{")


async def test_error_answer_carries_code_and_detail(connection: Connection) -> None:
    with pytest.raises(CommandFailed, match="wasn't found") as caught:
        await connection.send(Command("Nothing.here"))
    assert caught.value.code == -32601
    assert caught.value.method == "Nothing.here"


async def test_error_names_the_place_that_sent_even_when_awaited_elsewhere(
    connection: Connection,
) -> None:
    def the_sender() -> Any:
        return connection.send(Command("Nothing.here"))

    reply = the_sender()
    with pytest.raises(CommandFailed) as caught:
        await asyncio.gather(reply)
    text = "".join(traceback.format_exception(caught.value))
    assert "the_sender" in text
    assert "test_connection.py" in text


async def test_navigation_under_a_command_is_its_own_error_and_a_read_is_sent_again(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    """F11."""
    session = await attach(connection)
    answers = iter([FakeError(-32000, "Inspected target navigated or closed"), None])

    def evaluate(params: dict[str, Any]) -> dict[str, Any]:
        if (error := next(answers, None)) is not None:
            raise error
        return {"result": {"type": "number", "value": 2}}

    fake_chrome.answer("Runtime.evaluate", evaluate)
    result = await session.read(Runtime.evaluate(expression="1+1"))
    assert result["result"]["value"] == 2

    def always(params: dict[str, Any]) -> dict[str, Any]:
        raise FakeError(-32000, "Inspected target navigated or closed")

    fake_chrome.answer("Runtime.evaluate", always)
    with pytest.raises(InterruptedByNavigation):
        await session.send(Runtime.evaluate(expression="1+1"))


async def test_command_without_answer_ends_at_its_deadline_and_the_late_reply_is_counted(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    fake_chrome.hold("Browser.getVersion")
    with pytest.raises(CommandTimeout, match=r"0\.05 s"):
        await connection.send(VERSION, deadline=0.05)
    assert connection.pending() == []
    fake_chrome.release()
    await connection.send(Target.getTargets())
    assert connection.counts.late == 1


async def test_cancelled_caller_leaves_nothing_pending(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    fake_chrome.hold("Browser.getVersion")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await connection.send(VERSION)
    assert connection.pending() == []


async def test_pending_lists_what_hangs_with_its_age_and_sender(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    fake_chrome.hold("Browser.getVersion")
    reply = connection.send(VERSION)
    (hanging,) = connection.pending()
    assert (hanging.method, hanging.session_id) == ("Browser.getVersion", "")
    assert hanging.waiting_s >= 0
    assert "test_pending_lists_what_hangs" in hanging.origin
    await fake_chrome.heard("Browser.getVersion")
    fake_chrome.release()
    await reply
    assert connection.pending() == []


async def test_command_over_four_megabytes_is_refused_before_it_is_sent(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    """F14."""
    session = await attach(connection)
    with pytest.raises(CommandTooLarge, match=r"5\.0 MB"):
        session.send(Runtime.evaluate(expression="x" * 5_000_000))
    assert connection.pending() == []
    assert not [r for r in fake_chrome.received if r.method == "Runtime.evaluate"]


async def test_large_and_fragmented_results_arrive_whole(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)
    fake_chrome.answer("Runtime.evaluate", {"result": {"value": "é" * 700_000}})
    fake_chrome.fragment_size = 50_000
    result = await session.send(Runtime.evaluate(expression="big"))
    assert result["result"]["value"] == "é" * 700_000


@pytest.mark.parametrize(
    "noise",
    ["", "nonsense", "{}", "[]", '{"id":"1"}', '{"id":99999,"result":{}}', '{"method":4}'],
)
async def test_noise_is_counted_and_the_wire_goes_on(
    connection: Connection, fake_chrome: FakeChrome, noise: str
) -> None:
    """F15."""
    fake_chrome.send_raw(noise)
    assert (await connection.send(VERSION))["product"]
    counts = connection.counts
    assert counts.malformed + counts.unknown_id == 1


async def test_binary_and_non_utf8_frames_are_counted_and_the_wire_goes_on(
    wire: Connection, fake_chrome: FakeChrome
) -> None:
    """F15."""
    fake_chrome.send_raw(b"\xff\x00\xfe")
    await wire.send(VERSION)
    assert wire.counts.malformed == 1
    assert wire.status is Status.OPEN


async def test_duplicate_and_corrupt_replies_do_not_disturb_others(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    fake_chrome.duplicate("Browser.getVersion")
    await connection.send(VERSION)
    await connection.send(Target.getTargets())
    assert connection.counts.duplicate == 1
    fake_chrome.corrupt("Target.getTargets")
    lost = connection.send(Target.getTargets(), deadline=0.2)
    await connection.send(VERSION)
    assert connection.counts.malformed == 1
    with pytest.raises(CommandTimeout):
        await lost


async def test_listener_that_raises_is_counted_and_others_still_hear(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)
    heard: list[str] = []

    def broken(event: Event[Any]) -> None:
        raise RuntimeError("mine")

    session.on(Page.loadEventFired, broken)
    session.on(Page.loadEventFired, lambda event: heard.append(event.method))
    fake_chrome.emit("Page.loadEventFired", {"timestamp": 1.0}, session.id)
    await connection.send(VERSION)
    assert heard == ["Page.loadEventFired"]
    assert connection.counts.listener_errors == 1


async def test_listener_stops_hearing_when_it_leaves_and_the_connection_hears_all(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)
    mine: list[str] = []
    all_of_them: list[str] = []
    frames: list[str] = []
    leave = session.on(Page.loadEventFired, lambda e: mine.append(e.method))
    connection.on_any_event(lambda e: all_of_them.append(e.method))
    connection.trace(lambda direction, frame: frames.append(direction))
    fake_chrome.emit("Page.loadEventFired", {"timestamp": 1.0}, session.id)
    await connection.send(VERSION)
    leave()
    leave()
    fake_chrome.emit("Page.loadEventFired", {"timestamp": 2.0}, session.id)
    await connection.send(VERSION)
    assert (len(mine), all_of_them.count("Page.loadEventFired")) == (1, 2)
    assert (frames.count("send"), frames.count("receive")) == (2, 4)


async def test_expectation_armed_before_the_action_sees_the_event_that_matches(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)
    loaded = session.expect(Page.loadEventFired, lambda p: p["timestamp"] > 1, deadline=5)
    for timestamp in (1.0, 2.0, 3.0):
        fake_chrome.emit("Page.loadEventFired", {"timestamp": timestamp}, session.id)
    assert (await loaded)["timestamp"] == 2.0


async def test_expectation_ends_by_deadline_by_drop_or_by_a_predicate_that_raises(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)
    with pytest.raises(CommandTimeout, match=r"Page\.loadEventFired"):
        await session.expect(Page.loadEventFired, deadline=0.02)

    def broken(params: Any) -> bool:
        raise ZeroDivisionError

    failing = session.expect(Page.loadEventFired, broken, deadline=5)
    fake_chrome.emit("Page.loadEventFired", {"timestamp": 1.0}, session.id)
    with pytest.raises(ZeroDivisionError):
        await failing
    waiting = session.expect(Page.loadEventFired, deadline=5)
    fake_chrome.drop()
    with pytest.raises(ConnectionLost):
        await waiting


@pytest.mark.parametrize("jump", [86_400.0, -86_400.0])
async def test_clock_that_jumps_a_day_neither_ends_nor_extends_a_deadline(
    connection: Connection,
    fake_chrome: FakeChrome,
    monkeypatch: pytest.MonkeyPatch,
    jump: float,
) -> None:
    """F16. The wall clock itself is moved: nothing of ours is replaced."""
    fake_chrome.hold("Browser.getVersion")
    started = time.monotonic()
    early, late = connection.send(VERSION, deadline=0.1), connection.send(VERSION, deadline=5)
    wall = time.time()  # noqa: TID251 - the clock that must not matter
    monkeypatch.setattr(time, "time", lambda: wall + jump)
    with pytest.raises(CommandTimeout):
        await early
    assert 0.09 <= time.monotonic() - started < 2
    assert not late.done()
    fake_chrome.release()
    await late


async def test_event_outside_the_generated_subset_can_be_heard_by_name(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    heard: list[Any] = []
    name: EventName[dict[str, Any]] = EventName("Animation.animationCanceled")
    connection.on(name, lambda e: heard.append(e.params))
    fake_chrome.emit("Animation.animationCanceled", {"id": "a"})
    await connection.send(VERSION)
    assert heard == [{"id": "a"}]


async def test_browser_that_stops_reading_is_given_up_at_64_megabytes() -> None:
    """F13: a peer that does not read may not make us keep everything for it."""
    ours, theirs = socket.socketpair()
    with theirs:
        connection = await Connection.open(dial_pipe(ours), name="deaf")
        command = Command[dict[str, Any]]("Runtime.evaluate", {"expression": "x" * 3_900_000})
        replies = [connection.send(command, deadline=5) for _ in range(18)]
        with pytest.raises(ConnectionLost, match="stopped reading"):
            await asyncio.gather(*replies)
        assert connection.status is Status.CLOSED
        await connection.close()


async def test_a_domain_is_enabled_once_however_many_ask(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)
    fake_chrome.hold("Runtime.enable")
    asking = [asyncio.ensure_future(session.enable_domain("Runtime")) for _ in range(3)]
    await fake_chrome.heard("Runtime.enable")
    asking[0].cancel()  # who gives up does not take it from the others
    await asyncio.wait({asking[0]})
    fake_chrome.release()
    await asyncio.gather(*asking[1:])
    await session.enable_domain("Runtime")
    sent = [request.method for request in fake_chrome.received]
    assert sent.count("Runtime.enable") == 1


async def test_a_domain_that_could_not_be_enabled_is_asked_for_again(
    connection: Connection, fake_chrome: FakeChrome
) -> None:
    session = await attach(connection)

    def refuse(params: dict[str, Any]) -> dict[str, Any]:
        raise FakeError(-32000, "not now")

    fake_chrome.answer("Log.enable", refuse)
    with pytest.raises(CommandFailed, match="not now"):
        await session.enable_domain("Log")
    fake_chrome.answer("Log.enable", {})
    await session.enable_domain("Log")
    with pytest.raises(CommandFailed, match="wasn't found"):
        await session.enable_domain("Nothing")
