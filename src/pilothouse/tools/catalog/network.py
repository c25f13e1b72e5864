"""Tools to read the page's network requests and to block, mock or change them."""

from __future__ import annotations

import base64
from typing import Any, Literal

from pilothouse.errors import UsageError
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import drop_empty, shorten_url
from pilothouse.tools.output_files import truncate_output, write_output
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
    """List the page's requests, newest last, or return one with its headers.

    url: part of the URL, or glob
    type: Document, XHR, Fetch, Script, Image…
    since: only requests after this id
    id: return this request
    body: with the response body
    """
    if not 1 <= limit <= 1000:
        raise UsageError(f"limit: {limit} is out of range", hint="give 1 to 1000; default: 50")
    if id:
        found = await context.verb("request", id=id, body=body)
        if body and found["body"]["base64"]:
            data = base64.b64decode(found["body"]["text"])
            found["body"] = {
                "mime": found["body"]["mime"],
                "path": await write_output(context, "bin", data),
            }
        elif body:
            found["body"] = await truncate_output(context, found["body"]["text"])
        return {"request": found}
    if body:
        raise UsageError("body: needs id", hint="give the id of a request in the list")
    found = await context.verb(
        "requests", since=since, url=url, type=type, failed=failed, limit=limit
    )
    for one in found["requests"]:
        one["url"] = shorten_url(one["url"])
    return dict(found)


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
    """Block, mock or change the page's requests from now on.

    pattern: part of the URL, or glob
    status: status code of a mock, with headers and body
    url: continue with this URL instead
    times: how often; 0: always
    id: route to remove; default: all
    """
    fields: Fields = {}
    if action == "remove":
        fields = dict(await context.verb("unroute", id=id))
    elif action != "list":
        if not pattern:
            raise UsageError("pattern: missing", hint="give a glob such as **/api/*")
        given: dict[str, Any] = {"pattern": pattern, "action": action, "times": times}
        if action == "mock":
            given |= {"status": status, "headers": headers, "body": body}
        elif action == "continue":
            given |= {"headers": headers, "url": url}
        elif used := drop_empty({"headers": headers, "body": body, "url": url}):
            raise UsageError(
                f"{next(iter(used))}: not allowed with block",
                hint="leave it out, or use mock or continue",
            )
        fields = dict(await context.verb("route", **given))
    return {**fields, "routes": await context.verb("routes")}
