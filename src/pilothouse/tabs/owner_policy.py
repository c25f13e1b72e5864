"""Which fence an owner's browsers have, before there is a page in them.

Knows: which browsers can be fenced in, and how they are started for it. Must not know: tabs.
A browser that we start gets one way out (the gateway); one that others started cannot be held to
more than what its sessions show, so it is refused where the policies ask for more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from msgspec.structs import replace

from pilothouse.browsers import Headless
from pilothouse.browsers.filtering_proxy import FilteringProxy
from pilothouse.browsers.kinds import Connected, Kind, Proxy
from pilothouse.errors import ToolError
from pilothouse.page.navigation import normalize_url
from pilothouse.security.url_policy import UrlPolicy, classify
from pilothouse.supervisor.url_policy_enforcer import NO_DIRECT_UDP_FLAGS, blocked_url_error

__all__ = ["OwnerUrlPolicies"]

# Also what is on this machine, and its neighbours, goes through it.
_NO_BYPASS = "<-loopback>"
_WAYS_IN = re.compile(r"(https?|wss?)://", re.IGNORECASE)


class OwnerUrlPolicies:
    """The fences of all owners of a daemon; `fence` says which one an owner has."""

    def __init__(self, fence: Callable[[str], UrlPolicy] = lambda owner: UrlPolicy()) -> None:
        self.policy_for = fence
        self._gateways: dict[UrlPolicy, FilteringProxy] = {}

    def check(self, owner: str, url: str) -> None:
        """Raises ToolError for an address that the owner's pages may not be sent to."""
        if url:
            fence = self.policy_for(owner)
            address = normalize_url(url, allowed=fence.allows_scheme)
            verdict = classify(address, fence)
            if not verdict:
                raise blocked_url_error(address, verdict)

    async def kind(self, owner: str, kind: Kind) -> Kind:
        """The browser as it must be for this owner. Raises ToolError for one that cannot be."""
        fence = self.policy_for(owner)
        if isinstance(kind, Connected):
            # Whose it is counts, not how it is spoken to: what is no way in is said elsewhere.
            way = _WAYS_IN.match(kind.endpoint)
            if way and not (verdict := classify(f"http://{kind.endpoint[way.end() :]}", UrlPolicy())):
                raise blocked_url_error(kind.endpoint, verdict)
        if not fence.is_restrictive:
            return kind
        if not isinstance(kind, Headless):
            if fence.joined:
                return kind
            raise ToolError(
                f"the user's policies do not hold in {kind.describe()}: it was not started by us",
                hint="use a browser of ours: leave out app; or let the user set policies.joined",
            )
        if kind.proxy is not None or Proxy.from_environment(os.environ) is not None:
            raise ToolError(
                "the user's policies and a proxy are both set", hint="let the user choose one"
            )
        way_out = await self._gateway(fence)
        fenced = replace(kind, args=(*kind.args, *NO_DIRECT_UDP_FLAGS))
        if not kind.profile:
            return fenced  # each cookie jar is told by itself
        return replace(fenced, proxy=Proxy(way_out.server, loopback_too=True))

    async def context_options(self, owner: str) -> dict[str, str]:
        """What a cookie jar of the owner is made with."""
        fence = self.policy_for(owner)
        if not fence.is_restrictive:
            return {}
        way_out = await self._gateway(fence)
        return {"proxyServer": way_out.server, "proxyBypassList": _NO_BYPASS}

    async def _gateway(self, fence: UrlPolicy) -> FilteringProxy:
        gateway = self._gateways.get(fence)
        if gateway is None:
            gateway = self._gateways[fence] = FilteringProxy(fence)
            await gateway.start()
        return gateway

    async def close(self) -> None:
        """Nothing gets out any more."""
        for gateway in self._gateways.values():
            await gateway.close()
        self._gateways.clear()
