"""What the dashboard's page asks for: its files, a session, and the end of it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from pilothouse.daemon.daemon import Daemon
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings, WebSettings
from tests.daemon.web.served_dashboard import Person, dashboard_of


async def test_a_link_becomes_a_session_that_scripts_and_other_sites_cannot_use(
    tmp_path: Path,
) -> None:
    async with dashboard_of(tmp_path) as (daemon, person):
        made = await daemon.web.open_dashboard({})
        assert made["port"] == person.port
        assert made["url"].startswith(f"http://127.0.0.1:{person.port}/enter#")
        other = Person(person.port)
        secret = made["url"].partition("#")[2]
        _, headers, _ = await other.ask("POST", "/api/enter", {"secret": secret})
        flags = {flag.strip().lower() for flag in headers["set-cookie"].split(";")[1:]}
        assert {"httponly", "samesite=strict", "path=/"} <= flags
        assert await other.enter(made["url"]) == 403  # it was used


@pytest.mark.parametrize("body", [None, {}, {"secret": 1}, {"secret": "x" * 100_000}, []])
async def test_what_is_no_secret_is_refused(tmp_path: Path, body: object) -> None:
    async with dashboard_of(tmp_path) as (_, person):
        assert (await person.ask("POST", "/api/enter", body))[0] == 400


async def test_a_session_ends_when_the_person_leaves(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (_, person):
        assert (await person.ask("POST", "/api/leave", {}))[0] == 200
        assert (await person.ask("POST", "/api/leave", {}))[0] == 401


async def _stream(person: Person) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open the stream of events, up to its first message."""
    reader, writer = await asyncio.open_connection("127.0.0.1", person.port)
    lines = ["GET /api/events HTTP/1.1", f"Host: 127.0.0.1:{person.port}"]
    lines += [f"Cookie: {person.cookie}", f"Pilothouse-Session: {person.csrf}", "", ""]
    writer.write("\r\n".join(lines).encode())
    await reader.readuntil(b'"type":"reset"}')
    return reader, writer


async def test_a_viewer_is_counted_until_its_connection_ends(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (daemon, person), asyncio.timeout(30):
        _, writer = await _stream(person)
        assert daemon.web.viewers == 1
        writer.close()
        while daemon.web.viewers:
            assert (await person.ask("GET", "/api/state"))[0] == 200


async def test_leaving_ends_the_streams_of_the_session(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (_, person), asyncio.timeout(30):
        reader, writer = await _stream(person)
        assert (await person.ask("POST", "/api/leave", {}))[0] == 200
        rest = await reader.readuntil(b"\r\n0\r\n\r\n")  # the end of a chunked reply
        assert rest
        writer.close()
        assert (await person.ask("GET", "/api/events"))[0] == 401


async def test_a_setting_opens_the_port_with_the_daemon(tmp_path: Path) -> None:
    daemon = Daemon(RuntimePaths(tmp_path), Settings(web=WebSettings(port=0, dashboard=True)))
    try:
        await daemon.web.open_if_configured()
        person = Person(daemon.web.port)
        assert (await person.ask("GET", "/"))[0] == 200
        # Revoking ends the sessions; the port stays, as the setting says.
        assert await daemon.web.open_dashboard({"revoke": True}) == {"ended": 0}
        assert (await person.ask("GET", "/"))[0] == 200
    finally:
        await daemon.web.close()


async def test_revoking_ends_all_sessions_and_closes_the_port(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (daemon, person):
        other = Person(person.port)
        assert await other.enter((await daemon.web.open_dashboard({}))["url"]) == 200
        unused = (await daemon.web.open_dashboard({}))["url"]
        assert await daemon.web.open_dashboard({"revoke": True}) == {"ended": 2}
        with pytest.raises(ConnectionError):
            await person.ask("GET", "/")
        again = await daemon.web.open_dashboard({"port": 0})
        late = Person(again["port"])
        assert await late.enter(unused) == 403
        person.port = again["port"]
        assert (await person.ask("POST", "/api/leave", {}))[0] == 401


async def test_the_files_of_the_dashboard_are_served_and_no_others(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (_, person):
        for path, kind in (
            ("/", "text/html"),
            ("/enter", "text/html"),
            ("/assets/enter.js", "text/javascript"),
            ("/assets/theme.css", "text/css"),
            ("/assets/dashboard.css", "text/css"),
        ):
            status, headers, body = await person.ask("GET", path)
            assert (status, headers["content-type"].partition(";")[0]) == (200, kind), path
            assert body
        for name in ("index.html", "..%2Fpaths.py", "%2e%2e", "theme.css%00", "x.js", "session"):
            assert (await person.ask("GET", f"/assets/{name}"))[0] == 404, name


async def test_errors_are_json(tmp_path: Path) -> None:
    async with dashboard_of(tmp_path) as (_, person):
        _, headers, body = await person.ask("POST", "/api/enter", {"secret": "guessed"})
        assert headers["content-type"] == "application/json"
        assert "run `pilothouse dashboard` again" in json.loads(body)["error"]
