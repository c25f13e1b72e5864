"""The relay of one daemon: its port, the connected extensions, and which client uses which browser.

Knows: which browser a client asks for, the owner it acts as, and what ends with it. Must not know:
HTTP (server/), CDP (hub/), how extensions connect (extension/), or the daemon.

    client    -> RelayServer -> Relay.join -> Hub of the browser -> its Connection
    extension -> RelayServer -> ExtensionRegistry -> extension browser <- Connection <- Hub

A client acts as an owner like any other: it gets the owner's browser, cookies and URL policy
(tabs/tabs.py).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pilothouse.asyncio_tasks import Tasks
from pilothouse.browsers import BrowserKind, ExtensionKind, HeadlessKind
from pilothouse.browsers.opener_interface import OpenedBrowser
from pilothouse.cdp.protocol import Browser
from pilothouse.errors import BrowserError, CdpError, PilothouseError
from pilothouse.relay.extension import (
    CONNECTS_WITHIN_S,
    EXTENSION_ID,
    BrowserUser,
    ExtensionRegistry,
    StatusUpdater,
    client_users,
    owner_users,
    pairings_path,
)
from pilothouse.relay.extension_browser import UserStop
from pilothouse.relay.hub import ClientFiles, FileRules, Hub, Upstream
from pilothouse.relay.interfaces import ClientSpec, HttpRefusal, MessageHandler, MessageSocket
from pilothouse.relay.login_autostart import is_autostarted, set_autostart
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
from pilothouse.tabs.open_and_close_requests import CloseRequest, OpenRequest
from pilothouse.tabs.owned_tab_and_browser import OwnerBrowser, browser_without_page
from pilothouse.tabs.tabs import Tabs

__all__ = ["FileRules", "PairingStore", "Relay", "TokenStore", "pairings_path"]

_log = logging.getLogger(__name__)

HOST = "127.0.0.1"
VERSION_TIMEOUT_S = 5.0
_NOT_IN_OWNER_NAMES = re.compile(r"[^\w.-]+")

# Writes to an owner's journal: (owner, kind, text).
Note = Callable[[str, str, str], object]


def _discard_note(owner: str, kind: str, text: str) -> None:
    """Discard a journal entry."""


@dataclass(slots=True, eq=False)
class _SharedHub:
    """The hub of one browser, and how many clients use it or are joining."""

    hub: Hub
    kind: BrowserKind
    client_count: int = 0


@dataclass(slots=True, eq=False)
class _JoinedClient:
    """A client with its browser. `ends_owner`: its owner was created for it and ends with it."""

    spec: ClientSpec
    browser: OwnerBrowser
    shared_hub: _SharedHub
    ends_owner: bool


class Relay:
    """One port. `start` opens it; `close` closes it and disconnects everybody."""

    def __init__(
        self,
        tabs: Tabs,
        tokens: TokenStore,
        settings: RelaySettings,
        pairings: PairingStore,
        *,
        files: FileRules,
        note: Note = _discard_note,
        name_of: Callable[[str], str] = str,
        extension_id: str = EXTENSION_ID,
        comes_within_s: float = CONNECTS_WITHIN_S,
    ) -> None:
        self._tabs = tabs
        self._tokens = tokens
        self._settings = settings
        self._note = note
        # The name shown for an owner: its program's name, if known.
        self._name_of = name_of
        self._files = files
        self._numbers = itertools.count(1)
        self._hubs: dict[Supervisor, _SharedHub] = {}
        self._clients: dict[str, _JoinedClient] = {}
        self._tasks = Tasks()
        self._leave_tasks: set[asyncio.Task[None]] = set()
        # Owners that joined as clients. Their tabs may stay open, which must not count as active
        # tools in `_active_tool_owners`.
        self._client_owners: set[str] = set()
        self.extensions = ExtensionRegistry(
            settings, comes_within_s, hides=lambda url: tabs.url_policies.is_own_page("", url)
        )
        self.extensions.on_user_stop = self._on_user_stop
        self.extensions.on_autostart = self._set_autostart
        self.status_updater = StatusUpdater(
            self.extensions.connected, self._list_users, is_autostarted
        )
        self.server = RelayServer(
            RequestAuth(self._load_tokens, extension_id),
            self.join,
            self.extensions.accept,
            self._browser_facts,
            pairings=pairings,
            mode=settings.client_mode,  # type: ignore[arg-type]
            defaults={"browser": settings.browser, "attach": settings.attach},
            active_tool_owners=self._active_tool_owners,
        )

    # Start and stop.

    async def start(self, port: int) -> None:
        """Listen on 127.0.0.1. Port 0 picks a free one. Raises PilothouseError."""
        # Create the token file before the port opens, so that readers of the file always find one.
        await asyncio.to_thread(self._tokens.load)
        await self.server.start(HOST, port)
        self.status_updater.start()

    async def close(self, within: float | None = None) -> None:
        """Disconnect everybody and end what was created for clients.

        `within` bounds the wait for clients to leave, for callers that close the browsers anyway.
        """
        await self.status_updater.close()
        await self.server.close()
        for shared in list(self._hubs.values()):
            await shared.hub.close()
        # Each client that a hub disconnected still has its browser to release.
        if self._leave_tasks:
            await asyncio.wait(self._leave_tasks, timeout=within)
        await self.extensions.close()
        await self._tasks.close()

    @property
    def port(self) -> int:
        """Return the port that it listens on."""
        return self.server.port

    @property
    def is_busy(self) -> bool:
        """Return whether a client or an extension is connected."""
        return bool(self._clients) or bool(len(self.extensions))

    def _load_tokens(self) -> TokenBook | None:
        try:
            return self._tokens.load()
        except PilothouseError as error:
            _log.error("the tokens cannot be read, so no client is let in: %s", error.format_line())
            return None

    # Clients.

    async def join(self, spec: ClientSpec, line: MessageSocket) -> MessageHandler | HttpRefusal:
        """Let a client in, to the browser it asks for, as the owner it names or a new one."""
        own, owner = not spec.owner, spec.owner or self._new_owner(spec.label)
        wanted = await self._resolve_browser(spec)
        if isinstance(wanted, HttpRefusal):
            return wanted
        try:
            home = await self._tabs.acquire_browser(owner, wanted)
        except PilothouseError as error:
            return HttpRefusal(503, error.message, error.hint)
        shared = self._share_hub(home, is_extension=spec.browser == "extension")
        client = _JoinedClient(replace(spec, owner=owner), home, shared, own)
        self._clients[spec.id] = client
        self._client_owners.add(owner)
        guest: MessageHandler | HttpRefusal | None = None
        try:
            guest = await shared.hub.join(client.spec, line)
        finally:
            if guest is None or isinstance(guest, HttpRefusal):
                await self._leave(client)
        if not isinstance(guest, HttpRefusal):
            self._note(owner, "client", f"{spec.label or spec.id} joined through the relay")
        return guest

    def _new_owner(self, label: str) -> str:
        name = _NOT_IN_OWNER_NAMES.sub("-", label)[:40].strip("-") or "client"
        return f"relay-{name}-{next(self._numbers)}"

    async def _resolve_browser(self, spec: ClientSpec) -> OpenRequest | HttpRefusal:
        if spec.browser != "extension":
            return OpenRequest(browser="managed", profile=spec.profile)
        name = await self.extensions.resolve_name(spec.profile)
        if isinstance(name, HttpRefusal):
            return name
        return OpenRequest(browser="extension", profile=name)

    def _on_client_left(self, owner: str, client_id: str, used: frozenset[str]) -> None:
        """Start the cleanup of a client that a hub reports gone, with the pages it used."""
        client = self._clients.get(client_id)
        if client is not None:
            leaving = self._tasks.start(self._leave(client, used), f"client {client_id} leaves")
            self._leave_tasks.add(leaving)
            leaving.add_done_callback(self._leave_tasks.discard)

    async def _leave(self, client: _JoinedClient, used: frozenset[str] = frozenset()) -> None:
        files = self._files_of(client.spec.owner, client.spec)
        if self._clients.pop(client.spec.id, None) is None:
            return
        shared, owner = client.shared_hub, client.spec.owner
        shared.client_count -= 1
        if not shared.client_count:
            self._hubs = {key: one for key, one in self._hubs.items() if one is not shared}
            await shared.hub.close()
        if client.ends_owner:
            for tab in self._tabs.owned_by(owner):
                # Tabs in the user's Chrome stay open: an adopted tab is not closed with its owner.
                tab.adopted = tab.adopted or isinstance(tab.kind, ExtensionKind)
            await self._tabs.close(owner, CloseRequest(all=True))
        self._release_user_tabs(shared, used)
        await self._tabs.release_browser(owner, client.browser)
        await asyncio.to_thread(files.clean_up)
        self._note(owner, "client", f"{client.spec.label or client.spec.id} left the relay")

    def _release_user_tabs(self, shared: _SharedHub, used: frozenset[str]) -> None:
        """Give back tabs of the user's Chrome that a client used and no client or owner uses any
        more."""
        kind = shared.kind
        if not isinstance(kind, ExtensionKind):
            return
        browser = self.extensions.find_known(kind.profile)
        if browser is None:
            return
        clients = {s.target for one in shared.hub.clients() for s in one.sessions.values()}
        tabs = [
            tab for tab in self._tabs.all() if tab.alive and browser_without_page(tab.kind) == kind
        ]
        owners = {tab.supervisor.state.tabs[tab.tab_id].target_id for tab in tabs}
        browser.give_back(used - clients - owners)

    def _set_autostart(self, on: bool) -> None:
        try:
            set_autostart(on)
        except PilothouseError as error:
            _log.error("the relay cannot be started at login: %s", error.format_line())

    def _on_user_stop(self, target: str, state: UserStop) -> None:
        """Write to the journals of those who used a tab that the user took it."""
        owners = {tab.owner for tab in self._tabs.all() if tab.target == target}
        for shared in self._hubs.values():
            owners |= {one.owner for one in shared.hub.clients() if target in one.acted_targets}
        for owner in owners:
            self._note(owner, "user", state.reason)

    # Browsers.

    def _share_hub(self, home: OwnerBrowser, *, is_extension: bool) -> _SharedHub:
        shared = self._hubs.get(home.supervisor)
        if shared is None:
            shared = self._hubs[home.supervisor] = _SharedHub(
                Hub(self._upstream(home, is_extension=is_extension)), home.kind
            )
        shared.client_count += 1
        return shared

    def _upstream(self, home: OwnerBrowser, *, is_extension: bool) -> Upstream:
        supervisor = home.supervisor

        def homes(owner: str) -> list[OwnerBrowser]:
            return [
                client.browser
                for client in self._clients.values()
                if client.spec.owner == owner and client.browser.supervisor is supervisor
            ]

        async def context(owner: str) -> str:
            return next((home.context for home in homes(owner)), "")

        def sees(owner: str, info: Mapping[str, Any]) -> bool:
            return self._is_visible(supervisor, owner, info, is_extension=is_extension)

        def whose(info: Mapping[str, Any]) -> str:
            return self._owner_of(supervisor, info)

        def made(owner: str, jar: str) -> None:
            for one in homes(owner):
                one.contexts.add(jar)
            supervisor.url_policy.set_policy(owner, self._tabs.url_policies.policy_for(owner), jar)

        return Upstream(
            supervisor.connection,
            supervisor,
            self._files_of,
            is_extension=is_extension,
            context=context,
            context_options=self._tabs.url_policies.context_options,
            is_visible=sees,
            owner_of=whose,
            on_context_created=made,
            on_client_left=self._on_client_left,
        )

    def _files_of(self, owner: str, spec: ClientSpec) -> ClientFiles:
        client = self._clients.get(spec.id)
        own = client is None or client.ends_owner
        # The client id makes the folder of a temporary owner new: owner names are used again.
        return ClientFiles(self._files, f"{owner}-{spec.id}" if own else owner, spec.id, spec.grant)

    def _is_visible(
        self, supervisor: Supervisor, owner: str, info: Mapping[str, Any], *, is_extension: bool
    ) -> bool:
        """Return whether a target is the owner's.

        In the user's Chrome, clients that asked for every tab also see tabs without an owner.
        """
        whose = self._owner_of(supervisor, info)
        if whose:
            return whose == owner
        return is_extension and any(
            client.spec.attach != "owned" and client.spec.grant.shared
            for client in self._clients.values()
            if client.spec.owner == owner and client.browser.supervisor is supervisor
        )

    def _owner_of(self, supervisor: Supervisor, info: Mapping[str, Any]) -> str:
        tab = supervisor.state.tab_of_target(str(info.get("targetId", "")))
        return self._tabs.owner_of(supervisor, tab) if tab is not None else ""

    def _list_users(self, name: str) -> list[BrowserUser]:
        """List who uses an extension browser: clients, and owners with their tabs."""
        kind = ExtensionKind(name)
        hubs = [shared.hub for shared in self._hubs.values() if shared.kind == kind]
        clients = [user for hub in hubs for user in client_users(hub)]
        without = {client.owner for hub in hubs for client in hub.clients()}
        tabs = [tab for tab in self._tabs.all() if browser_without_page(tab.kind) == kind]
        owned = (tab for tab in tabs if tab.owner not in without)
        return [*clients, *owner_users(owned, self._name_of)]

    def _active_tool_owners(self) -> list[str]:
        """Return the owners whose tools use the user's Chrome now or did a moment ago."""
        clients = {client.spec.owner for client in self._clients.values()}
        found = []
        for tab in self._tabs.all():
            if not tab.alive or not isinstance(tab.kind, ExtensionKind) or tab.owner in clients:
                continue
            recent = (
                tab.supervisor.now() - tab.used_at < STANDBY_S
                and tab.owner not in self._client_owners
            )
            if tab.lease.holder or recent:
                found.append(tab.owner)
        return sorted(set(found))

    async def wait_for_browser(self, profile: str) -> str:
        """Wait until an extension browser is connected and, in single-active mode, free.

        Returns its name. Raises BrowserError.
        """
        name = await self.extensions.resolve_name(profile)
        if isinstance(name, HttpRefusal):
            raise BrowserError(name.message, hint=name.hint)

        async def is_free() -> bool:
            return not self.server.slots.status()["busy"]

        if not await wait_for_slot(is_free):
            raise BrowserError(
                f"{SLOT_BUSY.message}, in the user's Chrome",
                hint="disconnect that client, or set relay.client_mode to multi-client",
            )
        return name

    async def open_browser(self, kind: ExtensionKind) -> OpenedBrowser:
        """Open an extension browser. Raises BrowserError."""
        return await self.extensions.open(kind)

    # Status.

    def unpair(self, install: str) -> int:
        """Disconnect an extension that is no longer paired.

        Returns in how many profiles it was connected.
        """
        dropped = self.server.disconnect_install(install)
        self.extensions.forget_install(install)
        return dropped

    def list_shared_tabs(self) -> list[dict[str, str]]:
        """List the tabs of the user's Chromes that the user shares and no owner has yet."""
        supervisors = self._extension_supervisors()
        return [
            tab
            for tab in self.extensions.shared_tabs()
            if not any(self._owner_of(one, {"targetId": tab["target"]}) for one in supervisors)
        ]

    def _extension_supervisors(self) -> set[Supervisor]:
        return {
            *(one for one, shared in self._hubs.items() if isinstance(shared.kind, ExtensionKind)),
            *(one.supervisor for one in self._tabs.all() if isinstance(one.kind, ExtensionKind)),
        }

    def create_pairing_code(self) -> dict[str, Any]:
        """Create a code to type into an extension that was never paired."""
        return {"code": self.server.pairing_code(), "lives_s": CODE_LIVES_S}

    def status(self) -> dict[str, Any]:
        """Describe port, clients, extensions and conflicts. Contains no secret."""
        return {
            "open": True,
            "port": self.port,
            "mode": self.server.slots.mode,
            "clients": [_describe_client(client) for client in self._clients.values()],
            "extensions": self.extensions.status(),
            "conflicts": [c for shared in self._hubs.values() for c in shared.hub.conflicts()],
        }

    async def _browser_facts(self, spec: ClientSpec) -> BrowserFacts | HttpRefusal:
        """Collect what is known of the browser a client asks for, without opening one."""
        extensions = self.extensions.status()
        connected = any(one["connected"] for one in extensions)
        # An owner's token does not show which Chromes are connected.
        listed = {} if spec.grant.owner else {"extensions": extensions}
        facts: BrowserFacts = {"extension": {"connected": connected, **listed}}
        if spec.browser == "extension":
            browser = self.extensions.find_only(spec.profile)
            if browser is not None:
                status = browser.status()
                facts["version"] = {
                    "product": browser.hello.product,
                    "userAgent": browser.hello.user_agent,
                }
                facts["targets"] = [
                    {"targetId": tab["target"], "type": "page", **tab}
                    for tab in browser.shared_tabs()
                    if self._may_list(spec, {"targetId": tab["target"]})
                ]
                facts["tabs"] = [tab for tab in status["attached"] if self._may_list(spec, tab)]
                facts["restrictions"] = status["settings"]
            return facts
        for supervisor, shared in self._hubs.items():
            if isinstance(shared.kind, HeadlessKind):
                facts["version"] = await _get_version(supervisor)
        facts["targets"] = [
            {
                "targetId": tab.supervisor.session(tab.tab_id).target_id,
                "type": "page",
                **tab.describe(),
            }
            for tab in (self._tabs.owned_by(spec.owner) if spec.owner else ())
            if tab.alive and isinstance(tab.kind, HeadlessKind)
        ]
        return facts

    def _may_list(self, spec: ClientSpec, tab: Mapping[str, Any]) -> bool:
        """Return whether a tab is listed to this token: everything to the user; to an owner its own
        tabs and those the user shares with it."""
        if not spec.owner:
            return True
        supervisors = self._extension_supervisors()
        whose = next(filter(None, (self._owner_of(one, tab) for one in supervisors)), "")
        return whose == spec.owner or (not whose and spec.grant.shared)


async def _get_version(supervisor: Supervisor) -> Mapping[str, Any]:
    try:
        return await supervisor.connection.send(Browser.getVersion(), VERSION_TIMEOUT_S)
    except CdpError as error:
        _log.debug("a browser does not report its version: %s", error)
        return {}


def _describe_client(client: _JoinedClient) -> dict[str, Any]:
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
