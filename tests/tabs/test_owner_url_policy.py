"""Which browsers can be fenced in, and how they are started for it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pilothouse.browsers import AppKind, ConnectedKind, HeadlessKind
from pilothouse.browsers.kinds import Proxy
from pilothouse.errors import ToolError
from pilothouse.security.url_policy import UrlPolicy, parse_rule
from pilothouse.tabs.owner_url_policy import OwnerUrlPolicies

LISTED = UrlPolicy(allow=(parse_rule("good.com"),))
FENCES = {
    "listed": LISTED,
    "same": LISTED,
    "joins": UrlPolicy(allow=(parse_rule("good.com"),), joined=True),
    "files": UrlPolicy(schemes=(("file", True),)),
}


@pytest_asyncio.fixture
async def policies() -> AsyncIterator[OwnerUrlPolicies]:
    made = OwnerUrlPolicies(lambda owner: FENCES.get(owner, UrlPolicy()))
    yield made
    await made.close()


async def test_without_rules_a_browser_is_as_it_was(policies: OwnerUrlPolicies) -> None:
    for kind in (
        HeadlessKind(),
        ConnectedKind("http://127.0.0.1:9222"),
        AppKind("/bin/app", ()),
    ):
        assert await policies.confine_browser("free", kind) is kind
    assert await policies.context_options("free") == {}


async def test_a_jar_of_an_owner_with_rules_has_one_way_out(policies: OwnerUrlPolicies) -> None:
    kind = await policies.confine_browser("listed", HeadlessKind())
    assert isinstance(kind, HeadlessKind)
    assert "--webrtc-ip-handling-policy=disable_non_proxied_udp" in kind.args
    jar = await policies.context_options("listed")
    assert jar["proxyServer"].startswith("http://127.0.0.1:")
    assert jar["proxyBypassList"] == "<-loopback>"
    assert await policies.context_options("same") == jar  # equal rules, one gateway
    assert await policies.confine_browser("same", HeadlessKind()) == kind


async def test_a_kept_profile_has_the_gateway_as_its_proxy(policies: OwnerUrlPolicies) -> None:
    kind = await policies.confine_browser("listed", HeadlessKind(profile="work"))
    assert isinstance(kind, HeadlessKind)
    assert kind.proxy == Proxy(
        (await policies.context_options("listed"))["proxyServer"], proxy_loopback=True
    )


@pytest.mark.parametrize("kind", [ConnectedKind("http://127.0.0.1:9222"), AppKind("/bin/app", ())])
async def test_a_browser_that_others_started_is_refused_unless_the_user_wants_it(
    policies: OwnerUrlPolicies, kind: ConnectedKind | AppKind
) -> None:
    with pytest.raises(ToolError, match="Pilothouse did not start it") as refused:
        await policies.confine_browser("listed", kind)
    assert "policies.joined" in refused.value.hint
    assert await policies.confine_browser("joins", kind) is kind


async def test_two_proxies_are_refused(policies: OwnerUrlPolicies) -> None:
    with pytest.raises(ToolError, match="a proxy are both set"):
        await policies.confine_browser("listed", HeadlessKind(proxy=Proxy("http://other:3128")))


@pytest.mark.parametrize("endpoint", ["http://169.254.169.254/", "ws://metadata.google.internal/"])
async def test_a_metadata_service_is_no_browser_to_join(
    policies: OwnerUrlPolicies, endpoint: str
) -> None:
    with pytest.raises(ToolError, match="metadata"):
        await policies.confine_browser("free", ConnectedKind(endpoint))


async def test_addresses_are_checked_before_there_is_a_tab(policies: OwnerUrlPolicies) -> None:
    policies.check("listed", "")
    policies.check("listed", "good.com/path")
    policies.check("files", "file:///tmp/page.html")
    for owner, url in (("listed", "https://evil.com"), ("free", "file:///etc/passwd")):
        with pytest.raises(ToolError, match="url:"):
            policies.check(owner, url)
