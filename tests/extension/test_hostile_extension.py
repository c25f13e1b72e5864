"""S3: another extension in the same browser, with every right that can be had, gets nothing: not
the relay's lines, not its pages, not the place of our extension, not its secret."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.server import ServerConnection, serve

from pilothouse.relay.extension.installation import install
from tests.extension.chrome_with_extension import ORIGIN, Chrome, chrome_with_extension
from tests.relay.relay_and_daemon_setup import EXTENSION_ID, Relayed, relayed

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

WITHIN_S = 30.0
MANIFEST = {
    "manifest_version": 3,
    "name": "intruder",
    "version": "1",
    "permissions": ["declarativeNetRequest", "declarativeNetRequestWithHostAccess", "debugger"],
    "host_permissions": ["<all_urls>", "ws://*/*"],
    "background": {"service_worker": "worker.js"},
}

# How an intruder asks; what it hears. `forged` are headers that it has the browser put in.
ATTACK = """
async (port, forged, path, says) => {
  const rule = {
    id: 1, action: { type: "modifyHeaders", requestHeaders: forged },
    condition: { resourceTypes: ["websocket", "xmlhttprequest", "other"] },
  };
  const addRules = forged.length ? [rule] : [];
  await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: [1], addRules });
  if (path.startsWith("http")) {
    const response = await fetch(path.replace("PORT", port));
    return `${response.status} ${await response.text()}`;
  }
  return new Promise((resolve) => {
    const heard = [];
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    socket.onopen = () => heard.push("open");
    socket.onmessage = (event) => {
      heard.push(event.data);
      says.forEach((words) => socket.send(words));
    };
    socket.onclose = (event) => resolve(JSON.stringify([event.code, heard]));
  });
}
"""


def rewritten(**headers: str | None) -> list[dict[str, str]]:
    """Headers to set, or to take away, as a rule says it."""
    return [
        {"header": name.replace("_", "-"), "operation": "remove"}
        if value is None
        else {"header": name.replace("_", "-"), "operation": "set", "value": value}
        for name, value in headers.items()
    ]


@dataclass(frozen=True)
class Scene:
    """The relay, and the intruder's two places: its worker and a page of its own."""

    daemon: Relayed
    chrome: Chrome
    worker: str
    page: str

    async def attack(
        self,
        place: str,
        path: str,
        forged: list[dict[str, str]] | None = None,
        *says: str,
        port: int = 0,
    ) -> str:
        """What the intruder hears."""
        told = (port or self.daemon.port, forged or [], path, list(says))
        args = ", ".join(map(json.dumps, told))
        return str(await self.chrome.evaluate(place, f"({ATTACK})({args})"))

    def nothing_happened(self) -> None:
        """Nobody came in, and our extension noticed nothing."""
        status = self.daemon.relay.status()
        assert status["clients"] == []
        (ours,) = status["extensions"]
        assert (ours["connected"], ours["state"]) == (True, "connected")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene(chromium_path: Path) -> AsyncIterator[Scene]:
    with tempfile.TemporaryDirectory(prefix="ph-intruder-") as root:
        intruder = Path(root) / "intruder"
        intruder.mkdir()
        (intruder / "manifest.json").write_text(json.dumps(MANIFEST))
        (intruder / "worker.js").write_text("// started, and spoken to by the test")
        (intruder / "page.html").write_text("<!doctype html><title>intruder</title>")
        async with relayed(comes_within_s=WITHIN_S) as daemon:
            ours = install(Path(root) / "ours", daemon.port, daemon.pairings, share="all")
            loads = f"--load-extension={ours.folder},{intruder}"
            async with chrome_with_extension(chromium_path, None, loads) as chrome:
                await daemon.relay.extensions.resolve_name()
                yield Scene(daemon, chrome, *await _moved_in(chrome))


async def _moved_in(chrome: Chrome) -> tuple[str, str]:
    """Sessions of the intruder's worker and of a page of its own."""
    await chrome.call("Target.setDiscoverTargets", discover=True)
    found: list[dict[str, Any]] = []

    def is_worker(event: dict[str, Any]) -> bool:
        info = event["params"]["targetInfo"]
        theirs = info["type"] == "service_worker" and not info["url"].startswith(ORIGIN)
        if theirs and not found:
            found.append(info)
        return bool(found)

    await chrome.event("Target.targetCreated", is_worker)
    worker = await chrome.attach(found[0]["targetId"])
    page = await chrome.attach(await chrome.open("about:blank"))
    await chrome.call("Page.enable", page)
    await chrome.call("Page.navigate", page, url=found[0]["url"].replace("worker.js", "page.html"))
    await chrome.event("Page.loadEventFired", lambda e: e.get("sessionId") == page)
    return worker, page


