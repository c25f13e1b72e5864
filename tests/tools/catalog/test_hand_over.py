"""An agent asks a person to do something in its tab, over the tools; the person answers over RPC,
as `pilothouse handover` does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient
from pilothouse.errors import PilothouseError
from tests.daemon.daemon_process import Home
from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

TOOLSETS = ("browser", "browser-data", "people", "code")
# What a person does in the page, when the test says so.
PAGE = """<title>Sign in</title><h1>Sign in</h1><p id=who role=status>nobody</p><script>
const watch = setInterval(async () => {
  const said = await (await fetch('/act')).text();
  if (said.includes('sign in')) {
    clearInterval(watch);
    document.cookie = 'session=secret-value';
    who.textContent = 'Signed in as Ada';
    await fetch('/signed-in');
  } else if (said.includes('go on')) {
    clearInterval(watch);
    location = '/inside.html';
  }
}, 50);
</script>"""
INSIDE = "<title>Inside</title><h1>Welcome</h1><button>Buy</button>"


@pytest.fixture
def asking(open_daemon: Home, served: Pages, request: pytest.FixtureRequest) -> Iterator[Agent]:
    """An agent before a page that wants a person."""
    served.add("/act", "wait")
    served.add("/inside.html", INSIDE)
    line = open_daemon.line(request.node.name[:90])
    agent = Agent(line, TOOLSETS)
    agent.ok("browser_navigate", url=served.add("/signin.html", PAGE))
    yield agent
    line.call("close", all=True)


@pytest.fixture
def person(open_daemon: Home) -> DaemonClient:
    """The user at the command line, who is no agent's owner."""
    return open_daemon.line("cli")


@pytest.fixture
def meanwhile() -> Iterator[ThreadPoolExecutor]:
    """Where an agent's call waits for the person."""
    with ThreadPoolExecutor(1) as pool:
        yield pool


def _asked(person: DaemonClient, reason: str) -> dict[str, Any]:
    """The open request with this reason, as soon as the person sees it."""
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        for one in person.call("handover")["requests"]:
            if one["reason"] == reason:
                return dict(one)
    raise AssertionError(f"nobody asks: {reason}")


def _ask(
    agent: Agent, person: DaemonClient, pool: ThreadPoolExecutor, reason: str, **more: Any
) -> tuple[Future[dict[str, Any]], dict[str, Any]]:
    call = pool.submit(agent.use, "browser_request_human", reason=reason, **more)
    return call, _asked(person, reason)


def test_agent_learns_what_the_person_did_and_changed(
    asking: Agent, person: DaemonClient, served: Pages, meanwhile: ThreadPoolExecutor
) -> None:
    call, request = _ask(asking, person, meanwhile, "Please sign in")
    assert request["answers"] == ["done", "answer", "refuse"]
    assert request["url"].endswith("/signin.html")
    served.add("/act", "sign in")
    asyncio.run(served.visited("/signed-in"))
    person.call("handover", id=request["id"], action="done")
    answer = call.result(30)
    assert answer["success"], answer
    assert answer["outcome"] == "done"
    assert "+ status: Signed in as Ada" in " ".join(answer["changed"]["lines"])
    assert [c for c in answer["changed"]["cookies"] if c.startswith("+ session (")]
    assert "secret-value" not in str(answer)
    assert person.call("handover")["requests"] == []


def test_agent_gets_the_page_to_which_the_person_went(
    asking: Agent, person: DaemonClient, served: Pages, meanwhile: ThreadPoolExecutor
) -> None:
    call, request = _ask(asking, person, meanwhile, "Please go to the shop")
    served.add("/act", "go on")
    asyncio.run(served.visited("/inside.html"))
    person.call("handover", id=request["id"], action="done")
    answer = call.result(30)
    assert answer["changed"]["url"]["now"].endswith("/inside.html")
    assert 'button "Buy"' in answer["snapshot"]


