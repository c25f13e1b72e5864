"""TODO-MAP relay/extension_browser."""

from __future__ import annotations

from pilothouse.relay.extension_browser.attachment import RETRY_S, Times
from pilothouse.relay.extension_browser.browser import Core
from pilothouse.relay.extension_browser.targets import KEPT
from pilothouse.relay.extension_browser.types import context_id
from pilothouse.relay.extension_browser.user_stops import (
    CANCELLED,
    PAUSED,
    STATES,
    STOPPED,
    UserState,
)

__all__ = [
    "CANCELLED",
    "KEPT",
    "PAUSED",
    "RETRY_S",
    "STATES",
    "STOPPED",
    "Core",
    "Times",
    "UserState",
    "context_id",
]
