"""Files, cookies, storage and emulation, as an agent uses them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture
def page(agent: Agent, served: Pages) -> Agent:
    """An agent at a page with some text."""
    html = "<title>Kept</title><h1>Head</h1><p>Some <b>words</b>.</p>"
    agent.ok("browser_navigate", url=served.add("/kept.html", html))
    return agent


def test_downloads_are_listed_awaited_and_saved(agent: Agent, served: Pages, folder: Path) -> None:
    served.add_download("/file.bin", b"1234", "data.txt")
    url = served.add("/dl.html", "<a href=/file.bin>get</a>")
    agent.ok("browser_navigate", url=url)
    assert agent.ok("browser_downloads")["downloads"] == []
    assert "no download ended" in agent.refused("browser_downloads", wait=True, timeout=0.2)[0]
    agent.ok("browser_click", ref="text=get")
    (file,) = agent.ok("browser_downloads", wait=True)["downloads"]
    assert file["filename"] == "data.txt"
    saved = agent.ok("browser_downloads", id=file["id"], to="mine.txt")["saved"]
    assert saved["path"] == str(folder / "mine.txt")
    assert (folder / "mine.txt").read_bytes() == b"1234"
    assert "id: missing" in agent.refused("browser_downloads", to="x.txt")[0]
    assert "nope" in agent.refused("browser_downloads", id="nope")[0]


def test_pdf_is_a_file_where_asked_or_of_the_daemon(page: Agent, folder: Path) -> None:
    own = page.ok("browser_pdf", landscape=True)
    data = Path(own["path"]).read_bytes()
    assert data.startswith(b"%PDF")
    assert len(data) == own["bytes"]
    named = page.ok("browser_pdf", save="page.pdf", pages="1", paper="letter")
    assert named["path"] == str(folder / "page.pdf")
    assert "paper: unknown value 'a9'" in page.refused("browser_pdf", paper="a9")[0]
    assert "is refused" in page.refused("browser_pdf", save="../x.pdf")[0]


def test_page_is_read_as_markdown_or_text(page: Agent) -> None:
    read = page.ok("browser_extract")
    assert (read["title"], read["content"]) == ("Kept", "# Head\n\nSome **words**.")
    assert page.ok("browser_extract", format="text", selector="p")["content"] == "Some words."
    assert page.ok("browser_extract", limit=8)["cut"] > 0
    error, hint = page.refused("browser_extract", format="markdwn")
    assert "unknown value 'markdwn'" in error
    assert "did you mean markdown?" in hint
    assert (
        "article and selector are both given"
        in page.refused("browser_extract", article=True, selector="p")[0]
    )


def test_cookies_are_set_read_and_deleted(page: Agent, served: Pages) -> None:
    url = served.url("/kept.html")
    cookies = [{"name": name, "value": "1", "url": url} for name in ("a", "b", "c")]
    assert page.ok("browser_cookies", action="set", cookies=cookies)["set"] == 3
    found = page.ok("browser_cookies", urls=[url])
    assert (found["count"], {one["name"] for one in found["cookies"]}) == (3, {"a", "b", "c"})
    assert page.ok("browser_cookies", action="delete", name="a")["deleted"] == 1
    assert page.ok("browser_cookies", action="clear")["deleted"] == 2
    assert page.ok("browser_cookies")["cookies"] == []
    assert "cookies: missing" in page.refused("browser_cookies", action="set")[0]
    error, hint = page.refused("browser_cookies", action="delete")
    assert "expected name, domain or path" in error
    assert "clear to delete all" in hint


def test_storage_is_set_read_removed_and_kept(page: Agent) -> None:
    page.ok("browser_storage", action="set", key="k", value="v")
    page.ok("browser_storage", action="set", kind="session", key="s", value="w")
    assert page.ok("browser_storage")["items"] == {"k": "v"}
    assert page.ok("browser_storage", key="k")["value"] == "v"
    assert page.ok("browser_storage", kind="session")["items"] == {"s": "w"}
    state = page.ok("browser_storage", action="save_state")["state"]
    page.ok("browser_storage", action="remove", key="k")
    assert page.ok("browser_storage")["items"] == {}
    page.ok("browser_storage", action="load_state", state=state)
    assert page.ok("browser_storage", key="k")["value"] == "v"
    assert "key: missing" in page.refused("browser_storage", action="remove")[0]
    assert "expected path or state" in page.refused("browser_storage", action="load_state")[0]
    assert "unknown value 'locl'" in page.refused("browser_storage", kind="locl")[0]


def test_page_is_told_of_another_world_until_reset(page: Agent) -> None:
    told = page.ok(
        "browser_emulate", width=400, height=300, timezone="Asia/Tokyo", color_scheme="dark"
    )
    assert {"viewport", "timezone"} <= told["emulated"].keys()
    code = (
        "[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, "
        "Intl.DateTimeFormat().resolvedOptions().timeZone]"
    )
    seen = page.ok("browser_console", expression=code)["result"]
    assert seen == [400, True, "Asia/Tokyo"]
    assert page.ok("browser_emulate", reset=True)["emulated"] == {}
    assert "height: missing" in page.refused("browser_emulate", width=400)[0]
    assert "Mars" in page.refused("browser_emulate", timezone="Mars/Base")[0]
