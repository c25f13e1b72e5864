"""The obvious client: `websockets` without compression, `json`, a dict of futures."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import version
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from bench.clients.protocol_and_timed_calls import Peer, serve


class Websockets(Peer):
    """What people write when they need no library for CDP."""

    wire: ClientConnection
    reader: asyncio.Task[None]

    async def open(self, where: dict[str, Any]) -> str:
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.last_id = 0
        self.session_id: str | None = None
        self.wire = await connect(where["ws"], compression=None, max_size=None)
        self.reader = asyncio.ensure_future(self.read())
        attached = await self.send(
            "Target.attachToTarget", {"targetId": where["target"], "flatten": True}
        )
        self.session_id = attached["sessionId"]
        return f"websockets {version('websockets')}"

    async def send(self, method: str, params: dict[str, Any]) -> Any:
        self.last_id += 1
        message: dict[str, Any] = {"id": self.last_id, "method": method, "params": params}
        if self.session_id:
            message["sessionId"] = self.session_id
        future = asyncio.get_running_loop().create_future()
        self.waiting[self.last_id] = future
        await self.wire.send(json.dumps(message))
        return await future

    async def read(self) -> None:
        async for frame in self.wire:
            message = json.loads(frame)
            if "id" in message:
                self.waiting.pop(message["id"]).set_result(message["result"])
            elif message["method"] == "Runtime.consoleAPICalled":
                self.hear(message["params"]["type"])

    async def evaluate(self, expression: str) -> Any:
        answer = await self.send("Runtime.evaluate", {"expression": expression})
        return answer["result"].get("value")

    async def listen(self) -> None:
        await self.send("Runtime.enable", {})


if __name__ == "__main__":
    serve(Websockets)
