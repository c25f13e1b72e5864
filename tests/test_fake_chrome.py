"""The fake answers as the real one does, and misbehaves exactly when told to."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from pilothouse.cdp import Command, Connection, Session, dial_pipe, dial_websocket
from pilothouse.cdp.protocol import Browser, Page, Runtime, Target
from pilothouse.errors import CommandFailed, CommandTimeout, ConnectionLost, SessionGone
from pilothouse.errors import TargetCrashed as Crashed
from tests.chromium import Endpoint, running_chromium
from tests.fake_chrome import FakeChrome, FakeError

# Each is sent to the real browser and to the fake; `$T` is a page target, `$S` a session of it.
MESSAGES = [
    "not json",
    "{",
    "",
    " ",
    "[]",
    '"text"',
    "5",
    "null",
    "{}",
    '{"id":1}',
    '{"id":"1","method":"Browser.getVersion"}',
    '{"id":1.5,"method":"Browser.getVersion"}',
    '{"id":null,"method":"Browser.getVersion"}',
    '{"id":-3,"method":"Browser.getVersion"}',
    '{"id":0,"method":"Browser.getVersion"}',
    '{"id":2147483648,"method":"Browser.getVersion"}',
    '{"method":"Browser.getVersion"}',
    '{"id":2,"method":5}',
    '{"id":3,"method":""}',
    '{"id":4,"method":"Nope"}',
    '{"id":5,"method":"Nope.nope"}',
    '{"id":6,"method":"Browser.nope"}',
    '{"id":7,"method":"Browser.getVersion"}',
    '{"id":8,"method":"Browser.getVersion","params":{}}',
    '{"id":9,"method":"Browser.getVersion","params":[]}',
    '{"id":10,"method":"Browser.getVersion","params":null}',
    '{"id":11,"method":"Browser.getVersion","params":"x"}',
    '{"id":12,"method":"Browser.getVersion","bogus":1}',
    '{"id":13,"method":"Browser.getVersion"} trailing',
    '{"id":14,"id":15,"method":"Browser.getVersion"}',
    '{"id":16,"method":"Browser.getVersion",}',
    '\ufeff{"id":17,"method":"Browser.getVersion"}',
    '{"id":18,"method":"Browser.getVersion","sessionId":"zz"}',
    '{"id":19,"method":"Browser.getVersion","sessionId":""}',
    '{"id":20,"method":"Browser.getVersion","sessionId":5}',
    '{"id":21,"method":"Nope.nope","sessionId":"zz"}',
    '{"id":22,"method":"Page.enable"}',
    '{"id":23,"method":"Runtime.evaluate","params":{"expression":"1"}}',
    '{"id":24,"method":"Target.getTargets","params":[]}',
    '{"id":25,"method":"Target.getTargets","params":null}',
    '{"id":26,"method":"Target.getTargets","params":{"filter":5}}',
    '{"id":27,"method":"Target.attachToTarget"}',
    '{"id":28,"method":"Target.attachToTarget","params":{}}',
    '{"id":29,"method":"Target.attachToTarget","params":{"targetId":5}}',
    '{"id":30,"method":"Target.attachToTarget","params":{"targetId":"zz","flatten":true}}',
    '{"id":31,"method":"Target.attachToTarget","params":{"targetId":"$T","flatten":"yes"}}',
    '{"id":32,"method":"Target.closeTarget","params":{"targetId":"zz"}}',
    '{"id":33,"method":"Target.activateTarget","params":{"targetId":"zz"}}',
    '{"id":34,"method":"Target.getTargetInfo","params":{"targetId":"zz"}}',
    '{"id":35,"method":"Target.getTargetInfo","params":{"targetId":"$T"}}',
    '{"id":36,"method":"Target.detachFromTarget","params":{"sessionId":"zz"}}',
    '{"id":37,"method":"Target.detachFromTarget","params":{}}',
    '{"id":38,"method":"Target.createTarget","params":{"url":5}}',
    '{"id":39,"method":"Target.setAutoAttach","params":{"autoAttach":true}}',
    '{"id":40,"method":"Target.setAutoAttach",'
    '"params":{"autoAttach":true,"waitForDebuggerOnStart":false}}',
    '{"id":41,"method":"Target.setDiscoverTargets","params":{"discover":1}}',
    '{"id":42,"method":"Page.enable","sessionId":"$S"}',
    '{"id":43,"method":"Nope.nope","sessionId":"$S"}',
    '{"id":44,"method":"Page.nope","sessionId":"$S"}',
    '{"id":45,"method":"Runtime.evaluate","sessionId":"$S"}',
    '{"id":46,"method":"Runtime.evaluate","sessionId":"$S","params":{"expression":5}}',
    '{"id":47,"method":"Runtime.evaluate","sessionId":"$S","params":{"expression":"1"}}',
    '{"id":48,"method":"Page.navigate","sessionId":"$S","params":{}}',
    '{"id":49,"method":"DOM.getDocument","sessionId":"$S","params":[]}',
    '{"id":50,"method":"Browser.getVersion","sessionId":"$S"}',
    '{"id":51,"method":"Target.setAutoAttach","sessionId":"$S",'
    '"params":{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}}',
]

# What a client sees, in order, while it opens, attaches, detaches and closes a target.
DEEDS: list[tuple[str, dict[str, Any]]] = [
    ("Target.setDiscoverTargets", {"discover": True}),
    ("Target.createTarget", {"url": "about:blank"}),
    ("Target.attachToTarget", {"targetId": "$T2", "flatten": True}),
    ("Target.detachFromTarget", {"sessionId": "$S2"}),
    ("Target.attachToTarget", {"targetId": "$T2", "flatten": True}),
    ("Target.closeTarget", {"targetId": "$T2"}),
]


@pytest.fixture(scope="module")
def real(chromium_path: Path) -> Iterator[Endpoint]:
    """A real Chromium to compare with."""
    with running_chromium(chromium_path) as endpoint:
        yield endpoint


@pytest.fixture
async def connection(fake_chrome: FakeChrome) -> Any:
    """Our own connection to the fake."""
    async with await Connection.open(dial_websocket(fake_chrome.websocket_url)) as opened:
        yield opened


async def exchange(wire: ClientConnection, text: str) -> dict[str, Any]:
    """Send one message and return its answer, events left out."""
    await wire.send(text)
    async with asyncio.timeout(5):
        while True:
            message: dict[str, Any] = json.loads(await wire.recv())
            if "method" not in message:
                return message


async def call(wire: ClientConnection, number: int, method: str, **params: Any) -> dict[str, Any]:
    """Send one good command and return its result."""
    message = json.dumps({"id": number, "method": method, "params": params})
    result: dict[str, Any] = (await exchange(wire, message))["result"]
    return result


async def answers(url: str) -> dict[str, tuple[object, ...]]:
    """For each message: did the answer carry id and session, and was it a result or which code."""
    async with connect(url, compression=None, max_size=None) as wire:
        infos = (await call(wire, 9001, "Target.getTargets"))["targetInfos"]
        page = next(info["targetId"] for info in infos if info["type"] == "page")
        attached = await call(wire, 9002, "Target.attachToTarget", targetId=page, flatten=True)
        found: dict[str, tuple[object, ...]] = {}
        for message in MESSAGES:
            text = message.replace("$T", page).replace("$S", attached["sessionId"])
            answer = await exchange(wire, text)
            outcome = answer["error"]["code"] if "error" in answer else "result"
            # The id of a message whose keys repeat is anyone's guess.
            number = None if outcome == -32700 else answer.get("id")
            found[message] = (outcome, number, "sessionId" in answer)
        return found


async def story(url: str) -> list[str]:
    """The names of all replies and events about our own target, in order."""
    names = {"$T2": "", "$S2": ""}
    told: list[str] = []
    async with connect(url, compression=None) as wire:
        for number, (method, params) in enumerate(DEEDS):
            filled = {key: names.get(str(value), value) for key, value in params.items()}
            await wire.send(json.dumps({"id": number, "method": method, "params": filled}))
            last = "Target.targetDestroyed" if method == "Target.closeTarget" else method
            seen = ""
            while seen != last:
                async with asyncio.timeout(5):
                    message = json.loads(await wire.recv())
                if message.get("id") == number:
                    seen = method
                    result = message["result"]
                    names["$T2"] = result.get("targetId", names["$T2"])
                    names["$S2"] = result.get("sessionId", names["$S2"])
                    told.append(f"reply {method}")
                elif message["method"] == "Target.targetInfoChanged":
                    continue  # Titles and flags come when Chromium gets round to it.
                elif method != "Target.setDiscoverTargets":
                    seen = message["method"]
                    told.append(f"event {seen}")
    return told


@pytest.mark.browser
async def test_fake_gives_every_message_the_answer_chromium_gives(
    real: Endpoint, fake_chrome: FakeChrome
) -> None:
    assert await answers(fake_chrome.websocket_url) == await answers(real.websocket_url)


@pytest.mark.browser
async def test_fake_tells_the_life_of_a_target_in_chromiums_order(
    real: Endpoint, fake_chrome: FakeChrome
) -> None:
    assert await story(fake_chrome.websocket_url) == await story(real.websocket_url)


@pytest.mark.browser
async def test_binary_frame_ends_the_connection_in_both(
    real: Endpoint, fake_chrome: FakeChrome
) -> None:
    for url in (real.websocket_url, fake_chrome.websocket_url):
        async with asyncio.timeout(5), connect(url, compression=None) as wire:
            await wire.send(b'{"id":1,"method":"Browser.getVersion"}')
            with pytest.raises(ConnectionClosed):
                await wire.recv()


async def attach(connection: Connection) -> Session:
    """A session of the first page."""
    infos = (await connection.send(Target.getTargets()))["targetInfos"]
    command = Target.attachToTarget(targetId=infos[0]["targetId"], flatten=True)
    session_id = (await connection.send(command))["sessionId"]
    return next(s for s in connection.sessions.values() if s.id == session_id)


async def test_unknown_params_are_refused_so_that_tests_see_our_typing_mistakes(
    connection: Connection,
) -> None:
    with pytest.raises(CommandFailed, match="has no parameter bogus"):
        await connection.send(Command("Browser.getVersion", {"bogus": 1}))


async def test_scripted_answers_and_errors_reach_the_caller(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    def evaluate(params: dict[str, Any]) -> dict[str, Any]:
        if params["expression"] == "bad":
            raise FakeError(-32000, "no")
        return {"result": {"type": "string", "value": params["expression"]}}

    fake_chrome.answer("Runtime.evaluate", evaluate)
    session = await attach(connection)
    good = await session.send(Runtime.evaluate(expression="good"))
    assert good["result"]["value"] == "good"
    with pytest.raises(CommandFailed, match="no"):
        await session.send(Runtime.evaluate(expression="bad"))


def test_script_for_a_method_that_does_not_exist_is_refused() -> None:
    chrome = FakeChrome()
    with pytest.raises(ValueError, match=r"Page\.nope"):
        chrome.answer("Page.nope", {})
    with pytest.raises(ValueError, match=r"Page\.nope"):
        chrome.emit("Page.nope", {})


async def test_held_replies_come_on_release_in_either_order(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    session = await attach(connection)
    fake_chrome.hold("Runtime.evaluate")
    order: list[str] = []
    connection.trace(lambda way, frame: order.append(f"{way} {json.loads(frame).get('id')}"))
    replies = [session.send(Runtime.evaluate(expression=str(n))) for n in range(3)]
    await fake_chrome.heard("Runtime.evaluate", 3)
    assert not any(reply.done() for reply in replies)
    fake_chrome.release(reverse=True)
    await asyncio.gather(*(reply.raw() for reply in replies))
    ids = [reply.id for reply in replies]
    assert [line for line in order if "receive" in line] == [f"receive {n}" for n in ids[::-1]]


async def test_duplicated_and_corrupted_replies_are_counted(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    fake_chrome.duplicate("Browser.getVersion")
    fake_chrome.corrupt("Target.getTargets")
    await connection.send(Browser.getVersion())
    with pytest.raises(CommandTimeout):
        await connection.send(Target.getTargets(), 0.05)
    await connection.send(Target.getBrowserContexts())
    assert connection.counts.duplicate == 1
    assert connection.counts.malformed == 1


async def test_delayed_reply_arrives_late(fake_chrome: FakeChrome, connection: Connection) -> None:
    fake_chrome.delay("Browser.getVersion", 0.1)
    slow = connection.send(Browser.getVersion())
    await connection.send(Target.getTargets())
    assert not slow.done()
    assert (await slow)["product"] == "Chrome/0.0.0.0"


@pytest.mark.parametrize("kind", ["websocket", "pipe"])
async def test_fragments_raw_text_and_events_arrive_on_both_wires(
    fake_chrome: FakeChrome, kind: str
) -> None:
    websocket = dial_websocket(fake_chrome.websocket_url)
    dial = websocket if kind == "websocket" else dial_pipe(fake_chrome.pipe())
    async with await Connection.open(dial) as connection:
        fake_chrome.fragment_size = 7
        session = await attach(connection)
        loaded = session.expect(Page.loadEventFired, deadline=5)
        fake_chrome.send_raw("garbage")
        fake_chrome.emit("Page.loadEventFired", {"timestamp": 1.5}, session.id)
        assert (await loaded)["timestamp"] == 1.5
        assert connection.counts.malformed == 1


async def test_binary_frames_from_the_fake_are_garbage_to_us(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    fake_chrome.send_raw(b"\x00\x01")
    await connection.send(Browser.getVersion())
    assert connection.counts.malformed == 1


@pytest.mark.parametrize("kind", ["websocket", "pipe"])
async def test_drop_fails_what_waits(fake_chrome: FakeChrome, kind: str) -> None:
    websocket = dial_websocket(fake_chrome.websocket_url)
    dial = websocket if kind == "websocket" else dial_pipe(fake_chrome.pipe())
    async with await Connection.open(dial) as connection:
        fake_chrome.hold("Browser.getVersion")
        reply = connection.send(Browser.getVersion())
        await fake_chrome.heard("Browser.getVersion")
        fake_chrome.drop()
        with pytest.raises(ConnectionLost):
            await reply
        await fake_chrome.has_wires(0)


async def test_refused_port_opens_again_at_the_same_place(fake_chrome: FakeChrome) -> None:
    url = fake_chrome.websocket_url
    async with await Connection.open(dial_websocket(url)) as old:
        await fake_chrome.refuse()
        with pytest.raises(ConnectionLost):
            await Connection.open(dial_websocket(url))
        await old.send(Browser.getVersion())
        await fake_chrome.accept()
        assert fake_chrome.websocket_url == url
        async with await Connection.open(dial_websocket(url)) as new:
            await new.send(Browser.getVersion())


async def test_nested_sessions_end_with_their_parent(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    page = await attach(connection)
    frame = fake_chrome.model.add_target("iframe", "http://localhost/")
    child = fake_chrome.attach(frame, parent=page.id)
    await connection.send(Browser.getVersion())
    session = next(s for s in connection.sessions.values() if s.id == child)
    assert (session.parent, session.target_type) == (page.id, "iframe")
    await connection.send(Target.detachFromTarget(sessionId=page.id))
    with pytest.raises(SessionGone):
        await session.send(Runtime.evaluate(expression="1"))
    assert connection.sessions == {}


async def test_crashed_target_answers_nothing_any_more(
    fake_chrome: FakeChrome, connection: Connection
) -> None:
    session = await attach(connection)
    fake_chrome.hold("Runtime.evaluate")
    reply = session.send(Runtime.evaluate(expression="1"))
    await fake_chrome.heard("Runtime.evaluate")
    fake_chrome.crash(fake_chrome.model.targets[session.target_id])
    with pytest.raises(Crashed):
        await reply
    fake_chrome.release()


async def test_http_side_names_the_websocket_and_the_targets(fake_chrome: FakeChrome) -> None:
    def get(path: str) -> Any:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(fake_chrome.http_url + path, timeout=5) as response:
            return json.load(response)

    version = await asyncio.to_thread(get, "/json/version")
    assert version["webSocketDebuggerUrl"] == fake_chrome.websocket_url
    listed = await asyncio.to_thread(get, "/json/list")
    assert [entry["type"] for entry in listed] == ["page"]
