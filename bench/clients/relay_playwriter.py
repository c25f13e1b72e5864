"""Stands in for playwriter's extension: its wire on one side, a Chromium's port on the other.

Knows: that its relay sends `forwardCDPCommand` and takes `forwardCDPEvent`, and that it lets in who
says to be its extension. It opens tabs when asked and passes everything else on; an extension has
a longer way to the browser, so whoever is compared with this is not favoured.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

# Of the two that its relay lets in: the id of its development build.
ORIGIN = Origin("chrome-extension://pebbngnfojnignonigcnkdilknapkgid")


class Bridge:
    """Both lines. Ids of the relay's are passed on as they are."""

    def __init__(self, relay: ClientConnection, browser: ClientConnection) -> None:
        self._relay = relay
        self._browser = browser
        self._own_id = 1_000_000_000
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._opening: set[asyncio.Task[None]] = set()

    async def asked(self) -> None:
        """What the relay wants."""
        async for text in self._relay:
            message = json.loads(text)
            if message["method"] == "ping":
                await self._relay.send('{"method":"pong"}')
            elif message["method"] == "forwardCDPCommand":
                wanted = message["params"]
                if wanted["method"] == "Target.createTarget":
                    opening = asyncio.ensure_future(self._open(message["id"], wanted["params"]))
                    self._opening.add(opening)
                    opening.add_done_callback(self._opening.discard)
                else:
                    await self._browser.send(json.dumps({"id": message["id"], **_command(wanted)}))

    async def told(self) -> None:
        """What the browser says."""
        async for text in self._browser:
            message = json.loads(text)
            if (waiting := self._answers.pop(message.get("id", 0), None)) is not None:
                waiting.set_result(message["result"])
            elif "id" in message:
                answer = {"id": message["id"], "result": message.get("result")}
                if "error" in message:
                    answer = {"id": message["id"], "error": message["error"]["message"]}
                await self._relay.send(json.dumps(answer))
            elif "sessionId" in message:
                await self._relay.send(json.dumps({"method": "forwardCDPEvent", "params": message}))

    async def _open(self, number: int, params: dict[str, Any]) -> None:
        """A tab: as its extension does, told of before it is answered."""
        made = await self._own("Target.createTarget", {"url": params.get("url", "about:blank")})
        session = await self._own("Target.attachToTarget", {**made, "flatten": True})
        info = await self._own("Target.getTargetInfo", made)
        attached = {**session, **info, "waitingForDebugger": False}
        event = {"method": "Target.attachedToTarget", "params": attached}
        await self._relay.send(json.dumps({"method": "forwardCDPEvent", "params": event}))
        await self._relay.send(json.dumps({"id": number, "result": made}))

    async def _own(self, method: str, params: dict[str, Any]) -> Any:
        self._own_id += 1
        waiting = self._answers[self._own_id] = asyncio.get_running_loop().create_future()
        message = {"id": self._own_id, "method": method, "params": params}
        await self._browser.send(json.dumps(message))
        return await waiting


def _command(wanted: dict[str, Any]) -> dict[str, Any]:
    kept = ("method", "params", "sessionId")
    return {name: wanted[name] for name in kept if wanted.get(name) is not None}


async def main() -> None:
    """Pass on until one side is gone."""
    where = json.loads(sys.argv[1])
    plain: dict[str, Any] = {"max_size": None, "compression": None, "ping_interval": None}
    async with (
        connect(where["relay"], origin=ORIGIN, **plain) as relay,
        connect(where["ws"], **plain) as browser,
    ):
        bridge = Bridge(relay, browser)
        await asyncio.wait(
            [asyncio.ensure_future(bridge.asked()), asyncio.ensure_future(bridge.told())],
            return_when=asyncio.FIRST_COMPLETED,
        )


if __name__ == "__main__":
    asyncio.run(main())
