"""Pilothouse, over the pipe or over WebSocket, whichever the harness gives."""

from __future__ import annotations

import socket
from typing import Any

import pilothouse
from bench.clients.protocol_and_timed_calls import EXPRESSION, Peer, serve
from pilothouse.asyncio_tasks import run
from pilothouse.cdp import Command, Connection, EventName, Reply, Session, dial_pipe, dial_websocket


class Ours(Peer):
    """`session.send` and `session.on`."""

    session: Session

    async def open(self, where: dict[str, Any]) -> str:
        if "fd" in where:
            connection = await Connection.open(dial_pipe(socket.socket(fileno=where["fd"])))
        else:
            connection = await Connection.open(dial_websocket(where["ws"]))
        target_id = await _first_page(connection)
        attach: Command[Any] = Command(
            "Target.attachToTarget", {"targetId": target_id, "flatten": True}
        )
        attached = await connection.send(attach)
        self.session = connection.sessions[attached["sessionId"]]
        return f"pilothouse {pilothouse.__version__}"

    async def evaluate(self, expression: str) -> Any:
        command: Command[Any] = Command("Runtime.evaluate", {"expression": expression})
        return (await self.session.send(command, 600.0))["result"].get("value")

    async def batch(self, calls: int) -> None:
        replies: list[Reply[Any]] = [
            self.session.send(Command("Runtime.evaluate", {"expression": EXPRESSION}))
            for _ in range(calls)
        ]
        for reply in replies:
            await reply

    async def listen(self) -> None:
        said: EventName[Any] = EventName("Runtime.consoleAPICalled")
        self.session.on(said, lambda event: self.hear(event.params["type"]))
        await self.session.send(Command("Runtime.enable"))


async def _first_page(connection: Connection) -> str:
    """A browser on a pipe answers before its first tab is there."""
    created: EventName[Any] = EventName("Target.targetCreated")
    pages = [{"type": "page"}]
    first = connection.root.expect(created)
    await connection.send(Command("Target.setDiscoverTargets", {"discover": True, "filter": pages}))
    target_id = str((await first)["targetInfo"]["targetId"])
    await connection.send(Command("Target.setDiscoverTargets", {"discover": False}))
    return target_id


if __name__ == "__main__":
    serve(Ours, run)
