"""S15: two clients at work in one browser, on pages of the same site: neither is told a word of the
other, not the name of a tab, a session or a frame, no cookie, no dialog, no line of the console."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pilothouse.relay.hub.hub import Hub
from pilothouse.relay.interfaces import ClientSpec, HttpRefusal, MessageHandler
from tests.relay.hub_server import Hosted
from tests.soak_extent import repeats

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

TABS = repeats(3, 50)
OPERATIONS = repeats(6, 1_000)  # on each tab
AT_ONCE = 4
WITHIN_S = 60.0

PAGE = """<!doctype html><title>page</title><script>
const mark = location.search.slice(1);
document.title = mark + ' title';
document.cookie = 'mark=' + mark;
localStorage.mark = mark;
const air = new BroadcastChannel('air');
air.onmessage = ({ data }) => console.log('heard ' + data);
</script>"""
# Chrome's names of targets, sessions, frames, loaders and browser contexts.
NAME = re.compile(rb"\b[0-9A-F]{32}\b")


class Ears:
    """A client that keeps no message, but every name that it was ever told."""

    def __init__(self, mark: str, other: str) -> None:
        self.mark = mark
        self.names: set[bytes] = set()
        self.leaks: list[bytes] = []
        self.frames = 0
        self.guest: MessageHandler
        # Targets with the sessions on them; the tabs are worked on one at a time.
        self.tabs: dict[str, str] = {}
        self.busy: dict[str, asyncio.Lock] = {}
        self._other = other.encode()
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._expected: dict[tuple[str, str, str], asyncio.Future[dict[str, Any]]] = {}

    # The line.

    def send(self, frame: bytes) -> None:
        self.frames += 1
        self.names.update(NAME.findall(frame))
        if self._other in frame:
            self.leaks.append(frame[:300])
        message = json.loads(frame)
        if "id" in message:
            waiting = self._waiting.pop(message["id"], None)
        else:
            info = message["params"].get("targetInfo", {})
            where = (message["method"], message.get("sessionId", ""), info.get("openerId", ""))
            waiting = self._expected.pop(where, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    def unsent(self) -> int:
        return 0

    def close(self, code: int = 1000, reason: str = "") -> None:
        raise AssertionError(f"hung up on: {reason}")

    # The client.

    async def reply(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """The whole answer to a command."""
        number = next(self._ids)
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self.guest.on_message(json.dumps(message).encode())
        async with asyncio.timeout(WITHIN_S):
            return await waiting

    async def ask(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """The result of a command that works."""
        reply = await self.reply(method, session, **params)
        assert "error" not in reply, (method, reply)
        result: dict[str, Any] = reply["result"]
        return result

    def expect(
        self, method: str, session: str = "", opener: str = ""
    ) -> asyncio.Future[dict[str, Any]]:
        """The next event of a name; of one that tells of a target, that has this opener."""
        expected = asyncio.get_running_loop().create_future()
        self._expected[method, session, opener] = expected
        return expected

    async def value(self, session: str, expression: str) -> Any:
        """What a page says."""
        got = await self.ask(
            "Runtime.evaluate",
            session,
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        return got["result"].get("value")


async def joined(hub: Hub, mark: str, other: str) -> Ears:
    """A client that hears everything it may."""
    ears = Ears(mark, other)
    guest = await hub.join(ClientSpec(id=f"s15-{mark}", browser="managed", label=mark), ears)
    assert not isinstance(guest, HttpRefusal), guest
    ears.guest = guest
    await ears.ask("Target.setDiscoverTargets", discover=True, filter=[{}])
    return ears


async def opened(ears: Ears, url: str) -> None:
    """One more tab, with all ears on."""
    target = (await ears.ask("Target.createTarget", url="about:blank"))["targetId"]
    attached = await ears.ask("Target.attachToTarget", targetId=target, flatten=True)
    session = attached["sessionId"]
    for domain in ("Page", "Runtime", "Network", "DOM", "Log"):
        await ears.ask(f"{domain}.enable", session)
    await went(ears, session, url)
    ears.tabs[target] = session
    ears.busy[target] = asyncio.Lock()


async def went(ears: Ears, session: str, url: str) -> None:
    loaded = ears.expect("Page.loadEventFired", session)
    await ears.ask("Page.navigate", session, url=f"{url}?{ears.mark}")
    async with asyncio.timeout(WITHIN_S):
        await loaded


# What a client does, once, on one of its tabs.
Deed = Callable[[Ears, str, str, str], Awaitable[None]]


async def _navigates(ears: Ears, target: str, session: str, url: str) -> None:
    await went(ears, session, url)


async def _looks(ears: Ears, target: str, session: str, url: str) -> None:
    found = await ears.value(session, "[document.title, document.cookie, localStorage.mark]")
    assert found == [f"{ears.mark} title", f"mark={ears.mark}", ears.mark]


async def _shouts(ears: Ears, target: str, session: str, url: str) -> None:
    await ears.value(session, "void (air.postMessage(mark), console.log(mark + ' said'))")


async def _asks(ears: Ears, target: str, session: str, url: str) -> None:
    opening = ears.expect("Page.javascriptDialogOpening", session)
    await ears.value(session, "void setTimeout(() => alert(mark + ' asks'))")
    async with asyncio.timeout(WITHIN_S):
        told = await opening
    assert told["params"]["message"] == f"{ears.mark} asks"
    await ears.ask("Page.handleJavaScriptDialog", session, accept=True)


async def _cookies(ears: Ears, target: str, session: str, url: str) -> None:
    for method, where in (("Storage.getCookies", ""), ("Network.getAllCookies", session)):
        jar = (await ears.ask(method, where))["cookies"]
        assert {cookie["value"] for cookie in jar} == {ears.mark}


async def _lists(ears: Ears, target: str, session: str, url: str) -> None:
    listed = (await ears.ask("Target.getTargets", filter=[{}]))["targetInfos"]
    pages = {info["targetId"] for info in listed if info["type"] == "page"}
    assert set(ears.tabs) <= pages
    assert (await ears.ask("Target.getBrowserContexts")).keys() >= {"browserContextIds"}


async def _pops_up(ears: Ears, target: str, session: str, url: str) -> None:
    created = ears.expect("Target.targetCreated", opener=target)
    await ears.value(session, f"void open('{url}?' + mark)")
    async with asyncio.timeout(WITHIN_S):
        popup = (await created)["params"]["targetInfo"]["targetId"]
    await ears.ask("Target.closeTarget", targetId=popup)


async def _works(ears: Ears, target: str, session: str, url: str) -> None:
    code = "new Worker(URL.createObjectURL(new Blob(['close()'])))"
    await ears.value(session, f"void {code}")
    await ears.ask("DOM.getDocument", session)


DEEDS: tuple[Deed, ...] = (
    _navigates, _looks, _looks, _shouts, _shouts, _asks, _cookies, _lists, _pops_up, _works,
)  # fmt: skip


async def tries(ears: Ears, other: Ears, chance: random.Random) -> None:
    """What it would do with the other's names, if it knew them. All that says no names nobody."""
    target, session = chance.choice(sorted(other.tabs.items()))
    for method, where, params in (
        ("Target.attachToTarget", "", {"targetId": target, "flatten": True}),
        ("Target.closeTarget", "", {"targetId": target}),
        ("Target.activateTarget", "", {"targetId": target}),
        ("Target.getTargetInfo", "", {"targetId": target}),
        ("Target.detachFromTarget", "", {"sessionId": session}),
        ("Runtime.evaluate", session, {"expression": "document.title"}),
    ):
        reply = await ears.reply(method, where, **params)
        assert "error" in reply, (method, reply)


