"""Both kinds of browser that stand behind a relay, ready for clients.

Knows: how a relay gets a managed browser, and a Chrome with the real extension. Must not know:
clients, or what is asserted.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from pilothouse.browsers.kinds import HeadlessKind
from pilothouse.relay.extension.installation import install
from tests.conformance.client_run_comparison import FLAGS
from tests.extension.chrome_with_extension import Chrome, chrome_with_extension
from tests.relay.relay_and_daemon_setup import Relayed, relayed

__all__ = ["lent", "of_the_daemon"]

LENT_WITHIN_S = 60.0


@contextlib.asynccontextmanager
async def of_the_daemon() -> AsyncIterator[Relayed]:
    """A relay whose clients get managed browsers."""
    # What clients need of a browser the daemon sees to itself.
    args = tuple(flag for flag in FLAGS if flag != "--disable-back-forward-cache")
    async with relayed(usual=HeadlessKind(args=args)) as relay:
        yield relay


@contextlib.asynccontextmanager
async def lent(
    chromium: Path, *args: str, declared: tuple[Path, ...] = ()
) -> AsyncIterator[tuple[Relayed, Chrome]]:
    """A relay to which a Chrome with the extension has come."""
    async with relayed(usual=HeadlessKind(args=FLAGS), declared=declared) as relay:
        folder = relay.files / "extension"
        install(folder, relay.port, relay.pairings, share="all")
        async with chrome_with_extension(chromium, folder, *FLAGS, *args) as chrome:
            await came(relay)
            yield relay, chrome


async def came(relay: Relayed, count: int = 1) -> None:
    """Wait until so many extensions are there."""
    async with asyncio.timeout(LENT_WITHIN_S):
        while len(relay.relay.extensions) != count:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.02)
