"""TODO-MAP page/network."""

from __future__ import annotations

from pilothouse.page.network.har import har
from pilothouse.page.network.log import NetworkLog
from pilothouse.page.network.route_rules import Block, Change, Mock
from pilothouse.page.network.routes import Routes

__all__ = ["Block", "Change", "Mock", "NetworkLog", "Routes", "har"]
