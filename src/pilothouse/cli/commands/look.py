"""`pilothouse look`: start or connect to a browser and describe its tabs and frames."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rich.console import Console

from pilothouse.browsers import (
    AppKind,
    BrowserHandle,
    BrowserKind,
    Browsers,
    ConnectedKind,
    HeadlessKind,
    choose_target,
)
from pilothouse.cdp.protocol import Page
from pilothouse.cli.output import describe_browser, print_json, show_browser, spinner
from pilothouse.errors import BrowserError
from pilothouse.supervisor import Options, Supervisor

__all__ = ["look", "open_page", "supervise"]

LOAD_WITHIN_S = 30.0


async def look(options: argparse.Namespace) -> int:
    """Start or connect to the browser and describe it."""
    async with Browsers() as browsers:
        with spinner("reaching the browser", options.json):
            handle = await browsers.acquire(_kind(options))
        async with supervise(handle) as supervisor:
            with spinner("looking", options.json):
                tabs = await _tabs(handle, supervisor, options)
            found = describe_browser(handle, supervisor, tabs)
        if options.json:
            print_json(found)
        else:
            show_browser(found, Console())
    return 0


@asynccontextmanager
async def supervise(handle: BrowserHandle) -> AsyncIterator[Supervisor]:
    """Run a supervisor on the browser while the block runs."""
    supervisor = Supervisor(
        handle.connection, Options(owned=handle.owned, page_setup=handle.page_setup)
    )
    try:
        await supervisor.start()
        yield supervisor
    finally:
        await supervisor.close()


async def open_page(supervisor: Supervisor, url: str) -> str:
    """Open a page in a new tab and wait until it has loaded, or until something blocks it."""
    tab = await supervisor.open_tab("cli")
    session = supervisor.session(tab)
    loaded = session.expect(Page.loadEventFired, deadline=LOAD_WITHIN_S)
    went = await supervisor.cdp("Page.navigate", {"url": url}, tab=tab, deadline=LOAD_WITHIN_S)
    if went.value and "errorText" in went.value:
        raise BrowserError(
            f"{url} did not open: {went.value['errorText']}", hint="check the address"
        )

    async def wait() -> None:
        await loaded

    await supervisor.actions.race(tab, wait())
    await supervisor.refresh(tab)
    return tab


def _kind(options: argparse.Namespace) -> BrowserKind:
    if options.cdp_url:
        return ConnectedKind(options.cdp_url)
    if options.app:
        return AppKind(options.app, target=options.target)
    return HeadlessKind(headed=options.headed, profile=options.profile)


async def _tabs(
    handle: BrowserHandle, supervisor: Supervisor, options: argparse.Namespace
) -> list[str]:
    if options.url:
        return [await open_page(supervisor, options.url)]
    targets = [target for target in await handle.targets() if target.type == "page"]
    if options.target:
        targets = [choose_target(targets, options.target)]
    return [await supervisor.adopt(target.id, "cli") for target in targets]
