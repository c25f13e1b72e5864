"""Tools to search the web and to read pages in temporary tabs."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any, Literal

from pilothouse.code.client import is_blocked
from pilothouse.errors import PilothouseError, ToolError, UsageError
from pilothouse.page.navigation import normalize_url
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import EMPTY_PAGE, format_page_content
from pilothouse.tools.search_engine import search
from pilothouse.tools.tool import Fields, tool

__all__ = ["web_extract", "web_search"]

MAX_URLS = 10
CONCURRENT_PAGES = 3
DEFAULT_LIMIT = 20_000
MAX_DIALOGS = 50

# Collects links that leave the search page, with the text around them. Search engines that track
# clicks carry the real URL in a query parameter.
_RESULT_LINKS_JS = """
const away = (link) => {
  try {
    let url = new URL(link.href);
    for (const name of ['uddg', 'url', 'q', 'u'])
      if (url.host === location.host && /^https?:/.test(url.searchParams.get(name) || ''))
        url = new URL(url.searchParams.get(name));
    return /^https?:$/.test(url.protocol) && url.host !== location.host ? url.href : '';
  } catch { return ''; }
};
const found = new Map();
for (const link of document.querySelectorAll('a[href]')) {
  const url = away(link), heading = link.querySelector('h1,h2,h3,h4') || link;
  const title = (heading.innerText || '').trim().split('\\n')[0];
  if (!url || title.length < 3 || found.has(url)) continue;
  let box = link;
  while (box.parentElement && box.parentElement !== document.body &&
         box.innerText.length < title.length + 40) box = box.parentElement;
  const about = box.innerText.replace(title, '').replace(/\\s+/g, ' ').trim();
  found.set(url, {title, url, description: about.slice(0, 500)});
}
return [...found.values()].slice(0, 50);
"""


@tool("web", reads=True, tab=False, outside=True)
async def web_search(context: ToolContext, query: str, limit: int = 5) -> Fields:
    """Search the web. Returns titles, URLs and descriptions."""
    if not 1 <= limit <= 50:
        raise UsageError(f"limit: {limit} is out of range", hint="give 1 to 50; default: 5")

    async def read(url: str) -> list[dict[str, Any]]:
        async with _TemporaryTab(context, url) as tab:
            found = await context.call(
                "tab.evaluate", tab=tab, code=_RESULT_LINKS_JS, world="isolated"
            )
            found = await _wait_past_dialogs(context, tab, found)
            return found if isinstance(found, list) else []

    backend, results = await search(context.settings.get("search") or {}, query, limit, read)
    return {"query": query, "results": results, "count": len(results), "backend": backend}


@tool("web", reads=True, tab=False)
async def web_extract(
    context: ToolContext,
    urls: str | list[str],
    format: Literal["markdown", "text"] = "markdown",
    article: bool = True,
    limit: int = DEFAULT_LIMIT,
) -> Fields:
    """Read web pages without using your tabs.

    article: only the article, if any
    limit: characters per page; 0: no limit
    """
    wanted = [urls] if isinstance(urls, str) else urls
    if not 1 <= len(wanted) <= MAX_URLS:
        raise UsageError(f"urls: {len(wanted)} URLs are given", hint=f"give 1 to {MAX_URLS}")
    addresses = [normalize_url(url) for url in wanted]
    room = asyncio.Semaphore(CONCURRENT_PAGES)

    async def one(url: str) -> dict[str, Any]:
        async with room:
            try:
                return await _read_page(context, url, format, article, limit)
            except PilothouseError as error:
                return {"url": url, "error": error.message, "hint": error.hint}

    results = await asyncio.gather(*(one(url) for url in addresses))
    if all("error" in result for result in results):
        first = results[0]
        return {
            "success": False,
            "error": first["error"],
            "hint": first["hint"],
            "results": list(results),
        }
    return {"results": list(results)}


async def _read_page(
    context: ToolContext, url: str, format: str, article: bool, limit: int
) -> dict[str, Any]:
    async with _TemporaryTab(context, url) as tab:
        read = await context.call(
            "tab.extract", tab=tab, format=format, article=article, limit=limit
        )
        read = await _wait_past_dialogs(context, tab, read)
    if is_blocked(read):
        kind = read["blocked_by"][0]["kind"]
        raise ToolError(
            f"{url} is blocked by {kind}",
            hint="open it with browser_navigate and answer it",
        )
    if read is None:
        return {"url": url, "title": "", "content": "", "note": EMPTY_PAGE}
    return format_page_content(read)


async def _wait_past_dialogs(context: ToolContext, tab: str, answer: Any) -> Any:
    """Wait for the result of a call in a tab whose dialogs are dismissed automatically."""
    for _ in range(MAX_DIALOGS):
        if not is_blocked(answer) or not answer["action_id"]:
            break
        if any(one["kind"] != "dialog" for one in answer["blocked_by"]):
            break
        answer = await context.call(
            "tab.result", tab=tab, action_id=answer["action_id"], again=True
        )
    return answer


class _TemporaryTab:
    """Opens a page in a temporary tab and closes it afterwards; its dialogs are dismissed."""

    def __init__(self, context: ToolContext, url: str) -> None:
        self._context = context
        self._url = url
        self._name = f"aside-{secrets.token_hex(4)}"

    async def __aenter__(self) -> str:
        try:
            opened = await self._context.call(
                "open", name=self._name, url=self._url, dialogs="dismiss"
            )
            arrival = opened["details"].get("arrival") or {}
            arrival = await _wait_past_dialogs(self._context, self._name, arrival)
            if is_blocked(arrival):
                kind = arrival["blocked_by"][0]["kind"]
                raise ToolError(
                    f"{self._url} is blocked by {kind}", hint="open it with browser_navigate"
                )
            if arrival.get("kind") not in ("document", "same_document"):
                why = arrival.get("error") or f"it is {arrival.get('kind')}"
                raise ToolError(f"{self._url} did not load: {why}", hint="check the URL")
        except BaseException:
            await self._close()
            raise
        return self._name

    async def __aexit__(self, *exc: object) -> None:
        await self._close()

    async def _close(self) -> None:
        await self._context.call("close", name=self._name)
