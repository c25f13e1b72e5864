"""A small relay for one real Chromium in which every tab is lazy: just enough of a browser's root
for Playwright and Puppeteer to connect, so that lazy sessions can be tried without the hub.

Knows: `LazySession` and what the clients ask of a root. Must not know: owners, permissions,
popups; the hub does.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from pilothouse.relay.lazy.session import CommandFailure, LazySession

__all__ = ["LazyTabs", "lazy_tabs"]

OnReply = Callable[[Mapping[str, Any]], None]

ANSWERED = {"Browser.close", "Browser.setDownloadBehavior", "Runtime.runIfWaitingForDebugger"}


@dataclass
class Lazy:
    """A lazy session and the real one, once there is one."""

    session: LazySession
    real: str = ""
    attaching: bool = False
    queue: list[dict[str, Any]] = field(default_factory=list)


class LazyTabs:
    """One client's connection. `attached` are the targets that were attached for it, in order."""

    def __init__(self, client: ServerConnection, browser: ClientConnection) -> None:
        self.client = client
        self.browser = browser
        self.attached: list[str] = []
        self.sent: list[tuple[str, str]] = []
        self._out: asyncio.Queue[tuple[Any, str]] = asyncio.Queue()
        self._lazy: dict[str, Lazy] = {}
        self._by_real: dict[str, Lazy] = {}
        self._tabs: dict[str, str] = {}
        self._then: dict[int, OnReply] = {}
        self._next = 0

    def session(self, url: str) -> LazySession:
        """The session of the first tab that was at this address before it attached."""
        return next(one.session for one in self._lazy.values() if one.session.info["url"] == url)

    # Both ends; what is written keeps its order.

    async def run(self) -> None:
        """Carry messages until either side leaves."""
        self._send("Target.setDiscoverTargets", {"discover": True}, "", lambda _: None)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._write()),
                group.create_task(self._read(self.browser, self._from_browser)),
                group.create_task(self._read(self.client, self._from_client)),
            ]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()

    async def _write(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                end, text = await self._out.get()
                await end.send(text)

    async def _read(
        self, end: ClientConnection | ServerConnection, take: Callable[[dict[str, Any]], None]
    ) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for message in end:
                take(json.loads(message))

    def _tell(self, frames: list[bytes]) -> None:
        for frame in frames:
            self._out.put_nowait((self.client, frame.decode()))

    def _say(self, message: Mapping[str, Any], session: str) -> None:
        whole = {**message, "sessionId": session} if session else message
        self._out.put_nowait((self.client, json.dumps(whole)))

    def _event(self, method: str, params: Mapping[str, Any], session: str = "") -> None:
        self._say({"method": method, "params": params}, session)

    def _send(self, method: str, params: Mapping[str, Any], session: str, then: OnReply) -> None:
        self._next += 1
        self._then[self._next] = then
        self.sent.append((method, json.dumps(params)))
        message = {"id": self._next, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        self._out.put_nowait((self.browser, json.dumps(message)))

    def _forward(self, asked: dict[str, Any], session: str, shown: str, lazy: Lazy | None) -> None:
        method, params = asked["method"], asked.get("params", {})
        if lazy is not None:
            translated = lazy.session.outbound(method, params)
            if isinstance(translated, CommandFailure):
                error = {"code": translated.code, "message": translated.message}
                self._say({"id": asked["id"], "error": error}, shown)
                return
            params = translated

        def answer(reply: Mapping[str, Any]) -> None:
            if "error" in reply:
                self._say({"id": asked["id"], "error": reply["error"]}, shown)
                return
            result = reply["result"]
            if lazy is not None:
                result = lazy.session.inbound_result(method, result)
            self._say({"id": asked["id"], "result": result}, shown)

        self._send(method, params, session, answer)

    # From the client.

    def _from_client(self, asked: dict[str, Any]) -> None:
        shown = asked.get("sessionId", "")
        lazy = self._lazy.get(shown)
        if lazy is not None:
            self._on_tab(lazy, asked)
        elif shown in ("", "BROWSER") or shown in self._tabs:
            self._on_root(asked, shown)
        else:
            self._forward(asked, shown, shown, None)

    def _on_tab(self, lazy: Lazy, asked: dict[str, Any]) -> None:
        if lazy.session.is_attached:
            self._forward(asked, lazy.real, lazy.session.session_id, lazy)
            return
        if not lazy.attaching:
            answer = lazy.session.answer(asked["id"], asked["method"], asked.get("params", {}))
            if answer is not None:
                self._tell(answer.messages)
                return
            lazy.attaching = True
            self.attached.append(lazy.session.target)
            target = {"targetId": lazy.session.target, "flatten": True}
            self._send("Target.attachToTarget", target, "", lambda r: self._attach(lazy, r))
        lazy.queue.append(asked)

    def _attach(self, lazy: Lazy, reply: Mapping[str, Any]) -> None:
        lazy.real = reply["result"]["sessionId"]
        self._by_real[lazy.real] = lazy
        for one in lazy.session.replay():

            def then(outcome: Mapping[str, Any], token: int = one.token) -> None:
                told = lazy.session.finish_replay(token, outcome.get("result"))
                self._tell(told)
                self._drain(lazy)

            self._send(one.method, one.params, lazy.real, then)
        self._drain(lazy)

    def _drain(self, lazy: Lazy) -> None:
        if lazy.session.is_attached:
            queued, lazy.queue = lazy.queue, []
            for asked in queued:
                self._forward(asked, lazy.real, lazy.session.session_id, lazy)

    def _on_root(self, asked: dict[str, Any], shown: str) -> None:
        method, params = asked["method"], asked.get("params", {})
        if method in ANSWERED:
            self._say({"id": asked["id"], "result": {}}, shown)
        elif method == "Target.attachToBrowserTarget":
            self._say({"id": asked["id"], "result": {"sessionId": "BROWSER"}}, shown)
        elif method == "Target.attachToTarget":
            self._with_targets(lambda found: self._second(asked, shown, found))
        elif method == "Target.setDiscoverTargets":
            self._with_targets(lambda found: self._discover(asked, found))
        elif method == "Target.setAutoAttach":
            self._with_targets(lambda found: self._auto_attach(asked, shown, found))
        elif method == "Target.detachFromTarget":
            self._lazy.pop(params["sessionId"], None)
            self._say({"id": asked["id"], "result": {}}, shown)
        else:
            self._forward(asked, "", shown, None)

    # The root.

    def _with_targets(self, then: Callable[[list[dict[str, Any]]], None]) -> None:
        def pages(reply: Mapping[str, Any]) -> None:
            found = reply["result"]["targetInfos"]
            then([t for t in found if t["type"] == "page"])

        self._send("Target.getTargets", {}, "", pages)

    def _tab_of(self, page: Mapping[str, Any]) -> dict[str, Any]:
        return {**page, "targetId": f"TAB{page['targetId']}", "type": "tab"}

    def _discover(self, asked: dict[str, Any], found: list[dict[str, Any]]) -> None:
        browser = {"targetId": "browser", "type": "browser", "title": "", "url": ""}
        for info in [browser, *found, *map(self._tab_of, found)]:
            told = {**info, "attached": info is browser, "canAccessOpener": False}
            self._event("Target.targetCreated", {"targetInfo": told})
        self._say({"id": asked["id"], "result": {}}, "")

    def _auto_attach(self, asked: dict[str, Any], shown: str, found: list[dict[str, Any]]) -> None:
        wants_tabs = any(f.get("exclude") for f in asked["params"].get("filter", []))
        for page in found:
            if shown and self._tabs.get(shown) != page["targetId"]:
                continue
            if wants_tabs:
                session = f"T{page['targetId'][1:]}"
                self._tabs[session] = page["targetId"]
                self._told_attached(session, self._tab_of(page), shown)
            else:
                self._told_attached(self._new(page), page, shown)
        self._say({"id": asked["id"], "result": {}}, shown)

    def _second(self, asked: dict[str, Any], shown: str, found: list[dict[str, Any]]) -> None:
        page = next(t for t in found if t["targetId"] == asked["params"]["targetId"])
        session = self._new(page)
        self._told_attached(session, page, shown)
        self._say({"id": asked["id"], "result": {"sessionId": session}}, shown)

    def _new(self, page: Mapping[str, Any]) -> str:
        session = f"L{len(self._lazy):031X}"
        self._lazy[session] = Lazy(LazySession(session, page))
        return session

    def _told_attached(self, session: str, info: Mapping[str, Any], on: str) -> None:
        told = {**info, "attached": True}
        params = {"sessionId": session, "targetInfo": told, "waitingForDebugger": False}
        self._event("Target.attachedToTarget", params, on)

    # From the browser.

    def _from_browser(self, message: dict[str, Any]) -> None:
        if "id" in message:
            self._then.pop(message["id"])(message)
            return
        method, params = message["method"], message["params"]
        real = message.get("sessionId", "")
        lazy = self._by_real.get(real)
        if lazy is not None:
            for told, about in lazy.session.inbound(method, params):
                self._event(told, about, lazy.session.session_id)
        elif real:
            self._event(method, params, real)
        elif method == "Target.targetInfoChanged":
            info = params["targetInfo"]
            for one in self._lazy.values():
                if one.session.target == info["targetId"]:
                    self._tell(one.session.on_navigated(info["url"], info["title"]))


@contextlib.asynccontextmanager
async def lazy_tabs(browser_url: str) -> AsyncIterator[tuple[str, list[LazyTabs]]]:
    """The address for clients, and their connections in the order they came."""
    came: list[LazyTabs] = []

    async def take(client: ServerConnection) -> None:
        async with connect(browser_url, max_size=None, compression=None) as browser:
            came.append(LazyTabs(client, browser))
            await came[-1].run()

    async with serve(take, "127.0.0.1", 0, max_size=None, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{port}/", came
