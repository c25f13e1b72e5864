"""The local HTTP proxy that enforces the URL policy for managed browsers.

    proxy.py          FilteringProxy: accepts connections of a browser, resolves each host once,
                      asks security/url_policy.py about the URL and the address, and forwards or
                      refuses
    http_exchange.py  HttpExchange: one request and its response, parsed and written anew by h11;
                      pure

CDP can stop requests, but not sockets, preconnects and other traffic of a page. All of it goes
through the proxy, because the browser is launched with --proxy-server.
"""

from __future__ import annotations

from pilothouse.browsers.filtering_proxy.proxy import FilteringProxy

__all__ = ["FilteringProxy"]
