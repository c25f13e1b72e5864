"""Decides which running browsers an agent may join: those on this machine, by port or loopback URL.

A joined browser sees what is typed into it, secrets included, and may claim any origin. So an agent
may not name another machine or a file. The user can, in the settings or on the command line.

Knows: notations of endpoints. Must not know: connections. Pure.
"""

from __future__ import annotations

import re

from pilothouse.errors import NotPermitted

__all__ = ["check_agent_endpoint"]

_LOOPBACK = r"(?:127\.0\.0\.1|localhost|\[::1\])"
_ALLOWED = re.compile(
    rf"\d{{1,5}}|{_LOOPBACK}:\d{{1,5}}|(?:https?|wss?)://{_LOOPBACK}(?::\d{{1,5}})?(?:/[\w./-]*)?",
    re.IGNORECASE,
)


def check_agent_endpoint(endpoint: str) -> None:
    """Check that an endpoint is on this machine, or empty. Raises ToolError if not."""
    if endpoint and not _ALLOWED.fullmatch(endpoint):
        raise NotPermitted(
            f"endpoint: {endpoint!r} is not a port or URL of this machine",
            hint="give a port such as 9222, or leave it out for the browser that runs here; the "
            "user can join other browsers with `pilothouse connect`",
            untrusted=(),
        )
