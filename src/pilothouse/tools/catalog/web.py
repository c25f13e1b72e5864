"""Tools for the web at large: search it, read pages of it."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any, Literal

from pilothouse.code.client import is_blocked
from pilothouse.errors import PilothouseError, ToolError
from pilothouse.page.navigation import full_address
from pilothouse.tools.catalog.search import search
from pilothouse.tools.context import ToolContext
from pilothouse.tools.formatting import EMPTY_PAGE, page_content
from pilothouse.tools.tool import Fields, tool

__all__ = ["web_extract", "web_search"]

MOST_URLS = 10
AT_ONCE = 3
LIMIT = 20_000
MOST_DIALOGS = 50

# Links that lead away from the search page, with the text around them. Engines that count clicks
# carry the real address in a parameter.
_LINKS = """
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
    """Search the web: titles, addresses, descriptions."""
    if not 1 <= limit <= 50:
        raise ToolError(f"limit: {limit} is not 1 to 50", hint="5 is usual")

    async def read(url: str) -> list[dict[str, Any]]:
        async with _Aside(context, url) as tab:
            found = await context.call("tab.evaluate", tab=tab, code=_LINKS, world="isolated")
            found = await _past_dialogs(context, tab, found)
            return found if isinstance(found, list) else []

    backend, results = await search(context.settings.get("search") or {}, query, limit, read)
    return {"query": query, "results": results, "count": len(results), "backend": backend}


@tool("web", reads=True, tab=False)
async def web_extract(
    context: ToolContext,
    urls: str | list[str],
    format: Literal["markdown", "text"] = "markdown",
    article: bool = True,
    limit: int = LIMIT,
) -> Fields:
    """Read pages without touching your tabs.

    article: only the article, if any
    limit: characters of each; 0 is none
    """
    wanted = [urls] if isinstance(urls, str) else urls
    if not 1 <= len(wanted) <= MOST_URLS:
        raise ToolError(f"urls: {len(wanted)} are given", hint=f"1 to {MOST_URLS} are possible")
    addresses = [full_address(url) for url in wanted]
    room = asyncio.Semaphore(AT_ONCE)

    async def one(url: str) -> dict[str, Any]:
        async with room:
            try:
                return await _read(context, url, format, article, limit)
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


async def _read(
    context: ToolContext, url: str, format: str, article: bool, limit: int
) -> dict[str, Any]:
    async with _Aside(context, url) as tab:
        read = await context.call(
            "tab.extract", tab=tab, format=format, article=article, limit=limit
        )
        read = await _past_dialogs(context, tab, read)
    if is_blocked(read):
        raise ToolError(f"{url} is blocked by something", hint="open it with browser_navigate")
    if read is None:
        return {"url": url, "title": "", "content": "", "note": EMPTY_PAGE}
    return page_content(read)


async def _past_dialogs(context: ToolContext, tab: str, answer: Any) -> Any:
    """The end of a call whose dialogs answer themselves, however long the browser takes to do
    so."""
    for _ in range(MOST_DIALOGS):
        if not is_blocked(answer) or not answer["action_id"]:
            break
        if any(one["kind"] != "dialog" for one in answer["blocked_by"]):
            break
        answer = await context.call(
            "tab.result", tab=tab, action_id=answer["action_id"], again=True
        )
    return answer


class _Aside:
    """A page in a tab of its own, which is gone afterwards; its dialogs answer themselves."""

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
            arrival = await _past_dialogs(self._context, self._name, arrival)
            if is_blocked(arrival):
                kind = arrival["blocked_by"][0]["kind"]
                raise ToolError(
                    f"{self._url} is blocked by {kind}", hint="open it with browser_navigate"
                )
            if arrival.get("kind") not in ("document", "same_document"):
                why = arrival.get("error") or f"it is {arrival.get('kind')}"
                raise ToolError(f"{self._url} did not load: {why}", hint="check the address")
        except BaseException:
            await self._close()
            raise
        return self._name

    async def __aexit__(self, *exc: object) -> None:
        await self._close()

    async def _close(self) -> None:
        await self._context.call("close", name=self._name)
