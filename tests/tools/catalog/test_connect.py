"""An agent joins a running browser, and leaves it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pilothouse.tools.formatting import RELEASED_NOTE
from tests.chromium import running_chromium
from tests.daemon.daemon_process import Home
from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = pytest.mark.browser


def test_an_agent_joins_a_browser_of_this_machine_only_where_that_was_switched_on(
    open_daemon: Home, chromium_path: Path, served: Pages, refusing_port: int
) -> None:
    line = open_daemon.line("an agent that joins")
    off = line.call("tool", name="browser_connect", arguments={})
    assert off["success"] is False
    assert "browser_connect is off: dangerous" in off["error"]
    agent = Agent(line, toolsets=("browser", "connect"))
    error, hint = agent.refused("browser_connect", endpoint="wss://evil.example/devtools/browser/1")
    assert "is not a port or URL of this machine" in error
    assert "pilothouse connect" in hint
    error, _ = agent.refused("browser_connect", endpoint=f"http://127.0.0.1:{refusing_port}")
    assert error == f"http://127.0.0.1:{refusing_port} refuses the connection: nothing listens"
    with running_chromium(chromium_path) as other:
        agent.ok("browser_navigate", url=served.add("/d.html", "<title>d</title>"))
        joined = agent.ok("browser_connect", endpoint=str(other.port))
        assert joined["closed"] == ["main"]
        assert [page["url"] for page in joined["pages"]] == ["about:blank"]
        assert 'browser_tabs(action="adopt"' in joined["note"]
        adopted = agent.ok("browser_tabs", action="adopt", target="about:blank")
        assert adopted["result"].startswith('Using an open page as tab "main"')
        agent.ok("browser_navigate", url=served.url("/d.html"))
        assert "about:blank" not in {page["url"] for page in other.get("/json/list")}
        assert served.url("/d.html") in {page["url"] for page in other.get("/json/list")}
        page = served.url("/d.html")
        released = agent.ok("browser_tabs", action="close")
        assert (released["released"], released["note"]) == ("main", RELEASED_NOTE)
        assert "closed" not in released
        assert page in {page["url"] for page in other.get("/json/list")}
        agent.ok("browser_tabs", action="adopt", target=page, name="theirs")
        agent.ok("browser_tabs", action="new", name="ours")
        left = agent.ok("browser_disconnect")
        assert (left["closed"], left["released"]) == (["ours"], ["theirs"])
        assert left["note"] == RELEASED_NOTE
        assert page in {page["url"] for page in other.get("/json/list")}
        assert agent.ok("browser_disconnect")["note"] == "not connected to a browser"
