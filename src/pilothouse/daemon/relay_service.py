"""The relay in the daemon: when its port is open, who may ask for it, and the user's Chrome as one
more kind of browser.

Knows: the daemon's methods about the relay, the token's file, which browser a tab is asked for in.
Must not know: CDP clients (relay/hub/hub.py) or HTTP (relay/server/server.py). The port is closed
until the user's settings or a call asks for it; its token is in a file and in no answer.
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

from pilothouse.browsers.kinds import Extension
from pilothouse.browsers.open_result import Grounds, Opened, Opener
from pilothouse.browsers.page_picker import ID_SHOWN
from pilothouse.browsers.registry import OPENERS
from pilothouse.daemon.late_imports import import_late
from pilothouse.errors import BrowserError, PilothouseError, TabNotShared, ToolError, UsageError
from pilothouse.settings import ATTACH_MODES, RELAY_BROWSERS
from pilothouse.tabs.open_request import App, OpenRequest, open_request
from pilothouse.tabs.owned_tab import OpenedTab, OwnedTab

if TYPE_CHECKING:
    from pilothouse.daemon.daemon import Daemon
    from pilothouse.relay.relay import Relay

__all__ = ["RelayService"]

_log = logging.getLogger(__name__)

# Stands in a URL where the client of the daemon puts what it has read from the token's file.
TOKEN = "TOKEN"
# A refusal of the user's settings, as it comes through CDP.
_REFUSAL = re.compile(
    r"(Pilothouse refuses [^:]+: )(.+?)(?:; instead (.+?))?(?: \(-?\d+\))?$", re.MULTILINE
)
DIALOGS = ("client", "daemon")
_CLOSED = "open it with `pilothouse relay start`, or set relay.enabled"


class RelayService:
    """The one relay of a daemon, while it is open."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._lock = asyncio.Lock()
        self.relay: Relay | None = None
        # Whether a person closed it: then it stays closed until they open it again.
        self._stopped = False
        self.openers: Mapping[type, Opener[Any]] = {
            **OPENERS,
            Extension: self._open_extension_browser,
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

    # Life.

    async def start_if_configured(self) -> None:
        """Open it with the daemon, if the user's settings say so. A port that is taken is no
        reason to have no daemon."""
        asked = self._daemon.settings
        if asked.relay.enabled or asked.browser.kind == "extension":
            try:
                await self.open()
            except PilothouseError as error:
                _log.error("the relay is not open: %s", error.format_line())

    async def open(self, port: int | None = None) -> Relay:
        """The relay; opened if it is not. Raises PilothouseError."""
        async with self._lock:
            if self.relay is None:
                self.relay = await self._start_relay(port)
                self._stopped = False
            elif port not in (None, 0, self.relay.port):
                raise ToolError(
                    f"the relay is open already, at port {self.relay.port}",
                    hint="pilothouse relay stop closes it",
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
                made.data_dir() / "relay",
                never=(daemon.paths.root, made.data_dir()),
                files=_folders(daemon.settings.relay.files),
                downloads=_folders((daemon.settings.browser.downloadDir, "~/Downloads")),
            ),
        )
        await relay.start(daemon.settings.relay.port if port is None else port)
        _log.info("the relay is open", extra={"port": relay.port})
        return relay

    async def close(self, within: float | None = None) -> bool:
        """Close it, with everybody on it; whether it was open."""
        async with self._lock:
            relay, self.relay = self.relay, None
            if relay is None:
                return False
            await relay.close(within)
            _log.info("the relay is closed")
            return True

    @property
    def token_file(self) -> Any:
        """Where the token is: only this user can read it."""
        return self._daemon.paths.root / "relay.token"

    @property
    def is_open(self) -> bool:
        """Whether it is open: the daemon stays then, for a Chrome that comes back tomorrow."""
        return self.relay is not None

    def status(self) -> dict[str, Any]:
        """What there is to say of it; no secret."""
        if self.relay is None:
            return {"open": False, "clients": [], "extensions": []}
        return self.relay.status()

    # Methods of the daemon.

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
        """What a client connects to. Where the token belongs is only said."""
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
        """Tokens were revoked or replaced in their files: hang up on those who came with them."""
        ended = self.relay.server.check_tokens() if self.relay is not None else 0
        return {"ended": ended}

    async def _pair(self, owner: str, params: dict[str, Any]) -> Any:
        """A code for an extension that has no secret yet, to be typed into its window."""
        relay = await self.open(_port(params))
        return {**relay.pair(), "port": relay.port}

    async def _unpair(self, owner: str, params: dict[str, Any]) -> Any:
        """Forget the secret of an extension, and hang up on it at once."""
        install = params.get("install")
        if not isinstance(install, str) or not install:
            raise ToolError("install: missing", hint="pilothouse extension list shows them")
        (made,) = await asyncio.to_thread(import_late, "pilothouse.relay.relay")
        found = await asyncio.to_thread(made.PairingStore(made.pairings_path()).forget, install)
        dropped = self.relay.unpair(install) if self.relay is not None else 0
        return {"install": install, "unpaired": found, "dropped": dropped}

    async def _shared(self, owner: str, params: dict[str, Any]) -> Any:
        """The tabs of the user's Chrome that this owner may take over."""
        return {"open": self.relay is not None, "tabs": await self.list_shared(owner)}

    async def list_shared(self, owner: str) -> list[dict[str, str]]:
        """The same; none for an owner whose policies keep it out of the user's Chrome."""
        if self.relay is None:
            return []
        try:
            await self._daemon.tabs.url_policies.kind(owner, Extension())
        except ToolError as error:
            _log.debug("%s is told of no shared tab: %s", owner, error.message)
            return []
        return self.relay.shared()

    def describe_taken_tab(self, target: str) -> tuple[str, str] | None:
        """How the user took a tab of their Chrome that an owner used, and what to do about it."""
        state = self.relay.extensions.user_stop_of(target) if self.relay is not None else None
        return (state.reason, state.hint) if state is not None else None

    def explain_refusal(self, tab: OwnedTab, error: PilothouseError) -> PilothouseError:
        """An error on a tab of the user's Chrome as the user's decision, if it was that."""
        if not isinstance(tab.kind, Extension):
            return error
        if (why := self.describe_taken_tab(tab.target)) is not None:
            return ToolError(why[0], hint=why[1], untrusted=())
        found = _REFUSAL.search(error.message)
        if found is None:
            return error
        # Which command was refused is of no use where it is the user who refuses.
        words = found[2] if found[2].startswith("the user ") else found[1] + found[2]
        return ToolError(words, hint=found[3] or error.hint, untrusted=())

    async def explain_not_shared(self, owner: str, wanted: OpenRequest) -> PilothouseError | None:
        """Why no tab may be opened in the user's Chrome, and which tabs may be used instead; None
        if the user's settings allow one."""
        lent = self.relay.extensions.find(wanted.profile) if self.relay is not None else None
        if wanted.browser != "extension" or wanted.target or lent is None:
            return None
        (rules,) = await asyncio.to_thread(
            import_late, "pilothouse.relay.extension_browser.restrictions"
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
        """What `open` asks for, with the browser that is meant: the one that is named, the one that
        the owner has `joined`, or as the settings say. Raises PilothouseError."""
        given = dict(params)
        named = any(given.get(name) for name in ("browser", "app", "profile", "headed"))
        if given.get("target") and not joined and not named and await self._is_paired():
            given["browser"] = "extension"  # a tab that is there already, in the user's Chrome
        ours = joined or any(given.get(name) for name in ("app", "headed", "stealth"))
        if self._daemon.settings.browser.kind == "extension" and not given.get("browser"):
            given["browser"] = "" if ours else "extension"
        asked = open_request(given)
        if asked.browser == "extension":
            relay = await self._relay_for_extension()
            profile = await relay.standby(asked.profile)
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
                "target: no browser was joined whose page it could be",
                hint="connect first, or share a tab of your Chrome (pilothouse extension install)",
            )
        return asked

    def add_user_notices(self, opened: OpenedTab) -> OpenedTab:
        """A tab was opened: whoever comes into the user's Chrome hears what the user says."""
        kind, tab = opened.tab.kind, opened.tab
        if isinstance(kind, Extension) and not opened.reused and self.relay is not None:
            for words in self.relay.extensions.user_notes(kind.profile):
                tab.supervisor.add_notice(tab.key, words)
        return opened

    async def _is_paired(self) -> bool:
        """Whether an extension could share a tab."""
        if self.relay is not None:
            return True
        (made,) = await asyncio.to_thread(import_late, "pilothouse.relay.relay")
        return bool(await asyncio.to_thread(made.PairingStore(made.pairings_path()).installs))

    async def _open_extension_browser(self, kind: Extension, grounds: Grounds) -> Opened:
        return await (await self._relay_for_extension()).opened(kind)

    async def _relay_for_extension(self) -> Relay:
        """The relay; opened for whoever asks for the user's Chrome, unless the user closed it."""
        if self.relay is None and self._stopped:
            raise BrowserError("the user's Chrome is not lent: the relay is closed", hint=_CLOSED)
        return self.relay or await self.open()


def _folders(named: Iterable[str]) -> tuple[Path, ...]:
    return tuple(Path(one).expanduser() for one in named if one)


def _port(params: Mapping[str, Any]) -> int | None:
    port = params.get("port")
    if port is None:
        return None
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 65536:
        raise ToolError(f"port: {port!r} is none", hint="0 picks a free one")
    return port


def _query(params: Mapping[str, Any], usual: Mapping[str, str]) -> dict[str, str]:
    """What the URL says beside the token. Raises ToolError."""
    choices = {"browser": RELAY_BROWSERS, "attach": ATTACH_MODES, "dialogs": DIALOGS}
    asked: dict[str, str] = {}
    for name in ("browser", "attach", "dialogs", "profile", "label", "owner"):
        value = params.get(name) or ""
        if not isinstance(value, str):
            raise ToolError(f"{name}: {value!r} will not do", hint="a text is wanted")
        if value and value not in choices.get(name, (value,)):
            raise ToolError(
                f"{name}: {value!r} is not known", hint=f"one of {', '.join(choices[name])}"
            )
        if value:
            asked[name] = value
    return {**usual, **asked}
