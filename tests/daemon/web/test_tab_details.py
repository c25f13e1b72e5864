"""The dashboard with a real browser: its state, events, pictures, and a person's answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient
from tests.daemon.daemon_process import Home
from tests.daemon.web.served_dashboard import Person
from tests.page_server import Pages

pytestmark = pytest.mark.browser

WITHIN_S = 30.0
SHOP = "<title>Shop</title><button onclick=\"name = confirm('Order?')\">Order</button>"


class Scene:
    """An agent with a tab, and a person at the dashboard."""

    def __init__(self, line: DaemonClient, person: Person) -> None:
        self.line = line
        self.person = person

    async def call(self, method: str, **params: Any) -> Any:
        return await asyncio.to_thread(lambda: self.line.call(method, **params))

    async def get(self, path: str) -> Any:
        status, _, body = await self.person.ask("GET", path)
        assert status == 200, body
        return json.loads(body)

    async def tab(self, title: str) -> Any:
        state = await self.get("/api/state")
        return next(tab for tab in state["tabs"] if tab["title"] == title)

    async def waiting(self, wanted: Callable[[Any], bool]) -> Any:
        async with asyncio.timeout(WITHIN_S):
            while True:
                found = [one for one in (await self.get("/api/state"))["interrupts"] if wanted(one)]
                if found:
                    return found[0]


@asynccontextmanager
async def scene(home: Home, url: str) -> AsyncIterator[Scene]:
    line = await asyncio.to_thread(DaemonClient, "watched", paths=home.paths, start=False)
    made = await asyncio.to_thread(lambda: line.call("dashboard", port=0))
    person = Person(made["port"])
    assert await person.enter(made["url"]) == 200
    try:
        await asyncio.to_thread(lambda: line.call("open", url=url))
        yield Scene(line, person)
    finally:
        await asyncio.to_thread(lambda: line.call("close", all=True))
        await asyncio.to_thread(lambda: line.call("dashboard", revoke=True))
        line.close()


async def test_a_person_answers_a_dialog_and_the_record_says_so(
    lived_in: Home, served: Pages
) -> None:
    served.add("/shop.html", SHOP)
    async with scene(lived_in, served.url("/shop.html")) as made:
        blocked = await made.call("tab.click", target="button=Order")
        assert blocked["blocked_by"]
        waiting = await made.waiting(lambda one: one["kind"] == "dialog")
        assert (waiting["type"], waiting["message"]) == ("confirm", "Order?")
        tab = await made.tab("Shop")
        status, _, _ = await made.person.ask("GET", f"/api/tabs/{tab['id']}/thumbnail")
        assert status == 204  # no picture while a dialog blocks the page
        path = f"/api/interrupts/{waiting['id']}"
        status, _, body = await made.person.ask("POST", path, {"action": "accept"})
        assert (status, json.loads(body)["closed_by"]) == (200, "human")
        told = await made.call("tab.dialogs")
        assert told["recent_dialogs"][-1]["closed_by"] == "human"
        status, _, body = await made.person.ask("POST", path, {"action": "accept"})
        assert status == 409
        lines = await made.call("journal")
        assert [one for one in lines["entries"] if one["event"] == "human"]


@pytest.mark.parametrize(
    "body", [{}, {"action": 1}, {"action": "explode"}, {"action": "accept", "text": 5}, []]
)
async def test_what_is_no_answer_is_refused_and_the_dialog_stays(
    lived_in: Home, served: Pages, body: Any
) -> None:
    served.add("/shop.html", SHOP)
    async with scene(lived_in, served.url("/shop.html")) as made:
        await made.call("tab.click", target="button=Order")
        waiting = await made.waiting(lambda one: one["kind"] == "dialog")
        path = f"/api/interrupts/{waiting['id']}"
        assert (await made.person.ask("POST", path, body))[0] in (400, 409)
        assert (await made.get("/api/state"))["interrupts"] == [waiting]


async def test_a_tab_is_read_in_all_views(lived_in: Home, served: Pages) -> None:
    served.add("/inner.html", "<p>inner</p>")
    inner = served.url("/inner.html", host="localhost")
    script = "<script>console.warn('slow')</script>"
    words = f"<title>Views</title><iframe src='{inner}'></iframe>{script}"
    served.add("/views.html", words)
    async with scene(lived_in, served.url("/views.html")) as made:
        tab = await made.tab("Views")
        base = f"/api/tabs/{tab['id']}"
        frames = await made.get(f"{base}/frames")
        assert [frame["url"] for frame in frames["children"]] == [inner]
        lines = await made.get(f"{base}/console")
        assert [(line["level"], line["text"]) for line in lines["entries"]] == [("warning", "slow")]
        requests = await made.get(f"{base}/network")
        assert {one["url"] for one in requests["requests"]} >= {inner, tab["url"]}
        har = await made.get(f"{base}/har")
        assert har["log"]["version"] == "1.2"
        status, headers, picture = await made.person.ask("GET", f"{base}/thumbnail")
        assert (status, headers["content-type"]) == (200, "image/jpeg")
        assert picture.startswith(b"\xff\xd8")
        # A second look soon after is answered with the same picture.
        assert (await made.person.ask("GET", f"{base}/thumbnail"))[2] == picture
        health = await made.get("/api/health")
        assert health["browsers"][0]["ms"] > 0
        clients = (await made.get("/api/state"))["clients"]
        assert "watched" in [one["owner"] for one in clients]


async def test_a_tab_that_is_gone_is_told_as_gone(lived_in: Home, served: Pages) -> None:
    served.add("/gone.html", "<title>Gone</title>")
    async with scene(lived_in, served.url("/gone.html")) as made:
        tab = await made.tab("Gone")
        await made.call("close", name="main")
        assert tab["id"] not in [one["id"] for one in (await made.get("/api/state"))["tabs"]]
        for view in ("frames", "console", "network", "har", "thumbnail"):
            status, _, body = await made.person.ask("GET", f"/api/tabs/{tab['id']}/{view}")
            assert status == 409
            assert "gone" in json.loads(body)["error"]
