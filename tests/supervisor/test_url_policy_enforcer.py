"""UrlPolicyEnforcer on the sessions of one browser: which tab has which, and what is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.errors import ToolError
from pilothouse.security.url_policy import OwnPorts, UrlPolicy, classify, parse_rule
from pilothouse.supervisor import Options
from pilothouse.supervisor.model import TabKey
from pilothouse.supervisor.model.state import Tab
from pilothouse.supervisor.url_policy_enforcer import UrlPolicyEnforcer, blocked_url_error
from tests.browser.browser_with_dialog_places import WITHIN_S, Stage, staged

GOOD = UrlPolicy(allow=(parse_rule("localhost"),))


def _tab(owner: str = "", context: str = "") -> Tab:
    return Tab("t1", "target", "session", key=TabKey(owner, "main"), context=context)  # type: ignore[arg-type]


def test_a_tab_has_the_fence_of_its_jar_else_of_its_owner() -> None:
    enforcer = UrlPolicyEnforcer(None)  # type: ignore[arg-type]
    enforcer.set_policy("me", GOOD, "jar")
    assert enforcer.policy_for(_tab("me")) == GOOD
    assert (
        enforcer.policy_for(_tab("", "jar")) == GOOD
    )  # a popup that nobody is known to have opened
    assert enforcer.policy_for(_tab("you", "other")) == UrlPolicy()
    assert enforcer.policy_for(None) == UrlPolicy()
    enforcer.remove_policy("me", "jar")
    assert enforcer.policy_for(_tab("me", "jar")) == UrlPolicy()


@pytest.mark.parametrize(
    ("url", "fence", "hint"),
    [
        ("http://169.254.169.254/", UrlPolicy(), "no setting changes that"),
        ("file:///etc/passwd", UrlPolicy(), "policies.schemes.file: allow"),
        ("javascript:1", UrlPolicy(), "evaluate"),
        ("chrome://gpu", UrlPolicy(), "http or https"),
        ("http://evil.com/", GOOD, "only the user can change them"),
        ("nothing", UrlPolicy(), "https://example.com/path"),
    ],
)
def test_a_refusal_names_the_rule_and_what_to_do(url: str, fence: UrlPolicy, hint: str) -> None:
    verdict = classify(url, fence)
    error = blocked_url_error(url, verdict)
    assert f"(policy: {verdict.rule})" in error.message
    assert hint in error.hint


@pytest_asyncio.fixture
async def stage() -> AsyncIterator[Stage]:
    async with staged() as made:
        yield made


@pytest.mark.browser
async def test_a_fence_holds_for_documents_parts_and_popups_and_tells_each_reason_once(
    stage: Stage,
) -> None:
    pages, sup = stage.pages, stage.sup
    sup.url_policy.set_policy("me", GOOD)
    away = pages.url("/part.html")
    frames = f'<iframe src="{away}"></iframe><img src="{away}?1"><img src="{away}?2">'
    pages.add("/mixed.html", f"<title>mixed</title>{frames}")
    tab = await sup.open_tab("me", pages.url("/mixed.html", host="localhost"))
    top = await stage.loaded(tab)
    await stage.run(top.id, f"window.open('{away}'); 0", gesture=True)
    popup = await sup.wait_for(
        lambda s: next((t for t in s.tabs.values() if t.opener == tab), None), WITHIN_S
    )
    assert popup.owner == "me"
    arrived = await sup.cdp("Page.navigate", {"url": away}, tab=tab)
    assert arrived.value is not None
    assert arrived.value["errorText"] == "net::ERR_BLOCKED_BY_CLIENT"
    with pytest.raises(ToolError, match="not on the list"):
        sup.url_policy.check_navigation(tab, away)
    assert all(visit.host.startswith("localhost") for visit in pages.visits)
    told = [line for line in sup.take_notices(TabKey("me")) if "blocked by policy" in line]
    assert len(told) in (1, 2)  # once for the tab, once for the popup


def _answered(address: str) -> tuple[list[Any], list[Any]]:
    """What is sent and told when an answer came from this address."""
    sent: list[Any] = []
    told: list[Any] = []
    tab = _tab("me")
    supervisor = SimpleNamespace(
        state=SimpleNamespace(tab_of=lambda session: tab, tabs={"t1": tab}),
        connection=SimpleNamespace(sessions={"session": SimpleNamespace(send=sent.append)}),
        feed=told.append,
        now=lambda: 1.0,
    )
    response = {"url": "http://rebound.example/", "remoteIPAddress": address}
    event = SimpleNamespace(session_id="session", params={"response": response})
    UrlPolicyEnforcer(supervisor).check_response(event)  # type: ignore[arg-type]
    return sent, told


@pytest.mark.parametrize("address", ["169.254.169.254", "[fd00:ec2::254]", "100.100.100.200"])
def test_a_page_that_came_from_a_metadata_service_by_another_name_is_taken_away(
    address: str,
) -> None:
    (sent,), (told,) = _answered(address)
    assert (sent.method, sent.params) == ("Page.navigate", {"url": "about:blank"})
    assert "http://rebound.example/" in told.words


@pytest.mark.parametrize("address", ["", "127.0.0.1", "93.184.216.34", "[::1]", "[fd12::1]"])
def test_answers_from_anywhere_else_stay(address: str) -> None:
    assert _answered(address) == ([], [])


def test_a_tab_of_the_user_shows_the_dashboard_only_while_no_program_reads_it() -> None:
    own = OwnPorts()
    own.ports.add(7411)
    supervisor: Any = SimpleNamespace(options=Options(own_ports=own))
    enforcer = UrlPolicyEnforcer(supervisor)
    dashboard = "http://localhost:7411/"
    assert classify(dashboard, enforcer.policy_for(_tab()))
    enforcer.is_used_by_relay = lambda tab: True
    assert not classify(dashboard, enforcer.policy_for(_tab()))
    assert classify("http://localhost:7412/", enforcer.policy_for(_tab()))
