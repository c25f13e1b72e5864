"""TODO-MAP relay/lazy."""

from __future__ import annotations

from pilothouse.relay.lazy.session import CommandFailure, LazySession
from pilothouse.relay.lazy.setup_commands import ADD_SCRIPT, CREATE_WORLD

__all__ = ["ADD_SCRIPT", "CREATE_WORLD", "CommandFailure", "LazySession"]
