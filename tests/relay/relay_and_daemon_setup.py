"""A relay for tests: in this process over tabs of its own (`relayed`), or a whole daemon with one
(`relayed_daemon`). Both listen on a free port and keep their files in a temporary directory.

Knows: how a relay is put together, its token, its pairings. Must not know: what is asserted.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from pilothouse.browsers import Browsers, ExtensionKind
from pilothouse.browsers.kinds import HeadlessKind
from pilothouse.browsers.opener_interface import OpenedBrowser, OpenerContext
from pilothouse.browsers.registry import OPENERS
from pilothouse.relay.extension.installation import EXTENSION_ID
from pilothouse.relay.relay import FileRules, Relay
from pilothouse.relay.server.pairing_proofs_and_codes import new_secret
from pilothouse.relay.server.pairing_store import PairingStore
from pilothouse.relay.server.token_store import TokenStore
from pilothouse.security.file_access import FileAccess
from pilothouse.security.url_policy import UrlPolicy
from pilothouse.settings import RelaySettings
from pilothouse.supervisor import Options, Policy, Supervisors
from pilothouse.tabs import verbs as _verbs  # noqa: F401 - declares them
from pilothouse.tabs.tabs import Tabs
from tests.daemon.daemon_process import Home, at_home

__all__ = ["EXTENSION_ID", "Relayed", "RelayedDaemon", "relayed", "relayed_daemon"]

WITHIN_S = 30.0


def _query(**asked: str) -> str:
    return "".join(f"&{pair}" for pair in urlencode(asked).split("&") if pair)


@dataclass(slots=True)
class Relayed:
    """A relay in this process."""

    relay: Relay
    tabs: Tabs
    tokens: TokenStore
    pairings: PairingStore
    files: Path
    # Makes another relay like this one.
    another: Callable[[], Relay]
    # What the journal was told: owner, what, words.
    notes: list[tuple[str, str, str]] = field(default_factory=list)
    _noted: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.relay.port

    @property
    def token(self) -> str:
        """The user's own."""
        return self.tokens.load().own

    def url(self, token: str = "", **asked: str) -> str:
        """What a client connects to; a managed browser unless another is asked for."""
        query = _query(**{"browser": "managed", **asked})
        return f"ws://127.0.0.1:{self.port}/cdp?token={token or self.token}{query}"

    def http(self, path: str = "/json/version", token: str = "", **asked: str) -> str:
        """A page of the relay, with the token."""
        said = f"?token={token or self.token}{_query(**asked)}"
        return f"http://127.0.0.1:{self.port}{path}{said}"

    def note(self, *told: str) -> None:
        """Keep the journal."""
        owner, what, words = told
        self.notes.append((owner, what, words))
        self._noted.set()

    def owners(self) -> list[str]:
        """As whom clients are here."""
        return [client["owner"] for client in self.relay.status()["clients"]]

    async def left(self, owner: str) -> None:
        """Wait until a client that acted as this owner has gone, with all that ends with it."""
        async with asyncio.timeout(WITHIN_S):
            while not any(o == owner and "left" in words for o, _, words in self.notes):
                self._noted.clear()
                await self._noted.wait()

    async def restart(self) -> None:
        """End the relay, with everybody on it, and begin another at its port."""
        port = self.port
        await self.relay.close()
        self.relay = self.another()
        await self.relay.start(port)

    @property
    def extension_url(self) -> str:
        """What an extension connects to."""
        return f"ws://127.0.0.1:{self.port}/extension"

    def pair(self, install: str = "install-1") -> str:
        """Pair an install; its secret."""
        secret = new_secret()
        self.pairings.add(install, secret)
        return secret


@contextlib.asynccontextmanager
async def relayed(
    *,
    policy: Policy | None = None,
    fence: Callable[[str], UrlPolicy] = lambda owner: UrlPolicy(),
    usual: HeadlessKind | None = None,
    extension_id: str = EXTENSION_ID,
    comes_within_s: float = 0.2,
    declared: tuple[Path, ...] = (),
    **settings: Any,
) -> AsyncIterator[Relayed]:
    """An open relay over a room of tabs; a browser is launched when somebody wants one."""
    files = Path(tempfile.mkdtemp(prefix="ph-relay-"))
    downloads = files / "downloads"
    downloads.mkdir()

    async def lent(kind: ExtensionKind, grounds: OpenerContext) -> OpenedBrowser:
        return await made.relay.open_browser(kind)

    try:
        async with (
            Browsers(openers={**OPENERS, ExtensionKind: lent}) as browsers,
            Supervisors() as supervisors,
        ):
            tabs = Tabs(
                browsers,
                supervisors,
                default_kind=lambda: usual or HeadlessKind(),
                policy=lambda: policy or Policy(),
                options=Options(downloads=str(downloads)),
                files=lambda owner: FileAccess(reads=(files,), writes=(files,)),
                url_policy_for=fence,
            )
            tokens = TokenStore(files / "relay.token")
            pairings = PairingStore(files / "pairings.json")

            def another() -> Relay:
                return Relay(
                    tabs,
                    tokens,
                    RelaySettings(**settings),
                    pairings,
                    files=FileRules(
                        files / "clients", files=declared or (files, Path(tempfile.gettempdir()))
                    ),
                    note=lambda *told: made.note(*told),
                    extension_id=extension_id,
                    comes_within_s=comes_within_s,
                )

            made = Relayed(another(), tabs, tokens, pairings, files, another)
            await made.relay.start(0)
            try:
                yield made
            finally:
                await made.relay.close()
                for tab in tabs.all():
                    await tab.page.close()
                await tabs.url_policies.close()
    finally:
        shutil.rmtree(files)


@dataclass(slots=True)
class RelayedDaemon:
    """A daemon, in a process of its own, with its relay open."""

    home: Home
    port: int
    token: str

    def url(self, **asked: str) -> str:
        """What a client connects to; a managed browser unless another is asked for."""
        query = _query(**{"browser": "managed", **asked})
        return f"ws://127.0.0.1:{self.port}/cdp?token={self.token}{query}"

    def http(self, path: str = "/json/version", **asked: str) -> str:
        """A page of the relay, with the token."""
        return f"http://127.0.0.1:{self.port}{path}?token={self.token}{_query(**asked)}"

    def environ(self) -> Mapping[str, str]:
        """What a command line of this daemon finds around it."""
        return self.home.environ(**relay_environ(self.home))


def relay_environ(home: Home) -> dict[str, str]:
    """The environment that opens a relay with a daemon, all its files below the daemon's own."""
    data = home.paths.root / "data"
    return {
        "PILOTHOUSE_RELAY": "1",
        "PILOTHOUSE_RELAY_PORT": "0",
        "PILOTHOUSE_DATA_DIR": str(data),
    }


@contextlib.contextmanager
def relayed_daemon(chromium: Path, **environ: str) -> Iterator[RelayedDaemon]:
    """A daemon that was started with its relay."""
    with at_home(chromium) as home:
        home.start(**{**relay_environ(home), **environ})
        status = home.line("who asks").call("relay.status")
        assert status["open"], home.paths.log.read_text()[-2000:]
        token = Path(status["token_file"]).read_text()
        yield RelayedDaemon(home, status["port"], token)
