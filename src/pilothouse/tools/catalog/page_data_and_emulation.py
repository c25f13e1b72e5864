"""Tools for downloads, PDFs, page text, cookies, storage and device emulation."""

from __future__ import annotations

import asyncio
import base64
from typing import Any, Literal

from pilothouse.errors import UsageError, WaitTimeout
from pilothouse.page.input import DOWNLOADS_OFF
from pilothouse.tabs.open_and_close_requests import clamp_timeout
from pilothouse.tools.blocked_calls import finish_call
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import EMPTY_PAGE, drop_empty, format_page_content
from pilothouse.tools.output_files import save as saved
from pilothouse.tools.output_files import write_output
from pilothouse.tools.tool import Fields, tool

__all__ = [
    "browser_cookies",
    "browser_downloads",
    "browser_emulate",
    "browser_extract",
    "browser_pdf",
    "browser_storage",
]

LOOK_EVERY_S = 0.1


@tool("browser", reads=True, changes=True, free=True, reversible=True)
async def browser_downloads(
    context: ToolContext, id: str = "", to: str = "", wait: bool = False, timeout: float = 30.0
) -> Fields:
    """List the tab's downloads with paths, or move one.

    id: move this one
    to: name or path
    wait: until one ends
    """
    if to and not id:
        raise UsageError("id: missing", hint="call without arguments to list downloads")
    if id:
        return {"saved": await context.verb("save_download", id=id, to=to)}
    if not context.settings.get("downloads"):
        return {"downloads": [], "note": DOWNLOADS_OFF, "trusted": ("note",)}
    known: set[str] = context.session.memory.setdefault("downloads", set())
    found = await context.verb("downloads")
    if wait:
        timeout = clamp_timeout(timeout)
        give_up = asyncio.get_running_loop().time() + timeout
        # A download that ended before this call counts, if it was not reported yet.
        while not any(one["state"] != "inProgress" and one["id"] not in known for one in found):
            if asyncio.get_running_loop().time() >= give_up:
                listed = ", ".join(f"{one['filename']} ({one['state']})" for one in found) or "none"
                raise WaitTimeout(
                    f"no download ended within {timeout:g} s",
                    hint=f"downloads: {listed}",
                    untrusted=("hint",),
                )
            await asyncio.sleep(LOOK_EVERY_S)
            found = await context.verb("downloads")
    known |= {one["id"] for one in found if one["state"] != "inProgress"}
    return {"downloads": found}


@tool("browser-data", reads=True)
async def browser_pdf(
    context: ToolContext,
    save: str = "",
    paper: str = "a4",
    landscape: bool = False,
    pages: str = "",
    scale: float = 1.0,
    background: bool = True,
) -> Fields:
    """Print the page to a PDF file. Returns its path.

    save: file to write; default: a temporary file
    paper: a3 to a6, letter, legal, tabloid
    pages: for example 1-3, 5
    """
    answer = await context.verb(
        "pdf",
        paper=paper,
        landscape=landscape,
        pages=pages,
        scale=scale,
        background=background,
    )

    async def shape(printed: Any) -> Fields:
        data = base64.b64decode(printed["data"])
        path = (
            await saved(context, save, data) if save else await write_output(context, "pdf", data)
        )
        return {"path": path, "bytes": len(data)}

    return await finish_call(context, "browser_pdf", answer, shape)


@tool("browser-data", reads=True)
async def browser_extract(
    context: ToolContext,
    format: Literal["markdown", "text"] = "markdown",
    article: bool = False,
    selector: str = "",
    limit: int = 20_000,
) -> Fields:
    """Return the page's content as markdown or text.

    article: only the article, or the main part if there is none
    selector: CSS; only this part
    limit: characters; 0: no limit
    """
    if article and selector:
        raise UsageError("article and selector are both given", hint="give one of them")
    answer = await context.verb(
        "extract", format=format, article=article, selector=selector, limit=limit
    )

    async def shape(read: Any) -> Fields:
        if read is not None:
            return format_page_content(read)
        title, url = await context.verb("title"), await context.verb("url")
        return {"content": "", "title": title, "url": url, "note": EMPTY_PAGE}

    return await finish_call(context, "browser_extract", answer, shape)


