"""The dashboard's routes: its files, entering and leaving, the state, events, tabs and answers.

Knows: requests and replies. Must not know: who may call a route (access.py), or how a tab is read
(tab_details.py).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from pilothouse import __version__
from pilothouse.daemon.web.access import cookie_name
from pilothouse.daemon.web.daemon_health import describe_clients, measure_health
from pilothouse.daemon.web.entry_links import EntryLinks
from pilothouse.daemon.web.event_publisher import EventPublisher
from pilothouse.daemon.web.tab_details import TabDetails
from pilothouse.errors import PilothouseError, explain
from pilothouse.relay.extension import source_dir

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["DashboardRoutes"]

_FOLDER = Path(__file__).resolve().parents[2] / "dashboard"
MAX_BODY = 64 * 1024
MAX_VIEWERS = 16
_TYPES: Mapping[str, str] = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}
_NAME = re.compile(r"[a-z_]+\.(css|js|svg)")
_NO_STORE = {"cache-control": "no-store"}


class _Secret(msgspec.Struct, frozen=True):
    secret: str


class _Answer(msgspec.Struct, frozen=True):
    """A person's answer to an interrupt. `text` is for a prompt, `detail` for other kinds."""

    action: str
    text: str | None = None
    detail: dict[str, str] = msgspec.field(default_factory=dict)


