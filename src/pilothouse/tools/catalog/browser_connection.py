"""Tools that choose the browser: join one that runs, and leave it again."""

from __future__ import annotations

from pilothouse.security.connect_policy import check_agent_endpoint
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import without_empty
from pilothouse.tools.tool import Fields, tool

__all__ = ["browser_connect", "browser_disconnect"]

PAGES_SHOWN = 20


@tool("connect", reads=True, changes=True, dangerous=True, free=True, tab=False)
async def browser_connect(
    context: ToolContext, endpoint: str = "", timeout: float = 30.0
) -> Fields:
    """Join a browser that runs on this machine, such as the user's Chrome, and open tabs in it from
    now on. Your tabs in the browser you used before are closed. Chrome may ask the user to allow
    it.

    endpoint: a port or URL of this machine; without it, the browser that is found
    timeout: seconds
    """
    check_agent_endpoint(endpoint.strip())
    joined = await context.call("connect", endpoint=endpoint, timeout=timeout)
    context.session.tab = "main"
    pages = joined["pages"]
    more = len(pages) - PAGES_SHOWN
    return {
        "browser": joined["product"],
        "endpoint": joined["endpoint"],
        "pages": pages[:PAGES_SHOWN],
        **without_empty({"more_pages": max(more, 0) or None, "closed": joined["closed"]}),
    }


@tool("connect", changes=True, dangerous=True, free=True, tab=False)
async def browser_disconnect(context: ToolContext) -> Fields:
    """Leave the browser that was joined: your tabs in it are closed, those that were there before
    stay. The next tab opens in a browser of its own."""
    left = await context.call("disconnect")
    if not left["endpoint"]:
        return {"left": "", "note": "no browser was joined"}
    context.session.tab = "main"
    return {"left": left["endpoint"], **without_empty({"closed": left["closed"]})}
