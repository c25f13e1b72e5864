"""cdp-use, the client under browser-use."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from cdp_use.client import CDPClient

from bench.clients.protocol_and_timed_calls import Peer, serve


class CdpUse(Peer):
    """`client.send.Domain.method(params, session_id)`."""

    client: CDPClient

    async def open(self, where: dict[str, Any]) -> str:
        self.client = CDPClient(where["ws"])
        await self.client.start()  # type: ignore[no-untyped-call]
        attached = await self.client.send.Target.attachToTarget(
            {"targetId": where["target"], "flatten": True}
        )
        self.session_id = attached["sessionId"]
        return f"cdp-use {version('cdp-use')}"

    async def evaluate(self, expression: str) -> Any:
        answer = await self.client.send.Runtime.evaluate(
            {"expression": expression}, session_id=self.session_id
        )
        return answer["result"].get("value")

    async def listen(self) -> None:
        self.client.register.Runtime.consoleAPICalled(
            lambda params, session_id: self.hear(params["type"])
        )
        await self.client.send.Runtime.enable(session_id=self.session_id)


if __name__ == "__main__":
    serve(CdpUse)
