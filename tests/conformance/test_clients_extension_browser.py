"""Real clients see on the user's Chrome what they see on a Chromium they are connected to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.client_run_comparison import CLIENTS, differ, direct, part, run, surprises
from tests.conformance.conformance_site import Site
from tests.conformance.known_differences import allowed
from tests.conformance.relay_browsers import lent

# A whole script of a client runs in each: minutes, where the machine has much else to do.
pytestmark = [pytest.mark.early, pytest.mark.browser, pytest.mark.soak, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("name", sorted(CLIENTS))
async def test_client_sees_the_same_on_the_users_chrome(name: str, chromium_path: Path) -> None:
    client, known = CLIENTS[name], allowed("extension", name)
    reference = direct(client, "shared", chromium_path)
    reference = {check: reference[check] for check in part(reference, 1)}
    wanted = [check for check in reference if check not in known or not known[check].left_out]
    with Site() as site:
        async with lent(chromium_path) as (relay, _):
            told = await run(client, relay.url(browser="extension"), "shared", site, wanted)
    differ(surprises(reference, told, known))
