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
from pilothouse.relay.extension.transport import FINDINGS, Lent
from pilothouse.relay.extension_browser import CANCELLED, PAUSED, STATES, STOPPED, UserState
from pilothouse.relay.interfaces import Guest, Hello, Line, Refused
from pilothouse.settings import RelaySettings

__all__ = ["LENT", "Lending", "sharer"]

_log = logging.getLogger(__name__)

# An extension that was there a moment ago comes back within this: it is waited for.
COMES_WITHIN_S = 5.0
ANSWERS_WITHIN_S = 10.0

# What Chrome lets an extension do is known: no tab of the user's browser is opened to try it.
LENT = replace(
    FINDINGS,
    note=(
        "the user's own Chrome, through the extension: downloads are told and stay where Chrome "
        "puts them; no cookie jars of its own, no permissions, no chrome:// pages, no Web Store"
    ),
)

# What everybody may know of a lent Chrome; its tabs are told only to those who may see them.
_TOLD = ("install", "profile", "version", "product", "connected", "state", "paused", "tabs")

_LIMITS = {
    "readOnly": "look, and do not act",
    "noNewTabs": "no new tabs",
    "lockUrl": "tabs stay on their site",
}
LONGEST_WORDS = 2000

_HOW = "load the extension into Chrome (pilothouse extension install says how), and switch it on"


@dataclass(slots=True, eq=False)
class _Lender:
    """One Chrome, and what it is called here. One that is `away` may come back: its tabs are then
    found again."""

    name: str
    lent: Lent
    away: bool = False


