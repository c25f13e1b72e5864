"""The JSON bodies of the relay's pages, one per route.

Knows: the names and shapes that clients of a browser's debugging port expect. Must not know: where
the facts come from, or who may ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import pilothouse

__all__ = ["BrowserFacts", "page_body"]


class BrowserFacts(TypedDict, total=False):
    """What is known of the browser that a request is about. Every field may be missing."""

    # The result of Browser.getVersion: product, protocolVersion, userAgent, jsVersion, revision.
    version: Mapping[str, Any]
    # The targets that a client with this query would see, as CDP's TargetInfo.
    targets: Sequence[Mapping[str, Any]]
    # {"connected": bool, ...}: the state of the extension.
    extension: Mapping[str, Any]
    # The tabs of the user's Chrome that are attached.
    tabs: Sequence[Mapping[str, Any]]
    restrictions: Mapping[str, Any]


def page_body(route: str, facts: BrowserFacts, slot: Mapping[str, Any], address: str) -> Any:
    """Return the body of a page. `address` is the WebSocket URL for the sender."""
    targets = facts.get("targets", ())
    extension = dict(facts.get("extension", {"connected": False}))
    match route:
        case "/json/version":
            return _version(facts.get("version", {}), address)
        case "/json/list" | "/json":
            return [_target(info, _for_target(info, address)) for info in targets]
        case "/client-slot":
            return dict(slot)
        case "/extension/status":
            return extension
        case "/attached-tabs":
            return {"tabs": [dict(tab) for tab in facts.get("tabs", ())]}
        case "/restrictions":
            return dict(facts.get("restrictions", {}))
    return {
        "status": "ok",
        "version": pilothouse.__version__,
        "extension": bool(extension.get("connected")),
        "targets": len(targets),
        "clients": len(slot.get("clients", ())),
    }


def _for_target(info: Mapping[str, Any], address: str) -> str:
    """Return the WebSocket URL that gives a client this target, if it is the user's tab."""
    shared = "by" in info and "tabs=" not in address
    return f"{address}&tabs={info.get('targetId', '')}" if shared else address


def _version(known: Mapping[str, Any], address: str) -> dict[str, Any]:
    fields = {
        "Browser": known.get("product") or f"Pilothouse/{pilothouse.__version__}",
        "Protocol-Version": known.get("protocolVersion") or "1.3",
        "User-Agent": known.get("userAgent") or "",
        "V8-Version": known.get("jsVersion") or "",
        "WebKit-Version": known.get("revision") or "",
    }
    present = {name: value for name, value in fields.items() if value}
    return {**present, "webSocketDebuggerUrl": address}


def _target(info: Mapping[str, Any], address: str) -> dict[str, Any]:
    return {
        "description": "",
        "id": info.get("targetId", ""),
        "title": info.get("title", ""),
        "type": info.get("type", "page"),
        "url": info.get("url", ""),
        "webSocketDebuggerUrl": address,
    }
