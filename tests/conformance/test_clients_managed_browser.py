"""Real clients see on a managed browser what they see on a Chromium they are connected to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.client_run_comparison import (
    CLIENTS,
    ROOT,
    differ,
    direct,
    part,
    run,
    surprises,
)
from tests.conformance.conformance_site import Site
from tests.conformance.known_differences import DIFFERENCES, allowed, document
from tests.conformance.relay_browsers import of_the_daemon

# A whole script of a client runs in each: minutes, where the machine has much else to do.
pytestmark = [pytest.mark.early, pytest.mark.browser, pytest.mark.soak, pytest.mark.timeout(1800)]

clients = pytest.mark.parametrize("name", sorted(CLIENTS))


@clients
async def test_client_sees_the_same_on_a_browser_of_the_daemon(
    name: str, chromium_path: Path
) -> None:
    client = CLIENTS[name]
    reference = direct(client, "own", chromium_path)
    with Site() as site:
        async with of_the_daemon() as relay:
            told = await run(client, relay.url(), "own", site, part(reference, 0))
    differ(surprises({c: reference[c] for c in part(reference, 0)}, told, allowed("daemon", name)))


def test_documented_differences_are_the_listed_ones() -> None:
    page = ROOT / "docs" / "relay-differences.md"
    assert page.read_text() == document(), "python -m tests.conformance.known_differences writes it"


def test_every_listed_difference_says_why() -> None:
    assert all(d.reason and d.shows and d.checks for d in DIFFERENCES)
