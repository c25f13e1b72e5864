"""The relay of one daemon: its port, the Chromes that are lent, and who is on which browser.

Knows: which browser a client means, as which owner it acts, and what ends with it. Must not know:
HTTP (server.py), CDP (hub.py), which Chrome is meant (extensions.py), or the daemon.

    client -> RelayServer -> Relay.join -> Hub of the browser -> its Connection
    extension -> RelayServer -> Lending -> Lent <- Connection <- supervisor and hub

A client is an owner like any other: the browser, the cookies and the fences are those that the
owner's tabs have (tabs/tabs.py).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pilothouse.browsers.kinds import Extension, Headless, Kind
from pilothouse.browsers.open_result import Opened
from pilothouse.cdp.protocol import Browser
from pilothouse.errors import BrowserError, CdpError, PilothouseError
from pilothouse.relay.autostart import is_autostarted, set_autostart
from pilothouse.relay.extension import (
    CONNECTS_WITHIN_S,
    EXTENSION_ID,
    BrowserUser,
    ExtensionRegistry,
    StatusUpdater,
    client_users,
    data_dir,
    owner_users,
    pairings_path,
)
from pilothouse.relay.extension_browser import UserStop
from pilothouse.relay.hub import ClientFiles, FileRules, Hub, Upstream
from pilothouse.relay.interfaces import ClientSpec, HttpRefusal, MessageHandler, MessageSocket
from pilothouse.relay.server import (
    CODE_LIVES_S,
    SLOT_BUSY,
    STANDBY_S,
    BrowserFacts,
    PairingStore,
    RelayServer,
    RequestAuth,
    TokenStore,
    wait_for_slot,
)
from pilothouse.security.relay_tokens import TokenBook
from pilothouse.settings import RelaySettings
from pilothouse.supervisor import Supervisor
from pilothouse.tabs.open_request import CloseRequest, OpenRequest
from pilothouse.tabs.owned_tab import OwnerBrowser, browser_without_page
from pilothouse.tabs.tabs import Tabs
from pilothouse.tasks import Tasks

__all__ = ["FileRules", "PairingStore", "Relay", "TokenStore", "data_dir", "pairings_path"]

_log = logging.getLogger(__name__)

HOST = "127.0.0.1"
VERSION_WITHIN_S = 5.0
_UNFIT = re.compile(r"[^\w.-]+")

# What is told of whom: (owner, what, words).
Note = Callable[[str, str, str], object]


def _unnoted(owner: str, what: str, words: str) -> None:
    """Nobody keeps a journal."""


@dataclass(slots=True, eq=False)
class _Shared:
    """The hub of one browser, and how many use it or are about to."""

    hub: Hub
    kind: Kind
    users: int = 0


@dataclass(slots=True, eq=False)
class _Client:
    """Who came, and what it uses. `own` says that its owner ends with it."""

    spec: ClientSpec
    home: OwnerBrowser
    shared: _Shared
    own: bool


class Relay:
    """One port. `start` opens it, `close` closes it and hangs up on everybody."""

    def __init__(
        self,
        tabs: Tabs,
        tokens: TokenStore,
        settings: RelaySettings,
        pairings: PairingStore,
        *,
        files: FileRules,
        note: Note = _unnoted,
        name_of: Callable[[str], str] = str,
        extension_id: str = EXTENSION_ID,
        comes_within_s: float = CONNECTS_WITHIN_S,
    ) -> None:
        self._tabs = tabs
        self._tokens = tokens
        self._settings = settings
        self._note = note
        # What people call an owner: the name of its program, if that is known.
        self._name_of = name_of
        self._files = files
        self._numbers = itertools.count(1)
        self._hubs: dict[Supervisor, _Shared] = {}
        self._clients: dict[str, _Client] = {}
        self._tasks = Tasks()
        self._leaving: set[asyncio.Task[None]] = set()
        # Owners that came as clients: their tabs stay, and are no sign of tools at work.
        self._came: set[str] = set()
        self.extensions = ExtensionRegistry(settings, comes_within_s)
        self.extensions.on_user_stop = self._taken
        self.extensions.on_autostart = self._set_autostart
        self.status_updater = StatusUpdater(self.extensions.connected, self._users, is_autostarted)
        self.server = RelayServer(
            RequestAuth(self._book, extension_id),
            self.join,
            self.extensions.accept,
            self._facts,
            pairings=pairings,
            mode=settings.client_mode,  # type: ignore[arg-type]
            defaults={"browser": settings.browser, "attach": settings.attach},
            active_tool_owners=self._tools_at_work,
        )

    # Life.

    async def start(self, port: int) -> None:
        """Listen, on this machine alone; port 0 picks a free one. Raises PilothouseError."""
        # Whoever reads the token's file finds one as soon as the port is open.
        await asyncio.to_thread(self._tokens.load)
        await self.server.start(HOST, port)
        self.status_updater.start()

    async def close(self, within: float | None = None) -> None:
        """Hang up on everybody; what was made for clients ends. `within` is for those who end the
        browsers, too: what has not ended by then is left to that."""
        await self.status_updater.close()
        await self.server.close()
        for shared in list(self._hubs.values()):
            await shared.hub.close()
        # Those whom a hub has sent away leave a home each.
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=within)
        await self.extensions.close()
        await self._tasks.close()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.server.port

    @property
    def busy(self) -> bool:
        """Whether anybody is here."""
        return bool(self._clients) or bool(len(self.extensions))

    def _book(self) -> TokenBook | None:
        try:
            return self._tokens.load()
        except PilothouseError as error:
            _log.error("nobody is let in: %s", error.format_line())
            return None

    # Clients.

    async def join(self, spec: ClientSpec, line: MessageSocket) -> MessageHandler | HttpRefusal:
        """Let a client in, to the browser that it means, as the owner that it names or as one of
        its own."""
        own, owner = not spec.owner, spec.owner or self._new_owner(spec.label)
        wanted = await self._wanted(spec)
        if isinstance(wanted, HttpRefusal):
            return wanted
        try:
            home = await self._tabs.acquire_browser(owner, wanted)
        except PilothouseError as error:
            return HttpRefusal(503, error.message, error.hint)
        shared = self._hub_of(home, lent=spec.browser == "extension")
        client = _Client(replace(spec, owner=owner), home, shared, own)
        self._clients[spec.id] = client
        self._came.add(owner)
        guest: MessageHandler | HttpRefusal | None = None
        try:
            guest = await shared.hub.join(client.spec, line)
        finally:
            if guest is None or isinstance(guest, HttpRefusal):
                await self._leave(client)
        if not isinstance(guest, HttpRefusal):
            self._note(owner, "client", f"{spec.label or spec.id} came through the relay")
        return guest

    def _new_owner(self, label: str) -> str:
        name = _UNFIT.sub("-", label)[:40].strip("-") or "client"
        return f"relay-{name}-{next(self._numbers)}"

    async def _wanted(self, spec: ClientSpec) -> OpenRequest | HttpRefusal:
        if spec.browser != "extension":
            return OpenRequest(browser="managed", profile=spec.profile)
        name = await self.extensions.resolve_name(spec.profile)
        if isinstance(name, HttpRefusal):
            return name
        return OpenRequest(browser="extension", profile=name)

    def _left(self, owner: str, client_id: str, used: frozenset[str]) -> None:
        """A hub says that a client is gone, and which pages it has used."""
        client = self._clients.get(client_id)
        if client is not None:
            leaving = self._tasks.start(self._leave(client, used), f"client {client_id} leaves")
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)

    async def _leave(self, client: _Client, used: frozenset[str] = frozenset()) -> None:
        files = self._files_of(client.spec.owner, client.spec)
        if self._clients.pop(client.spec.id, None) is None:
            return
        shared, owner = client.shared, client.spec.owner
        shared.users -= 1
        if not shared.users:
            self._hubs = {key: one for key, one in self._hubs.items() if one is not shared}
            await shared.hub.close()
        if client.own:
            for tab in self._tabs.owned_by(owner):
                # What is open in the user's Chrome is the user's from now on.
                tab.adopted = tab.adopted or isinstance(tab.kind, Extension)
            await self._tabs.close(owner, CloseRequest(all=True))
        self._give_back(shared, used)
        await self._tabs.release_browser(owner, client.home)
        await asyncio.to_thread(files.clean_up)
        self._note(owner, "client", f"{client.spec.label or client.spec.id} left the relay")

    def _give_back(self, shared: _Shared, used: frozenset[str]) -> None:
        """Tabs of the user's Chrome that a client used, and that nobody here uses any more, are the
        user's alone from now on."""
        kind = shared.kind
        lent = self.extensions.find_known(kind.profile) if isinstance(kind, Extension) else None
        if lent is None:
            return
        clients = {s.target for one in shared.hub.clients() for s in one.sessions.values()}
        tabs = [tab for tab in self._tabs.all() if tab.alive and browser_without_page(tab.kind) == kind]
        owners = {tab.supervisor.state.tabs[tab.tab_id].target_id for tab in tabs}
        lent.give_back(used - clients - owners)

    def _set_autostart(self, on: bool) -> None:
        try:
            set_autostart(on)
        except PilothouseError as error:
            _log.error("the relay cannot be started at login: %s", error.format_line())

    def _taken(self, target: str, state: UserStop) -> None:
        """The user took a tab: the journals of those who used it say so."""
        owners = {tab.owner for tab in self._tabs.all() if tab.target == target}
        for shared in self._hubs.values():
            owners |= {one.owner for one in shared.hub.clients() if target in one.acted_targets}
        for owner in owners:
            self._note(owner, "user", state.reason)

    # Browsers.

    def _hub_of(self, home: OwnerBrowser, *, lent: bool) -> _Shared:
        shared = self._hubs.get(home.supervisor)
        if shared is None:
            shared = self._hubs[home.supervisor] = _Shared(
                Hub(self._upstream(home, lent=lent)), home.kind
            )
        shared.users += 1
        return shared

    def _upstream(self, home: OwnerBrowser, *, lent: bool) -> Upstream:
        supervisor = home.supervisor

        def homes(owner: str) -> list[OwnerBrowser]:
            return [
                client.home
                for client in self._clients.values()
                if client.spec.owner == owner and client.home.supervisor is supervisor
            ]

        async def context(owner: str) -> str:
            return next((home.context for home in homes(owner)), "")

        def sees(owner: str, info: Mapping[str, Any]) -> bool:
            return self._sees(supervisor, owner, info, lent=lent)

        def whose(info: Mapping[str, Any]) -> str:
            return self._whose(supervisor, info)

        def made(owner: str, jar: str) -> None:
            for one in homes(owner):
                one.contexts.add(jar)
            supervisor.url_policy.set_policy(owner, self._tabs.url_policies.policy_for(owner), jar)

        return Upstream(
            supervisor.connection,
            supervisor,
            self._files_of,
            is_extension=lent,
            context=context,
            context_options=self._tabs.url_policies.context_options,
            is_visible=sees,
            owner_of=whose,
            on_context_created=made,
            on_client_left=self._left,
        )

    def _files_of(self, owner: str, spec: ClientSpec) -> ClientFiles:
        client = self._clients.get(spec.id)
        own = client is None or client.own
        # A client whose owner ends with it has a folder that nobody had before.
        return ClientFiles(self._files, f"{owner}-{spec.id}" if own else owner, spec.id, spec.grant)

    def _sees(
        self, supervisor: Supervisor, owner: str, info: Mapping[str, Any], *, lent: bool
    ) -> bool:
        """Whether a target is an owner's; in the user's Chrome also what is nobody's, for those
        who asked for every tab."""
        whose = self._whose(supervisor, info)
        if whose:
            return whose == owner
        return lent and any(
            client.spec.attach != "owned" and client.spec.grant.shared
            for client in self._clients.values()
            if client.spec.owner == owner and client.home.supervisor is supervisor
        )

    def _whose(self, supervisor: Supervisor, info: Mapping[str, Any]) -> str:
        tab = supervisor.state.tab_of_target(str(info.get("targetId", "")))
        return self._tabs.owner_of(supervisor, tab) if tab is not None else ""

    def _users(self, name: str) -> list[BrowserUser]:
        """Who uses a lent Chrome: clients, and owners of ours with their tabs."""
        kind = Extension(name)
        hubs = [shared.hub for shared in self._hubs.values() if shared.kind == kind]
        clients = [user for hub in hubs for user in client_users(hub)]
        without = {client.owner for hub in hubs for client in hub.clients()}
        tabs = [tab for tab in self._tabs.all() if browser_without_page(tab.kind) == kind]
        owned = (tab for tab in tabs if tab.owner not in without)
        return [*clients, *owner_users(owned, self._name_of)]

    def _tools_at_work(self) -> list[str]:
        """The owners whose tools are using the user's Chrome, or did a moment ago."""
        clients = {client.spec.owner for client in self._clients.values()}
        found = []
        for tab in self._tabs.all():
            if not tab.alive or not isinstance(tab.kind, Extension) or tab.owner in clients:
                continue
            recent = tab.supervisor.now() - tab.used_at < STANDBY_S and tab.owner not in self._came
            if tab.lease.holder or recent:
                found.append(tab.owner)
        return sorted(set(found))

    async def standby(self, profile: str) -> str:
        """The name of the Chrome that our own tools mean, once it is there and, where only one may
        use it at a time, free. Raises BrowserError."""
        name = await self.extensions.resolve_name(profile)
        if isinstance(name, HttpRefusal):
            raise BrowserError(name.message, hint=name.hint)

        async def is_free() -> bool:
            return not self.server.slots.status()["busy"]

        if not await wait_for_slot(is_free):
            raise BrowserError(
                f"{SLOT_BUSY.message}, in the user's Chrome", hint="wait until it is gone"
            )
        return name

    async def opened(self, kind: Extension) -> Opened:
        """How browsers of this kind are opened. Raises BrowserError."""
        return await self.extensions.open(kind)

    # What is told.

    def unpair(self, install: str) -> int:
        """Hang up on an extension that is not paired any more; in how many profiles it was here."""
        dropped = self.server.disconnect_install(install)
        self.extensions.forget_install(install)
        return dropped

    def shared(self) -> list[dict[str, str]]:
        """The tabs of the user's Chromes that the user shares and no owner has yet."""
        supervisors = self._extension_supervisors()
        return [
            tab
            for tab in self.extensions.shared_tabs()
            if not any(self._whose(one, {"targetId": tab["target"]}) for one in supervisors)
        ]

    def _extension_supervisors(self) -> set[Supervisor]:
        return {
            *(one for one, shared in self._hubs.items() if isinstance(shared.kind, Extension)),
            *(one.supervisor for one in self._tabs.all() if isinstance(one.kind, Extension)),
        }

    def pair(self) -> dict[str, Any]:
        """A code to type into an extension that was never paired."""
        return {"code": self.server.pairing_code(), "lives_s": CODE_LIVES_S}

    def status(self) -> dict[str, Any]:
        """Who is here; no secret."""
        return {
            "open": True,
            "port": self.port,
            "mode": self.server.slots.mode,
            "clients": [_told(client) for client in self._clients.values()],
            "extensions": self.extensions.status(),
            "conflicts": [c for shared in self._hubs.values() for c in shared.hub.conflicts()],
        }

    async def _facts(self, spec: ClientSpec) -> BrowserFacts | HttpRefusal:
        """What is known of the browser that a client means; none is opened for that."""
        lends = self.extensions.status()
        connected = any(one["connected"] for one in lends)
        scoped = bool(spec.grant.owner)
        told_of = {} if scoped else {"extensions": lends}
        facts: BrowserFacts = {"extension": {"connected": connected, **told_of}}
        if spec.browser == "extension":
            lent = self.extensions.find_only(spec.profile)
            if lent is not None:
                told = lent.status()
                facts["version"] = {
                    "product": lent.hello.product,
                    "userAgent": lent.hello.user_agent,
                }
                facts["targets"] = [
                    {"targetId": tab["target"], "type": "page", **tab}
                    for tab in lent.shared_tabs()
                    if self._shows(spec, {"targetId": tab["target"]})
                ]
                facts["tabs"] = [tab for tab in told["attached"] if self._shows(spec, tab)]
                facts["restrictions"] = told["settings"]
            return facts
        for supervisor, shared in self._hubs.items():
            if isinstance(shared.kind, Headless):
                facts["version"] = await _version(supervisor)
        facts["targets"] = [
            {
                "targetId": tab.supervisor.session(tab.tab_id).target_id,
                "type": "page",
                **tab.describe(),
            }
            for tab in (self._tabs.owned_by(spec.owner) if spec.owner else ())
            if tab.alive and isinstance(tab.kind, Headless)
        ]
        return facts

    def _shows(self, spec: ClientSpec, tab: Mapping[str, Any]) -> bool:
        """Whether whoever asks is told of an attached tab: the user of all, an owner of its own and
        of those that the user shares with it."""
        if not spec.owner:
            return True
        supervisors = self._extension_supervisors()
        whose = next(filter(None, (self._whose(one, tab) for one in supervisors)), "")
        return whose == spec.owner or (not whose and spec.grant.shared)


async def _version(supervisor: Supervisor) -> Mapping[str, Any]:
    try:
        return await supervisor.connection.send(Browser.getVersion(), VERSION_WITHIN_S)
    except CdpError as error:
        _log.debug("a browser does not say what it is: %s", error)
        return {}


def _told(client: _Client) -> dict[str, Any]:
    spec = client.spec
    return {
        "id": spec.id,
        "label": spec.label,
        "owner": spec.owner,
        "browser": spec.browser,
        "profile": spec.profile,
        "attach": spec.attach,
        "token": spec.grant.id,
    }
