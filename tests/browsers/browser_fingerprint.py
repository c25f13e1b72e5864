"""The scorecard: one browser, one level, and what sites read in every place they can read it.

    python -m tests.browsers.browser_fingerprint off minimal full     # prints the rows of each
    level

Knows: how browser_fingerprint.js is served and gathered, and which requests came with which
headers. Must not know: what is asserted. All of it stays on loopback.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pilothouse.browsers import BrowserHandle, Browsers, HeadlessKind
from pilothouse.supervisor import Options, Supervisor
from tests.browser.browser_with_dialog_places import Stage
from tests.page_server import Pages

__all__ = ["DETAILED", "PLACES", "Score", "Scored", "gathered", "scored"]

PLACES = (
    "page",
    "own_frame",
    "srcdoc_frame",
    "foreign_frame",
    "popup",
    "worker",
    "module_worker",
    "blob_worker",
    "nested_worker",
    "shared_worker",
    "service_worker",
)
# The hints a server must ask for, and what JavaScript calls them.
DETAILED = {
    "sec-ch-ua-arch": "architecture",
    "sec-ch-ua-bitness": "bitness",
    "sec-ch-ua-full-version": "uaFullVersion",
    "sec-ch-ua-full-version-list": "fullVersionList",
    "sec-ch-ua-model": "model",
    "sec-ch-ua-platform-version": "platformVersion",
}
_FOLLOWED = ("user-agent", "accept-language", "sec-ch-ua")

_SCRIPT = Path(__file__).with_suffix(".js")
_NESTED = """const inner = new Worker("/scorecard.js?nested");
inner.onmessage = (event) => self.postMessage(event.data);"""


@dataclass(frozen=True, slots=True)
class Score:
    """The rows of each place, and the different values of each header with their paths."""

    cards: dict[str, dict[str, Any]]
    headers: dict[str, dict[str, list[str]]]


@dataclass(frozen=True, slots=True)
class Scored:
    """A supervised browser at some level, as the product sets it up."""

    handle: BrowserHandle
    stage: Stage

    async def opened(self, path: str, owner: str = "owner") -> tuple[str, str]:
        """A new tab at a path: its id and its main frame's."""
        tab = await self.stage.sup.open_tab(owner, self.stage.pages.url(path))
        return tab, (await self.stage.loaded(tab)).id

    async def asked(self, frame: str, expression: str, *, gesture: bool = False) -> Any:
        """The value of an expression in a frame."""
        outcome = await self.stage.run(frame, expression, gesture=gesture)
        assert outcome.value is not None, outcome
        assert "exceptionDetails" not in outcome.value, outcome.value
        return outcome.value["result"].get("value")


@contextlib.asynccontextmanager
async def scored(kind: HeadlessKind) -> AsyncIterator[Scored]:
    """A browser of this kind with the scorecard's pages; frames of other sites have processes of
    their own."""
    with Pages() as pages:
        _furnish(pages)
        async with Browsers() as browsers:
            handle = await browsers.acquire(kind)
            supervisor = Supervisor(handle.connection, Options(page_setup=handle.page_setup))
            await supervisor.start()
            try:
                yield Scored(handle, Stage(supervisor, pages, handle.pid or 0))
            finally:
                await supervisor.close()


async def gathered(at: Scored) -> Score:
    """The whole scorecard."""
    pages = at.stage.pages
    _, frame = await at.opened("/scorecard.html")
    foreign = pages.url("", host="localhost")
    cards = await at.asked(frame, f"gather({foreign!r})", gesture=True)
    headers: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for visit in pages.visits:
        for name, value in visit.headers.items():
            if name.lower().startswith(_FOLLOWED):
                headers[name.lower()][value].append(visit.path)
    return Score(cards, headers)


def _furnish(pages: Pages) -> None:
    asks = {"Accept-CH": ", ".join(DETAILED)}
    script = {"Content-Type": "text/javascript; charset=utf-8"}
    page = '<!doctype html><title>scorecard</title><body><script src="/scorecard.js"></script>'
    pages.add("/scorecard.html", page, headers=asks)
    pages.add("/scorecard.js", _SCRIPT.read_text("utf-8"), headers=script)
    pages.add("/nested.js", _NESTED, headers=script)
    pages.add("/echo", "heard", headers=asks)
    pages.add("/empty.html", "<!doctype html><title>empty</title>")


def _table(level: str, score: Score) -> str:
    """The page's rows, and for other places only what differs."""
    page = score.cards["page"]
    lines = [f"== {level}"]
    lines += [f"  {name:14} {json.dumps(value)}" for name, value in page.items()]
    for place in PLACES[1:]:
        card = score.cards[place]
        other = {name: value for name, value in card.items() if value != page.get(name)}
        lines.append(f"  {place} differs in: {json.dumps(other)}")
    for name, values in sorted(score.headers.items()):
        lines += [f"  {name}: {value} ({len(paths)} requests)" for value, paths in values.items()]
    return "\n".join(lines) + "\n"


async def _show(levels: list[str]) -> None:
    for level in levels:
        kind = HeadlessKind(args=("--site-per-process",), stealth=level)  # type: ignore[arg-type]
        async with scored(kind) as at:
            sys.stdout.write(_table(level, await gathered(at)))


if __name__ == "__main__":
    asyncio.run(_show(sys.argv[1:] or ["off", "minimal", "full"]))
