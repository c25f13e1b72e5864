"""TODO-MAP relay/hub."""

from __future__ import annotations

from pilothouse.relay.hub.client_files import ClientFiles, FileRules
from pilothouse.relay.hub.hub import Hub, Upstream

__all__ = ["ClientFiles", "FileRules", "Hub", "Upstream"]
