"""The RPC methods `connect` and `disconnect`: an owner's tabs open in a browser that already runs.

Knows: which browser each owner is connected to. Must not know: how browsers are reached, or which
tabs exist. An owner has one such browser at a time; connecting to another one replaces it.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from pilothouse.browsers.running_user_browsers import choose_running, find_running, resolve_endpoint
from pilothouse.cdp.protocol import Browser, Target
from pilothouse.errors import UsageError
from pilothouse.security.redaction import redact_endpoint
from pilothouse.tabs.open_and_close_requests import clamp_timeout

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["ConnectedBrowsers"]

ANSWERS_WITHIN_S = 5.0


class ConnectedBrowsers:
    """The endpoints of the running browsers that owners are connected to, by owner."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._endpoints: dict[str, str] = {}

    def endpoint_for(self, owner: str) -> str:
        """Return the endpoint for an owner's tabs: its own, else that of the settings.

        Empty means a browser that the daemon launches."""
        return self._endpoints.get(owner) or self._daemon.settings.browser.cdp_url

    def has(self, owner: str) -> bool:
        """Return whether the owner itself is connected to a browser."""
        return owner in self._endpoints

    async def connect(self, owner: str, params: dict[str, Any]) -> Any:
        """Connect to a running browser and open the owner's tabs in it from now on.

        Without an endpoint, find the browser that runs here. Raises PilothouseError and changes
        nothing if that fails."""
        named = params.get("endpoint") or ""
        if not isinstance(named, str):
            raise UsageError(
                f"endpoint: expected a string, got {named!r}",
                hint="give a URL, a port, a DevToolsActivePort file or a user data directory; "
                "leave it out for the browser that runs here",
            )
        within = clamp_timeout(params.get("timeout"))
        endpoint = await self.resolve(named.strip().rstrip("/"))
        tabs = self._daemon.tabs
        supervisor = await tabs.connect(owner, endpoint, within)
        version = await supervisor.connection.send(Browser.getVersion(), ANSWERS_WITHIN_S)
        listed = (await supervisor.connection.send(Target.getTargets(), ANSWERS_WITHIN_S))[
            "targetInfos"
        ]
        left = self._endpoints.get(owner, "")
        behind = await tabs.move_to(owner, endpoint)
        self._endpoints[owner] = endpoint
        pages = [
            {"title": info["title"], "url": info["url"]}
            for info in listed
            if info["type"] == "page"
        ]
        told = {
            "endpoint": redact_endpoint(endpoint),
            "product": version["product"],
            "pages": pages,
            "closed": behind.closed,
            "released": behind.released,
            "capabilities": supervisor.capabilities,
        }
        return told | ({"left": redact_endpoint(left)} if left not in ("", endpoint) else {})

    async def resolve(self, named: str) -> str:
        """Resolve an endpoint to a URL; an empty one to the browser that runs here.

        Raises BrowserError."""
        if named:
            return await asyncio.to_thread(resolve_endpoint, named, os.environ)
        return choose_running(await find_running(os.environ)).endpoint

    async def disconnect(self, owner: str, params: dict[str, Any]) -> Any:
        """Disconnect from the browser. Our tabs in it close, its own tabs stay open."""
        endpoint = self._endpoints.pop(owner, "")
        if not endpoint:
            return {"endpoint": "", "closed": [], "released": []}
        behind = await self._daemon.tabs.disconnect(owner, endpoint)
        return {
            "endpoint": redact_endpoint(endpoint),
            "closed": behind.closed,
            "released": behind.released,
        }
