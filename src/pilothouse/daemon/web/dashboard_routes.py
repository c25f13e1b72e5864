"""The dashboard's routes: its files, entering by a one-time link, and leaving.

Knows: requests and replies. Must not know: who may call a route (access.py).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from pilothouse.daemon.web.access import cookie_name
from pilothouse.daemon.web.entry_links import EntryLinks
from pilothouse.relay.extension import source_dir

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon

__all__ = ["DashboardRoutes"]

_FOLDER = Path(__file__).resolve().parents[2] / "dashboard"
MAX_BODY = 64 * 1024
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


class DashboardRoutes:
    """The handlers of one open port."""

    def __init__(self, daemon: Daemon, links: EntryLinks, port: int) -> None:
        self._daemon = daemon
        self._links = links
        self._cookie = cookie_name(port)
        self.viewers = 0

    def routes(self) -> list[BaseRoute]:
        """Return the routes; access.py has a decision for each."""
        return [
            Route("/", _page("index.html"), methods=["GET"]),
            Route("/enter", _page("enter.html"), methods=["GET"]),
            Route("/assets/{name}", _asset, methods=["GET"]),
            Route("/api/enter", self._enter, methods=["POST"]),
            Route("/api/leave", self._leave, methods=["POST"]),
        ]

    def end_streams(self) -> None:
        """End all streams of events: the sessions have ended."""

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
        reply = JSONResponse({"left": True}, headers=_NO_STORE)
        reply.delete_cookie(self._cookie, httponly=True, samesite="strict", path="/")
        return reply


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
