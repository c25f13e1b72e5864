"""A real Chromium with the real extension in it, and a second way in that sees what it does.

Knows: how to start it, headless or on a screen of its own, and how to reach its service worker and
its pages over the debugging port. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from pilothouse.relay.extension.installation import EXTENSION_ID, Installed, install
from pilothouse.relay.server.pairing_store import PairingStore
from tests.chromium import ARGS, endpoint

__all__ = ["ORIGIN", "Chrome", "chrome_with_extension", "on_a_screen", "paired_copy"]

ORIGIN = f"chrome-extension://{EXTENSION_ID}"
READY_WITHIN_S = 40.0
HEADLESS = "--headless=new"
PORT_FILE = "DevToolsActivePort"


class Chrome:
    """The browser, seen from its debugging port."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._events: list[dict[str, Any]] = []
        self._news = asyncio.Condition()

    async def read(self) -> None:
        """Take what the browser says, until it is gone."""
        async for text in self._socket:
            message = json.loads(text)
            waiting = self._answers.pop(message.get("id", 0), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
            elif "method" in message:
                self._events.append(message)
                async with self._news:
                    self._news.notify_all()

    async def event(self, method: str, fits: Callable[[dict[str, Any]], bool]) -> None:
        """Wait for an event that fits, also one from before."""
        async with asyncio.timeout(READY_WITHIN_S), self._news:
            await self._news.wait_for(
                lambda: any(e["method"] == method and fits(e) for e in self._events)
            )

    async def call(self, method: str, session: str = "", **params: Any) -> Any:
        """One command of the browser, or of a session."""
        self._ids += 1
        waiting = self._answers[self._ids] = asyncio.get_running_loop().create_future()
        message = {"id": self._ids, "method": method, "params": params}
        await self._socket.send(json.dumps(message | ({"sessionId": session} if session else {})))
        async with asyncio.timeout(READY_WITHIN_S):
            answer = await waiting
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    async def targets(self, kind: str = "page") -> list[dict[str, Any]]:
        """All targets of a type."""
        found = (await self.call("Target.getTargets"))["targetInfos"]
        return [info for info in found if info["type"] == kind]

    async def workers(self) -> list[dict[str, Any]]:
        """The extension's service worker: one, or none."""
        return [t for t in await self.targets("service_worker") if t["url"].startswith(ORIGIN)]

    async def attach(self, target_id: str) -> str:
        """A session of a target."""
        got = await self.call("Target.attachToTarget", targetId=target_id, flatten=True)
        return str(got["sessionId"])

    async def evaluate(self, session: str, expression: str) -> Any:
        """What an expression comes to, awaited."""
        got = await self.call(
            "Runtime.evaluate",
            session,
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        if "exceptionDetails" in got:
            raise RuntimeError(json.dumps(got["exceptionDetails"].get("exception", got))[:600])
        return got["result"].get("value")

    async def in_worker(self, expression: str) -> Any:
        """What an expression comes to in the service worker, which is left as it was."""
        (worker,) = await self.workers()
        session = await self.attach(worker["targetId"])
        try:
            return await self.evaluate(session, expression)
        finally:
            await self.call("Target.detachFromTarget", sessionId=session)

    async def kill_worker(self) -> None:
        """End the service worker as Chrome does when it thinks that it is idle."""
        session = await self.attach((await self.targets())[0]["targetId"])
        await self.call("ServiceWorker.enable", session)
        await self.call("ServiceWorker.stopAllWorkers", session)
        await self.call("Target.detachFromTarget", sessionId=session)

    async def open(self, url: str) -> str:
        """A tab as the user opens one; its target id."""
        return str((await self.call("Target.createTarget", url=url))["targetId"])

    async def open_page(self, path: str) -> str:
        """A session of a page of the extension's own, in a tab."""
        # Before the extension is loaded there is no such page.
        await self.call("Target.setDiscoverTargets", discover=True)
        await self.event(
            "Target.targetCreated",
            lambda e: e["params"]["targetInfo"]["url"] == f"{ORIGIN}/background/worker.js",
        )
        return await self._loaded(f"{ORIGIN}/{path}")

    async def developer_mode(self) -> None:
        """Switch it on, as whoever loads an unpacked extension does by hand. Without it Chromium
        does not start an extension again that was reloaded."""
        await self.evaluate(
            await self.extensions_page(),
            "chrome.developerPrivate.updateProfileConfiguration({inDeveloperMode: true})",
        )

    async def extensions_page(self) -> str:
        """A session of the page on which the user looks after extensions."""
        return await self._loaded("chrome://extensions/")

    async def _loaded(self, url: str) -> str:
        """A session of a new tab that has loaded an address."""
        session = await self.attach(await self.open("about:blank"))
        await self.call("Page.enable", session)
        await self.call("Page.navigate", session, url=url)
        await self.event("Page.loadEventFired", lambda e: e.get("sessionId") == session)
        await self.call("Page.disable", session)
        return session


def paired_copy(root: Path, port: int) -> Installed:
    """The extension, installed and paired as a user does it."""
    return install(root / "extension", port, PairingStore(root / "pairings.json"), share="all")


@contextlib.contextmanager
def on_a_screen() -> Iterator[dict[str, str]]:
    """An X server of our own; the variables that lead there."""
    server = shutil.which("Xvfb")
    assert server is not None, "Xvfb is missing: ./dev setup installs it"
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [server, "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
        pass_fds=(writing,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        assert number, "Xvfb did not start"
        yield {**os.environ, "DISPLAY": f":{number}"}
    finally:
        process.terminate()
        process.wait()


@contextlib.asynccontextmanager
async def chrome_with_extension(
    executable: Path,
    folder: Path | None,
    *args: str,
    environment: dict[str, str] | None = None,
    profile: Path | None = None,
) -> AsyncIterator[Chrome]:
    """A Chromium with the extension of that folder; headless unless it is given a screen."""
    usual = [arg for arg in ARGS if environment is None or arg != HEADLESS]
    loads = [f"--load-extension={folder}"] if folder is not None else []
    with contextlib.ExitStack() as stack:
        kept = profile or Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="ph-ext-", ignore_cleanup_errors=True)
            )
        )
        words = [str(executable), *usual, *loads, *args]
        process = stack.enter_context(_running(words, kept, environment))
        found = await asyncio.to_thread(endpoint, process, kept / PORT_FILE, READY_WITHIN_S)
        url = found.websocket_url
        async with connect(url, max_size=None, compression=None, ping_interval=None) as socket:
            chrome = Chrome(socket)
            reading = asyncio.ensure_future(chrome.read())
            try:
                yield chrome
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)


@contextlib.contextmanager
def _running(
    words: list[str], profile: Path, environment: dict[str, str] | None
) -> Iterator[subprocess.Popen[bytes]]:
    """The browser's process, with all that it starts."""
    (profile / PORT_FILE).unlink(missing_ok=True)
    sandbox = ["--no-sandbox", "--test-type"] if os.geteuid() == 0 else []
    ours = ["--site-per-process", f"--user-data-dir={profile}", "--remote-debugging-port=0"]
    process = subprocess.Popen(
        [*words, *sandbox, *ours, "about:blank"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=environment,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