class Lending:
    """Every Chrome that is lent to one relay."""

    def __init__(self, settings: RelaySettings, comes_within_s: float = COMES_WITHIN_S) -> None:
        self._settings = settings
        self._comes_within_s = comes_within_s
        # By install and profile: two profiles may have loaded the same copy.
        self._lenders: dict[tuple[str, str], _Lender] = {}
        self._wires: set[Connection] = set()
        # Hears of tabs that the user took while somebody used them.
        self.on_taken: Callable[[str, UserState], object] = lambda target, state: None
        # Hears what the user wants of the next login.
        self.on_autostart: Callable[[bool], object] = lambda on: None
        self._came = asyncio.Event()

    def __len__(self) -> int:
        return len(self._present())

    def _present(self) -> list[_Lender]:
        return [lender for lender in self._lenders.values() if not lender.away]

    def lend(self, hello: Hello, line: Line) -> Guest:
        """An extension has proven who it is: a new one, or one that comes back."""
        key = (hello.install, hello.profile)
        lender = self._lenders.get(key)
        if lender is None:
            settings = self._settings
            lent = Lent(hello, grace_s=settings.grace_s, linger_s=settings.detach_after_s)
            lender = self._lenders[key] = _Lender(self._name(hello), lent)
            lent.gone.append(self._leaving(lender))
            lent.on_taken.append(lambda target, state: self.on_taken(target, state))
            lent.on_autostart.append(lambda on: self.on_autostart(on))
        lender.away = False
        guest = lender.lent.came(line, hello)
        self._came.set()
        return guest

    def _leaving(self, lender: _Lender) -> Callable[[str], None]:
        def leave(reason: str) -> None:
            lender.away = True
            _log.info("a Chrome is no longer lent: %s", reason)

        return leave

    def _name(self, hello: Hello) -> str:
        """What it is called: its profile's name, if no other has it."""
        taken = {lender.name for lender in self._lenders.values()}
        name = hello.profile or hello.install[:8]
        return name if name not in taken else f"{name} {hello.install[:8]}"

    async def named(self, profile: str = "") -> str | Refused:
        """The name of the Chrome that is meant; one that is about to come is waited for."""
        try:
            async with asyncio.timeout(self._comes_within_s):
                while not self._chosen(profile):
                    self._came.clear()
                    await self._came.wait()
        except TimeoutError:
            names = ", ".join(lender.name for lender in self._present())
            if names:
                return Refused(503, f"no Chrome named {profile!r} is lent", f"there are: {names}")
            return Refused(503, "no Chrome is lent: no extension is connected", _HOW)
        chosen = self._chosen(profile)
        if len(chosen) > 1:
            names = ", ".join(lender.name for lender in chosen)
            return Refused(400, f"several Chromes are lent: {names}", "say which: profile=NAME")
        return chosen[0].name

    def _chosen(self, profile: str) -> list[_Lender]:
        return [
            lender
            for lender in self._present()
            if profile in ("", lender.name, lender.lent.hello.install)
        ]

    def meant(self, profile: str = "") -> Lent | None:
        """The one Chrome that is meant, if it is there and no other could be."""
        chosen = self._chosen(profile)
        return chosen[0].lent if len(chosen) == 1 else None

    def why_ended(self, target: str) -> UserState | None:
        """How the user ended what was done in a tab of any Chrome; None if the user did not."""
        states = (one.lent.why_ended(target) for one in self._lenders.values())
        return next((state for state in states if state is not None), None)

    def halted(self, name: str) -> UserState | None:
        """How the user keeps all agents out of a Chrome for now; None if the user does not."""
        lent = self.find(name)
        state = STATES.get(lent.status()["state"]) if lent is not None else None
        return state if state in (PAUSED, STOPPED, CANCELLED) else None

    def find(self, name: str) -> Lent | None:
        """One that lends now, by its name."""
        return next((one.lent for one in self._present() if one.name == name), None)

    def known(self, name: str) -> Lent | None:
        """One that lends, or did and may come back, by its name."""
        return next((one.lent for one in self._lenders.values() if one.name == name), None)

    def drop(self, install: str) -> None:
        """An install is not paired any more: nobody waits for it to come back."""
        for key, lender in list(self._lenders.items()):
            if key[0] == install:
                lender.lent.close("the extension was unpaired")
                self._lenders.pop(key, None)

    async def opened(self, kind: Extension) -> Opened:
        """A Chrome as a browser like any other, on a wire of its own. Raises BrowserError."""
        lent = self.find(kind.profile)
        if lent is None:
            raise BrowserError(f"{kind.describe()} is not lent any more", hint=_HOW)
        connection: Connection | None = None
        try:
            connection = await Connection.open(lent.dial, reconnects=True, name=kind.describe())
            version = await ask_version(connection, ANSWERS_WITHIN_S)
        except BaseException as error:
            if connection is not None:
                await connection.close()
            if isinstance(error, CdpError):
                raise BrowserError(
                    f"{kind.describe()} does not answer: {error.message}", hint=_HOW
                ) from None
            raise

        self._wires.add(connection)

        async def close(kill: bool) -> None:
            self._wires.discard(connection)
            await connection.close()

        return Opened(kind, connection, version, close, known=LENT, goes_on="it is the user's own")

    def all(self) -> list[tuple[str, Lent]]:
        """Every Chrome that is lent, by name."""
        return [(one.name, one.lent) for one in self._present()]

    def shared(self) -> list[dict[str, str]]:
        """The tabs of every Chrome that is here, with the profile and who shares each."""
        return [
            {
                "target": tab["target"],
                "title": tab["title"],
                "url": tab["url"],
                "profile": one.name,
                "shared_by": sharer(tab["by"], one.lent.status()["settings"]),
            }
            for one in self._present()
            for tab in one.lent.shared()
        ]

    def status(self) -> list[dict[str, Any]]:
        """Who lends, as people and programs read it."""
        told = [(one.name, one.lent.status()) for one in self._present()]
        return [
            {"name": name, **{key: state[key] for key in _TOLD}, "attached": len(state["attached"])}
            for name, state in told
        ]

    def words(self, name: str) -> list[str]:
        """What the user of a Chrome says to those who come into it."""
        lent = self.find(name)
        settings = lent.status()["settings"] if lent is not None else {}
        said = str(settings.get("userInstructions") or "").strip()[:LONGEST_WORDS]
        told = [f"the user of this Chrome says: {said}"] if said else []
        limits = [words for key, words in _LIMITS.items() if settings.get(key)]
        return [*told, *([f"the user's settings: {', '.join(limits)}"] if limits else [])]

    async def close(self) -> None:
        """Nobody lends any more, and no wire waits for one to come back."""
        for connection in list(self._wires):
            await connection.close()
        for lender in list(self._lenders.values()):
            lender.lent.close()
        self._lenders.clear()


def sharer(by: str, settings: Mapping[str, Any]) -> str:
    """Who shares a tab of the user's Chrome, and how, in a few words."""
    if by == "user":
        return "the user picked this tab"
    if by == "agent":
        return "an agent opened it"
    what = {"tab": "this one tab", "window": "this window"}.get(str(settings.get("share")))
    return f"the user shares {what or 'every tab'}"
