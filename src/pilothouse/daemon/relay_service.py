"""The daemon's relay: its port, and the user's Chrome as one more kind of browser.

Knows: the `relay.*` RPC methods, the token file, which browser a call of `open` means. Must not
know: CDP clients (relay/hub/hub.py) or HTTP (relay/server/server.py). The port stays closed until
the settings or a call open it. The token is in a file, and in no reply.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from msgspec.structs import replace

from pilothouse.browsers.kinds import ExtensionKind
from pilothouse.browsers.opener_interface import BrowserOpener, OpenedBrowser, OpenerContext
from pilothouse.browsers.registry import OPENERS
from pilothouse.browsers.target_choice import ID_SHOWN
from pilothouse.daemon.late_imports import import_late
from pilothouse.errors import BrowserError, PilothouseError, TabNotShared, ToolError, UsageError
from pilothouse.paths import data_dir, relay_token_path
from pilothouse.settings import ATTACH_MODES, RELAY_BROWSERS
from pilothouse.tabs.open_and_close_requests import App, OpenRequest, open_request
from pilothouse.tabs.owned_tab_and_browser import OpenedTab, OwnedTab

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon
    from pilothouse.relay.relay import Relay

__all__ = ["RelayService"]

_log = logging.getLogger(__name__)

# Placeholder in a URL. The client replaces it by the token that it reads from the token file.
TOKEN = "TOKEN"
# The message of a CDP error that the user's settings caused.
_REFUSAL = re.compile(
    r"(Pilothouse refuses [^:]+: )(.+?)(?:; instead (.+?))?(?: \(-?\d+\))?$", re.MULTILINE
)
DIALOGS = ("client", "daemon")


class RelayService:
    """Opens and closes the daemon's relay; `relay` is None while it is closed."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._lock = asyncio.Lock()
        self.relay: Relay | None = None
        # A relay that a person closed stays closed until they open it again.
        self._stopped = False
        self.openers: Mapping[type, BrowserOpener[Any]] = {
            **OPENERS,
            ExtensionKind: self._open_extension_browser,
        }
        self.methods: dict[str, Callable[[str, dict[str, Any]], Awaitable[Any]]] = {
            "relay.start": self._start,
            "relay.stop": self._stop,
            "relay.status": self._status,
            "relay.url": self._url,
            "relay.pair": self._pair,
            "relay.check_tokens": self._check_tokens,
            "relay.unpair": self._unpair,
            "relay.shared": self._shared,
        }

    # Lifecycle.

    async def start_if_configured(self) -> None:
        """Open the relay if the settings say so. If the port is taken, the daemon runs without."""
        asked = self._daemon.settings
        if asked.relay.enabled or asked.browser.kind == "extension":
            try:
                await self.open()
            except PilothouseError as error:
                _log.error("the relay could not be opened: %s", error.format_line())

    async def open(self, port: int | None = None) -> Relay:
        """Return the relay; open it first if it is closed. Raises PilothouseError."""
        async with self._lock:
            if self.relay is None:
                self.relay = await self._start_relay(port)
                self._stopped = False
            elif port not in (None, 0, self.relay.port):
                raise ToolError(
                    f"port: the relay is already open at port {self.relay.port}",
                    hint="close it with `pilothouse relay stop`",
                )
            return self.relay

    async def _start_relay(self, port: int | None) -> Relay:
        daemon = self._daemon
        (made,) = await asyncio.to_thread(import_late, "pilothouse.relay.relay")
        relay: Relay = made.Relay(
            daemon.tabs,
            made.TokenStore(self.token_file),
            daemon.settings.relay,
            made.PairingStore(made.pairings_path()),
            note=daemon.journals.note,
            name_of=lambda owner: daemon.names.get(owner, owner),
            files=made.FileRules(
                data_dir() / "relay",
                forbidden=(daemon.paths.root, data_dir()),
                files=_folders(daemon.settings.relay.files),
                downloads=_folders((daemon.settings.browser.downloadDir, "~/Downloads")),
            ),
        )
        await relay.start(daemon.settings.relay.port if port is None else port)
        _log.info("the relay is open", extra={"port": relay.port})
        return relay

    async def close(self, within: float | None = None) -> bool:
        """Close the relay and all its connections. Returns whether it was open."""
        async with self._lock:
            relay, self.relay = self.relay, None
            if relay is None:
                return False
            await relay.close(within)
            _log.info("the relay is closed")
            return True

    @property
    def token_file(self) -> Path:
        """The path of the token file, which only this user can read."""
        return relay_token_path()

    @property
    def is_open(self) -> bool:
        """Whether the relay is open. It keeps the daemon running, for a Chrome that reconnects."""
        return self.relay is not None

    def status(self) -> dict[str, Any]:
        """Return the relay's status, without secrets."""
        if self.relay is None:
            return {"open": False, "clients": [], "extensions": []}
        return self.relay.status()

    # RPC methods.

    async def _start(self, owner: str, params: dict[str, Any]) -> Any:
        await self.open(_port(params))
        return self._status_reply()

    async def _stop(self, owner: str, params: dict[str, Any]) -> Any:
        self._stopped = True
        return {"stopped": await self.close()}

    async def _status(self, owner: str, params: dict[str, Any]) -> Any:
        return self._status_reply()

    def _status_reply(self) -> dict[str, Any]:
        return {**self.status(), "token_file": str(self.token_file)}

    async def _url(self, owner: str, params: dict[str, Any]) -> Any:
        """Return the URL for CDP clients, with a placeholder for the token."""
        usual = self._daemon.settings.relay
        asked = _query(params, {"browser": usual.browser, "attach": usual.attach})
        relay = await self.open(_port(params))
        url = f"ws://127.0.0.1:{relay.port}/cdp?token={TOKEN}"
        return {
            "url": url + (f"&{urlencode(asked)}" if asked else ""),
            "token_file": str(self.token_file),
            "port": relay.port,
            "attach": asked["attach"],
        }

    async def _check_tokens(self, owner: str, params: dict[str, Any]) -> Any:
        """Disconnect clients whose tokens were revoked or replaced in the token files."""
        ended = self.relay.server.check_tokens() if self.relay is not None else 0
        return {"ended": ended}

    async def _pair(self, owner: str, params: dict[str, Any]) -> Any:
        """Return a pairing code, which the user types into the extension."""
        relay = await self.open(_port(params))
        return {**relay.create_pairing_code(), "port": relay.port}

    async def _unpair(self, owner: str, params: dict[str, Any]) -> Any:
        """Forget an extension's secret and disconnect it."""
        install = params.get("install")
        if not isinstance(install, str) or not install:
            raise UsageError(
                "install: missing; expected the id of an installation",
                hint="list them with `pilothouse extension list`",
            )
        (made,) = await asyncio.to_thread(import_late, "pilothouse.relay.relay")
        found = await asyncio.to_thread(made.PairingStore(made.pairings_path()).remove, install)
        dropped = self.relay.unpair(install) if self.relay is not None else 0
        return {"install": install, "unpaired": found, "dropped": dropped}

    async def _shared(self, owner: str, params: dict[str, Any]) -> Any:
        """Return the tabs of the user's Chrome that this owner may use, and whether the owner has
        connected to a browser, whose pages can be adopted too."""
        return {
            "open": self.relay is not None,
            "tabs": await self.list_shared(owner),
            "connected": bool(self._daemon.connected_browsers.endpoint_for(owner)),
        }

    async def list_shared(self, owner: str) -> list[dict[str, str]]:
        """List shared tabs; none for an owner whose policies forbid the user's Chrome."""
        if self.relay is None:
            return []
        try:
            await self._daemon.tabs.url_policies.confine_browser(owner, ExtensionKind())
        except ToolError as error:
            _log.debug("no shared tabs listed for %s: %s", owner, error.message)
            return []
        return self.relay.list_shared_tabs()

    def describe_taken_tab(self, target: str) -> tuple[str, str] | None:
        """Return why the user took a tab away from its owner, and a hint; None if they did not."""
        state = self.relay.extensions.user_stop_of(target) if self.relay is not None else None
        return (state.reason, state.hint) if state is not None else None

    def explain_refusal(self, tab: OwnedTab, error: PilothouseError) -> PilothouseError:
        """Replace an error on a tab of the user's Chrome by the user's decision that caused it."""
        if not isinstance(tab.kind, ExtensionKind):
            return error
        if (why := self.describe_taken_tab(tab.target)) is not None:
            return ToolError(why[0], hint=why[1], untrusted=())
        found = _REFUSAL.search(error.message)
        if found is None:
            return error
        # If the user decided it, the CDP command that failed does not matter to the agent.
        words = found[2] if found[2].startswith("the user ") else found[1] + found[2]
        return ToolError(words, hint=found[3] or error.hint, untrusted=())

    async def explain_not_shared(self, owner: str, wanted: OpenRequest) -> PilothouseError | None:
        """Return why no tab may be opened in the user's Chrome, with the shared tabs to use
        instead.

        None if the user's settings allow new tabs."""
        lent = self.relay.extensions.find(wanted.profile) if self.relay is not None else None
        if wanted.browser != "extension" or wanted.target or lent is None:
            return None
        (rules,) = await asyncio.to_thread(
            import_late, "pilothouse.relay.extension_browser.agent_restrictions"
        )
        wrong = rules.check_open_tab(lent.status()["settings"], wanted.url)
        if wrong is None:
            return None
        shared = tuple(
            (tab["target"][:ID_SHOWN], tab["title"]) for tab in await self.list_shared(owner)
        )
        listed = ", ".join(f"{name} ({title})" for name, title in shared)
        use = f"pilothouse open --target ID uses a shared one: {listed}; or " if shared else ""
        asks = f"open {wanted.url or 'the page'} in Chrome, click the Pilothouse icon, press Share"
        return TabNotShared(wrong.message, hint=f"{use}ask the user: {asks}", shared_tabs=shared)

    # The user's Chrome as a browser.

    async def resolve_request(self, params: Mapping[str, Any], joined: str = "") -> OpenRequest:
        """Parse the parameters of `open` and decide which browser is meant. Raises PilothouseError.

        That is the browser the call names, the endpoint the owner has `joined`, or the default."""
        given = dict(params)
        named = any(given.get(name) for name in ("browser", "app", "profile", "headed"))
        if given.get("target") and not joined and not named and await self._is_paired():
            given["browser"] = "extension"  # `target` names an existing tab of the user's Chrome
        ours = joined or any(given.get(name) for name in ("app", "headed", "stealth"))
        if self._daemon.settings.browser.kind == "extension" and not given.get("browser"):
            given["browser"] = "" if ours else "extension"
        asked = open_request(given)
        if asked.browser == "extension":
            relay = await self._relay_for_extension()
            profile = await relay.wait_for_browser(asked.profile)
            if (halted := relay.extensions.blocked_by(profile)) is not None:
                raise ToolError(halted.reason, hint=halted.hint, untrusted=())
            return replace(asked, profile=profile)
        if asked.app is not None and asked.app.cdp_url:
            endpoint = await self._daemon.connected_browsers.resolve(asked.app.cdp_url)
            return replace(asked, app=replace(asked.app, cdp_url=endpoint))
        if asked.app is None and not asked.profile and not asked.browser and joined:
            endpoint = await self._daemon.connected_browsers.resolve(joined)
            return replace(asked, app=App(cdp_url=endpoint, target=asked.target), target="")
        if asked.target:
            raise UsageError(
                "target: no browser is connected that could have this page",
                hint="connect first, or share a tab of your Chrome (pilothouse extension install)",
            )
        return asked

    def add_user_notices(self, opened: OpenedTab) -> OpenedTab:
        """Add the user's messages for agents to the notices of a new tab in their Chrome."""
        kind, tab = opened.tab.kind, opened.tab
        if isinstance(kind, ExtensionKind) and not opened.reused and self.relay is not None:
            for words in self.relay.extensions.user_notes(kind.profile):
                tab.supervisor.add_notice(tab.key, words)
        return opened

    async def _is_paired(self) -> bool:
        """Return whether an extension is paired, so that it could share a tab."""
        if self.relay is not None:
            return True
        (made,) = await asyncio.to_thread(import_late, "pilothouse.relay.relay")
        return bool(await asyncio.to_thread(made.PairingStore(made.pairings_path()).installs))

    async def _open_extension_browser(
        self, kind: ExtensionKind, grounds: OpenerContext
    ) -> OpenedBrowser:
        return await (await self._relay_for_extension()).open_browser(kind)

    async def _relay_for_extension(self) -> Relay:
        """Return the relay for the user's Chrome; open it unless the user stopped it."""
        if self.relay is None and self._stopped:
            raise BrowserError(
                "the user's Chrome cannot be reached: `pilothouse relay stop` stopped the relay",
                hint="ask the user to run `pilothouse relay start`",
            )
        return self.relay or await self.open()


def _folders(named: Iterable[str]) -> tuple[Path, ...]:
    return tuple(Path(one).expanduser() for one in named if one)


def _port(params: Mapping[str, Any]) -> int | None:
    port = params.get("port")
    if port is None:
        return None
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
        raise UsageError(
            f"port: expected a number from 0 to 65535, got {port!r}", hint="give 0 for any port"
        )
    return port


def _query(params: Mapping[str, Any], usual: Mapping[str, str]) -> dict[str, str]:
    """Parse the query parameters of the relay's URL. Raises ToolError."""
    choices = {"browser": RELAY_BROWSERS, "attach": ATTACH_MODES, "dialogs": DIALOGS}
    asked: dict[str, str] = {}
    for name in ("browser", "attach", "dialogs", "profile", "label", "owner"):
        value = params.get(name) or ""
        if not isinstance(value, str):
            raise UsageError(f"{name}: expected a string, got {value!r}", hint="give a string")
        if value and value not in choices.get(name, (value,)):
            raise UsageError(
                f"{name}: unknown value {value!r}", hint=f"use one of {', '.join(choices[name])}"
            )
        if value:
            asked[name] = value
    return {**usual, **asked}
