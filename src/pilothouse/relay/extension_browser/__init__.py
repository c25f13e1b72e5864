"""TODO-MAP relay/extension_browser."""

from __future__ import annotations

from pilothouse.relay.extension_browser.attachment import RETRY_S, AttachmentTimes
from pilothouse.relay.extension_browser.browser import ExtensionBrowser
from pilothouse.relay.extension_browser.targets import KEPT_BY_USER
from pilothouse.relay.extension_browser.types import context_id
from pilothouse.relay.extension_browser.user_stops import (
    CANCELLED,
    PAUSED,
    STOPPED,
    USER_STOPS,
    UserStop,
)

__all__ = [
    "CANCELLED",
    "KEPT_BY_USER",
    "PAUSED",
    "RETRY_S",
    "STOPPED",
    "USER_STOPS",
    "AttachmentTimes",
    "ExtensionBrowser",
    "UserStop",
    "context_id",
]
