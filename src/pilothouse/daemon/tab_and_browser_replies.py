"""Replies about tabs and browsers: results of `open`, `close` and `status`, and hello notices.

Knows: the shapes of replies. Must not know: who asks, or how tabs are opened.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pilothouse.browsers import HeadlessKind
from pilothouse.browsers.kinds import ExtensionKind
from pilothouse.cdp.protocol import Browser
from pilothouse.errors import PilothouseError
from pilothouse.security.redaction import redact_endpoint
from pilothouse.settings import Settings, config_path, find_ignored_variables
from pilothouse.tabs.tabs import ClosedTabs, OwnedTab

__all__ = [
    "describe_closed",
    "describe_opened",
    "environment_notices",
    "measure_round_trip",
    "tab_viewport",
]

ROUND_TRIP_S = 2.0


def describe_opened(tab: OwnedTab, reused: bool, arrival: Any) -> dict[str, Any]:
    """Return the reply of `open`."""
    shown = tab.describe()
    url = arrival["url"] if isinstance(arrival, dict) and "url" in arrival else shown["url"]
    title = arrival.get("title", "") if isinstance(arrival, dict) else shown["title"]
    said = f'{_verb(tab, reused)} "{tab.name}" on {shown["browser"]}\nURL: {url}'
    if title:
        said += f"\nTitle: {title}"
    details = {
        "action": "open",
        "name": tab.name,
        "id": tab.tab_id,
        "browser": shown["browser"],
        "url": url,
        "title": title,
        "viewport": tab_viewport(tab),
        "reused": reused,
        "adopted": tab.adopted,
        "result": said,
    }
    if isinstance(arrival, dict):
        details["arrival"] = arrival
    return {"text": said, "details": details}


def tab_viewport(tab: OwnedTab) -> dict[str, float] | None:
    """Return the viewport: as emulated, or the browser's default; None in a visible window."""
    asked = tab.page.emulation.status().get("viewport")
    if asked is not None:
        return {name: asked[name] for name in ("width", "height", "scale") if name in asked}
    if isinstance(tab.kind, HeadlessKind) and not tab.kind.headed:
        view = tab.kind.viewport
        return {"width": view.width, "height": view.height, "scale": view.scale}
    return None


def _verb(tab: OwnedTab, reused: bool) -> str:
    if tab.adopted and isinstance(tab.kind, ExtensionKind):
        return "Using the user's tab as"
    if reused:
        return "Reused tab"
    return "Using an open page as tab" if tab.adopted else "Opened tab"


def describe_closed(name: str, every: bool, tabs: ClosedTabs) -> dict[str, Any]:
    """Return the reply of `close`."""
    parts = [f"closed {', '.join(tabs.closed)}"] if tabs.closed else []
    if tabs.released:
        parts.append(f"released {', '.join(tabs.released)} (left open)")
    said = "; ".join(parts) or ("no tabs" if every else f'no tab named "{name}"')
    said = said[0].upper() + said[1:]
    return {
        "text": said,
        "details": {
            "action": "close",
            "name": name,
            "closed": tabs.closed,
            "released": tabs.released,
            "result": said,
        },
    }


def environment_notices(environ: object, settings: Settings) -> list[str]:
    """Return notices about environment variables of a client that differ from the daemon's.

    They have no effect, because the daemon read its own environment when it started."""
    if not isinstance(environ, Mapping):
        return []
    given = {str(name): str(value) for name, value in environ.items()}
    notices = []
    for one in find_ignored_variables(given, settings):
        if one.error:
            notices.append(f"{one.error}; the daemon keeps using {_in_use(one.in_use)}")
            continue
        notices.append(
            f"{one.variable}={redact_endpoint(one.value)} has no effect: the daemon runs with "
            f"{one.setting} = {_in_use(one.in_use)}; run `pilothouse daemon stop`, then try again"
        )
    config = given.get("PILOTHOUSE_CONFIG")
    if config and config != str(config_path().absolute()):
        notices.append(
            f"PILOTHOUSE_CONFIG={config} has no effect: the daemon runs with {config_path()}; "
            "run `pilothouse daemon stop`, then try again"
        )
    return notices


def _in_use(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return redact_endpoint(value) or "(empty)" if isinstance(value, str) else str(value)


async def measure_round_trip(tab: OwnedTab) -> dict[str, Any]:
    """Check the browser of a tab with Browser.getVersion, and measure the round trip."""
    began = time.perf_counter()  # not loop.time(): a loop may cache it within one iteration
    shown: dict[str, Any] = {
        "browser": tab.kind.describe(),
        "capabilities": tab.supervisor.capabilities,
    }
    try:
        version = await tab.supervisor.connection.send(Browser.getVersion(), ROUND_TRIP_S)
        shown |= {
            "product": version["product"],
            "ms": round((time.perf_counter() - began) * 1000, 2),
        }
    except PilothouseError as error:
        shown["error"] = error.message
    return shown