@tool("browser-data", reads=True, changes=True, free=True)
async def browser_cookies(
    context: ToolContext,
    action: Literal["get", "set", "delete", "clear"] = "get",
    urls: list[str] = [],  # noqa: B006
    cookies: list[dict[str, Any]] = [],  # noqa: B006
    name: str = "",
    domain: str = "",
    path: str = "",
) -> Fields:
    """Get, set or delete cookies of your browser context.

    urls: get only cookies sent to these URLs
    cookies: to set: objects with name, value, and url or domain
    name: delete cookies with this name
    domain: delete cookies of this domain
    path: delete cookies of this path
    """
    if action == "get":
        found = await context.verb("cookies", urls=urls or None)
        return {"cookies": found, "count": len(found)}
    if action == "set":
        if not cookies:
            raise UsageError("cookies: missing", hint='give [{"name": …, "value": …, "url": …}]')
        return dict(await context.verb("set_cookies", cookies=cookies))
    if action == "delete":
        if not (name or domain or path):
            raise UsageError(
                "delete: expected name, domain or path", hint="use action clear to delete all"
            )
        return dict(await context.verb("clear_cookies", name=name, domain=domain, path=path))
    return dict(await context.verb("clear_cookies"))


@tool("browser-data", reads=True, changes=True)
async def browser_storage(
    context: ToolContext,
    action: Literal["get", "set", "remove", "save_state", "load_state"] = "get",
    kind: Literal["local", "session"] = "local",
    key: str = "",
    value: str = "",
    frame_id: str = "",
    path: str = "",
    state: dict[str, Any] | None = None,
) -> Fields:
    """Read and change localStorage and sessionStorage. save_state and load_state save and restore
    both, with cookies.

    key: default for get: all keys
    value: to set
    path: file to save the state to, or to load it from
    state: state to load, instead of path
    """
    if action in ("set", "remove") and not key:
        raise UsageError("key: missing", hint=f"give the storage key to {action}")
    if action == "get":
        answer = await context.verb("storage", kind=kind, key=key, frame_id=frame_id)
    elif action == "set":
        answer = await context.verb(
            "set_storage", key=key, value=value, kind=kind, frame_id=frame_id
        )
    elif action == "remove":
        # context.verb() drops parameters that are None, but here None means remove.
        answer = await context.call(
            "tab.set_storage", tab=context.tab, key=key, value=None, kind=kind, frame_id=frame_id
        )
    elif action == "save_state":
        answer = await context.verb("save_state", path=path)
    else:
        if not path and state is None:
            raise UsageError(
                "load_state: expected path or state", hint="give what save_state returned"
            )
        answer = await context.verb("load_state", state=path or state)
    names = {"get": "value" if key else "items", "set": "set", "remove": "removed"}

    async def shape(found: Any) -> Fields:
        if action == "save_state" and isinstance(found, dict) and "path" in found:
            return {"path": found["path"]}
        return {names.get(action, "state" if action == "save_state" else "loaded"): found}

    return await finish_call(context, "browser_storage", answer, shape)


@tool("browser-data", changes=True, reversible=True)
async def browser_emulate(
    context: ToolContext,
    device: str = "",
    width: int = 0,
    height: int = 0,
    scale: float = 1.0,
    mobile: bool = False,
    user_agent: str = "",
    locale: str = "",
    timezone: str = "",
    geolocation: list[float] | None = None,
    offline: bool | None = None,
    throttle: str = "",
    color_scheme: str = "",
    reduced_motion: str = "",
    media: str = "",
    cpu: float = 0,
    reset: bool = False,
) -> Fields:
    """Emulate a device, viewport, locale, time zone, network and more. Returns what is emulated.

    device: for example iPhone 15
    width: of the viewport in CSS pixels, with height
    locale: for example de-AT
    timezone: for example Europe/Vienna
    media: screen or print
    geolocation: latitude, longitude
    throttle: 2g, slow-3g, fast-3g, 4g or none
    color_scheme: light or dark
    cpu: how many times slower
    reset: end all emulation first
    """
    if bool(width) != bool(height):
        missing = "height" if width else "width"
        raise UsageError(f"{missing}: missing", hint="give both width and height")
    settings = drop_empty(
        {
            "device": device,
            "user_agent": user_agent,
            "locale": locale,
            "timezone": timezone,
            "geolocation": geolocation,
            "offline": offline,
            "throttle": throttle,
            "color_scheme": color_scheme,
            "reduced_motion": reduced_motion,
            "media": media,
        }
    )
    if cpu:
        settings["cpu"] = cpu
    if reset or settings or not width:
        answer = await context.verb("emulate", reset=reset, **settings)
    if width:
        answer = await context.verb(
            "viewport", width=width, height=height, scale=scale, mobile=mobile
        )

    async def shape(status: Any) -> Fields:
        return {"emulated": status}

    return await finish_call(context, "browser_emulate", answer, shape)
