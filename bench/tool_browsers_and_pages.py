"""Everybody at their places: pages on loopback, and each tool with a Chromium of its own.

Knows: a small web server, starting and ending tools, the harness's own look at a page. Must not
know: what is measured.
"""

from __future__ import annotations

import http.server
import json
import os
import threading
import time
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Self

from rich.console import Console
from websockets.sync.client import connect

from bench import chromium
from bench.chromium import BenchError, Chromium
from bench.compared_tools import TOOLS, Tool
from bench.cpu_time import trees

__all__ = ["Eye", "Pages", "Seat", "chosen", "seated"]

# Foreign frames get processes of their own, and ours gets the names of elements from Chrome, as in
# every browser that it launches itself. The page cannot tell; the others do not use it.
FLAGS = ("--site-per-process", "--enable-blink-features=ComputedAccessibilityInfo")
LOADED_WITHIN_S = 30.0
CALM_S = 0.3


class Pages:
    """A web server under three names: 127.0.0.1, localhost and a.localhost are three sites."""

    def __init__(self, pages: Mapping[str, str], policy: str = "") -> None:
        bodies = {path: body.encode() for path, body in pages.items()}

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                body = bodies.get(path)
                kind = "text/csv" if path.endswith(".csv") else "text/html"
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.send_header("Content-Length", str(len(body or b"")))
                if policy:
                    self.send_header("Content-Security-Policy", policy)
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self._bodies = bodies
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._thread = threading.Thread(target=self._server.serve_forever)

    def add(self, path: str, body: str) -> None:
        """Serve one more page."""
        self._bodies[path] = body.encode()

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """The address of a page under one of the names."""
        return f"http://{host}:{self._server.server_address[1]}{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Eye:
    """The harness's own look at a tool's page, through a connection that is closed again."""

    def __init__(self, where: Mapping[str, Any]) -> None:
        self._http = str(where["http"])
        self._page = ""

    def find(self, url: str) -> None:
        """From now on look at the tab that shows this address."""
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"{self._http}/json/list", timeout=5) as answer:
            tabs = [t for t in json.load(answer) if t["type"] == "page" and t["url"] == url]
        if len(tabs) != 1:
            raise BenchError(f"{len(tabs)} tabs show {url}, not one")
        self._page = tabs[0]["webSocketDebuggerUrl"]

    def value(self, expression: str) -> Any:
        """What an expression is in the page."""
        return self._ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"][
            "value"
        ]

    def go(self, url: str) -> None:
        """Navigate, and return when the page and its frames have loaded and calmed down."""
        self._ask("Page.navigate", url=url)
        deadline = time.monotonic() + LOADED_WITHIN_S
        asked = f"location.href == {json.dumps(url)} && document.readyState == 'complete'"
        while not self._loaded(asked):
            if time.monotonic() > deadline:
                raise BenchError(f"{url} has not loaded within {LOADED_WITHIN_S:g} s")
            time.sleep(0.05)
        time.sleep(CALM_S)

    def _loaded(self, question: str) -> bool:
        try:
            return bool(self.value(question))
        except BenchError:
            return False  # between two documents

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        with connect(self._page, compression=None, max_size=None, proxy=None) as wire:
            wire.send(json.dumps({"id": 1, "method": method, "params": params}))
            while True:
                try:
                    answer = json.loads(wire.recv(timeout=LOADED_WITHIN_S))
                except TimeoutError:
                    raise BenchError(f"{method}: no answer within {LOADED_WITHIN_S:g} s") from None
                if answer.get("id") == 1:
                    break
        if "result" not in answer or "exceptionDetails" in answer["result"]:
            raise BenchError(f"{method}: {json.dumps(answer)[:200]}")
        found: dict[str, Any] = answer["result"]
        return found


@dataclass(slots=True)
class Seat:
    """A tool at its browser."""

    name: str
    tool: Tool
    eye: Eye
    browser: int

    def processes(self) -> list[int]:
        """Those of the tool and its browser, and the harness."""
        return [os.getpid(), *trees([self.browser, *self.tool.pids()])]


def chosen(only: str | None, but: Iterable[str] = ()) -> list[str]:
    """The tools to measure, from a comma-separated list. Raises BenchError for unknown names."""
    known = [name for name in TOOLS if name not in but]
    if only is None:
        return known
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise BenchError(f"no such tool: {', '.join(unknown)} (there are: {', '.join(known)})")
    return wanted


@contextmanager
def seated(
    names: Iterable[str], start_page: str, console: Console, failures: dict[str, str]
) -> Iterator[list[Seat]]:
    """Every tool with its browser, each showing `start_page`; who cannot start is in `failures`."""
    browser = chromium.find()
    chromium.sweep()
    with ExitStack() as stack:
        seats = []
        for number, name in enumerate(names):
            console.print(f"starting {name} and its browser", highlight=False)
            own = Chromium(browser, f"tool{number}", pipe=False, extra=FLAGS)
            stack.callback(own.close)
            try:
                own.wait_ready()
                tool = TOOLS[name](own.where)
                stack.callback(tool.close)
                seat = Seat(name, tool, Eye(own.where), own.pid)
                tool.open(start_page)
                seat.eye.find(start_page)
                seats.append(seat)
            except (BenchError, OSError) as error:
                failures[name] = f"could not start: {error}"
        yield seats
