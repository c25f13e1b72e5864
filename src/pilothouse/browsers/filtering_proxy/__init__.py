"""The local HTTP proxy that enforces the URL policy for managed browsers."""

from __future__ import annotations

from pilothouse.browsers.filtering_proxy.proxy import FilteringProxy

__all__ = ["FilteringProxy"]
