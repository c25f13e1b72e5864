"""Tools for requests: what went over the wire, and what shall become of it."""

from __future__ import annotations

import base64
from typing import Any, Literal

from pilothouse.errors import ToolError
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import short, without_empty
from pilothouse.tools.output_files import cut, keep
from pilothouse.tools.tool import Fields, tool

__all__ = ["browser_network", "browser_route"]


@tool("browser-data", reads=True, free=True)
async def browser_network(
    context: ToolContext,
    url: str = "",
    type: str = "",
    failed: bool | None = None,
    since: str = "",
    limit: int = 50,
    id: str = "",
    body: bool = False,
) -> Fields:
    """Requests of the page, newest last; or one with its headers.

    url: part or glob
    type: Document, XHR, Fetch, Script, Image…
    since: only after this id
    id: this one
    body: also the answer's body
    """
    if not 1 <= limit <= 1000:
        raise ToolError(f"limit: {limit} is not 1 to 1000", hint="50 is usual")
    if id:
        found = await context.verb("request", id=id, body=body)
        if body and found["body"]["base64"]:
            data = base64.b64decode(found["body"]["text"])
            found["body"] = {
                "mime": found["body"]["mime"],
                "path": await keep(context, "bin", data),
            }
        elif body:
            found["body"] = await cut(context, found["body"]["text"])
        return {"request": found}
    if body:
        raise ToolError("body: of which request?", hint="give its id, from the list")
    asked = await context.verb(
        "requests", since=since, url=url, type=type, failed=failed, limit=limit
    )
    for one in asked["requests"]:
        one["url"] = short(one["url"])
    return dict(asked)


@tool("browser-data", changes=True, free=True, reversible=True)
async def browser_route(
    context: ToolContext,
    action: Literal["list", "block", "mock", "continue", "remove"] = "list",
    pattern: str = "",
    status: int = 200,
    headers: dict[str, str] = {},  # noqa: B006
    body: str = "",
    url: str = "",
    times: int = 0,
    id: str = "",
) -> Fields:
    """Block, mock or change requests from now on.

    pattern: part of the address, or glob
    status: of a mock, with headers and body
    url: continue there instead
    times: how often; 0 is always
    id: remove this route; all without it
    """
    told: Fields = {}
    if action == "remove":
        told = dict(await context.verb("unroute", id=id))
    elif action != "list":
        if not pattern:
            raise ToolError("pattern: it is missing", hint="such as **/api/*")
        given: dict[str, Any] = {"pattern": pattern, "action": action, "times": times}
        if action == "mock":
            given |= {"status": status, "headers": headers, "body": body}
        elif action == "continue":
            given |= {"headers": headers, "url": url}
        elif used := without_empty({"headers": headers, "body": body, "url": url}):
            raise ToolError(f"{next(iter(used))}: block takes none", hint="use mock or continue")
        told = dict(await context.verb("route", **given))
    return {**told, "routes": await context.verb("routes")}
