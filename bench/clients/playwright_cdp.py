"""Playwright for Python, asyncio, through its raw CDP session."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from playwright.async_api import CDPSession, async_playwright

from bench.clients.protocol_and_timed_calls import Peer, serve


class Playwright(Peer):
    """`connect_over_cdp`, `new_cdp_session`, `cdp.send`."""

    cdp: CDPSession

    async def open(self, where: dict[str, Any]) -> str:
        self.playwright = await async_playwright().start()
        browser = await self.playwright.chromium.connect_over_cdp(where["http"])
        context = browser.contexts[0]
        self.cdp = await context.new_cdp_session(context.pages[0])
        return f"playwright {version('playwright')}"

    async def evaluate(self, expression: str) -> Any:
        answer = await self.cdp.send("Runtime.evaluate", {"expression": expression})
        return answer["result"].get("value")

    async def listen(self) -> None:
        self.cdp.on("Runtime.consoleAPICalled", lambda params: self.hear(params["type"]))
        await self.cdp.send("Runtime.enable")


if __name__ == "__main__":
    serve(Playwright)
