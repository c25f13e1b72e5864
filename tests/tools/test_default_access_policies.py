"""What agents meet of the user's policies, without a word in config.yaml."""

from __future__ import annotations

from typing import Any

import pytest

from tests.page_server import Pages
from tests.tools.tool_caller import Agent

PASSWD = "file:///etc/passwd"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("browser_navigate", {"url": PASSWD}),
        ("browser_navigate", {"url": f"view-source:{PASSWD}"}),
        ("browser_navigate", {"url": "http://169.254.169.254/latest/meta-data/"}),
        ("browser_navigate", {"url": "http://2852039166/"}),
        ("browser_tabs", {"action": "new", "url": PASSWD}),
        ("browser", {"action": "open", "name": "x", "url": PASSWD}),
        ("browser", {"action": "open", "app": {"cdp_url": "http://169.254.169.254"}}),
        ("browser_cdp", {"method": "Page.navigate", "params": {"url": PASSWD}}),
        ("browser_cdp", {"method": "Fetch.disable"}),
        ("browser_cdp", {"method": "DOM.setFileInputFiles", "params": {"files": ["/etc/passwd"]}}),
        (
            "browser_cdp",
            {"method": "Page.setDownloadBehavior", "params": {"behavior": "allow"}},
        ),
    ],
)
def test_no_tool_goes_where_nobody_may(
    agent: Agent, served: Pages, name: str, given: dict[str, Any]
) -> None:
    served.add("/plain.html", "<title>plain</title>")
    agent.ok("browser_navigate", url=served.url("/plain.html"))
    answer = agent.use(name, **given)
    assert answer["success"] is False, answer
    assert "root:x:0" not in str(answer) + str(agent.ok("browser_snapshot"))


@pytest.mark.browser
def test_what_was_kept_from_a_page_is_told_with_the_next_answer(
    agent: Agent, served: Pages
) -> None:
    served.add("/curious.html", "<title>curious</title><img src=http://169.254.169.254/keys>")
    told = agent.ok("browser_navigate", url=served.url("/curious.html"))
    noted = [*told.get("notices", ()), *agent.ok("browser_snapshot").get("notices", ())]
    assert any("blocked by policy: image http://169.254.169.254/keys" in line for line in noted)
