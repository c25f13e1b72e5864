"""A client of a hub in this process: what it is sent is kept, and can be waited for.

Knows: CDP's envelope. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any

from pilothouse.relay.hub.hub import Hub
from pilothouse.relay.interfaces import ClientSpec, HttpRefusal, MessageHandler

__all__ = ["Failure", "Talk", "came"]

WITHIN_S = 20.0

_numbers = itertools.count(1)


class Failure(Exception):
    """A command was answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.words: str = error["message"]


class Talk:
    """A line with ears: `ask` commands, `event` waits for what is told."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.closed = ""
        self._news = asyncio.Event()
        self._ids = itertools.count(1)
        self.guest: MessageHandler

    # The line.

    def send(self, frame: bytes) -> None:
        self.heard.append(json.loads(frame))
        self._news.set()

    def unsent(self) -> int:
        return 0

    def close(self, code: int = 1000, reason: str = "") -> None:
        self.closed = reason or str(code)
        self._news.set()
        self.guest.on_disconnect(reason)

    # The client.

    def tell(self, method: str, params: dict[str, Any] | None = None, session: str = "") -> int:
        """Send a command; its id."""
        number = next(self._ids)
        message: dict[str, Any] = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        self.guest.on_message(json.dumps(message).encode())
        return number

    async def ask(
        self, method: str, params: dict[str, Any] | None = None, session: str = ""
    ) -> dict[str, Any]:
        """Send a command and wait for its result. Raises Failure."""
        number = self.tell(method, params, session)
        reply = await self.find(lambda m: m.get("id") == number)
        if "error" in reply:
            raise Failure(reply["error"])
        assert reply.get("sessionId", "") == session
        result: dict[str, Any] = reply["result"]
        return result

    async def event(
        self, method: str, session: str = "", where: Callable[[dict[str, Any]], bool] | None = None
    ) -> dict[str, Any]:
        """The params of the first such event, past or to come."""
        found = await self.find(
            lambda m: (
                m.get("method") == method
                and m.get("sessionId", "") == session
                and (where is None or where(m["params"]))
            )
        )
        params: dict[str, Any] = found["params"]
        return params

    async def find(self, which: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message of a kind."""
        async with asyncio.timeout(WITHIN_S):
            while True:
                for message in self.heard:
                    if which(message):
                        return message
                self._news.clear()
                await self._news.wait()

    async def page(self, url: str = "about:blank", **wanted: Any) -> tuple[str, str]:
        """A tab of its own: its target, and a session on it."""
        target = (await self.ask("Target.createTarget", {"url": url, **wanted}))["targetId"]
        params = {"targetId": target, "flatten": True}
        return target, (await self.ask("Target.attachToTarget", params))["sessionId"]

    async def value(self, session: str, expression: str) -> Any:
        """What a page says."""
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return (await self.ask("Runtime.evaluate", params, session))["result"].get("value")


async def came(hub: Hub, **wanted: Any) -> Talk:
    """A client that was let in."""
    talk = Talk()
    spec = ClientSpec(id=f"t{next(_numbers)}", browser="managed", **wanted)
    guest = await hub.join(spec, talk)
    assert not isinstance(guest, HttpRefusal), guest
    talk.guest = guest
    return talk
