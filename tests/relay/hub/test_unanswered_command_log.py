"""A command of a client that gets no reply explains itself in the log, without what it says."""

from __future__ import annotations

import asyncio
import logging
from time import perf_counter

import pytest

from pilothouse.cdp.message import read_ends
from pilothouse.relay.hub.unanswered_command_log import (
    MAX_LINES,
    MAX_MESSAGES,
    MessageSummary,
    UnansweredCommand,
    Watchdog,
    describe_message,
    format_report,
)
from tests.relay.hub_client import came
from tests.relay.hub_server import Hosted

SESSION = "0123456789ABCDEF0123456789ABCDEF"
_SENT = b'{"id":7,"method":"Runtime.evaluate","params":{"expression":"password"},"sessionId":"'


def _message(at: float, direction: str, frame: bytes) -> MessageSummary:
    return (at, direction, frame[:96], frame[-64:], len(frame))


def _sent(at: float = 10.0) -> MessageSummary:
    return _message(at, "send", _SENT + SESSION.encode() + b'"}')


def test_line_tells_id_method_session_and_size_and_nothing_of_what_was_said() -> None:
    said = describe_message(_sent(), 10.0)
    assert said == f"   +0.000 -> id 7 Runtime.evaluate {SESSION} 118 bytes"
    told = _message(
        11.5,
        "receive",
        b'{"method":"Page.loadEventFired","params":{"x":"password"},"sessionId":"S"}',
    )
    assert describe_message(told, 10.0) == "   +1.500 <- Page.loadEventFired S 74 bytes"
    reply = _message(12.0, "receive", b'{"id":7,"result":{"method":"Secret.word"}}')
    assert describe_message(reply, 10.0) == "   +2.000 <- id 7 reply 42 bytes"
    failed = _message(12.0, "receive", b'{"id":7,"error":{"code":-32000,"message":"password"}}')
    assert describe_message(failed, 10.0).endswith("<- id 7 error 53 bytes")
    assert "?" in describe_message(_message(1.0, "send", b"nonsense"), 0.0)


def test_journal_says_whether_the_browser_or_only_the_session_is_silent() -> None:
    events = [
        _message(10.0 + n, "receive", b'{"method":"Target.targetCreated","params":{}}')
        for n in range(20)
    ]
    silence = UnansweredCommand(
        7, "played", SESSION, "TARGET", blockers=("dialog d1 (alert) here",)
    )
    text = format_report(silence, [_sent(), *events], 30.5, 2)
    first, second, browser, session, *_ = text.splitlines()
    assert first.startswith("no reply for 20.5 s: Runtime.evaluate (id 7) of client played")
    assert "others without a reply: 2" in second
    assert "dialog d1 (alert) here" in second
    assert browser == "heard from the browser: 20 messages, the last 1.5 s ago"
    assert session == "heard from this session: nothing on record"
    assert "password" not in text


def test_journal_is_bounded_and_keeps_both_ends() -> None:
    event = b'{"method":"Network.dataReceived","params":{}}'
    flood = [_message(10.0 + n / 1000, "receive", event) for n in range(MAX_MESSAGES)]
    lines = format_report(
        UnansweredCommand(7, "p", SESSION, "T"), [_sent(), *flood], 30.0
    ).splitlines()
    assert len(lines) <= MAX_LINES + 10
    assert any(line.startswith("… ") for line in lines)
    assert "Runtime.evaluate" in lines[5]


@pytest.mark.figures
def test_watching_costs_less_than_two_microseconds_a_message(place_of_none: Watchdog) -> None:
    frame = b'{"method":"Network.dataReceived","params":{"requestId":"1"},"sessionId":"S"}' * 10
    passed = place_of_none.record_message
    best = 1.0
    for _ in range(20):
        began = perf_counter()
        for _ in range(1000):
            passed("receive", *read_ends(frame))
        best = min(best, (perf_counter() - began) / 1000)
    assert best < 2e-6


@pytest.fixture
def place_of_none() -> Watchdog:
    """A watchdog that is not watching: what it keeps is all that is measured."""
    return Watchdog(None)  # type: ignore[arg-type]


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="module")
async def test_command_without_a_reply_is_explained_once(
    place: Hosted, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    watchdog = Watchdog(place.hub, lambda: now[0])
    client = await came(place.hub, label="silent")
    watchdog.start()
    _, session = await client.page()
    never = "new Promise(() => {}) // password"
    params = {"expression": never, "awaitPromise": True}
    asking = asyncio.ensure_future(client.ask("Runtime.evaluate", params, session))
    await client.ask("Runtime.enable", {}, session)
    with caplog.at_level(logging.WARNING):
        for now[0] in (1.0, 10.0, 19.0):
            assert watchdog.check() == ""
        now[0] = 22.0
        text = watchdog.check()
        assert "Runtime.evaluate" in text.splitlines()[0]
        assert "of client silent" in text
        assert session in text
        assert "password" not in text
        for now[0] in (24.0, 100.0, 200.0):
            assert watchdog.check() == ""
    assert [record.getMessage() for record in caplog.records] == [text]
    watchdog.stop()
    asking.cancel()
    client.guest.on_disconnect("done")
