"""A hub over one real browser, behind a small WebSocket server, for real clients.

Knows: how to bring browser, supervisor, hub and socket together. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from pilothouse.asyncio_tasks import Tasks
from pilothouse.browsers import Browsers, HeadlessKind
from pilothouse.cdp import Command
from pilothouse.relay.hub.client_files import ClientFiles, FileRules
from pilothouse.relay.hub.hub import Hub, Upstream
from pilothouse.relay.interfaces import ClientSpec, HttpRefusal
from pilothouse.supervisor import Options, Supervisor
from pilothouse.supervisor.model import OwnerSet, TabKey
from tests.page_server import Pages

__all__ = ["WITHIN_S", "Hosted", "hosted"]

WITHIN_S = 20.0

_numbers = itertools.count(1)


class SocketLine:
    """A client's line: what is sent waits in a queue for the socket."""

    def __init__(self, socket: ServerConnection, heard: list[bytes] | None) -> None:
        self._socket = socket
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._heard = heard

    def send(self, frame: bytes) -> None:
        if self._heard is not None:
            self._heard.append(frame)
        self._queue.put_nowait(frame)

    def unsent(self) -> int:
        return 0

    def close(self, code: int = 1000, reason: str = "") -> None:
        self._queue.put_nowait(None)

    async def pump(self) -> None:
        while (frame := await self._queue.get()) is not None:
            await self._socket.send(frame, text=True)
        await self._socket.close()


@dataclass(slots=True)
class Hosted:
    """One browser with a hub, where clients can connect."""

    hub: Hub
    sup: Supervisor
    pages: Pages
    port: int
    folder: Path
    # What was sent to each client, by label, for clients that have one.
    heard: dict[str, list[bytes]] = field(default_factory=dict)
    _ends: dict[str, asyncio.Event] = field(default_factory=dict)

    async def left(self, label: str) -> None:
        """Wait until the client with this label has left."""
        await self._ends[label].wait()

    def url(self, **query: str) -> str:
        """Where a client connects."""
        said = "&".join(f"{key}={value}" for key, value in query.items())
        return f"ws://127.0.0.1:{self.port}/cdp?{said}"


@contextlib.asynccontextmanager
async def hosted(options: Options | None = None, *, traced: bool = False) -> AsyncIterator[Hosted]:
    """The browser, supervised and open to clients. Each owner has a cookie jar of its own."""
    with Pages() as pages, tempfile.TemporaryDirectory() as folder:
        async with Browsers() as browsers:
            handle = await browsers.acquire(HeadlessKind(args=("--site-per-process",)))
            sup = Supervisor(handle.connection, options or Options(downloads=folder))
            await sup.start()
            hub = Hub(_upstream(sup, Path(folder)))
            place = Hosted(hub, sup, pages, 0, Path(folder))
            try:
                async with serve(
                    lambda socket: _client(place, socket, traced),
                    "127.0.0.1",
                    0,
                    compression=None,
                    max_size=None,
                    ping_interval=None,
                ) as server:
                    place.port = next(iter(server.sockets)).getsockname()[1]
                    yield place
                    await hub.close()
            finally:
                await sup.close()


def _upstream(sup: Supervisor, folder: Path) -> Upstream:
    jars: dict[str, str] = {}

    async def context(owner: str) -> str:
        if owner not in jars:
            command: Command[Any] = Command(
                "Target.createBrowserContext", {"disposeOnDetach": True}
            )
            jars[owner] = (await sup.connection.send(command))["browserContextId"]
        return jars[owner]

    def opened(owner: str, target: str) -> None:
        sup.feed(OwnerSet(sup.now(), target, TabKey(owner)))

    rules = FileRules(folder / "clients", files=(folder,))
    return Upstream(
        sup.connection,
        sup,
        lambda owner, spec: ClientFiles(rules, owner, spec.id, spec.grant),
        context=context,
        on_tab_opened=opened,
    )


async def _client(place: Hosted, socket: ServerConnection, traced: bool) -> None:
    assert socket.request is not None
    query = {k: v[0] for k, v in parse_qs(urlsplit(socket.request.path).query).items()}
    label = query.get("label", "")
    heard = place.heard.setdefault(label, []) if traced else None
    line = SocketLine(socket, heard)
    spec = ClientSpec(
        id=f"c{next(_numbers)}",
        label=label,
        browser="managed",
        owner=query.get("owner", ""),
        attach=query.get("attach", "owned"),  # type: ignore[arg-type]
        dialogs=query.get("dialogs", "client"),  # type: ignore[arg-type]
        tabs=tuple(t for t in query.get("tabs", "").split(",") if t),
    )
    guest = await place.hub.join(spec, line)
    if isinstance(guest, HttpRefusal):
        await socket.close(1013, guest.message[:100])
        return
    end = place._ends[label] = asyncio.Event()
    tasks = Tasks()
    tasks.start(line.pump(), f"pump {label}")
    try:
        async for message in socket:
            guest.on_message(message.encode() if isinstance(message, str) else message)
    except ConnectionClosed:
        pass  # a client may leave without a word
    finally:
        guest.on_disconnect("closed")
        await tasks.close()
        end.set()