class DashboardRoutes:
    """The handlers of one open port."""

    def __init__(self, daemon: Daemon, links: EntryLinks, port: int) -> None:
        self._daemon = daemon
        self._links = links
        self._cookie = cookie_name(port)
        self.publisher = EventPublisher(daemon)
        self._tabs = TabDetails(daemon, self.publisher)

    @property
    def viewers(self) -> int:
        """How many dashboards are open now."""
        return self.publisher.viewers

    def routes(self) -> list[BaseRoute]:
        """Return the routes; access.py has a decision for each."""
        return [
            Route("/", _page("index.html"), methods=["GET"]),
            Route("/enter", _page("enter.html"), methods=["GET"]),
            Route("/assets/{name}", _asset, methods=["GET"]),
            Route("/api/enter", self._enter, methods=["POST"]),
            Route("/api/leave", self._leave, methods=["POST"]),
            Route("/api/state", self._state, methods=["GET"]),
            Route("/api/events", self._events, methods=["GET"]),
            Route("/api/health", self._health, methods=["GET"]),
            Route("/api/tabs/{tab}/thumbnail", self._thumbnail, methods=["GET"]),
            Route("/api/tabs/{tab}/frames", self._read(self._tabs.frames), methods=["GET"]),
            Route("/api/tabs/{tab}/console", self._read(self._tabs.console), methods=["GET"]),
            Route("/api/tabs/{tab}/network", self._read(self._tabs.network), methods=["GET"]),
            Route("/api/tabs/{tab}/har", self._har, methods=["GET"]),
            Route("/api/interrupts/{interrupt}", self._answer, methods=["POST"]),
        ]

    def close(self) -> None:
        """End all streams of events."""
        self.publisher.close()

    async def _enter(self, request: Request) -> Response:
        """Turn the secret of a one-time link into a session."""
        now = asyncio.get_running_loop().time()
        try:
            given = msgspec.json.decode(await _body(request), type=_Secret)
        except (msgspec.DecodeError, ValueError):
            return JSONResponse({"error": "expected an object with `secret`"}, 400)
        session = self._links.redeem(given.secret, now)
        if session is None:
            error = "this link was used before or is too old: run `pilothouse dashboard` again"
            return JSONResponse({"error": error}, 403)
        reply = JSONResponse({"csrf": session.csrf}, headers=_NO_STORE)
        reply.set_cookie(self._cookie, session.cookie, httponly=True, samesite="strict", path="/")
        return reply

    async def _leave(self, request: Request) -> Response:
        """End the session of the request."""
        self._links.end(request.cookies.get(self._cookie, ""))
        # The streams of this session must end. Others come back by themselves and miss nothing.
        self.publisher.end_streams()
        reply = JSONResponse({"left": True}, headers=_NO_STORE)
        reply.delete_cookie(self._cookie, httponly=True, samesite="strict", path="/")
        return reply

    # The daemon.

    async def _state(self, request: Request) -> Response:
        """Return everything that the page shows, and the id of the last event in it."""
        publisher = self.publisher
        publisher.refresh()
        return _json(
            {
                "version": __version__,
                "tabs": list(publisher.view.tabs.values()),
                "interrupts": list(publisher.view.interrupts.values()),
                "calls": list(publisher.calls),
                "viewers": publisher.viewers,
                "clients": describe_clients(self._daemon),
                "last_event": publisher.ring.id_of(publisher.ring.last),
            }
        )

    async def _events(self, request: Request) -> Response:
        """Stream events, from the one after Last-Event-ID on."""
        if self.viewers >= MAX_VIEWERS:
            return _json({"error": f"{MAX_VIEWERS} dashboards are open already"}, 503)
        stream = self.publisher.stream(request.headers.get("last-event-id", ""))
        return StreamingResponse(stream, media_type="text/event-stream", headers=_NO_STORE)

    async def _health(self, request: Request) -> Response:
        return _json(await measure_health(self._daemon, self.publisher.calls))

    # Tabs.

    def _read(
        self, read: Callable[[str], Awaitable[Any]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler that answers with what is read of a tab."""

        async def handle(request: Request) -> Response:
            try:
                found = await read(request.path_params["tab"])
            except (PilothouseError, TimeoutError) as error:
                return self._refused(error)
            return _json(self._daemon.redactor.redact(found))

        return handle

    async def _thumbnail(self, request: Request) -> Response:
        try:
            picture = await self._tabs.thumbnail(request.path_params["tab"])
        except (PilothouseError, TimeoutError) as error:
            return self._refused(error)
        if picture is None:
            return Response(status_code=204, headers=_NO_STORE)
        return Response(picture.data, media_type=picture.mime, headers=_NO_STORE)

    async def _har(self, request: Request) -> Response:
        reply = await self._read(self._tabs.har)(request)
        reply.headers["content-disposition"] = 'attachment; filename="network.har"'
        return reply

    async def _answer(self, request: Request) -> Response:
        """Answer an interrupt as a person."""
        try:
            given = msgspec.json.decode(await _body(request), type=_Answer)
        except (msgspec.DecodeError, ValueError):
            return _json({"error": "expected an object with `action`"}, 400)
        try:
            found = await self._tabs.answer(
                request.path_params["interrupt"], given.action, given.text, given.detail
            )
        except (PilothouseError, TimeoutError) as error:
            return self._refused(error)
        return _json(self._daemon.redactor.redact(found))

    def _refused(self, error: Exception) -> Response:
        told = explain(error, "this")
        fields = {"error": told.message, "hint": told.hint}
        return _json(self._daemon.redactor.redact(fields), 409)


def _json(value: Any, status: int = 200) -> Response:
    data = msgspec.json.encode(value)
    return Response(data, status, media_type="application/json", headers=_NO_STORE)


async def _body(request: Request) -> bytes:
    """Return the body of a request. Raises ValueError above MAX_BODY."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise ValueError("body too large")
    return body


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def show(request: Request) -> Response:
        return _file(name)

    return show


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    return _file(name) if _NAME.fullmatch(name) else JSONResponse({"error": "no such file"}, 404)


def _file(name: str) -> Response:
    # One look for the extension and the dashboard.
    path = source_dir() / "shared" / name if name == "theme.css" else _FOLDER / name
    if not path.is_file():
        return JSONResponse({"error": "no such file"}, 404)
    kind = _TYPES[name.rpartition(".")[2]]
    return Response(path.read_bytes(), media_type=kind, headers={"cache-control": "no-cache"})
