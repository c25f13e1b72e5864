"""No web page reaches the dashboard: not one of another origin in a person's browser, and none that
an agent or a relay client steers, even where the person is signed in."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Error, async_playwright

from pilothouse import launch
from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from pilothouse.daemon.web.access import ROUTES
from pilothouse.relay.server import TokenStore
from tests.daemon.daemon_process import Home
from tests.daemon.web.served_dashboard import Person, dashboard_of
from tests.page_server import Pages

pytestmark = pytest.mark.browser

# Tries everything a page can: read, post, stream, frame, load as a script, open a socket.
_TRY = """async ([base, routes]) => {
  const got = [];
  for (const [method, path] of routes) {
    for (const mode of ["cors", "no-cors"]) {
      for (const type of ["application/json", "text/plain"]) {
        const body = method === "POST" ? "{}" : undefined;
        try {
          const reply = await fetch(base + path, {
            method, mode, body, credentials: "include", headers: { "Content-Type": type },
          });
          if (reply.type !== "opaque") got.push([method, path, mode, reply.status]);
        } catch {}
      }
    }
  }
  const loads = (element, attribute, path) => new Promise((done) => {
    element.onload = () => done(true);
    element.onerror = () => done(false);
    element[attribute] = base + path;
    document.body.append(element);
  });
  const script = document.createElement("script");
  if (await loads(script, "src", "/assets/session.js")) got.push("script");
  if (await loads(document.createElement("img"), "src", "/assets/theme.css")) got.push("image");
  const events = new EventSource(base + "/api/events", { withCredentials: true });
  if (await new Promise((done) => {
    events.onopen = () => done(true);
    events.onerror = () => done(false);
  })) got.push("events");
  events.close();
  const socket = new WebSocket(base.replace("http", "ws") + "/api/events");
  if (await new Promise((done) => {
    socket.onopen = () => done(true);
    socket.onerror = () => done(false);
  })) got.push("socket");
  return got;
}"""


def routes() -> list[list[str]]:
    made = []
    for route in ROUTES:
        path = route.path.replace("{", "").replace("}", "")
        made += [[method, path] for method in route.methods]
    return made


async def test_a_page_of_another_origin_opens_no_stream_and_posts_nothing(
    tmp_path: Path, served: Pages
) -> None:
    served.add("/evil.html", "<title>evil</title><body></body>")
    async with dashboard_of(tmp_path) as (daemon, person), launch() as browser:
        # The person's own browser: signed in, with the session's cookie.
        link = (await daemon.web.open_dashboard({}))["url"]
        home = await browser.new_page(link)
        await home.wait_for(selector=".live.on")
        before = len(daemon.web.links)
        for host in ("localhost", "127.0.0.1"):  # another site; another port of the same site
            page = await browser.new_page(served.url("/evil.html", host=host))
            for base in (f"http://127.0.0.1:{person.port}", f"http://localhost:{person.port}"):
                got = await page.evaluate(_TRY, [base, routes()])
                assert got == [], (host, base)
        assert len(daemon.web.links) == before  # nothing was left, revoked or entered
        assert await home.evaluate("location.pathname") == "/"


@asynccontextmanager
async def opened(home: Home) -> AsyncIterator[tuple[DaemonClient, dict[str, Any]]]:
    line = await asyncio.to_thread(DaemonClient, "agent", paths=home.paths, start=False)
    made = await asyncio.to_thread(line.call, "dashboard", port=0)
    try:
        yield line, made
    finally:
        await asyncio.to_thread(line.call, "dashboard", revoke=True)
        await asyncio.to_thread(line.call, "close", all=True)
        line.close()


def _spellings(made: dict[str, Any]) -> list[str]:
    port, secret = made["port"], made["url"].partition("#")[2]
    hosts = ("127.0.0.1", "localhost", "a.localhost", "127.1", "2130706433", "0.0.0.0", "[::1]")
    return [f"http://{host}:{port}/enter#{secret}" for host in hosts]


async def test_an_agent_cannot_navigate_to_the_dashboard(lived_in: Home, served: Pages) -> None:
    served.add("/page.html", "<title>page</title>")
    async with opened(lived_in) as (line, made):
        await asyncio.to_thread(line.call, "open", url=served.url("/page.html"))
        for url in _spellings(made):
            for method, params in (
                ("open", {"url": url}),
                ("tab.goto", {"url": url}),
                ("page.cdp", {"command": "Page.navigate", "params": {"url": url}}),
                ("page.cdp", {"command": "Target.createTarget", "params": {"url": url}}),
            ):
                with pytest.raises(Refused, match=r"refused|not allowed"):
                    await asyncio.to_thread(line.call, method, **params)
        tabs = await asyncio.to_thread(line.call, "tabs")
        assert [tab["title"] for tab in tabs] == ["page"]
        person = Person(made["port"])
        assert await person.enter(made["url"]) == 200  # no agent used the link up


async def test_a_page_of_an_agent_reaches_nothing_of_the_dashboard_even_if_it_was_open_before(
    lived_in: Home, served: Pages
) -> None:
    served.add("/page.html", "<title>page</title><a href=''>x</a>")
    early = lived_in.line("agent")
    await asyncio.to_thread(early.call, "open", url=served.url("/page.html"))
    async with opened(lived_in) as (line, made):
        base = f"http://127.0.0.1:{made['port']}"
        ask = f"""Promise.all(["/", "/enter", "/assets/enter.js"].flatMap((path) =>
            ["127.0.0.1", "localhost"].map((host) =>
              fetch(`http://${{host}}:{made["port"]}${{path}}`, {{ mode: "no-cors" }}).then(
                () => "reached", () => "no"))))"""
        for name in ("main", "late"):
            await asyncio.to_thread(line.call, "open", name=name, url=served.url("/page.html"))
            result = await asyncio.to_thread(line.call, "tab.evaluate", tab=name, code=ask)
            assert "reached" not in json.dumps(result), name
            for leave in (f"location.href = '{base}/'", f"window.open('{base}/')"):
                with contextlib.suppress(Refused):  # the page may navigate to an error page
                    code = f"{leave}; 0"
                    await asyncio.to_thread(line.call, "tab.evaluate", tab=name, code=code)
                seen = await asyncio.to_thread(line.call, "tab.snapshot", tab=name)
                assert "Opening the dashboard" not in json.dumps(seen)
        tabs = await asyncio.to_thread(line.call, "tabs")
        assert not [tab for tab in tabs if "Pilothouse" in tab["title"]]


async def test_a_relay_client_cannot_reach_the_dashboard(lived_in: Home) -> None:
    async with opened(lived_in) as (line, made):
        told = await asyncio.to_thread(line.call, "relay.url", port=0, browser="managed")
        token = TokenStore(Path(told["token_file"])).url_token("", told["attach"])
        async with async_playwright() as playwright:
            browser = await playwright.chromium.connect_over_cdp(
                told["url"].replace("TOKEN", token, 1)
            )
            page = await browser.contexts[0].new_page()
            for url in _spellings(made):
                with pytest.raises(Error, match=r"dashboard|ERR_BLOCKED"):
                    await page.goto(url)
            reached = await page.evaluate(
                "(url) => fetch(url, { mode: 'no-cors' }).then(() => 1, () => 0)",
                f"http://127.0.0.1:{made['port']}/",
            )
            assert reached == 0
            await browser.close()
        person = Person(made["port"])
        assert await person.enter(made["url"]) == 200
