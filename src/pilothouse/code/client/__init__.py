"""TODO-MAP code/client."""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.code.client.app_paths import whole_app, whole_endpoint
    from pilothouse.code.client.blocked_text import (
        answered_with,
        blocked_words,
        is_blocked,
        with_ways,
    )
    from pilothouse.code.client.client import Blocked, Client, RunFailed, connect
    from pilothouse.code.client.daemon_client import Bell, Line, Refused
    from pilothouse.code.client.file_transfer import copy_uploads, with_files
    from pilothouse.code.client.notebook_display import Picture
    from pilothouse.code.client.playwright_compat import EverydayPage
    from pilothouse.code.client.reply_router import Replies
    from pilothouse.code.client.tab import Tab

__all__ = [
    "Bell",
    "Blocked",
    "Client",
    "EverydayPage",
    "Line",
    "Picture",
    "Refused",
    "Replies",
    "RunFailed",
    "Tab",
    "answered_with",
    "blocked_words",
    "connect",
    "copy_uploads",
    "is_blocked",
    "whole_app",
    "whole_endpoint",
    "with_files",
    "with_ways",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "app_paths": (
            "whole_app",
            "whole_endpoint",
        ),
        "blocked_text": (
            "answered_with",
            "blocked_words",
            "is_blocked",
            "with_ways",
        ),
        "client": (
            "Blocked",
            "Client",
            "RunFailed",
            "connect",
        ),
        "daemon_client": (
            "Bell",
            "Line",
            "Refused",
        ),
        "file_transfer": (
            "copy_uploads",
            "with_files",
        ),
        "notebook_display": ("Picture",),
        "playwright_compat": ("EverydayPage",),
        "reply_router": ("Replies",),
        "tab": ("Tab",),
    },
)
