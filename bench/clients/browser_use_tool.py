"""browser-use as a tool: its DOM service and its actions, one line of JSON in, one out.

    (start)                              {"ready": "browser-use 0.13.14"}
    {"do": "open", "url": "..."}         {"text": ""}
    {"do": "snapshot"}                   {"text": "..."}
    {"do": "click", "index": 12}         {"text": "..."}

Its DOM service is asked directly: without the screenshot, the event bus and the waits for a quiet
network that its agent has around it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib.metadata import version
from typing import Any

os.environ.update(
    ANONYMIZED_TELEMETRY="false",
    BROWSER_USE_CLOUD_SYNC="false",
    BROWSER_USE_LOGGING_LEVEL="result",
    BROWSER_USE_SETUP_LOGGING="false",
)
# Whatever a library prints must not stand between the lines.
OUT = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

from browser_use import BrowserSession, Tools  # type: ignore[import-not-found, unused-ignore]  # noqa: E402
from browser_use.dom.service import DomService  # type: ignore[import-not-found, unused-ignore]  # noqa: E402

ACTIONS = {"click": "click", "fill": "input", "select": "select_dropdown"}


async def main() -> None:
    """Serve until the input ends."""
    where = json.loads(sys.argv[1])
    session = BrowserSession(
        cdp_url=where["http"], cross_origin_iframes=True, highlight_elements=False
    )
    await session.start()
    tools = Tools()
    dom = DomService(session, cross_origin_iframes=True)
    say({"ready": f"browser-use {version('browser-use')}"})
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        try:
            say({"text": await _do(session, tools, dom, json.loads(line))})
        except Exception as error:  # noqa: BLE001 - the top of this program: the harness shows it
            say({"error": f"{type(error).__name__}: {error}"})


async def _do(session: Any, tools: Any, dom: Any, asked: dict[str, Any]) -> str:
    what = asked.pop("do")
    if what == "open":
        await session.navigate_to(asked["url"])
        return ""
    if what == "snapshot":
        state, _, _ = await dom.get_serialized_dom_tree()
        session.update_cached_selector_map(state.selector_map)
        return str(state.llm_representation())
    done = await tools.registry.execute_action(ACTIONS[what], asked, browser_session=session)
    if done.error:
        raise RuntimeError(done.error)
    return str(done.extracted_content or done.long_term_memory or "")


def say(answer: dict[str, str]) -> None:
    """One line to the harness."""
    OUT.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