async def test_an_origin_can_really_be_forged_and_another_server_would_believe_it(
    scene: Scene,
) -> None:
    async def tells(connection: ServerConnection) -> None:
        assert connection.request is not None
        await connection.send(connection.request.headers.get("Origin", "none"))

    async with serve(tells, "127.0.0.1", 0) as naive:
        port = next(iter(naive.sockets)).getsockname()[1]
        heard = await scene.attack(scene.page, "/", rewritten(Origin=ORIGIN), port=port)
    assert json.loads(heard) == [1000, ["open", ORIGIN]]


@pytest.mark.parametrize("place", ["worker", "page"])
@pytest.mark.parametrize("path", ["/extension", "/cdp", "/cdp?token=" + "a" * 43])
async def test_its_own_name_opens_no_line(scene: Scene, place: str, path: str) -> None:
    heard = await scene.attack(getattr(scene, place), path)
    assert json.loads(heard) == [1006, []]
    scene.nothing_happened()


@pytest.mark.parametrize("place", ["worker", "page"])
async def test_it_can_ask_for_pages_as_any_program_but_not_without_the_token(
    scene: Scene, place: str
) -> None:
    disguises = [
        rewritten(),
        rewritten(Origin=None, Sec_Fetch_Site="none"),
        rewritten(Origin=None, Sec_Fetch_Site=None, Referer=f"{ORIGIN}/"),
        rewritten(Authorization="Bearer " + "a" * 43),
    ]
    for path in ("/json/version", "/json/list", "/extension/status", "/client-slot"):
        for forged in disguises:
            heard = await scene.attack(
                getattr(scene, place), f"http://127.0.0.1:PORT{path}", forged
            )
            assert heard.startswith(("401 ", "403 ")), heard
            assert scene.daemon.token not in heard
    scene.nothing_happened()


async def test_the_name_of_our_extension_opens_no_client_line(scene: Scene) -> None:
    for forged in (rewritten(Origin=ORIGIN), rewritten(Origin=None), rewritten(Host="localhost")):
        assert json.loads(await scene.attack(scene.page, "/cdp", forged)) == [1006, []]
    scene.nothing_happened()


async def test_under_the_name_of_our_extension_it_is_asked_for_a_proof_that_it_has_not(
    scene: Scene,
) -> None:
    (ours,) = scene.daemon.relay.status()["extensions"]
    at = {"wire": 2, "port": scene.daemon.port}
    wrong = {**at, "install": ours["install"], "nonce": "n" * 43, "proof": "0" * 64}
    tries = [
        {"method": "hello", "params": wrong},
        {"method": "hello", "params": {**wrong, "proof": None, "codeProof": "0" * 64}},
        {"method": "welcome", "params": {"proof": "0" * 64}},
        {"id": 1, "method": "listTabs", "params": {}},
    ]
    for tried in tries:
        told = json.dumps(tried)
        heard = await scene.attack(scene.page, "/extension", rewritten(Origin=ORIGIN), told, told)
        code, (opened, challenge, *more) = json.loads(heard)
        assert (code, opened, more) == (4003, "open", [])
        assert json.loads(challenge)["method"] == "challenge"
        assert scene.daemon.token not in challenge
        scene.nothing_happened()


async def test_our_extension_neither_hears_it_nor_gives_it_anything(scene: Scene) -> None:
    tried = """
    async (id) => {
      const got = {};
      const ask = async (name, work) => {
        try { got[name] = `got ${await work()}`; } catch (error) { got[name] = error.message; }
      };
      const pages = ["popup/popup.html", "background/worker.js"];
      for (const file of ["pairing.json", "manifest.json", ...pages]) {
        const url = `chrome-extension://${id}/${file}`;
        await ask(file, async () => (await fetch(url)).text());
      }
      await ask("message", () => chrome.runtime.sendMessage(id, { action: "allow" }));
      await ask("port", () => new Promise((resolve, reject) => {
        const port = chrome.runtime.connect(id);
        port.onMessage.addListener(resolve);
        port.onDisconnect.addListener(() => reject(chrome.runtime.lastError));
        port.postMessage({ action: "allow" });
      }));
      for (const { id: target, url, type } of await chrome.debugger.getTargets()) {
        if (!url.includes(id)) continue;
        await ask(`debugger ${type}`, () => chrome.debugger.attach({ targetId: target }, "1.3"));
      }
      return JSON.stringify(got);
    }
    """
    async with asyncio.timeout(WITHIN_S):
        heard = await scene.chrome.evaluate(scene.worker, f"({tried})({EXTENSION_ID!r})")
    got: dict[str, str] = json.loads(heard)
    names = ("pairing.json", "manifest.json", "popup/popup.html", "background/worker.js")
    files = {got.pop(name) for name in names}
    assert files == {"Failed to fetch"}
    assert "Receiving end does not exist" in got.pop("message")
    assert "Receiving end does not exist" in got.pop("port")
    assert "debugger worker" in got
    assert all("different extension" in words for words in got.values()), got
    scene.nothing_happened()
