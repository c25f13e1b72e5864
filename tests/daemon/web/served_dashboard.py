"""The web server of a daemon in the tests' own process, and a person's browser session in it.

Knows: how a port is opened and entered. Must not know: what is asserted.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pilothouse.daemon.daemon import Daemon
from pilothouse.paths import RuntimePaths
from pilothouse.settings import Settings
from tests.daemon.raw_http_requests import Site

__all__ = ["Person", "dashboard_of"]


class Person(Site):
    """A browser of a person: it entered by a link, and sends what a browser sends."""

    def __init__(self, port: int) -> None:
        super().__init__(port, "")
        self.cookie = self.csrf = ""

    async def enter(self, link: str) -> int:
        """Use a one-time link; return the status."""
        secret = link.partition("#")[2]
        status, headers, body = await self.ask("POST", "/api/enter", {"secret": secret})
        if status == 200:
            self.cookie = headers["set-cookie"].partition(";")[0]
            self.csrf = json.loads(body)["csrf"]
        return status

    async def ask(
        self, method: str, path: str, body: Any = None, **changed: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send one request as the dashboard's page does."""
        ours: dict[str, str | None] = {
            "Authorization": None,
            "Origin": f"http://127.0.0.1:{self.port}" if method != "GET" else None,
            "Sec_Fetch_Site": "same-origin",
            "Cookie": self.cookie or None,
            "Pilothouse_Session": self.csrf or None,
            **changed,
        }
        return await self.request(method, path, body, **ours)


@asynccontextmanager
async def dashboard_of(root: Path, **settings: Any) -> AsyncIterator[tuple[Daemon, Person]]:
    """Open the dashboard's port, without a browser, and enter."""
    daemon = Daemon(RuntimePaths(root), Settings(**settings))
    made = await daemon.web.open_dashboard({"port": 0})
    person = Person(made["port"])
    try:
        assert await person.enter(made["url"]) == 200
        yield daemon, person
    finally:
        await daemon.web.close()
