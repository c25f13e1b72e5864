"""`connect` and `disconnect`: the running browser in which an owner's tabs are opened.

Knows: which browser each owner has joined. Must not know: how browsers are reached, or which tabs
there are. An owner has one such browser at a time: connecting to another one moves it there.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from pilothouse.browsers.running_browsers import choose_running, find_running, resolve_endpoint
from pilothouse.cdp.protocol import Browser, Target
from pilothouse.errors import UsageError
from pilothouse.security.redaction import redact_endpoint
from pilothouse.tabs.open_request import clamp_timeout

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["ConnectedBrowsers"]

ANSWERS_WITHIN_S = 5.0


class ConnectedBrowsers:
    """The browsers that owners have joined, by owner."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._endpoints: dict[str, str] = {}

    def endpoint_for(self, owner: str) -> str:
        """Where the owner's tabs are opened: the browser it has joined, else the one of the
        settings; empty for one that we launch."""
        return self._endpoints.get(owner) or self._daemon.settings.browser.cdp_url

    def has(self, owner: str) -> bool:
        """Whether the owner has joined a browser itself."""
        return owner in self._endpoints

    async def connect(self, owner: str, params: dict[str, Any]) -> Any:
        """Join a running browser at once; from now on the owner's tabs are opened in it. Without
        an endpoint it is the one that runs here. Raises PilothouseError; then all is as before."""
        named = params.get("endpoint") or ""
        if not isinstance(named, str):
            raise UsageError(
                f"endpoint: expected a text, got {named!r}",
                hint="a URL, a port, a DevToolsActivePort file or a user data directory; leave it "
                "out for the browser that runs here",
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
        closed = await tabs.move_to(owner, endpoint)
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
            "closed": closed,
            "capabilities": supervisor.capabilities,
        }
        return told | ({"left": redact_endpoint(left)} if left not in ("", endpoint) else {})

    async def resolve(self, named: str) -> str:
        """What was named as it is best reached; the browser that runs here if nothing was.
        Raises BrowserError."""
        if named:
            return await asyncio.to_thread(resolve_endpoint, named, os.environ)
        return choose_running(await find_running(os.environ)).endpoint

    async def disconnect(self, owner: str, params: dict[str, Any]) -> Any:
        """Leave the browser that was joined: our tabs in it are closed, its own stay."""
        endpoint = self._endpoints.pop(owner, "")
        if not endpoint:
            return {"endpoint": "", "closed": []}
        closed = await self._daemon.tabs.disconnect(owner, endpoint)
        return {"endpoint": redact_endpoint(endpoint), "closed": closed}
