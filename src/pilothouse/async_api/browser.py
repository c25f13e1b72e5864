"""A browser launched for one asyncio program: `async with pilothouse.launch() as browser`.

Knows: how the parts below fit together for a single owner. Must not know: the daemon. The program
runs with its user's rights, so it may read and write any file; agents go through the daemon.
"""

from __future__ import annotations

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pilothouse.async_api.page import AsyncPage
from pilothouse.browsers import BrowserHandle, Browsers, HeadlessKind, Proxy, Viewport
from pilothouse.browsers.kinds import Stealth
from pilothouse.code.client import Blocked, add_answer_hints, is_blocked
from pilothouse.errors import ToolError, UsageError, write_hint
from pilothouse.security.file_access import FileAccess
from pilothouse.security.profile_policy import ProfilePolicy
from pilothouse.supervisor import Options, Policy, Supervisors
from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
from pilothouse.tabs.open_and_close_requests import (
    CloseRequest,
    check_viewport,
    open_request,
)
from pilothouse.tabs.tab_calls import TabCalls
from pilothouse.tabs.tabs import Tabs
from pilothouse.tabs.verb import plain

__all__ = ["Browser", "LaunchContext", "launch"]

# Tabs are kept by owner and name; a launched browser has one owner.
OWNER = "program"

DIALOGS = {"ask": "must_respond", "accept": "auto_accept", "dismiss": "auto_dismiss"}


class Browser:
    """A running browser and its pages. `pilothouse.launch()` makes it."""

    def __init__(self, kind: HeadlessKind, policy: Policy, downloads: Path | None) -> None:
        self._kind = kind
        if downloads is not None:
            _make_folder(downloads)
        self._scratch = Path(tempfile.mkdtemp(prefix="pilothouse-"))
        incoming, kept = self._scratch / "incoming", downloads or self._scratch / "downloads"
        for folder in (incoming, kept):
            folder.mkdir(exist_ok=True)
        everywhere = (Path("/"),)
        files = FileAccess(everywhere, everywhere, kept, kept, roots=(Path.cwd(),))
        self._browsers = Browsers()
        self._supervisors = Supervisors()
        self._tabs = Tabs(
            self._browsers,
            self._supervisors,
            default_kind=lambda: self._kind,
            policy=lambda: policy,
            options=Options(downloads=str(incoming)),
            files=lambda owner: files,
            profiles=ProfilePolicy({}, kind.profile or ""),
        )
        self._calls = TabCalls(self._tabs)
        self._handle: BrowserHandle | None = None
        self._numbers = itertools.count(1)
        self._closed = False

    def __repr__(self) -> str:
        return f"<Browser {self._kind.describe()}>"

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Launch the browser. It runs until `close`, also while it has no page."""
        await self._browsers.__aenter__()  # removes what crashed browsers left behind
        self._handle = await self._browsers.acquire(self._kind)

    @property
    def version(self) -> str:
        """Such as `Chrome/156.0.8078.79`."""
        return self._handle.product if self._handle is not None else ""

    async def new_page(
        self,
        url: str = "",
        *,
        viewport: Mapping[str, float] | None = None,
        wait_until: str = "load",
        timeout: float = 30.0,
    ) -> AsyncPage:
        """Open a page, and go to `url` if one is given.

        viewport: width, height, and scale if wanted
        wait_until: load, domcontentloaded, networkidle0, networkidle2, commit or settled
        timeout: seconds, 1 to 300

        Raises Blocked if a dialog stops the page from loading: then `browser.pages()` has it.
        """
        self._check_open()
        wanted = open_request(
            {
                "name": f"page{next(self._numbers)}",
                "url": url,
                "wait_until": wait_until,
                "timeout": timeout,
                **({"viewport": viewport} if viewport is not None else {}),
            }
        )
        opened = await self._tabs.open(OWNER, wanted)
        arrival = plain(opened.arrival)
        if is_blocked(arrival):
            raise Blocked("new_page", arrival)
        return AsyncPage(self._call, opened.tab.name)

    def pages(self) -> list[AsyncPage]:
        """Return the open pages, popups included."""
        return [AsyncPage(self._call, tab.name) for tab in self._tabs.owned_by(OWNER) if tab.alive]

    async def close(self) -> None:
        """Close every page and end the browser. Calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            await self._tabs.close(OWNER, CloseRequest(all=True))
        finally:
            await self._supervisors.stop_all()
            if self._handle is not None:
                await self._handle.release()
            await self._browsers.close()
            await asyncio.to_thread(shutil.rmtree, self._scratch, ignore_errors=True)

    async def _call(self, method: str, /, *, tab: str, **params: Any) -> Any:
        """Do what a page's method asks for."""
        self._check_open()
        if method == "close":
            await self._tabs.close(OWNER, CloseRequest(name=tab))
            return None
        if method == "page.cdp":
            owned, what = self._tabs.get(OWNER, tab), params["command"]
            answer = plain(
                await owned.supervisor.cdp(
                    what, params["params"], tab=owned.tab_id, frame_id=params["frame_id"]
                )
            )
        else:
            what = method.removeprefix("tab.")
            answer = await self._calls.perform(OWNER, what, {"tab": tab, **params})
        if is_blocked(answer):
            raise Blocked(what, answer)
        return add_answer_hints(answer, "python")

    def _check_open(self) -> None:
        if self._closed:
            raise ToolError("the browser is closed", hint="launch another one")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"downloads: could not create {folder}: {error.strerror}", hint=write_hint(error)
        ) from None


