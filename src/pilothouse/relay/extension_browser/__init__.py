"""The user's own Chrome as one CDP browser, seen through the extension. Pure: no sockets or clock.

Read in this order:

    tab_and_message_types.py  `SharedTab`, the extension's messages, CDP replies and events
    browser.py                `ExtensionBrowser`: routes messages, owns sessions and requests;
                              `BrowserIO` is its way out (`relay.extension` implements it)
    shared_tab_targets.py, popup_tabs_and_openers.py  `SharedTabs` and their announcement as
                              targets; who opened a new tab
    root_commands.py          `Browser.*` and `Target.*`; cookie_commands.py and download_events.py
                              for the profile
    client_session.py         `FlatSession`: one session of a client
    attachment/               attach, detach, retry, reconnect; user_stop_reasons.py: the ways the
                              user stops
    debuggee.py               `Debuggee`: one real debugger session that many flat sessions share,
                              with child_targets.py, merged_settings.py, fetch_interception.py,
                              event_replay.py
    restore_after_reattach.py  restores what sessions had set on a tab
    agent_restrictions.py     what the user's settings allow;
                              evaluation_refusals_as_exceptions.py words refusals
    requests_and_shared_commands.py  `ExtensionRequest`: a message to the extension and its reply;
                              frame_ids.py renames the main frame of a prerendered tab in both

    client -> ExtensionBrowser -> RootCommands | Debuggee -> ExtensionRequest -> extension
    extension -> ExtensionBrowser -> SharedTabs | Attachments | Debuggee -> FlatSession -> client
"""

from __future__ import annotations

from pilothouse.relay.extension_browser.attachment import RETRY_S, AttachmentTimes
from pilothouse.relay.extension_browser.browser import ExtensionBrowser
from pilothouse.relay.extension_browser.shared_tab_targets import KEPT_BY_USER
from pilothouse.relay.extension_browser.tab_and_message_types import context_id
from pilothouse.relay.extension_browser.user_stop_reasons import (
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