def test_person_answers_in_words_or_refuses_with_a_reason(
    asking: Agent, person: DaemonClient, meanwhile: ThreadPoolExecutor
) -> None:
    call, request = _ask(asking, person, meanwhile, "Which class?", choices=["Economy", "Business"])
    assert request["choices"] == ["Economy", "Business"]
    person.call("handover", id=request["id"], action="answer", text="Business")
    answered = call.result(30)
    assert (answered["outcome"], answered["answer"]) == ("answered", "Business")
    call, request = _ask(asking, person, meanwhile, "Pay now?")
    person.call("handover", id=request["id"], action="refuse", text="too expensive")
    refused = call.result(30)
    assert (refused["outcome"], refused["answer"]) == ("refused", "too expensive")


def test_nothing_of_the_page_reaches_the_agent_while_the_person_has_it(
    asking: Agent, person: DaemonClient, meanwhile: ThreadPoolExecutor
) -> None:
    call, request = _ask(asking, person, meanwhile, "Type your password")
    other = Agent(asking.line, TOOLSETS)
    for name, arguments in (
        ("browser_snapshot", {}),
        ("browser_screenshot", {}),
        ("browser_click", {"ref": "text=Sign in"}),
        ("browser_evaluate", {"expression": "document.cookie"}),
        ("browser_cdp", {"method": "Network.getCookies"}),
        ("browser_console", {}),
        ("browser_cookies", {}),
        ("browser_navigate", {"url": "about:blank"}),
    ):
        refused = other.use(name, **arguments)
        assert refused["success"] is False, (name, refused)
        assert refused.get("blocked_by", [{}])[0].get("kind") == "human", (name, refused)
        assert "a person has the tab" in refused["error"], (name, refused)
    with pytest.raises(PilothouseError, match="a person has the tab"):
        asking.line.call("page.expect", event="Network.responseReceived")
    ran = other.use("browser", action="run", code="tab.title()")
    assert ran["success"] is False
    assert "a person has the tab" in ran["error"]
    person.call("handover", id=request["id"], action="done")
    assert call.result(30)["success"]
    assert other.ok("browser_snapshot")["snapshot"]


def test_no_agent_answers_for_the_person(
    asking: Agent, person: DaemonClient, meanwhile: ThreadPoolExecutor
) -> None:
    call, request = _ask(asking, person, meanwhile, "Allow the payment")
    waiting = asking.ok("browser_interrupt")["interrupts"]
    assert [one["kind"] for one in waiting] == ["human"]
    for detail in ({}, {"by": "human"}):
        with pytest.raises(PilothouseError, match="a person has the tab"):
            asking.line.call(
                "tab.answer", interrupt_id=waiting[0]["id"], action="done", detail=detail
            )
    answered = asking.use("browser_interrupt", id=waiting[0]["id"], action="done")
    assert answered["success"] is False
    assert [one["id"] for one in person.call("handover")["requests"]] == [request["id"]]
    person.call("handover", id=request["id"], action="refuse", text="no")
    assert call.result(30)["outcome"] == "refused"


def test_request_that_nobody_answers_expires_and_is_no_consent(asking: Agent) -> None:
    asking.ok("browser_evaluate", expression="void (document.title = 'Changed before')")
    answer = asking.ok("browser_request_human", reason="Anybody?", timeout=1)
    assert answer["outcome"] == "expired"
    assert answer["changed"].keys() == {"seconds"}


def test_closing_the_tab_ends_the_request(
    asking: Agent, person: DaemonClient, meanwhile: ThreadPoolExecutor
) -> None:
    call, _ = _ask(asking, person, meanwhile, "Stay here")
    asking.line.call("close", all=True)
    answer = call.result(30)
    assert answer["success"] is False
    assert person.call("handover")["requests"] == []


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"reason": " "}, "reason: empty"),
        ({"reason": "x" * 501}, "reason: 501 characters"),
        ({"reason": "x", "timeout": 0}, "out of range"),
        ({"reason": "x", "choices": [""]}, "choices: expected"),
    ],
)
def test_request_that_cannot_be_shown_is_refused(
    asking: Agent, given: dict[str, Any], says: str
) -> None:
    assert says in asking.refused("browser_request_human", **given)[0]


def test_wrong_answer_of_a_person_says_what_fits(person: DaemonClient) -> None:
    with pytest.raises(PilothouseError, match="there is no open request 'h-0'"):
        person.call("handover", id="h-0", action="done")
