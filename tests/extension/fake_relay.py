"""A relay as small as it can be, for the real extension: proof, questions, and what it tells.

Knows: the extension's side of the wire. Must not know: the product's relay. It can also be a false
one: `proves=False` asks for everything and shows no proof.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

__all__ = ["WITHIN_S", "FakeRelay", "WireError", "proof"]

WITHIN_S = 20.0


def proof(secret: str, text: str) -> str:
    """What only one who has the secret can say."""
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def _key_of_code(code: str, ours: str, theirs: str) -> str:
    salt = f"{ours} {theirs}".encode()
    return hashlib.pbkdf2_hmac("sha256", code.encode(), salt, 100_000).hex()


class WireError(Exception):
    """The extension answered with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


class Visit:
    """One connection of an extension."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.hello: dict[str, Any] = {}
        self.welcomed = False
        self.said: list[dict[str, Any]] = []

    @property
    def stands(self) -> bool:
        """Whether nobody has hung up."""
        return self.socket.state is State.OPEN


class FakeRelay:
    """The relay. `ask` asks the extension that came last; `until` waits for what it tells."""

    def __init__(self, secret: str, *, proves: bool = True, code: str = "") -> None:
        self.secret = secret
        self.proves = proves
        self.code = code
        self.new_secret = ""
        # What its welcome says beside the proof.
        self.welcome: dict[str, Any] = {}
        self.visits: list[Visit] = []
        self.told: list[tuple[str, dict[str, Any]]] = []
        # Where what a test is told begins: what an earlier one was told is no answer to it.
        self.begins = 0
        self.origins: list[str] = []
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._news = asyncio.Condition()
        self._ids = 0
        self._server: Server | None = None
        self.port = 0

    async def start(self, port: int = 0) -> None:
        """Listen; the same port again after `stop` is a relay that was restarted."""
        self._server = await serve(
            self._visited, "127.0.0.1", port, max_size=None, compression=None, ping_interval=None
        )
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def stop(self) -> None:
        """Hang up and stop listening."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[FakeRelay]:
        """Listen for as long as the block lasts."""
        await self.start()
        try:
            yield self
        finally:
            await self.stop()

    @property
    def visit(self) -> Visit:
        """The connection that stands, or stood last. An extension that starts over has several on
        their way, and they arrive in any order."""
        welcomed = [visit for visit in self.visits if visit.welcomed]
        return ([visit for visit in welcomed if visit.stands] or welcomed)[-1]

    def welcomes(self) -> int:
        """How many connections have proven themselves."""
        return sum(visit.welcomed for visit in self.visits)

    async def _visited(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        self.origins.append(socket.request.headers.get("Origin", ""))
        visit = Visit(socket)
        self.visits.append(visit)
        with contextlib.suppress(ConnectionClosed):
            if not await self._greet(visit):
                await socket.close(4003, "this extension is not paired")
            else:
                async for text in socket:
                    await self._heard(visit, json.loads(text))
        async with self._news:
            self._news.notify_all()

    async def _greet(self, visit: Visit) -> bool:
        ours = secrets.token_urlsafe(32)
        await self._write(visit, "challenge", {"nonce": ours, "version": 2})
        hello = json.loads(await visit.socket.recv())
        assert hello["method"] == "hello"
        visit.hello = hello["params"]
        theirs = visit.hello["nonce"]
        by_code = "codeProof" in visit.hello
        key = _key_of_code(self.code, ours, theirs) if by_code else self.secret
        shown = visit.hello["codeProof" if by_code else "proof"]
        if self.proves and shown != proof(key, f"extension {self.port} {ours} {theirs}"):
            await self._tell()
            return False
        words = f"relay {self.port} {theirs} {ours}"
        said = {"proof": proof(key if self.proves else "a guess", words), **self.welcome}
        if by_code and self.proves:
            self.new_secret = self.secret = secrets.token_urlsafe(32)
            said |= {"secret": self.secret, "install": visit.hello["install"]}
        await self._write(visit, "welcome", said)
        visit.welcomed = self.proves
        await self._tell()
        return True

    async def _write(self, visit: Visit, method: str, params: Mapping[str, Any]) -> None:
        await visit.socket.send(json.dumps({"method": method, "params": params}))

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _heard(self, visit: Visit, message: dict[str, Any]) -> None:
        visit.said.append(message)
        if "id" in message:
            waiting = self._answers.pop(message["id"], None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
            return
        self.told.append((message["method"], message.get("params", {})))
        await self._tell()

    async def ask(self, method: str, /, **params: Any) -> Any:
        """The answer to a command. Raises WireError."""
        return await self.send(method, params)

    def send(self, method: str, params: Mapping[str, Any]) -> asyncio.Task[Any]:
        """Ask now; await what comes of it later."""
        self._ids += 1
        number = self._ids
        waiting = self._answers[number] = asyncio.get_running_loop().create_future()
        socket = self.visit.socket

        async def asked() -> Any:
            await socket.send(json.dumps({"id": number, "method": method, "params": params}))
            async with asyncio.timeout(WITHIN_S):
                message = await waiting
            if "error" in message:
                raise WireError(message["error"])
            return message["result"]

        return asyncio.ensure_future(asked())

    async def cdp(self, tab_id: int, method: str, child: str = "", /, **params: Any) -> Any:
        """The answer to a CDP command of a tab."""
        more = {"childSessionId": child} if child else {}
        return await self.ask("cdpCommand", tabId=tab_id, method=method, params=params, **more)

    async def value(self, tab_id: int, expression: str, child: str = "") -> Any:
        """What an expression comes to in a page."""
        got = await self.cdp(
            tab_id, "Runtime.evaluate", child, expression=expression, returnByValue=True
        )
        return got["result"].get("value")

    async def wait(self, question: Callable[[], Any]) -> Any:
        """Wait until something is so, looked at whenever the extension said something."""
        async with asyncio.timeout(WITHIN_S), self._news:
            await self._news.wait_for(question)
        return question()

    async def until(
        self,
        method: str,
        fits: Callable[[dict[str, Any]], Any] = lambda _: True,
        since: int | None = None,
    ) -> dict[str, Any]:
        """The first event of that name that fits, since the test began or since a place in it."""
        start = self.begins if since is None else since

        def found() -> list[dict[str, Any]]:
            return [p for m, p in self.told[start:] if m == method and fits(p)][:1]

        got: list[dict[str, Any]] = await self.wait(found)
        return got[0]

    async def event(
        self, tab_id: int, name: str, fits: Callable[[dict[str, Any]], Any] = lambda _: True
    ) -> dict[str, Any]:
        """The first CDP event of a tab that fits."""
        return await self.until(
            "cdpEvent",
            lambda p: p["tabId"] == tab_id and p["method"] == name and fits(p["params"]),
        )

    async def tab_at(self, url: str) -> dict[str, Any]:
        """The tab at an address, once it is listed."""
        tabs = (await self.ask("listTabs"))["tabs"]
        found = next((tab for tab in tabs if tab["url"] == url), None)
        if found is not None:
            return dict(found)
        raise AssertionError(f"no tab at {url} among {[tab['url'] for tab in tabs]}")
