"""Requests and routes, as an agent uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def _fetched(agent: Agent, path: str) -> str:
    code = f"fetch('{path}').then((a) => a.text(), (e) => 'failed')"
    return str(agent.ok("browser_console", expression=code)["result"])


def test_requests_are_listed_chosen_and_shown(agent: Agent, served: Pages) -> None:
    served.add("/data.json", '{"a": 1}')
    served.add("/long.txt", "x" * 20_000)
    served.add("/pixel.bin", bytes(range(256)))
    agent.ok("browser_navigate", url=served.add("/net.html", "<title>N</title>"))
    _fetched(agent, "/data.json?" + "q" * 500)
    _fetched(agent, "/long.txt")
    found = agent.ok("browser_network", url="data.json")
    (one,) = found["requests"]
    assert (one["status"], one["type"], found["total"]) == (200, "Fetch", 1)
    assert len(one["url"]) < 400
    whole = agent.ok("browser_network", id=one["id"], body=True)["request"]
    assert whole["body"] == '{"a": 1}'
    assert agent.ok("browser_network", failed=True, url="data.json")["requests"] == []
    (long,) = agent.ok("browser_network", url="long.txt")["requests"]
    body = agent.ok("browser_network", id=long["id"], body=True)["request"]["body"]
    assert len(body) < 10_300
    assert Path(body.rpartition(" is in ")[2]).read_text() == "x" * 20_000
    _fetched(agent, "/pixel.bin")
    (odd,) = agent.ok("browser_network", url="pixel.bin")["requests"]
    kept = agent.ok("browser_network", id=odd["id"], body=True)["request"]["body"]
    assert Path(kept["path"]).read_bytes() == bytes(range(256))
    error, hint = agent.refused("browser_network", body=True)
    assert (error, hint) == ("body: needs id", "give the id of a request in the list")
    assert "limit: 0 is out of range" in agent.refused("browser_network", limit=0)[0]
    assert "r99999" in agent.refused("browser_network", id="r99999")[0]


def test_requests_are_blocked_mocked_and_left_alone_again(agent: Agent, served: Pages) -> None:
    served.add("/api.txt", "real")
    agent.ok("browser_navigate", url=served.add("/routed.html", "<title>R</title>"))
    assert agent.ok("browser_route")["routes"] == []
    mock = agent.ok("browser_route", action="mock", pattern="**/api.txt", body="mock")
    assert len(mock["routes"]) == 1
    assert _fetched(agent, "/api.txt") == "mock"
    agent.ok("browser_route", action="remove", id=mock["id"])
    assert _fetched(agent, "/api.txt") == "real"
    agent.ok("browser_route", action="block", pattern="**/api.txt", times=1)
    assert _fetched(agent, "/api.txt") == "failed"
    assert _fetched(agent, "/api.txt") == "real"
    agent.ok("browser_route", action="continue", pattern="**/old.txt", url=served.url("/api.txt"))
    assert _fetched(agent, "/old.txt") == "real"
    assert agent.ok("browser_route", action="remove")["routes"] == []


@pytest.mark.parametrize(
    ("given", "error", "hint"),
    [
        ({"action": "block"}, "pattern: missing", "**/api/*"),
        ({"action": "block", "pattern": "a", "body": "x"}, "body: not allowed with block", "mock"),
        ({"action": "mok", "pattern": "a"}, "unknown value 'mok'", "did you mean mock?"),
        ({"action": "remove", "id": "nope"}, "nope", ""),
    ],
)
def test_bad_route_says_what_is_wrong(
    agent: Agent, given: dict[str, object], error: str, hint: str
) -> None:
    agent.ok("browser_tabs", action="new")
    said, advice = agent.refused("browser_route", **given)
    assert error in said
    assert hint in advice
