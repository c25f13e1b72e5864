"""S2: a page in a real browser cannot reach the relay, read its token or take its slot."""

from __future__ import annotations

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

from tests.chromium import running_chromium
from tests.page_server import Pages
from tests.relay.relay_port_and_clients import EXTENSION_ID, Port, opened

WITHIN_S = 60.0

# Every way in which a page can ask for something; what it gets, by way.
ATTACK = """
async (port, token, open) => {
  const got = {};
  const site = `http://127.0.0.1:${port}`;
  const ask = async (name, work) => {
    try { got[name] = await work(); } catch (error) { got[name] = error.name; }
  };
  const read = async (response) => `${response.type} ${response.status} ${await response.text()}`;
  const socket = (path, protocols, at = port) => new Promise((resolve) => {
    let bytes = 0;
    const it = new WebSocket(`ws://127.0.0.1:${at}${path}`, protocols);
    it.onopen = () => it.send('{"id":1,"method":"Target.getTargets"}');
    it.onmessage = (event) => { bytes += event.data.length; };
    it.onclose = (event) => resolve(`closed ${event.code} ${bytes}`);
  });
  await ask("open door", () => socket("/", undefined, open));
  for (const path of ["/", "/json/version", "/json/list", "/extension/status"]) {
    for (const query of ["", `?token=${token}`]) {
      const url = site + path + query;
      await ask(`fetch ${url}`, async () => read(await fetch(url)));
      await ask(`no-cors ${url}`, async () => read(await fetch(url, { mode: "no-cors" })));
    }
  }
  await ask("bearer", async () => read(await fetch(`${site}/json/version`,
    { headers: { Authorization: `Bearer ${token}` } })));
  await ask("post", async () => read(await fetch(`${site}/?token=${token}`,
    { method: "POST", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body: "x" })));
  await ask("localhost", async () => read(await fetch(`http://localhost:${port}/?token=${token}`)));
  await ask("socket", () => socket("/cdp"));
  await ask("socket token", () => socket(`/cdp?token=${token}`));
  const offered = ["pilothouse.cdp", `pilothouse.token.${token}`];
  await ask("socket protocol", () => socket("/cdp", offered));
  await ask("socket extension", () => socket("/extension"));
  await ask("script", () => new Promise((resolve) => {
    const tag = document.createElement("script");
    tag.onload = () => resolve("loaded");
    tag.onerror = () => resolve("refused");
    tag.src = `${site}/json/version?token=${token}`;
    document.head.append(tag);
  }));
  await ask("frame", () => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.onload = () => {
      try { resolve(frame.contentDocument ? frame.contentDocument.body.innerText : "opaque"); }
      catch (error) { resolve(error.name); }
    };
    frame.src = `${site}/json/version?token=${token}`;
    document.body.append(frame);
  }));
  return JSON.stringify(got);
}
"""


class Tab:
    """One page, by its own debugging socket."""

    def __init__(self, wire: ClientConnection) -> None:
        self._wire = wire
        self._ids = itertools.count(1)

    async def ask(self, method: str, **params: Any) -> Any:
        """The result of one command."""
        number = next(self._ids)
        await self._wire.send(json.dumps({"id": number, "method": method, "params": params}))
        async with asyncio.timeout(WITHIN_S):
            while (heard := json.loads(await self._wire.recv())).get("id") != number:
                pass
        return heard["result"]

    async def open(self, url: str) -> None:
        """Go there, and wait until it has loaded."""
        await self.ask("Page.enable")
        await self.ask("Page.navigate", url=url)
        await self.value(
            "new Promise(done => document.readyState == 'complete' ? done() : onload = done)"
        )

    async def value(self, expression: str) -> Any:
        """What an expression comes to."""
        found = await self.ask(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        return found["result"].get("value")


async def attack(tab: Tab, port: Port) -> dict[str, str]:
    """What a page gets from the relay; and from a server that lets everybody in."""

    async def answers(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send("come in")

    async with serve(answers, "127.0.0.1", 0) as naive:
        (sock,) = naive.sockets
        args = f"{port.port}, {json.dumps(port.token)}, {sock.getsockname()[1]}"
        found: dict[str, str] = json.loads(await tab.value(f"({ATTACK})({args})"))
    return found


@pytest.mark.browser
async def test_a_page_gets_nothing_from_the_relay_in_any_way_even_if_it_knew_the_token(
    chromium_path: Path, pages: Pages, tmp_path: Path
) -> None:
    pages.add("/evil.html", "<!doctype html><title>evil</title><body>")
    async with opened(tmp_path) as port:
        first = await port.join("label=ours")
        with running_chromium(chromium_path) as endpoint:
            (page,) = [one for one in endpoint.get("/json/list") if one["type"] == "page"]
            async with connect(page["webSocketDebuggerUrl"], max_size=None) as wire:
                tab = Tab(wire)
                await tab.open(pages.url("/evil.html"))
                assert await tab.value("location.port") == str(pages.port)
                found = await attack(tab, port)
        assert found.pop("open door") == "closed 1000 7"
        sockets = {name: got for name, got in found.items() if name.startswith("socket")}
        assert set(sockets.values()) == {"closed 1006 0"}
        assert len(sockets) == 4
        for name, got in found.items():
            assert port.token not in got, name
            assert "Chrome/156" not in got, name
            assert "status" not in got, name
        assert {found[name] for name in found if name.startswith("fetch")} == {"TypeError"}
        assert {found[name] for name in ("bearer", "localhost")} == {"TypeError"}
        assert found["script"] == "refused"
        # The one who was there before noticed nothing; nobody else came in.
        first.send(b"still here")
        assert await first.text() == b"still here"
        assert len(port.clients) == 1
        assert port.extensions == []
        assert EXTENSION_ID not in str(found)
