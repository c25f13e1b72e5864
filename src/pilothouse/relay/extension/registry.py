"""The Chromes that are lent, by name: which one is meant, and how it is opened as a browser.

Knows: who lends, and what to say when nobody or too many do. Must not know: the extension's wire
(lent.py), clients, tabs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from pilothouse.browsers.kinds import Extension
from pilothouse.browsers.open_result import Opened, ask_version
from pilothouse.cdp import Connection
from pilothouse.errors import BrowserError, CdpError
from pilothouse.relay.extension.transport import BASE_CAPABILITIES, ExtensionTransport
from pilothouse.relay.extension_browser import CANCELLED, PAUSED, STOPPED, USER_STOPS, UserStop
from pilothouse.relay.interfaces import Hello, HttpRefusal, MessageHandler, MessageSocket
from pilothouse.settings import RelaySettings

__all__ = ["EXTENSION_CAPABILITIES", "ExtensionRegistry", "describe_sharer"]

_log = logging.getLogger(__name__)

# An extension that was there a moment ago comes back within this: it is waited for.
CONNECTS_WITHIN_S = 5.0
ANSWERS_WITHIN_S = 10.0

# What Chrome lets an extension do is known: no tab of the user's browser is opened to try it.
EXTENSION_CAPABILITIES = replace(
    BASE_CAPABILITIES,
    note=(
        "the user's own Chrome, through the extension: downloads are told and stay where Chrome "
        "puts them; no cookie jars of its own, no permissions, no chrome:// pages, no Web Store"
    ),
)

# What everybody may know of a lent Chrome; its tabs are told only to those who may see them.
_PUBLIC_STATUS = (
    "install",
    "profile",
    "version",
    "product",
    "connected",
    "state",
    "paused",
    "tabs",
)

_LIMITS = {
    "readOnly": "look, and do not act",
    "noNewTabs": "no new tabs",
    "lockUrl": "tabs stay on their site",
}
MAX_INSTRUCTIONS = 2000

_INSTALL_HINT = (
    "load the extension into Chrome (pilothouse extension install says how), and switch it on"
)


@dataclass(slots=True, eq=False)
class _RegisteredExtension:
    """One Chrome, and what it is called here. One that is `away` may come back: its tabs are then
    found again."""

    name: str
    transport: ExtensionTransport
    away: bool = False


class ExtensionRegistry:
    """Every Chrome that is lent to one relay."""

    def __init__(self, settings: RelaySettings, comes_within_s: float = CONNECTS_WITHIN_S) -> None:
        self._settings = settings
        self._comes_within_s = comes_within_s
        # By install and profile: two profiles may have loaded the same copy.
        self._extensions: dict[tuple[str, str], _RegisteredExtension] = {}
        self._connections: set[Connection] = set()
        # Hears of tabs that the user took while somebody used them.
        self.on_user_stop: Callable[[str, UserStop], object] = lambda target, state: None
        # Hears what the user wants of the next login.
        self.on_autostart: Callable[[bool], object] = lambda on: None
        self._connected_event = asyncio.Event()

    def __len__(self) -> int:
        return len(self._connected())

    def _connected(self) -> list[_RegisteredExtension]:
        return [extension for extension in self._extensions.values() if not extension.away]

    def accept(self, hello: Hello, line: MessageSocket) -> MessageHandler:
        """An extension has proven who it is: a new one, or one that comes back."""
        key = (hello.install, hello.profile)
        extension = self._extensions.get(key)
        if extension is None:
            settings = self._settings
            transport = ExtensionTransport(
                hello, grace_s=settings.grace_s, linger_s=settings.detach_after_s
            )
            extension = self._extensions[key] = _RegisteredExtension(self._name(hello), transport)
            transport.on_closed.append(self._mark_away_callback(extension))
            transport.on_user_stop.append(lambda target, state: self.on_user_stop(target, state))
            transport.on_autostart.append(lambda on: self.on_autostart(on))
        extension.away = False
        guest = extension.transport.accept(line, hello)
        self._connected_event.set()
        return guest

    def _mark_away_callback(self, extension: _RegisteredExtension) -> Callable[[str], None]:
        def leave(reason: str) -> None:
            extension.away = True
            _log.info("a Chrome is no longer lent: %s", reason)

        return leave

    def _name(self, hello: Hello) -> str:
        """What it is called: its profile's name, if no other has it."""
        taken = {extension.name for extension in self._extensions.values()}
        name = hello.profile or hello.install[:8]
        return name if name not in taken else f"{name} {hello.install[:8]}"

    async def resolve_name(self, profile: str = "") -> str | HttpRefusal:
        """The name of the Chrome that is meant; one that is about to come is waited for."""
        try:
            async with asyncio.timeout(self._comes_within_s):
                while not self._matching(profile):
                    self._connected_event.clear()
                    await self._connected_event.wait()
        except TimeoutError:
            names = ", ".join(extension.name for extension in self._connected())
            if names:
                return HttpRefusal(
                    503, f"no Chrome named {profile!r} is lent", f"there are: {names}"
                )
            return HttpRefusal(503, "no Chrome is lent: no extension is connected", _INSTALL_HINT)
        chosen = self._matching(profile)
        if len(chosen) > 1:
            names = ", ".join(extension.name for extension in chosen)
            return HttpRefusal(400, f"several Chromes are lent: {names}", "say which: profile=NAME")
        return chosen[0].name

    def _matching(self, profile: str) -> list[_RegisteredExtension]:
        return [
            extension
            for extension in self._connected()
            if profile in ("", extension.name, extension.transport.hello.install)
        ]

    def find_only(self, profile: str = "") -> ExtensionTransport | None:
        """The one Chrome that is meant, if it is there and no other could be."""
        chosen = self._matching(profile)
        return chosen[0].transport if len(chosen) == 1 else None

    def user_stop_of(self, target: str) -> UserStop | None:
        """How the user ended what was done in a tab of any Chrome; None if the user did not."""
        states = (one.transport.user_stop_of(target) for one in self._extensions.values())
        return next((state for state in states if state is not None), None)

    def blocked_by(self, name: str) -> UserStop | None:
        """How the user keeps all agents out of a Chrome for now; None if the user does not."""
        transport = self.find(name)
        state = USER_STOPS.get(transport.status()["state"]) if transport is not None else None
        return state if state in (PAUSED, STOPPED, CANCELLED) else None

    def find(self, name: str) -> ExtensionTransport | None:
        """One that lends now, by its name."""
        return next((one.transport for one in self._connected() if one.name == name), None)

    def find_known(self, name: str) -> ExtensionTransport | None:
        """One that lends, or did and may come back, by its name."""
        return next((one.transport for one in self._extensions.values() if one.name == name), None)

    def forget_install(self, install: str) -> None:
        """An install is not paired any more: nobody waits for it to come back."""
        for key, extension in list(self._extensions.items()):
            if key[0] == install:
                extension.transport.close("the extension was unpaired")
                self._extensions.pop(key, None)

    async def open(self, kind: Extension) -> Opened:
        """A Chrome as a browser like any other, on a wire of its own. Raises BrowserError."""
        transport = self.find(kind.profile)
        if transport is None:
            raise BrowserError(f"{kind.describe()} is not lent any more", hint=_INSTALL_HINT)
        connection: Connection | None = None
        try:
            connection = await Connection.open(
                transport.dial, reconnects=True, name=kind.describe()
            )
            version = await ask_version(connection, ANSWERS_WITHIN_S)
        except BaseException as error:
            if connection is not None:
                await connection.close()
            if isinstance(error, CdpError):
                raise BrowserError(
                    f"{kind.describe()} does not answer: {error.message}", hint=_INSTALL_HINT
                ) from None
            raise

        self._connections.add(connection)

        async def close(kill: bool) -> None:
            self._connections.discard(connection)
            await connection.close()

        return Opened(
            kind,
            connection,
            version,
            close,
            features=EXTENSION_CAPABILITIES,
            goes_on="it is the user's own",
        )

    def connected(self) -> list[tuple[str, ExtensionTransport]]:
        """Every Chrome that is lent, by name."""
        return [(one.name, one.transport) for one in self._connected()]

    def shared_tabs(self) -> list[dict[str, str]]:
        """The tabs of every Chrome that is here, with the profile and who shares each."""
        return [
            {
                "target": tab["target"],
                "title": tab["title"],
                "url": tab["url"],
                "profile": one.name,
                "shared_by": describe_sharer(tab["by"], one.transport.status()["settings"]),
            }
            for one in self._connected()
            for tab in one.transport.shared_tabs()
        ]

    def status(self) -> list[dict[str, Any]]:
        """Who lends, as people and programs read it."""
        told = [(one.name, one.transport.status()) for one in self._connected()]
        return [
            {
                "name": name,
                **{key: state[key] for key in _PUBLIC_STATUS},
                "attached": len(state["attached"]),
            }
            for name, state in told
        ]

    def user_notes(self, name: str) -> list[str]:
        """What the user of a Chrome says to those who come into it."""
        transport = self.find(name)
        settings = transport.status()["settings"] if transport is not None else {}
        said = str(settings.get("userInstructions") or "").strip()[:MAX_INSTRUCTIONS]
        told = [f"the user of this Chrome says: {said}"] if said else []
        limits = [words for key, words in _LIMITS.items() if settings.get(key)]
        return [*told, *([f"the user's settings: {', '.join(limits)}"] if limits else [])]

    async def close(self) -> None:
        """Nobody lends any more, and no wire waits for one to come back."""
        for connection in list(self._connections):
            await connection.close()
        for extension in list(self._extensions.values()):
            extension.transport.close()
        self._extensions.clear()


def describe_sharer(by: str, settings: Mapping[str, Any]) -> str:
    """Who shares a tab of the user's Chrome, and how, in a few words."""
    if by == "user":
        return "the user picked this tab"
    if by == "agent":
        return "an agent opened it"
    what = {"tab": "this one tab", "window": "this window"}.get(str(settings.get("share")))
    return f"the user shares {what or 'every tab'}"