class LaunchContext:
    """A browser about to be launched: `await` it, or enter it with `async with`."""

    def __init__(self, kind: HeadlessKind, policy: Policy, downloads: Path | None) -> None:
        self._asked = (kind, policy, downloads)
        self._browser: Browser | None = None

    def __await__(self) -> Generator[Any, None, Browser]:
        return self._start().__await__()

    async def __aenter__(self) -> Browser:
        self._browser = await self._start()
        return self._browser

    async def __aexit__(self, *exc: object) -> None:
        if self._browser is not None:
            await self._browser.close()

    async def _start(self) -> Browser:
        """Launch now, so that a missing browser is reported here and not by the first page."""
        browser = Browser(*self._asked)
        try:
            await browser.start()
        except BaseException:
            await browser.close()
            raise
        return browser


def launch(
    *,
    headed: bool = False,
    profile: str = "",
    viewport: Mapping[str, float] | None = None,
    dialogs: str = "ask",
    downloads: str | Path | None = None,
    proxy: str = "",
    args: tuple[str, ...] | list[str] = (),
    executable: str = "",
    stealth: Stealth = "minimal",
) -> LaunchContext:
    """Launch Chrome, Chromium, Edge or Brave: `async with pilothouse.launch() as browser`.

    headed: show its windows
    profile: a name; cookies and logins are kept under it
    viewport: size of new pages: width, height, and scale if wanted
    dialogs: ask (the call raises Blocked and the dialog waits for you), accept or dismiss
    downloads: folder for downloads; without it they are removed when the browser closes
    proxy: http://host:port of a proxy; without it PILOTHOUSE_PROXY, if set
    args: further command-line switches of the browser
    executable: the browser to start; without it PILOTHOUSE_BROWSER, then the first one found
    stealth: off, minimal or full (docs/stealth.md)
    """
    if dialogs not in DIALOGS:
        raise UsageError(
            f"dialogs: unknown value {dialogs!r}", hint=f"use one of {', '.join(DIALOGS)}"
        )
    kind = HeadlessKind(
        headed=headed,
        proxy=Proxy(proxy) if proxy else None,
        args=tuple(args),
        profile=profile or None,
        executable=executable or None,
        stealth=stealth,
    )
    if viewport is not None:
        check_viewport(dict(viewport))
        size = Viewport(int(viewport["width"]), int(viewport["height"]), viewport.get("scale", 1.0))
        kind = replace(kind, viewport=size)
    policy = replace(Policy(), action=DIALOGS[dialogs])
    return LaunchContext(kind, policy, Path(downloads) if downloads is not None else None)
