"""Which browsers can be fenced in, and how they are started for it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pilothouse.browsers import Connected, Headless, Spawned
from pilothouse.browsers.kinds import Proxy
from pilothouse.errors import ToolError
from pilothouse.security.url_policy import UrlPolicy, parse_rule
from pilothouse.tabs.owner_policy import OwnerUrlPolicies

LISTED = UrlPolicy(allow=(parse_rule("good.com"),))
FENCES = {
    "listed": LISTED,
    "same": LISTED,
    "joins": UrlPolicy(allow=(parse_rule("good.com"),), joined=True),
    "files": UrlPolicy(schemes=(("file", True),)),
}


@pytest_asyncio.fixture
async def fencing() -> AsyncIterator[OwnerUrlPolicies]:
    made = OwnerUrlPolicies(lambda owner: FENCES.get(owner, UrlPolicy()))
    yield made
    await made.close()


async def test_without_rules_a_browser_is_as_it_was(fencing: OwnerUrlPolicies) -> None:
    for kind in (Headless(), Connected("http://127.0.0.1:9222"), Spawned("/bin/app", ())):
        assert await fencing.kind("free", kind) is kind
    assert await fencing.context_options("free") == {}


async def test_a_jar_of_an_owner_with_rules_has_one_way_out(fencing: OwnerUrlPolicies) -> None:
    kind = await fencing.kind("listed", Headless())
    assert isinstance(kind, Headless)
    assert "--webrtc-ip-handling-policy=disable_non_proxied_udp" in kind.args
    jar = await fencing.context_options("listed")
    assert jar["proxyServer"].startswith("http://127.0.0.1:")
    assert jar["proxyBypassList"] == "<-loopback>"
    assert await fencing.context_options("same") == jar  # equal rules, one gateway
    assert await fencing.kind("same", Headless()) == kind


async def test_a_kept_profile_has_the_gateway_as_its_proxy(fencing: OwnerUrlPolicies) -> None:
    kind = await fencing.kind("listed", Headless(profile="work"))
    assert isinstance(kind, Headless)
    assert kind.proxy == Proxy(
        (await fencing.context_options("listed"))["proxyServer"], loopback_too=True
    )


@pytest.mark.parametrize("kind", [Connected("http://127.0.0.1:9222"), Spawned("/bin/app", ())])
async def test_a_browser_that_others_started_is_refused_unless_the_user_wants_it(
    fencing: OwnerUrlPolicies, kind: Connected | Spawned
) -> None:
    with pytest.raises(ToolError, match="not started by us") as refused:
        await fencing.kind("listed", kind)
    assert "policies.joined" in refused.value.hint
    assert await fencing.kind("joins", kind) is kind


async def test_two_proxies_are_refused(fencing: OwnerUrlPolicies) -> None:
    with pytest.raises(ToolError, match="a proxy are both set"):
        await fencing.kind("listed", Headless(proxy=Proxy("http://other:3128")))


@pytest.mark.parametrize("endpoint", ["http://169.254.169.254/", "ws://metadata.google.internal/"])
async def test_a_metadata_service_is_no_browser_to_join(
    fencing: OwnerUrlPolicies, endpoint: str
) -> None:
    with pytest.raises(ToolError, match="metadata"):
        await fencing.kind("free", Connected(endpoint))


async def test_addresses_are_checked_before_there_is_a_tab(fencing: OwnerUrlPolicies) -> None:
    fencing.check("listed", "")
    fencing.check("listed", "good.com/path")
    fencing.check("files", "file:///tmp/page.html")
    for owner, url in (("listed", "https://evil.com"), ("free", "file:///etc/passwd")):
        with pytest.raises(ToolError, match="url:"):
            fencing.check(owner, url)
