"""Search engines, one of which the user has set up.

    search:
      backend: searxng                    # or brave, or page
      url: http://127.0.0.1:8888          # of SearXNG; of a search page with {query} in it
      key_env: BRAVE_KEY                  # the variable with Brave's key

Knows: what each of them is asked and answers. Must not know: tabs; a search page is read by
whoever asks (`Reader`).
"""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from pilothouse.errors import ToolError
from pilothouse.tools.http_json import fetch_json, key_from

__all__ = ["BACKENDS", "Found", "Reader", "search"]

Found = dict[str, str]
# Opens an address in a tab of its own and gives the links that look like results.
Reader = Callable[[str], Awaitable[list[dict[str, Any]]]]
Backend = Callable[[Mapping[str, Any], str, int, Reader], Awaitable[list[Found]]]

BRAVE = "https://api.search.brave.com/res/v1/web/search"
MOST_OF_BRAVE = 20
SETUP = (
    "in config.yaml: search: {backend: searxng, url: http://…}, {backend: brave, key_env: "
    "BRAVE_KEY} or {backend: page, url: 'https://…?q={query}'}"
)


async def search(
    settings: Mapping[str, Any], query: str, limit: int, read: Reader
) -> tuple[str, list[Found]]:
    """The name of the engine, and what it found. Raises ToolError that says what to set up."""
    if not query.strip():
        raise ToolError("query: it is empty", hint="what shall be searched?")
    name = str(settings.get("backend") or "")
    if not name:
        raise ToolError("no search engine is set up", hint=SETUP)
    backend = BACKENDS.get(name)
    if backend is None:
        near = difflib.get_close_matches(name, BACKENDS, 1)
        hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(BACKENDS)}"
        raise ToolError(f"search.backend: {name!r} is not known", hint=hint)
    return name, (await backend(settings, query, limit, read))[:limit]


async def _searxng(
    settings: Mapping[str, Any], query: str, limit: int, read: Reader
) -> list[Found]:
    url = _address(settings, "searxng")
    asked = urlencode({"q": query, "format": "json"})
    try:
        answer = await fetch_json(f"{url.rstrip('/')}/search?{asked}", what="SearXNG")
    except ToolError as error:
        if "answered 403" not in error.message:
            raise
        raise ToolError(
            "SearXNG refuses JSON", hint="add json to search.formats in its settings.yml"
        ) from None
    return _results(_listed(answer, "SearXNG", "results"), "content")


async def _brave(settings: Mapping[str, Any], query: str, limit: int, read: Reader) -> list[Found]:
    key = key_from(settings, "search")
    if not key:
        raise ToolError(
            "Brave wants a key", hint="search.key_env: the name of the variable that holds it"
        )
    asked = urlencode({"q": query, "count": min(limit, MOST_OF_BRAVE)})
    url = str(settings.get("url") or BRAVE)
    answer = await fetch_json(f"{url}?{asked}", what="Brave", headers={"X-Subscription-Token": key})
    web = answer.get("web") if isinstance(answer, dict) else None
    return _results(_listed(web or {"results": []}, "Brave", "results"), "description")


async def _page(settings: Mapping[str, Any], query: str, limit: int, read: Reader) -> list[Found]:
    url = _address(settings, "page")
    if "{query}" not in url:
        raise ToolError(
            f"search.url: {url!r} has no place for the query", hint="put {query} into it"
        )
    return _results(await read(url.replace("{query}", quote(query))), "description")


BACKENDS: dict[str, Backend] = {
    "searxng": _searxng,
    "brave": _brave,
    "page": _page,
}


def _address(settings: Mapping[str, Any], backend: str) -> str:
    url = str(settings.get("url") or "")
    if not url:
        raise ToolError(f"search.url: {backend} needs an address", hint=SETUP)
    return url


def _listed(answer: Any, who: str, name: str) -> list[Any]:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise ToolError(f"{who} answered without {name}", hint="check search.url")
    return found


def _results(found: list[Any], about: str) -> list[Found]:
    return [
        {
            "title": str(one.get("title") or ""),
            "url": str(one["url"]),
            "description": str(one.get(about) or "")[:500],
        }
        for one in found
        if isinstance(one, dict) and one.get("url")
    ]
