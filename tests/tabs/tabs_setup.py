"""A room of tabs over one real browser, for the tests of a whole file.

Knows: how to open tabs for owners and do verbs by name, as the daemon does. Must not know: what is
asserted.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pilothouse.browsers import Browsers
from pilothouse.security.file_access import FileAccess
from pilothouse.supervisor import Options, Policy, Supervisors
from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
from pilothouse.tabs.open_and_close_requests import OpenRequest
from pilothouse.tabs.tabs import OwnedTab, Tabs
from pilothouse.tabs.verb import invoke, plain
from tests.page_server import Pages

__all__ = ["Room", "furnished"]

_numbers = itertools.count(1)


@dataclass(slots=True)
class Room:
    """One browser, its tabs, and the pages."""

    tabs: Tabs
    browsers: Browsers
    pages: Pages
    files: Path
    owner: str = "me"

    def page(self, html: str) -> str:
        """Serve some HTML; its address."""
        number = next(_numbers)
        title = "" if "<title>" in html else f"<title>page {number}</title>"
        return self.pages.add(f"/p{number}.html", f"<!doctype html>{title}{html}")

    async def open(self, name: str = "main", owner: str = "", **wanted: Any) -> OwnedTab:
        """A tab of that name."""
        request = OpenRequest(name=name, **wanted)
        return (await self.tabs.open(owner or self.owner, request)).tab

    async def show(self, html: str, name: str = "main") -> OwnedTab:
        """A tab that shows some HTML."""
        return await self.open(name, url=self.page(html))

    async def do(self, tab: OwnedTab, verb: str, /, **given: Any) -> Any:
        """Do a verb by name; its answer as JSON has it."""
        answer = plain(await invoke(tab, verb, given))
        json.dumps(answer, allow_nan=False)
        return answer

    async def js(self, tab: OwnedTab, code: str) -> Any:
        """What the page itself says."""
        return await self.do(tab, "evaluate", code=code)


@contextlib.asynccontextmanager
async def furnished(files: Path, policy: Policy | None = None) -> AsyncIterator[Room]:
    """The room, with a browser that ends with it. `files` may be read and written."""
    downloads = files / "downloads"
    downloads.mkdir(exist_ok=True)
    paths = FileAccess(reads=(files,), writes=(files,))
    with Pages() as pages:
        async with Browsers() as browsers, Supervisors() as supervisors:
            tabs = Tabs(
                browsers,
                supervisors,
                policy=lambda: policy or Policy(),
                options=Options(downloads=str(downloads)),
                files=lambda owner: paths,
            )
            yield Room(tabs, browsers, pages, files)
