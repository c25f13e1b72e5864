"""The one application: every route has a decision, and every reply says what a browser may do."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

from starlette.routing import Route

from pilothouse.daemon.web.access import ROUTES, RequestGuard
from pilothouse.daemon.web.app import WebApp
from pilothouse.daemon.web.dashboard_routes import DashboardRoutes
from pilothouse.daemon.web.entry_links import EntryLinks
from tests.daemon.mcp_sessions_without_browser import Room
from tests.daemon.raw_http_requests import raw
from tests.daemon.web.served_dashboard import dashboard_of


async def test_every_route_of_the_application_has_a_decision_and_every_decision_a_route(
    tmp_path: Path,
) -> None:
    dashboard = DashboardRoutes(Room(tmp_path).daemon, EntryLinks(), 7411)
    app = WebApp(RequestGuard("token", 7411, lambda cookie, csrf: False), dashboard.routes())
    served = {}
    for route in app.starlette.routes:
        assert isinstance(route, Route)  # a mount would bring paths that no decision names
        served[route.path] = set(route.methods or ()) - {"HEAD"}
    decided = {route.path: set(route.methods) for route in ROUTES}
    assert served.pop("/mcp") == set()  # MCP's own endpoint looks at the method
    assert decided.pop("/mcp") == {"GET", "POST", "DELETE"}
    assert served == decided
    assert {route.who for route in ROUTES} == {"anyone", "link", "cookie", "bearer"}
    # What anybody may fetch are files; what changes or tells something wants a secret.
    free = [route for route in ROUTES if route.who == "anyone"]
    assert all(route.methods == ("GET",) for route in free)
    assert not [route.path for route in free if route.path.startswith("/api")]


async def test_each_route_refuses_whoever_shows_nothing(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (_, person):
        for route in ROUTES:
            path = route.path.replace("{", "").replace("}", "")
            for method in route.methods:
                bare = dict.fromkeys(("Cookie", "Pilothouse_Session", "Origin"), None)
                status, headers, _ = await person.ask(method, path, {}, **bare)
                assert (status < 400 or status == 404) == (route.who == "anyone"), path
                assert "frame-ancestors 'none'" in headers["content-security-policy"]
                assert headers["referrer-policy"] == "no-referrer"
                assert not [name for name in headers if name.startswith("access-control")]


async def test_no_other_host_or_origin_gets_an_answer(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (_, person):
        for route in ROUTES:
            path = route.path.replace("{", "").replace("}", "")
            for method in route.methods:
                for changed in (
                    {"Host": f"evil.example:{person.port}"},
                    {"Origin": "https://evil.example"},
                    {"Origin": "null"},
                    {"Sec_Fetch_Site": "cross-site"},
                    {"Sec_Fetch_Site": "same-site"},
                ):
                    status, _, _ = await person.ask(method, path, {}, **changed)
                    assert status == 403, (path, changed)


async def test_mcp_is_not_served_until_somebody_asks_for_it(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (daemon, person):
        token = (daemon.paths.root / "http.token").read_text()
        status, _, body = await person.greet(Authorization=f"Bearer {token}")
        assert status == 404
        assert b"pilothouse serve" in body


async def test_garbage_does_not_stop_the_server(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (_, person):
        await raw(person.port, b"\0" * 1000)
        assert (await person.ask("GET", "/"))[0] == 200


async def test_the_port_is_free_again_after_the_end(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (daemon, person):
        await daemon.web.close()
        await asyncio.to_thread(lambda: socket.create_server(("127.0.0.1", person.port)).close())
