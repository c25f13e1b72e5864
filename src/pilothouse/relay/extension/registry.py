"""The connected extensions by name: which one a client means, and opening it as a browser.

Knows: which extensions are connected, and what to say if none or several match. Must not know: the
extension's protocol (transport.py), clients, tabs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from pilothouse.browsers.kinds import ExtensionKind
from pilothouse.browsers.opener_interface import OpenedBrowser, ask_version
from pilothouse.cdp import Connection
from pilothouse.errors import BrowserError, CdpError
from pilothouse.relay.extension.transport import BASE_CAPABILITIES, ExtensionTransport
from pilothouse.relay.extension_browser import CANCELLED, PAUSED, STOPPED, USER_STOPS, UserStop
from pilothouse.relay.interfaces import Hello, HttpRefusal, MessageHandler, MessageSocket
from pilothouse.settings import RelaySettings

__all__ = ["EXTENSION_CAPABILITIES", "ExtensionRegistry", "describe_sharer"]

_log = logging.getLogger(__name__)

# Wait this long for an extension: one that was just disconnected comes back within it.
CONNECTS_WITHIN_S = 5.0
ANSWERS_WITHIN_S = 10.0

# What Chrome lets an extension do is known. Probing it would open a tab in the user's browser.
EXTENSION_CAPABILITIES = replace(
    BASE_CAPABILITIES,
    note=(
        "the user's own Chrome, through the extension: downloads are reported and stay where "
        "Chrome puts them; no cookie jars of its own, no permissions, no chrome:// pages, no Web "
        "Store"
    ),
)

# Status fields that every client may see. Tabs are shown only to clients that may see them.
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

_INSTALL_HINT = "run pilothouse extension install, load the extension into Chrome, and switch it on"


@dataclass(slots=True, eq=False)
class _RegisteredExtension:
    """One Chrome and its name here. While it is `away` it may come back, and its tabs with it."""

    name: str
    transport: ExtensionTransport
    away: bool = False


class ExtensionRegistry:
    """All extensions of one relay."""

    def __init__(
        self,
        settings: RelaySettings,
        comes_within_s: float = CONNECTS_WITHIN_S,
        *,
        hides: Callable[[str], bool] = lambda url: False,
    ) -> None:
        self._settings = settings
        # Tells whether a URL is of the dashboard: such a tab is the user's, however it is shared.
        self._hides = hides
        self._comes_within_s = comes_within_s
        # By install and profile: two profiles may have loaded the same copy.
        self._extensions: dict[tuple[str, str], _RegisteredExtension] = {}
        self._connections: set[Connection] = set()
        # Called when the user stops work in a tab that is in use.
        self.on_user_stop: Callable[[str, UserStop], object] = lambda target, state: None
        # Called when the user chooses whether the relay starts at login.
        self.on_autostart: Callable[[bool], object] = lambda on: None
        self._connected_event = asyncio.Event()

    def __len__(self) -> int:
        return len(self._connected())

    def _connected(self) -> list[_RegisteredExtension]:
        return [extension for extension in self._extensions.values() if not extension.away]

    def accept(self, hello: Hello, socket: MessageSocket) -> MessageHandler:
        """Register an extension that has proven its secret, new or returning."""
        key = (hello.install, hello.profile)
        extension = self._extensions.get(key)
        if extension is None:
            settings = self._settings
            transport = ExtensionTransport(
                hello,
                hides=self._hides,
                grace_s=settings.grace_s,
                linger_s=settings.detach_after_s,
            )
            extension = self._extensions[key] = _RegisteredExtension(self._name(hello), transport)
            transport.on_closed.append(self._mark_away_callback(extension))
            transport.on_user_stop.append(lambda target, state: self.on_user_stop(target, state))
            transport.on_autostart.append(lambda on: self.on_autostart(on))
        extension.away = False
        handler = extension.transport.accept(socket, hello)
        self._connected_event.set()
        return handler

    def _mark_away_callback(self, extension: _RegisteredExtension) -> Callable[[str], None]:
        def leave(reason: str) -> None:
            extension.away = True
            _log.info("an extension is no longer connected: %s", reason)

        return leave

    def _name(self, hello: Hello) -> str:
        """Return its name: its profile's, unless another one has that."""
        taken = {extension.name for extension in self._extensions.values()}
        name = hello.profile or hello.install[:8]
        return name if name not in taken else f"{name} {hello.install[:8]}"

    async def resolve_name(self, profile: str = "") -> str | HttpRefusal:
        """Return the name of the Chrome that `profile` means. Waits for one that is about to
        connect."""
        try:
            async with asyncio.timeout(self._comes_within_s):
                while not self._matching(profile):
                    self._connected_event.clear()
                    await self._connected_event.wait()
        except TimeoutError:
            names = ", ".join(extension.name for extension in self._connected())
            if names:
                return HttpRefusal(
                    503,
                    f"profile: no connected Chrome is named {profile!r}",
                    f"use one of: {names}",
                )
            return HttpRefusal(503, "no Chrome is connected through the extension", _INSTALL_HINT)
        chosen = self._matching(profile)
        if len(chosen) > 1:
            names = ", ".join(extension.name for extension in chosen)
            return HttpRefusal(
                400, f"several Chromes are connected: {names}", "choose one: profile=NAME"
            )
        return chosen[0].name

    def _matching(self, profile: str) -> list[_RegisteredExtension]:
        return [
            extension
            for extension in self._connected()
            if profile in ("", extension.name, extension.transport.hello.install)
        ]

    def find_only(self, profile: str = "") -> ExtensionTransport | None:
        """Return the connected Chrome that `profile` means; None if none or several match."""
        chosen = self._matching(profile)
        return chosen[0].transport if len(chosen) == 1 else None

    def user_stop_of(self, target: str) -> UserStop | None:
        """Return how the user stopped work in a tab of any Chrome; None if the user did not."""
        states = (one.transport.user_stop_of(target) for one in self._extensions.values())
        return next((state for state in states if state is not None), None)

    def blocked_by(self, name: str) -> UserStop | None:
        """Return how the user keeps all agents out of a Chrome now; None if the user does not."""
        transport = self.find(name)
        state = USER_STOPS.get(transport.status()["state"]) if transport is not None else None
        return state if state in (PAUSED, STOPPED, CANCELLED) else None

    def find(self, name: str) -> ExtensionTransport | None:
        """Return a connected Chrome by name."""
        return next((one.transport for one in self._connected() if one.name == name), None)

    def find_known(self, name: str) -> ExtensionTransport | None:
        """Return a Chrome by name, connected or away."""
        return next((one.transport for one in self._extensions.values() if one.name == name), None)

    def forget_install(self, install: str) -> None:
        """Drop an install that is no longer paired. It cannot come back."""
        for key, extension in list(self._extensions.items()):
            if key[0] == install:
                extension.transport.close("the extension was unpaired")
                self._extensions.pop(key, None)

    async def open(self, kind: ExtensionKind) -> OpenedBrowser:
        """Open a Chrome as a browser, on a connection of its own. Raises BrowserError."""
        transport = self.find(kind.profile)
        if transport is None:
            raise BrowserError(f"{kind.describe()} is no longer connected", hint=_INSTALL_HINT)
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

        return OpenedBrowser(
            kind,
            connection,
            version,
            close,
            features=EXTENSION_CAPABILITIES,
            why_not_killed="it is the user's own",
        )

    def connected(self) -> list[tuple[str, ExtensionTransport]]:
        """Return every connected Chrome with its name."""
        return [(one.name, one.transport) for one in self._connected()]

    def shared_tabs(self) -> list[dict[str, str]]:
        """Return the shared tabs of every connected Chrome, with the profile and why each is
        shared."""
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
        """Return the public status of every connected Chrome."""
        states = [(one.name, one.transport.status()) for one in self._connected()]
        return [
            {
                "name": name,
                **{key: state[key] for key in _PUBLIC_STATUS},
                "attached": len(state["attached"]),
            }
            for name, state in states
        ]

    def user_notes(self, name: str) -> list[str]:
        """Return what a Chrome's user tells agents: instructions and limits."""
        transport = self.find(name)
        settings = transport.status()["settings"] if transport is not None else {}
        instructions = str(settings.get("userInstructions") or "").strip()[:MAX_INSTRUCTIONS]
        notes = [f"the user of this Chrome says: {instructions}"] if instructions else []
        limits = [words for key, words in _LIMITS.items() if settings.get(key)]
        return [*notes, *([f"the user's settings: {', '.join(limits)}"] if limits else [])]

    async def close(self) -> None:
        """Close all connections and drop all extensions."""
        for connection in list(self._connections):
            await connection.close()
        for extension in list(self._extensions.values()):
            extension.transport.close()
        self._extensions.clear()


def describe_sharer(by: str, settings: Mapping[str, Any]) -> str:
    """Say in a few words why a tab of the user's Chrome is shared."""
    if by == "user":
        return "the user picked this tab"
    if by == "agent":
        return "an agent opened it"
    what = {"tab": "this one tab", "window": "this window"}.get(str(settings.get("share")))
    return f"the user shares {what or 'every tab'}"
