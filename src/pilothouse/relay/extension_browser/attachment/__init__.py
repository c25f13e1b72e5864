"""The debugger on the user's tabs: attach, detach, retry, and the connection that comes and goes.

Read in this order:

    state_transitions.py       `AttachState`, `AttachEvent`, `AttachEffect`, and their one table:
                               `step`
    attachments.py             `Attachments`: finds the event, calls `step`, carries the effects out
    extension_reconnection.py  `Reconnection`: the extension disconnects and returns

    message, session or timer -> event -> step(state, event) -> state, effects -> requests, timers
"""

from __future__ import annotations

from pilothouse.relay.extension_browser.attachment.attachments import (
    RETRY_S,
    Attachments,
    AttachmentTimes,
    refusal_by_user,
)
from pilothouse.relay.extension_browser.attachment.extension_reconnection import Reconnection

__all__ = ["RETRY_S", "AttachmentTimes", "Attachments", "Reconnection", "refusal_by_user"]
