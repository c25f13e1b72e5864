"""A server of test pages, reached under three names so that frames can be foreign to each other.

    pages.add("/a.html", "<h1>A</h1>")
    pages.url("/a.html")                              # http://127.0.0.1:PORT/a.html
    pages.url("/a.html", host="a.localhost")          # the same page as another site

Knows: HTTP on loopback. Chromium resolves `localhost` and everything below it by itself, so
`127.0.0.1`, `localhost` and `a.localhost` are three sites on one port: with --site-per-process
a frame of another name gets a process of its own. `Pages(https=True)` serves the same over TLS
with a certificate nobody trusts.
"""

from __future__ import annotations

import asyncio
import base64
import http.server
import mimetypes
import socket
import ssl
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.certificate import self_signed

__all__ = ["HOSTS", "Page", "Pages", "Visit"]

HOSTS = ("127.0.0.1", "localhost", "a.localhost")
GATE_WITHIN_S = 30.0
VISIT_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Visit:
    """One request that arrived."""

    method: str
    host: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Page:
    """What a path answers."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    gate: threading.Event | None = None
    authorization: str = ""


class Pages:
    """The server. It runs in threads of its own, so a blocked test does not block it."""

    def __init__(self, *, https: bool = False) -> None:
        self.scheme = "https" if https else "http"
        self.visits: list[Visit] = []
        self._visited = threading.Condition()
        self.errors: list[BaseException] = []
        self._pages: dict[str, Page] = {}
        self._server = _Server(self, _server_context() if https else None)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def __enter__(self) -> Pages:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        for page in self._pages.values():
            if page.gate is not None:
                page.gate.set()
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()
        if self.errors:
            raise self.errors[0]

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """The address of a path under one of the names."""
        return f"{self.scheme}://{host}:{self.port}{path}"

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        return "127.0.0.1", self.port

    def add(
        self,
        path: str,
        body: str | bytes,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """Serve `body` at `path`; the address is returned. The type follows the path's ending."""
        self._put(path, body, status=status, headers=headers or {})
        return self.url(path)

    def add_slow(self, path: str, body: str | bytes) -> threading.Event:
        """Serve `body` only once the returned gate is set."""
        gate = threading.Event()
        self._put(path, body, gate=gate)
        return gate

    def add_redirect(self, path: str, to: str, *, status: int = 302) -> str:
        """Send who asks for `path` to another address."""
        return self.add(path, b"", status=status, headers={"Location": to})

    def add_download(self, path: str, body: str | bytes, filename: str) -> str:
        """Serve `body` as a file to save."""
        disposition = f'attachment; filename="{filename}"'
        return self.add(path, body, headers={"Content-Disposition": disposition})

    def add_protected(self, path: str, body: str | bytes, user: str, password: str) -> str:
        """Serve `body` to who knows the password (HTTP basic authentication)."""
        token = base64.b64encode(f"{user}:{password}".encode()).decode()
        self._put(path, body, authorization=f"Basic {token}")
        return self.url(path)

    def visits_to(self, path: str) -> list[Visit]:
        """The requests for one path, in order."""
        return [visit for visit in self.visits if visit.path == path]

    async def visited(self, path: str) -> Visit:
        """Wait until somebody has asked for the path; the first who did."""
        return await asyncio.to_thread(self._wait_for_visit, path)

    def _wait_for_visit(self, path: str) -> Visit:
        with self._visited:
            if not self._visited.wait_for(lambda: self.visits_to(path), VISIT_WITHIN_S):
                raise TimeoutError(f"nobody asked for {path} within {VISIT_WITHIN_S:g} s")
            return self.visits_to(path)[0]

    def note(self, visit: Visit) -> None:
        """Somebody asks; called by the server's threads."""
        with self._visited:
            self.visits.append(visit)
            self._visited.notify_all()

    def find(self, path: str) -> Page | None:
        """What the path answers now."""
        plain = path.partition("?")[0]
        # Browsers ask for it whenever they like: a complaint about it would stray into any test.
        return self._pages.get(plain) or (Page(b"") if plain == "/favicon.ico" else None)

    def _put(
        self,
        path: str,
        body: str | bytes,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        gate: threading.Event | None = None,
        authorization: str = "",
    ) -> None:
        kind = mimetypes.guess_type(path)[0] or "text/html"
        charset = "; charset=utf-8" if kind.startswith("text/") else ""
        every = {"Content-Type": kind + charset, "Cache-Control": "no-store", **(headers or {})}
        data = body.encode() if isinstance(body, str) else body
        self._pages[path] = Page(data, status, every, gate, authorization)


class _Server(http.server.ThreadingHTTPServer):
    """Joins all its threads at the end: none may outlive the test."""

    daemon_threads = False
    block_on_close = True

    def __init__(self, pages: Pages, tls: ssl.SSLContext | None) -> None:
        self.pages = pages
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Answerer)
        if tls is not None:
            # The handshake belongs to the connection's own thread: one client that says nothing
            # must not stop the others from being accepted.
            self.socket = tls.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )

    def process_request(self, request: object, client_address: object) -> None:
        assert isinstance(request, socket.socket)
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: object) -> None:
        assert isinstance(request, socket.socket)
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End the connections a browser keeps open in case it needs them."""
        for request in list(self._open):
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # Its own thread was faster.

    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exception()
        # A browser that goes away in the middle of an answer, or does not like the certificate,
        # is no error of the page's.
        if error is not None and not isinstance(error, ConnectionError | ssl.SSLError):
            self.pages.errors.append(error)


class _Answerer(http.server.BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        pages = self.server.pages
        length = int(self.headers.get("Content-Length") or 0)
        host = (self.headers.get("Host") or "").partition(":")[0]
        sent = self.rfile.read(length)
        pages.note(Visit(self.command, host, self.path, dict(self.headers), sent))
        page = pages.find(self.path) or Page(b"not found", 404)
        if page.gate is not None:
            page.gate.wait(GATE_WITHIN_S)
        if page.authorization and self.headers.get("Authorization") != page.authorization:
            page = Page(b"who are you?", 401, {"WWW-Authenticate": 'Basic realm="pages"'})
        self.send_response(page.status)
        for name, value in page.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page.body)

    do_POST = do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: `visits` tells."""


def _server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        pem = Path(folder) / "server.pem"
        pem.write_text(self_signed([*HOSTS[1:]], [HOSTS[0]]))
        context.load_cert_chain(pem)
    return context
