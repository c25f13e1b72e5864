"""The URL policy of each owner's browsers, applied before a page exists.

Knows: which browsers can enforce a policy, and how they must be started for it. Must not know:
tabs. A browser that we start gets the filtering proxy as its only way to the network. In a
browser that others started, only the requests of its sessions can be checked. It is therefore
refused where the policy requires more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from msgspec.structs import replace

from pilothouse.browsers import HeadlessKind
from pilothouse.browsers.filtering_proxy import FilteringProxy
from pilothouse.browsers.kinds import BrowserKind, ConnectedKind, Proxy
from pilothouse.errors import NotPermitted, ToolError
from pilothouse.page.navigation import normalize_url
from pilothouse.security.url_policy import UrlPolicy, classify
from pilothouse.supervisor.url_policy_enforcer import NO_DIRECT_UDP_FLAGS, blocked_url_error

__all__ = ["OwnerUrlPolicies"]

# Chrome bypasses a proxy for loopback and link-local addresses; this removes that exception.
_NO_BYPASS = "<-loopback>"
_HTTP_SCHEMES = re.compile(r"(https?|wss?)://", re.IGNORECASE)


class OwnerUrlPolicies:
    """The URL policies of all owners of a daemon, with their filtering proxies."""

    def __init__(self, policy_for: Callable[[str], UrlPolicy] = lambda owner: UrlPolicy()) -> None:
        self.policy_for = policy_for
        self._proxies: dict[UrlPolicy, FilteringProxy] = {}

    def check(self, owner: str, url: str) -> None:
        """Raise ToolError for a URL that the owner's pages may not open."""
        if url:
            policy = self.policy_for(owner)
            address = normalize_url(url, allowed=policy.allows_scheme)
            verdict = classify(address, policy)
            if not verdict:
                raise blocked_url_error(address, verdict)

    def is_own_page(self, owner: str, url: str) -> bool:
        """Return whether a URL is of Pilothouse's dashboard, which no agent may use."""
        return classify(url, self.policy_for(owner)).rule.startswith("dashboard")

    async def confine_browser(self, owner: str, kind: BrowserKind) -> BrowserKind:
        """Return the browser with the flags and proxy that the owner's policy needs.

        Raises ToolError for a browser in which the policy cannot be enforced."""
        policy = self.policy_for(owner)
        if isinstance(kind, ConnectedKind):
            # Only the host counts here. Other code rejects endpoints that are not URLs.
            scheme = _HTTP_SCHEMES.match(kind.endpoint)
            if scheme and not (
                verdict := classify(f"http://{kind.endpoint[scheme.end() :]}", UrlPolicy())
            ):
                raise blocked_url_error(kind.endpoint, verdict)
        if not policy.is_restrictive:
            return kind
        if not isinstance(kind, HeadlessKind):
            if policy.joined:
                return kind
            raise NotPermitted(
                f"the user's policies cannot be enforced in {kind.describe()}: Pilothouse did not "
                "start it",
                hint="use a managed browser (without app, connect or browser: extension), or ask "
                "the user to set policies.joined: allow",
            )
        if kind.proxy is not None or Proxy.from_environment(os.environ) is not None:
            raise ToolError(
                "the user's policies and a proxy are both set",
                hint="ask the user to remove one of them",
            )
        proxy = await self._proxy_for(policy)
        confined = replace(kind, args=(*kind.args, *NO_DIRECT_UDP_FLAGS))
        if not kind.profile:
            return confined  # each browser context gets the proxy (see context_options)
        return replace(confined, proxy=Proxy(proxy.server, proxy_loopback=True))

    async def context_options(self, owner: str) -> dict[str, str]:
        """Return the parameters of Target.createBrowserContext that set the owner's proxy."""
        policy = self.policy_for(owner)
        if not policy.is_restrictive:
            return {}
        proxy = await self._proxy_for(policy)
        return {"proxyServer": proxy.server, "proxyBypassList": _NO_BYPASS}

    async def _proxy_for(self, policy: UrlPolicy) -> FilteringProxy:
        proxy = self._proxies.get(policy)
        if proxy is None:
            proxy = self._proxies[policy] = FilteringProxy(policy)
            await proxy.start()
        return proxy

    async def close(self) -> None:
        """Close all filtering proxies."""
        for proxy in self._proxies.values():
            await proxy.close()
        self._proxies.clear()
