"""Tools to connect to a running browser and to disconnect from it."""

from __future__ import annotations

from pilothouse.security.connect_policy import check_agent_endpoint
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import RELEASED_NOTE, drop_empty, format_closed
from pilothouse.tools.tool import Fields, tool

__all__ = ["browser_connect", "browser_disconnect"]

PAGES_SHOWN = 20
ADOPT_NOTE = (
    'browser_tabs(action="adopt", target="…") uses one of these pages (part of its title or URL); '
    "browser_navigate opens a new tab"
)


@tool("connect", reads=True, changes=True, dangerous=True, free=True, tab=False)
async def browser_connect(
    context: ToolContext, endpoint: str = "", timeout: float = 30.0
) -> Fields:
    """Connect to a browser that runs on this machine, such as the user's Chrome, and open new tabs
    in it. Closes your tabs in the browser you used before. Chrome may ask the user to allow it.

    endpoint: port or URL on this machine; default: the browser that is found
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
        "note": ADOPT_NOTE if pages else "browser_navigate opens a tab in it",
        "trusted": ("note",),
        **drop_empty({"more_pages": max(more, 0) or None}),
        **format_closed(joined),
    }


@tool("connect", changes=True, dangerous=True, free=True, tab=False)
async def browser_disconnect(context: ToolContext) -> Fields:
    """Disconnect from the browser: closes your tabs in it; other tabs stay, adopted ones too. The
    next tab opens in a managed browser."""
    left = await context.call("disconnect")
    if not left["endpoint"]:
        return {"left": "", "note": "not connected to a browser"}
    context.session.tab = "main"
    fields = {"left": left["endpoint"], **format_closed(left)}
    if left["released"]:
        fields |= {"note": RELEASED_NOTE, "trusted": ("note",)}
    return fields
