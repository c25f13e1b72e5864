"""Query the search engine that the user has configured.

    search:
      backend: searxng                    # or brave, or page
      url: http://127.0.0.1:8888          # of SearXNG, or of a search page, with {query} in it
      key_env: BRAVE_KEY                  # environment variable with Brave's API key

Knows: the requests and responses of each engine. Must not know: tabs. For a search page, the caller
gives a function that reads it (`Reader`).
"""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from pilothouse.errors import ToolError, UsageError
from pilothouse.tools.http_json import fetch_json, read_api_key

__all__ = ["BACKENDS", "Reader", "SearchResult", "search"]

SearchResult = dict[str, str]
# Opens a URL in a temporary tab and returns the links that look like results.
Reader = Callable[[str], Awaitable[list[dict[str, Any]]]]
Backend = Callable[[Mapping[str, Any], str, int, Reader], Awaitable[list[SearchResult]]]

BRAVE = "https://api.search.brave.com/res/v1/web/search"
BRAVE_MAX_RESULTS = 20
SETUP = (
    "set in config.yaml: search: {backend: searxng, url: http://…}, {backend: brave, key_env: "
    "BRAVE_KEY} or {backend: page, url: 'https://…?q={query}'}"
)


async def search(
    settings: Mapping[str, Any], query: str, limit: int, read: Reader
) -> tuple[str, list[SearchResult]]:
    """Return the engine's name and the results. Raises ToolError, also if none is configured."""
    if not query.strip():
        raise UsageError("query: empty", hint="give the words to search for")
    name = str(settings.get("backend") or "")
    if not name:
        raise ToolError("no search engine is configured", hint=SETUP)
    backend = BACKENDS.get(name)
    if backend is None:
        near = difflib.get_close_matches(name, BACKENDS, 1)
        hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(BACKENDS)}"
        raise ToolError(f"search.backend in config.yaml: unknown value {name!r}", hint=hint)
    return name, (await backend(settings, query, limit, read))[:limit]


async def _searxng(
    settings: Mapping[str, Any], query: str, limit: int, read: Reader
) -> list[SearchResult]:
    url = _require_url(settings, "searxng")
    query_string = urlencode({"q": query, "format": "json"})
    try:
        answer = await fetch_json(f"{url.rstrip('/')}/search?{query_string}", what="SearXNG")
    except ToolError as error:
        if "status 403" not in error.message:
            raise
        raise ToolError(
            "SearXNG refuses JSON",
            hint="add json to search.formats in its settings.yml, and restart it",
        ) from None
    return _normalize(_require_list(answer, "SearXNG", "results"), "content")


async def _brave(
    settings: Mapping[str, Any], query: str, limit: int, read: Reader
) -> list[SearchResult]:
    key = read_api_key(settings, "search")
    if not key:
        raise ToolError(
            "search.key_env: missing; Brave needs an API key",
            hint="set search.key_env to the name of the environment variable with the key",
        )
    query_string = urlencode({"q": query, "count": min(limit, BRAVE_MAX_RESULTS)})
    url = str(settings.get("url") or BRAVE)
    answer = await fetch_json(
        f"{url}?{query_string}", what="Brave", headers={"X-Subscription-Token": key}
    )
    web = answer.get("web") if isinstance(answer, dict) else None
    return _normalize(_require_list(web or {"results": []}, "Brave", "results"), "description")


async def _search_page(
    settings: Mapping[str, Any], query: str, limit: int, read: Reader
) -> list[SearchResult]:
    url = _require_url(settings, "page")
    if "{query}" not in url:
        raise ToolError(
            f"search.url in config.yaml: {url!r} has no {{query}}",
            hint="put {query} where the query belongs, as in https://search.example/?q={query}",
        )
    return _normalize(await read(url.replace("{query}", quote(query))), "description")


BACKENDS: dict[str, Backend] = {
    "searxng": _searxng,
    "brave": _brave,
    "page": _search_page,
}


def _require_url(settings: Mapping[str, Any], backend: str) -> str:
    url = str(settings.get("url") or "")
    if not url:
        raise ToolError(f"search.url: missing; {backend} needs a URL", hint=SETUP)
    return url


def _require_list(answer: Any, who: str, name: str) -> list[Any]:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, list):
        raise ToolError(f"{who} responded without {name}", hint="check search.url")
    return found


def _normalize(found: list[Any], about: str) -> list[SearchResult]:
    return [
        {
            "title": str(one.get("title") or ""),
            "url": str(one["url"]),
            "description": str(one.get(about) or "")[:500],
        }
        for one in found
        if isinstance(one, dict) and one.get("url")
    ]
