"""TODO-MAP page/network."""

from __future__ import annotations

from pilothouse.page.network.har import build_har
from pilothouse.page.network.log import NetworkLog
from pilothouse.page.network.route_rules import BlockRequest, ChangeRequest, MockResponse
from pilothouse.page.network.routes import Routes

__all__ = ["BlockRequest", "ChangeRequest", "MockResponse", "NetworkLog", "Routes", "build_har"]
