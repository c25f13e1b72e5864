"""pydoll, through the connection its tabs use: one WebSocket to the page."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from pydoll.commands import RuntimeCommands
from pydoll.connection import ConnectionHandler

from bench.clients.protocol_and_timed_calls import Peer, serve


class Pydoll(Peer):
    """`execute_command` and `register_callback`."""

    connection: ConnectionHandler

    async def open(self, where: dict[str, Any]) -> str:
        self.connection = ConnectionHandler(ws_address=where["page_ws"])
        return f"pydoll-python {version('pydoll-python')}"

    async def evaluate(self, expression: str) -> Any:
        answer: Any = await self.connection.execute_command(
            RuntimeCommands.evaluate(expression), timeout=600
        )
        return answer["result"]["result"].get("value")

    async def listen(self) -> None:
        await self.connection.register_callback("Runtime.consoleAPICalled", self.on_console)
        await self.connection.execute_command(RuntimeCommands.enable())

    async def on_console(self, event: Any) -> None:
        self.hear(event["params"]["type"])


if __name__ == "__main__":
    serve(Pydoll)