async def lives(ears: Ears, other: Ears, url: str, chance: random.Random) -> None:
    """All that a client does."""
    targets = [target for target in ears.tabs for _ in range(OPERATIONS)]
    chance.shuffle(targets)
    left = iter(targets)

    async def goes_on() -> None:
        for target in left:
            async with ears.busy[target]:
                await chance.choice(DEEDS)(ears, target, ears.tabs[target], url)
            if chance.random() < 0.05:
                await tries(ears, other, chance)

    await asyncio.gather(*(goes_on() for _ in range(AT_ONCE)))


@pytest.mark.soak
@pytest.mark.timeout(7200)
async def test_two_clients_at_work_are_told_nothing_of_each_other(place: Hosted) -> None:
    url = place.pages.add("/strangers.html", PAGE)
    alice, bobby = [
        await joined(place.hub, mark, other)
        for mark, other in (("alice", "bobby"), ("bobby", "alice"))
    ]
    for _ in range(TABS):
        await asyncio.gather(opened(alice, url), opened(bobby, url))
    await asyncio.gather(
        lives(alice, bobby, url, random.Random(1)), lives(bobby, alice, url, random.Random(2))
    )
    for client in (alice, bobby):
        assert client.leaks == []
        assert len(client.tabs) == TABS
        assert client.frames > TABS * OPERATIONS
    assert len(alice.names) > 3 * TABS
    assert alice.names & bobby.names == set()
    for client in (alice, bobby):
        client.guest.on_disconnect("done")
