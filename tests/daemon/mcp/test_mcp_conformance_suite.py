"""The official conformance suite, against our own server by HTTP: every scenario of both eras of
the protocol. Only the extension for tasks, which we do not offer, is left out. And against our
stdio session: every scenario up to 2025-11-25 that is not about HTTP."""

from __future__ import annotations

import re
import secrets
import socket
from pathlib import Path

import pytest

from pilothouse.daemon.daemon import Daemon
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings
from tests.daemon.mcp_conformance_on_stdio import StdioBehindHttp, offer_methods_of_the_suite
from tests.daemon.mcp_conformance_server import ConformanceApp, ConformanceRoutes
from tests.daemon.npm_mcp_clients import Clients, installed

SUITE = "@modelcontextprotocol/conformance/dist/index.js"
_LINE = re.compile(r"^([✓✗]) (\S+): (\d+) passed, (\d+) failed", re.MULTILINE)


@pytest.fixture(scope="module")
def clients() -> Clients:
    return installed()


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("words", "at_least"),
    [
        (("--suite", "all", "--spec-version", "2025-11-25"), 33),
        (("--requirements", "2026-07-28"), 40),
    ],
)
async def test_every_scenario_of_the_specification_passes(
    words: tuple[str, ...], at_least: int, clients: Clients, tmp_path: Path
) -> None:
    sock = socket.create_server(("127.0.0.1", 0))
    sock.setblocking(False)
    port = sock.getsockname()[1]
    daemon = Daemon(RuntimePaths(tmp_path), Settings())
    app = ConformanceApp(secrets.token_urlsafe(32), port)
    routes = ConformanceRoutes(daemon)
    await routes.start()
    await app.set_mcp(routes)
    await app.start(sock)
    try:
        url = f"http://127.0.0.1:{port}/mcp"
        _, out, err = await clients.run(SUITE, "server", "--url", url, *words, within=280)
    finally:
        await app.close()
    results = _LINE.findall(out)
    passed = {name for mark, name, *_ in results if mark == "✓"}
    failed = {name for mark, name, *_ in results if mark == "✗" and not name.startswith("tasks-")}
    assert failed == set(), out[-6000:] + err[-2000:]
    assert len(passed) >= at_least
    assert "dns-rebinding-protection" in passed


# About the transport, which is the SDK's here.
ABOUT_HTTP = {"dns-rebinding-protection", "server-sse-polling"}


@pytest.mark.timeout(300)
async def test_the_stdio_session_passes_every_scenario_that_is_not_about_http(
    clients: Clients, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer_methods_of_the_suite(monkeypatch)
    sock = socket.create_server(("127.0.0.1", 0))  # uvicorn closes it
    sock.setblocking(False)
    app = StdioBehindHttp(Daemon(RuntimePaths(tmp_path), Settings()))
    await app.start(sock)
    try:
        words = ("--suite", "all", "--spec-version", "2025-11-25")
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"
        _, out, err = await clients.run(SUITE, "server", "--url", url, *words, within=280)
    finally:
        await app.close()
    results = _LINE.findall(out)
    passed = {name for mark, name, *_ in results if mark == "✓"}
    failed = {name for mark, name, *_ in results if mark == "✗" and not name.startswith("tasks-")}
    assert failed - ABOUT_HTTP == set(), out[-6000:] + err[-2000:]
    assert len(passed) >= 30
