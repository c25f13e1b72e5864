"""Searching the web and reading pages of it."""

from __future__ import annotations

import pytest

from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

ARTICLE = """<title>Essay</title><nav><a href=/x>menu</a></nav>
<article><h1>On Boats</h1><p>{}</p></article>""".format("Boats float on water. " * 40)

RESULTS = """<title>Mock search</title>
<a href=/settings>Settings of this mock</a>
<div><h3><a href="https://boats.test/">All about boats</a></h3><p>Everything that floats.</p></div>
<div><h3><a href="/click?url=https%3A%2F%2Fships.test%2Fa">Ships at sea</a></h3>
<p>Larger than boats.</p></div>"""


def test_pages_are_read_beside_the_tabs_there_are(agent: Agent, served: Pages) -> None:
    essay = served.add("/essay.html", ARTICLE)
    other = served.add("/asking.html", "<title>Asking</title><p>text</p><script>alert(1)</script>")
    agent.ok("browser_navigate", url=served.add("/mine.html", "<title>Mine</title>"))
    told = agent.ok("web_extract", urls=[essay, other, "http://127.0.0.1:1/"])
    first, second, third = told["results"]
    assert (first["url"], first["title"]) == (essay, "Essay")
    assert "# On Boats" in first["content"]
    assert "menu" not in first["content"]
    assert "text" in second["content"]  # its dialog answered itself
    assert "did not load" in third["error"]
    assert [tab["name"] for tab in agent.ok("browser_tabs")["tabs"]] == ["main"]


def test_reading_says_what_is_wrong(agent: Agent, served: Pages) -> None:
    assert agent.ok("web_extract", urls=served.url("/essay.html"), limit=50)["results"][0]["cut"]
    failed = agent.use("web_extract", urls=["http://127.0.0.1:1/"])
    assert failed["success"] is False
    assert "did not load" in failed["error"]
    assert "urls: 0 URLs are given" in agent.refused("web_extract", urls=[])[0]
    assert "file:" in agent.refused("web_extract", urls="file:///etc/passwd")[0]
    assert "unknown value 'html'" in agent.refused("web_extract", urls="a.test", format="html")[0]
    assert agent.ok("browser_tabs")["tabs"] == []


def test_search_page_is_read_in_the_browser(agent: Agent, served: Pages) -> None:
    served.add("/search.html", RESULTS)
    told = agent.ok("web_search", query="boats & ships", limit=2)
    assert (told["backend"], told["count"]) == ("page", 2)
    assert told["results"][0] == {
        "title": "All about boats",
        "url": "https://boats.test/",
        "description": "Everything that floats.",
    }
    assert told["results"][1]["url"] == "https://ships.test/a"
    assert served.visits[-1].path  # the favicon may come last
    assert any(v.path == "/search.html?q=boats%20%26%20ships" for v in served.visits)
    assert len(agent.ok("web_search", query="boats", limit=1)["results"]) == 1
    assert agent.ok("browser_tabs")["tabs"] == []
    assert "query: empty" in agent.refused("web_search", query=" ")[0]
    assert "limit: 0 is out of range" in agent.refused("web_search", query="a", limit=0)[0]
