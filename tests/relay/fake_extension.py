"""A user's Chrome with our extension in it, as far as the relay can tell: tabs, a debugger, a wire.

It speaks the extension's side of the wire, in process (`joins`) or over a WebSocket (`dials`).
What pages answer is scripted: `script["Page.navigate"] = lambda call: {...}`; a script may return
`Failed` for an error or `HELD` for no reply until `let_go`. Must not know: how the relay works.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from pilothouse.relay.interfaces import Hello, MessageHandler, MessageSocket
from tests.relay.fake_tabs_and_calls import HELD, Call, Failed, FakeTab, proof

__all__ = [
    "EXTENSION_ID",
    "HELD",
    "PRODUCT",
    "USER_AGENT",
    "Call",
    "Failed",
    "FakeExtension",
    "FakeTab",
]

PRODUCT = "Chrome/156.0.8078.79"
USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36"
VERSION = "0.1.0"
EXTENSION_ID = "a" * 32


Script = Callable[[Call], Any]


class Takes(Protocol):
    """Who takes an extension that has just come."""

    def accept(self, line: MessageSocket) -> MessageHandler:
        """The line is up."""


class FakeExtension:
    """The extension and the browser around it."""

    def __init__(
        self,
        *tabs: FakeTab,
        install: str = "install-1",
        profile: str = "Default",
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.tabs = {tab.tab_id: tab for tab in tabs}
        self.settings = {"mode": "auto", "share": "all", **(settings or {})}
        self.hello = Hello(install, VERSION, PRODUCT, USER_AGENT, profile, self.settings)
        self.script: dict[str, Script] = {}
        # Everything that was asked, and the CDP commands among it.
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.calls: list[Call] = []
        self.pongs = True
        # Method of the wire -> what is answered, word for word: {"result": ...} or {"error": ...}.
        self.answers: dict[str, dict[str, Any]] = {}
        # Method of the wire -> why it fails.
        self.refuses: dict[str, str] = {}
        self.closed = ""
        self._held: list[tuple[int, Call]] = []
        self._guest: MessageHandler | None = None
        self._socket: ClientConnection | None = None
        self._unsent: asyncio.Queue[str] = asyncio.Queue()
        self._news = asyncio.Event()
        self._scripts = 0

    # The line, as the relay sees it.

    def send(self, frame: bytes) -> None:
        """One message of the relay."""
        if self._guest is not None or self._socket is not None:
            self._take(json.loads(frame))

    def unsent(self) -> int:
        """Nothing waits in process."""
        return 0

    def close(self, code: int = 1000, reason: str = "") -> None:
        """The relay hangs up."""
        self.closed = reason or str(code)
        self._news.set()
        self.drops(self.closed)

    # Coming and going.

    def joins(self, lent: Takes) -> None:
        """Come up in process."""
        self.closed = ""
        self._guest = lent.accept(self)

    def drops(self, reason: str = "the socket closed") -> None:
        """The line is gone; the debugger stays where it is."""
        guest, self._guest = self._guest, None
        if guest is not None:
            guest.on_disconnect(reason)

    def dies(self) -> None:
        """The extension is reloaded: line and debuggers are gone."""
        for tab in self.tabs.values():
            tab.attached = False
            tab.enabled.clear()
        self.drops()

    @asynccontextmanager
    async def dials(self, url: str, secret: str, **hello: Any) -> AsyncIterator[FakeExtension]:
        """Come up over a WebSocket, with the proof of a pairing secret (hexadecimal)."""
        origin = f"chrome-extension://{EXTENSION_ID}"
        async with connect(url, origin=origin, max_size=None, compression=None) as socket:  # type: ignore[arg-type]
            await self._prove(socket, secret, {"port": urlsplit(url).port, **hello})
            self._socket = socket
            tasks = [asyncio.ensure_future(w) for w in (self._read(socket), self._write(socket))]
            try:
                yield self
            finally:
                self._socket = None
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _prove(self, socket: ClientConnection, secret: str, hello: Mapping[str, Any]) -> None:
        challenge = json.loads(await socket.recv())
        theirs, ours = challenge["params"]["nonce"], secrets.token_hex(16)
        port = hello["port"]
        told = {
            "wire": 2,
            "install": self.hello.install,
            "nonce": ours,
            "proof": proof(secret, f"extension {port} {theirs} {ours}"),
            "version": VERSION,
            "product": PRODUCT,
            "userAgent": USER_AGENT,
            "profile": self.hello.profile,
            "settings": self.settings,
        }
        await socket.send(json.dumps({"method": "hello", "params": {**told, **hello}}))
        welcome = json.loads(await socket.recv())
        assert welcome["method"] == "welcome"
        assert welcome["params"]["proof"] == proof(secret, f"relay {port} {ours} {theirs}")

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for text in socket:
                self._take(json.loads(text))
        except ConnectionClosed:
            return

    async def _write(self, socket: ClientConnection) -> None:
        while True:
            await socket.send(await self._unsent.get())

    # What happens in the browser.

    def event(self, tab_id: int, method: str, params: Mapping[str, Any], child: str = "") -> None:
        """The debugger of a tab says something."""
        told: dict[str, Any] = {"tabId": tab_id, "method": method, "params": params}
        self.tells("cdpEvent", {**told, "childSessionId": child} if child else told)

    def opens(self, tab: FakeTab) -> FakeTab:
        """A tab comes, by the user or by a page."""
        self.tabs[tab.tab_id] = tab
        self.tells("tabCreated", {"tab": tab.shown()})
        return tab

    def updates(self, tab_id: int, **changed: Any) -> None:
        """A tab has another address or title."""
        for name, value in changed.items():
            setattr(self.tabs[tab_id], name, value)
        self.tells("tabUpdated", {"tabId": tab_id, **changed})

    def closes(self, tab_id: int) -> None:
        """A tab goes."""
        tab = self.tabs.pop(tab_id)
        if tab.attached:
            self.tells("tabDetached", {"tabId": tab_id, "reason": "target_closed"})
        self.tells("tabRemoved", {"tabId": tab_id})

    def detaches(self, tab_id: int, reason: str = "target_closed") -> None:
        """Chrome takes the debugger off a tab."""
        self.tabs[tab_id].attached = False
        self.tabs[tab_id].enabled.clear()
        self.tells("tabDetached", {"tabId": tab_id, "reason": reason})

    def sets(self, **settings: Any) -> None:
        """The user changes settings."""
        self.settings.update(settings)
        self.tells("settingsChanged", {"settings": self.settings})

    def attaches_child(
        self, tab_id: int, child: str, kind: str = "iframe", *, parent: str = "", **info: Any
    ) -> None:
        """A frame or worker of a tab comes under the debugger, and waits."""
        target = {"targetId": f"T-{child}", "type": kind, "title": "", "url": "", "attached": True}
        told = {"sessionId": child, "targetInfo": {**target, **info}, "waitingForDebugger": True}
        self.event(tab_id, "Target.attachedToTarget", told, parent)

    def tells(self, method: str, params: Mapping[str, Any]) -> None:
        """Any event of the wire."""
        self._say({"method": method, "params": params})

    # What the relay asked.

    def methods(self, tab_id: int | None = None, child: str | None = None) -> list[str]:
        """The CDP commands that came, of one tab and child or of all."""
        return [
            call.method
            for call in self.calls
            if tab_id in (None, call.tab.tab_id) and child in (None, call.child)
        ]

    def sent(self, method: str) -> list[Mapping[str, Any]]:
        """The params of every CDP command of this name."""
        return [call.params for call in self.calls if call.method == method]

    def wire(self, method: str) -> list[dict[str, Any]]:
        """The params of every command of the wire of this name."""
        return [params for name, params in self.asked if name == method]

    async def until(self, question: Callable[[], Any], within: float = 10.0) -> None:
        """Wait until something is true after a message came."""
        async with asyncio.timeout(within):
            while not question():
                self._news.clear()
                await self._news.wait()

    def let_go(self, method: str, result: Any = None) -> None:
        """Answer all held commands of this name."""
        for number, call in [pair for pair in self._held if pair[1].method == method]:
            self._held.remove((number, call))
            self._answer(number, {} if result is None else result)

    # Answers.

    def _take(self, message: dict[str, Any]) -> None:
        self._news.set()
        method, params = message["method"], message.get("params", {})
        if "id" not in message:
            if method == "ping" and self.pongs:
                self.tells("pong", params)
            return
        self.asked.append((method, params))
        if method in self.answers:
            self._say({"id": message["id"], **self.answers[method]})
        elif method in self.refuses:
            self._answer(message["id"], Failed(self.refuses[method]))
        elif method == "cdpCommand":
            self._command(message["id"], params)
        else:
            known = getattr(self, f"_wire_{method}", None)
            unknown = Failed(f"'{method}' wasn't found", -32601)
            self._answer(message["id"], known(params) if known else unknown)

    def _answer(self, number: int, result: Any) -> None:
        if isinstance(result, Failed):
            error = {"code": result.code, "message": result.message}
            self._say({"id": number, "error": error})
        else:
            self._say({"id": number, "result": result})

    def _say(self, message: Any) -> None:
        text = json.dumps(message)
        if self._socket is not None:
            self._unsent.put_nowait(text)
        elif self._guest is not None:
            # Not at once: a real line never answers within the call that asks.
            asyncio.get_running_loop().call_soon(self._deliver, self._guest, text.encode())

    def _deliver(self, guest: MessageHandler, frame: bytes) -> None:
        if guest is self._guest:
            guest.on_message(frame)
        self._news.set()

    def _wire_listTabs(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {"tabs": [tab.shown() for tab in self.tabs.values()]}

    def _wire_attachTab(self, params: Mapping[str, Any]) -> Any:
        tab = self.tabs.get(params["tabId"])
        if tab is None:
            return Failed(f"No tab with given id {params['tabId']}.")
        if tab.url.startswith("chrome://"):
            return Failed("Cannot access a chrome:// URL")
        tab.attached = True
        info = {"targetId": tab.target_id, "type": "page", "url": tab.url}
        opener = {"openerId": tab.opened_by, "canAccessOpener": True} if tab.opened_by else {}
        return {"targetInfo": {**info, **opener}}

    def _wire_detachTab(self, params: Mapping[str, Any]) -> dict[str, Any]:
        tab = self.tabs.get(params["tabId"])
        if tab is not None:
            tab.attached = False
            tab.enabled.clear()
        return {}

    def _wire_giveBackTabs(self, params: Mapping[str, Any]) -> dict[str, Any]:
        for tab_id in params["tabIds"]:
            self._wire_detachTab({"tabId": tab_id})
            if self.settings["mode"] == "manual":
                self.tabs.pop(tab_id, None)
        return {}

    def _wire_createTab(self, params: Mapping[str, Any]) -> dict[str, Any]:
        number = max(self.tabs, default=100) + 1
        tab = FakeTab(number, params.get("url", "about:blank"), "")
        self.opens(tab)
        return tab.shown()

    def _wire_closeTab(self, params: Mapping[str, Any]) -> Any:
        if params["tabId"] not in self.tabs:
            return Failed(f"No tab with id: {params['tabId']}.")
        self.closes(params["tabId"])
        return {}

    def _wire_activateTab(self, params: Mapping[str, Any]) -> dict[str, Any]:
        self.tabs[params["tabId"]].active = True
        return {}

    def _wire_window(self, params: Mapping[str, Any]) -> dict[str, Any]:
        tab = self.tabs[params["tabId"]]
        bounds = {"left": 0, "top": 0, "width": 1200, "height": 800, "windowState": "normal"}
        return {"windowId": tab.window_id, "bounds": bounds}

    def _wire_setWindow(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    def _wire_settings(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return self.settings

    def _wire_share(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    def _wire_status(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    def _command(self, number: int, params: Mapping[str, Any]) -> None:
        tab = self.tabs.get(params["tabId"])
        if tab is None or not tab.attached:
            self._answer(number, Failed(f"Debugger is not attached to tab {params['tabId']}."))
            return
        call = Call(tab, params.get("childSessionId", ""), params["method"], params["params"])
        self.calls.append(call)
        scripted = self.script.get(call.method)
        result = scripted(call) if scripted else self._usual(call)
        if result is HELD:
            self._held.append((number, call))
        else:
            self._answer(number, result)

    def _usual(self, call: Call) -> Any:
        domain, _, name = call.method.partition(".")
        on = call.tab.enabled.setdefault(call.child, set())
        if domain in ("Browser", "Security", "ServiceWorker", "FedCm", "SystemInfo"):
            return Failed(f"'{call.method}' wasn't found", -32601)
        if name == "enable":
            if domain == "Runtime" and domain not in on and not call.child:
                self.event(call.tab.tab_id, "Runtime.executionContextCreated", call.tab.context())
            on.add(domain)
        elif name == "disable":
            on.discard(domain)
        elif call.method == "Page.getFrameTree":
            frame = {"id": call.tab.frame_id, "url": call.tab.url, "loaderId": "L"}
            return {"frameTree": {"frame": frame}}
        elif call.method == "Page.addScriptToEvaluateOnNewDocument":
            self._scripts += 1
            return {"identifier": str(self._scripts)}
        elif call.method == "Page.navigate":
            return {"frameId": call.tab.frame_id, "loaderId": "L2"}
        elif call.method == "Storage.getCookies":
            return {"cookies": []}
        return {}
