"""What the house tells of its tabs and browsers, as its clients read it.

Knows: the shapes of answers. Must not know: who asks, or how tabs come to be.
"""

from __future__ import annotations

import time
from typing import Any

from pilothouse.cdp.protocol import Browser
from pilothouse.errors import PilothouseError
from pilothouse.tabs.tabs import OwnedTab

__all__ = ["closed_shown", "opened_shown", "proof"]

PROVED_WITHIN_S = 2.0


def opened_shown(tab: OwnedTab, reused: bool, arrival: Any) -> dict[str, Any]:
    """What `open` came to."""
    shown = tab.shown()
    url = arrival["url"] if isinstance(arrival, dict) and "url" in arrival else shown["url"]
    title = arrival.get("title", "") if isinstance(arrival, dict) else shown["title"]
    verb = "Reused" if reused else "Opened"
    said = f'{verb} tab "{tab.name}" on {shown["browser"]}\nURL: {url}'
    if title:
        said += f"\nTitle: {title}"
    details = {
        "action": "open",
        "name": tab.name,
        "id": tab.tab_id,
        "browser": shown["browser"],
        "url": url,
        "title": title,
        "reused": reused,
        "result": said,
    }
    if isinstance(arrival, dict):
        details["arrival"] = arrival
    return {"text": said, "details": details}


def closed_shown(name: str, every: bool, closed: list[str]) -> dict[str, Any]:
    """What `close` came to."""
    if closed:
        said = f"Closed {', '.join(closed)}"
    else:
        said = "No tabs" if every else f'No tab named "{name}"'
    return {
        "text": said,
        "details": {"action": "close", "name": name, "closed": closed, "result": said},
    }


async def proof(tab: OwnedTab) -> dict[str, Any]:
    """That the browser of a tab lives: a round trip, and how long it took."""
    began = time.perf_counter()  # the loop's own clock stands still within one turn
    shown: dict[str, Any] = {"browser": tab.kind.describe()}
    try:
        version = await tab.supervisor.connection.send(Browser.getVersion(), PROVED_WITHIN_S)
        shown |= {
            "product": version["product"],
            "ms": round((time.perf_counter() - began) * 1000, 2),
        }
    except PilothouseError as error:
        shown["error"] = error.message
    return shown
