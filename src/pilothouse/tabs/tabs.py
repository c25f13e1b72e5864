"""The tabs of all owners, by (owner, name), in browsers that owners share.

Knows: which browser a tab needs, when a tab is reused, recreated or refused, and what closing does.
Must not know: how a client is connected. Every lookup takes the owner's name, so an owner never
sees tabs of another one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from msgspec.structs import replace

from pilothouse.browsers import AppKind, Browsers, ConnectedKind, ExtensionKind, HeadlessKind
from pilothouse.browsers.endpoint import may_ask_consent
from pilothouse.browsers.kinds import BrowserKind
from pilothouse.browsers.running_browser_opener import CONSENT_WITHIN_S, consent_error
from pilothouse.browsers.supervisor_opener import make_opener
from pilothouse.browsers.target_choice import TargetInfo, choose_target
from pilothouse.cdp import Command
from pilothouse.cdp.protocol import Target
from pilothouse.errors import (
    BrowserError,
    CommandFailed,
    ConnectionLost,
    PilothouseError,
    ToolError,
)
from pilothouse.page.page import Page
from pilothouse.security.file_access import FileAccess, FolderAccess
from pilothouse.security.profile_policy import ProfilePolicy
from pilothouse.security.redaction import redact_endpoint
from pilothouse.security.secrets import Secrets
from pilothouse.security.url_policy import UrlPolicy
from pilothouse.supervisor import Options, Outcome, Policy, Supervisor, Supervisors, TabKey
from pilothouse.supervisor.model import Action, Tab
from pilothouse.tabs.captures import Captures
from pilothouse.tabs.download_mover import DownloadMover
from pilothouse.tabs.lease import Lease
from pilothouse.tabs.notices import add_notice
from pilothouse.tabs.open_and_close_requests import (
    DEFAULT_NAME,
    DEFAULT_TIMEOUT_S,
    CloseRequest,
    OpenRequest,
    popup_name,
)
from pilothouse.tabs.owned_tab_and_browser import (
    ClosedTabs,
    OpenedTab,
    OwnedTab,
    OwnerBrowser,
    browser_without_page,
    closed_tab_error,
    unknown_tab_error,
)
from pilothouse.tabs.owner_url_policy import OwnerUrlPolicies
from pilothouse.tabs.progress import report_progress, report_while_waiting

__all__ = ["ClosedTabs", "OpenedTab", "OwnedTab", "Tabs"]

LEAVE_TIMEOUT_S = 5.0
# Do not wait longer for a browser to confirm a close: it will close the tab when it can.
CLOSE_TIMEOUT_S = 5.0

_POLICIES: dict[str, Action] = {
    "accept": "auto_accept",
    "dismiss": "auto_dismiss",
    "ask": "must_respond",
}


class Tabs:
    """All tabs of one daemon."""

    def __init__(
        self,
        browsers: Browsers,
        supervisors: Supervisors,
        *,
        default_kind: Callable[[], HeadlessKind] = HeadlessKind,
        policy: Callable[[], Policy] = Policy,
        options: Options | None = None,
        files: Callable[[str], FolderAccess] = lambda owner: FileAccess(),
        follow: Callable[[Supervisor], object] = lambda supervisor: None,
        url_policy_for: Callable[[str], UrlPolicy] = lambda owner: UrlPolicy(),
        secrets: Secrets | None = None,
        profiles: ProfilePolicy | None = None,
        captures: Captures | None = None,
        taken: Callable[[str], tuple[str, str] | None] = lambda target: None,
    ) -> None:
        # Returns why the user took a tab of their Chrome away, by target id: reason and hint.
        self._taken = taken
        self._profiles = profiles or ProfilePolicy()
        self._captures = captures
        self._secrets = secrets or Secrets()
        self.url_policies = OwnerUrlPolicies(url_policy_for)
        self._follow = follow
        self._files = files
        self._options = options or Options()
        # One per browser, shared by its owners.
        self._keepers: dict[Supervisor, DownloadMover] = {}
        self._browsers = browsers
        self._supervisors = supervisors
        self._default_kind = default_kind
        self._policy = policy
        self._tabs: dict[tuple[str, str], OwnedTab] = {}
        self._owner_browsers: dict[tuple[str, BrowserKind], OwnerBrowser] = {}
        # Serialize calls of `open` for one tab name, and changes of one owner's use of a browser.
        self._tab_locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._browser_locks: WeakValueDictionary[tuple[str, BrowserKind], asyncio.Lock] = (
            WeakValueDictionary()
        )

    # Lookup.

    def owned_by(self, owner: str) -> list[OwnedTab]:
        """Return an owner's tabs. New popups are named and registered first."""
        self._forget_ended_popups(owner)
        self._name_popups(owner)
        return [tab for (key_owner, _), tab in self._tabs.items() if key_owner == owner]

    def all(self) -> list[OwnedTab]:
        """Return the tabs of all owners; for the daemon itself."""
        return list(self._tabs.values())

    def get(self, owner: str, name: str = "main") -> OwnedTab:
        """Return an owner's tab by name or id. Raises ToolError that lists the owner's tabs."""
        mine = self.owned_by(owner)
        for tab in mine:
            if name in (tab.name, tab.tab_id):
                if not tab.alive:
                    self._check_taken(tab)
                    raise closed_tab_error(name)
                return tab
        raise unknown_tab_error(name, [tab.name for tab in mine])

    def _check_taken(self, tab: OwnedTab) -> None:
        """Raise ToolError if the user of the extension browser took the tab away."""
        if (why := self._taken(tab.target)) is not None:
            raise ToolError(why[0], hint=why[1], untrusted=())

    def owner_of(self, supervisor: Supervisor, tab: Tab) -> str:
        """Return the owner of a tab, even before it has a name and after it is closed."""
        if tab.owner:
            return tab.owner
        contexts = {
            context_id: who
            for (who, _), h in self._owner_browsers.items()
            if h.supervisor is supervisor
            for context_id in h.contexts
        }
        return contexts.get(tab.context, "") if tab.context else ""

    def owns_context(self, tab: OwnedTab) -> bool:
        """Return whether a tab's browser context belongs to its owner alone.

        That is not so in kept profiles and in browsers that others started."""
        browser = self._owner_browsers.get((tab.owner, browser_without_page(tab.kind)))
        known = tab.supervisor.state.tabs.get(tab.tab_id)
        return browser is not None and known is not None and known.context in browser.contexts

    def owners_of(self, supervisor: Supervisor) -> set[str]:
        """Return the owners that use a browser."""
        return {
            who
            for (who, _), browser in self._owner_browsers.items()
            if browser.supervisor is supervisor
        }

    def _name_popups(self, owner: str) -> None:
        """Register tabs that opened by themselves under names such as `main.1`."""
        for (key_owner, kind), browser in list(self._owner_browsers.items()):
            if key_owner != owner:
                continue
            known = {t.tab_id: t for t in self._tabs.values() if t.supervisor is browser.supervisor}
            for tab in list(browser.supervisor.state.tabs.values()):
                by = known.get(tab.opener)
                ours = by.owner == owner if by else self._is_stray(owner, browser, tab)
                if tab.id in known or not ours:
                    continue
                if tab.session not in browser.supervisor.connection.sessions:
                    continue  # it is closing
                taken = {name for (someone, name) in self._tabs if someone == owner}
                named = popup_name(by.name if by else DEFAULT_NAME, taken)
                made = self._register(owner, named, tab.id, by.kind if by else kind, browser)
                made.popup, made.key = True, tab.key
                made.dialogs, made.adopted = (by.dialogs, by.adopted) if by else ("", False)

    def _is_stray(self, owner: str, browser: OwnerBrowser, tab: Tab) -> bool:
        """Return whether a tab without a known opener belongs to the owner.

        It does if it is in one of the owner's browser contexts, or a relay client that acts as the
        owner opened it."""
        return not browser.is_creating and (
            tab.context in browser.contexts or tab.key == TabKey(owner)
        )

    def _forget_ended_popups(self, owner: str) -> None:
        """Forget closed popups: nobody calls `close` for tabs that close by themselves."""
        for key, tab in list(self._tabs.items()):
            if tab.owner == owner and tab.popup and not tab.alive and not tab.lease.holder:
                del self._tabs[key]
                tab.supervisor.forget(tab.key)

    # Opening.

    async def open(
        self, owner: str, wanted: OpenRequest, *, holding: OwnedTab | None = None
    ) -> OpenedTab:
        """Open the tab of this name, or reuse it, and navigate it to `url` if one is given.

        For an existing tab this waits for its lease, unless the caller is `holding` it.
        """
        self.url_policies.check(owner, wanted.url)
        lock = self._tab_locks.setdefault((owner, wanted.name), asyncio.Lock())
        async with lock:
            present = self._tabs.get((owner, wanted.name))
            before = present.page.navigation.sent if present else 0
            try:
                return await self._open(owner, wanted, holding)
            except ConnectionLost as lost:
                tab = self._tabs.get((owner, wanted.name))
                sent = tab.page.navigation.sent if tab else 0
                if not lost.terminal or sent > (before if tab is present else 0):
                    raise
            # The browser was already dead, and no navigation was sent: try once more.
            return await self._open(owner, wanted, holding)

    async def _open(self, owner: str, wanted: OpenRequest, holding: OwnedTab | None) -> OpenedTab:
        kind = await self.url_policies.confine_browser(owner, self._requested_kind(owner, wanted))
        self._name_popups(owner)
        present = self._tabs.get((owner, wanted.name))
        bound = browser_without_page(present.kind) if present and present.alive else None
        if present is not None and bound not in (None, browser_without_page(kind)):
            raise ToolError(
                f'tab "{wanted.name}" is bound to a different browser ({present.kind.describe()})',
                hint="close it first, or use another name",
            )
        reused = present is not None and present.is_reusable_for(wanted, kind)
        if present is not None and not reused:
            await self._close_tab(present)
        tab = present if present is not None and reused else None
        if tab is None:
            tab = await self._create(owner, wanted, kind)
        if tab is holding:
            return OpenedTab(tab, reused, await self._navigate(tab, wanted))
        async with tab.lease.hold("open", wanted.timeout):
            return OpenedTab(tab, reused, await self._navigate(tab, wanted))

    async def _navigate(self, tab: OwnedTab, wanted: OpenRequest) -> Outcome[Any] | None:
        tab.used_at = asyncio.get_running_loop().time()
        await tab.page.start()  # before navigating, so that the network log has every request
        await tab.supervisor.wait_ready(tab.tab_id)
        if wanted.viewport is not None:
            size = wanted.viewport
            await tab.page.emulation.viewport(
                int(size["width"]), int(size["height"]), scale=float(size.get("scale", 1))
            )
        if not wanted.url:
            return None
        report_progress(f"loading {wanted.url}")
        with report_while_waiting(tab.describe_pending_navigation):
            return await tab.page.goto(wanted.url, wanted.wait_until, wanted.timeout)

    def _requested_kind(self, owner: str, wanted: OpenRequest) -> BrowserKind:
        """Return the browser that `open` asks for. Raises ToolError for a forbidden profile."""
        app = wanted.app
        if wanted.browser == "extension":
            return ExtensionKind(wanted.profile, wanted.target or None)
        if app is not None and app.cdp_url:
            return ConnectedKind(app.cdp_url.rstrip("/"), app.target or None)
        if app is not None:
            return AppKind(app.path, app.args, app.target or None)
        default_kind = self._default_kind()
        profile = wanted.profile or default_kind.profile
        if profile:
            self._profiles.check(owner, profile)
        return replace(
            default_kind,
            headed=default_kind.headed if wanted.headed is None else wanted.headed,
            profile=profile,
            stealth=wanted.stealth or default_kind.stealth,
        )

    async def _create(self, owner: str, wanted: OpenRequest, kind: BrowserKind) -> OwnedTab:
        try:
            async with self._browser_lock(owner, kind):
                browser = await self._owner_browser(owner, kind, wanted.timeout)
                browser.is_creating = True
                try:
                    return await self._new_tab(owner, wanted, kind, browser)
                finally:
                    browser.is_creating = False
        except (PilothouseError, TimeoutError):
            await self._leave_unused_browsers(owner)
            raise

    async def _new_tab(
        self, owner: str, wanted: OpenRequest, kind: BrowserKind, browser: OwnerBrowser
    ) -> OwnedTab:
        key = TabKey(owner, wanted.name)
        action = _POLICIES.get(wanted.dialogs)
        policy = self._policy()
        if action:
            policy = replace(policy, action=action)
        browser.supervisor.set_policy(key, policy)
        named = isinstance(kind, ConnectedKind | ExtensionKind) and bool(kind.target)
        adopted = named or isinstance(kind, AppKind)
        if adopted:
            assert isinstance(kind, ConnectedKind | ExtensionKind | AppKind)
            target = await self._find_page(owner, browser.supervisor, kind)
            tab_id = await browser.supervisor.adopt(target, owner, wanted.name)
        else:
            tab_id, adopted = await self._open_target(key, kind, browser)
        tab = self._register(owner, wanted.name, tab_id, kind, browser)
        tab.dialogs, tab.adopted = wanted.dialogs, adopted
        return tab

    async def _open_target(
        self, key: TabKey, kind: BrowserKind, browser: OwnerBrowser
    ) -> tuple[str, bool]:
        """Create a tab. A browser that cannot (Electron) gives its first free page instead.

        Returns the tab id, and whether the page was adopted."""
        try:
            opened = await browser.supervisor.open_tab(
                key.owner, context=browser.context, name=key.name, wait=False
            )
            return opened, False
        except CommandFailed as error:
            if not isinstance(kind, ConnectedKind) or error.method != "Target.createTarget":
                raise
            refused = error.detail
        try:
            target = await self._find_page(key.owner, browser.supervisor, kind, free=True)
        except BrowserError as none:
            raise BrowserError(
                f"{kind.describe()} cannot open tabs ({refused}) and has no free page",
                hint="close one of your tabs in it, or open a window in it",
                untrusted=("message",),
            ) from none
        add_notice(f"{kind.describe()} cannot open tabs: using its first page")
        return await browser.supervisor.adopt(target, key.owner, key.name), True

    def _register(
        self, owner: str, name: str, tab_id: str, kind: BrowserKind, browser: OwnerBrowser
    ) -> OwnedTab:
        page = Page(browser.supervisor, tab_id, files=self._files(owner))
        tab = OwnedTab(owner, name, tab_id, kind, browser.supervisor, page, Lease(name))
        tab.secrets = self._secrets
        tab.target = browser.supervisor.state.tabs[tab_id].target_id
        tab.used_at = asyncio.get_running_loop().time()
        tab.captures = self._captures.for_tab(tab) if self._captures else None
        self._tabs[owner, name] = tab
        return tab

    def _browser_lock(self, owner: str, kind: BrowserKind) -> asyncio.Lock:
        return self._browser_locks.setdefault((owner, browser_without_page(kind)), asyncio.Lock())

    async def _owner_browser(
        self, owner: str, kind: BrowserKind, within: float = DEFAULT_TIMEOUT_S
    ) -> OwnerBrowser:
        """Return the owner's use of a browser; start or reach the browser first if needed.

        In a managed browser without a kept profile, the owner gets its own browser context."""
        kind = browser_without_page(kind)
        if kind not in self._browsers.open_kinds():
            report_progress(
                f"{'connecting to' if isinstance(kind, ConnectedKind) else 'starting'} a browser"
            )
        supervisor = await self._reach(owner, kind, within)
        browser = self._owner_browsers.get((owner, kind))
        if browser is not None and browser.supervisor is supervisor:
            return browser
        connected = browser is not None and browser.connected
        self._follow(supervisor)
        context = ""
        if isinstance(kind, HeadlessKind) and not kind.profile:
            made: dict[str, Any] = await supervisor.connection.send(
                Command(
                    "Target.createBrowserContext",
                    {"disposeOnDetach": True, **await self.url_policies.context_options(owner)},
                )
            )
            context = made["browserContextId"]
        supervisor.url_policy.set_policy(owner, self.url_policies.policy_for(owner), context)
        self._owner_browsers[owner, kind] = OwnerBrowser(
            supervisor, kind, context, connected=connected
        )
        self._keep_downloads(supervisor)
        return self._owner_browsers[owner, kind]

    def _keep_downloads(self, supervisor: Supervisor) -> None:
        used = {browser.supervisor for browser in self._owner_browsers.values()}
        for gone in self._keepers.keys() - used:
            self._keepers.pop(gone).close()
        if supervisor not in self._keepers:
            self._keepers[supervisor] = DownloadMover(
                supervisor, lambda tab: self.owner_of(supervisor, tab), self._files
            )

    async def _reach(self, owner: str, kind: BrowserKind, within: float) -> Supervisor:
        """Return the supervisor of a browser; connect to the browser if necessary.

        A Chrome that asks its user for consent is dialled once. All calls wait for that connection,
        and later calls find the same prompt or its answer."""
        start, user = make_opener(self._browsers, kind), (owner, kind)
        if not isinstance(kind, ConnectedKind) or not may_ask_consent(kind.endpoint):
            return await self._supervisors.get_or_start(user, kind, start, self._options)
        if kind not in self._browsers.open_kinds():
            self._browsers.prepare(kind, within=CONSENT_WITHIN_S)
            report_progress(
                "connecting to a browser: if it asks whether to allow remote debugging, allow it"
            )
        try:
            async with asyncio.timeout(within):
                return await self._supervisors.get_or_start(user, kind, start, self._options)
        except TimeoutError:
            raise consent_error(redact_endpoint(kind.endpoint)) from None

    async def acquire_browser(self, owner: str, wanted: OpenRequest) -> OwnerBrowser:
        """Return the owner's use of a browser for a relay client, as its tabs would have it.

        It stays until `release_browser`."""
        kind = await self.url_policies.confine_browser(owner, self._requested_kind(owner, wanted))
        async with self._browser_lock(owner, kind):
            browser = await self._owner_browser(owner, kind)
            browser.external_clients += 1
            return browser

    async def release_browser(self, owner: str, browser: OwnerBrowser) -> None:
        """Release a browser that a relay client acquired."""
        browser.external_clients -= 1
        await self._leave_unused_browsers(owner)

    async def connect(
        self, owner: str, endpoint: str, within: float = DEFAULT_TIMEOUT_S
    ) -> Supervisor:
        """Connect an owner to a running browser before it opens a tab there.

        The connection stays until `disconnect` or `move_to`."""
        kind = await self.url_policies.confine_browser(owner, ConnectedKind(endpoint))
        async with self._browser_lock(owner, kind):
            browser = await self._owner_browser(owner, kind, within)
            browser.connected = True
            return browser.supervisor

    async def move_to(self, owner: str, endpoint: str) -> ClosedTabs:
        """Leave the owner's other browsers for the one at `endpoint`.

        Applications and the user's Chrome stay, because calls asked for them by name."""
        here = ConnectedKind(endpoint)
        left = [
            tab
            for tab in self.owned_by(owner)
            if isinstance(tab.kind, ConnectedKind | HeadlessKind)
            and browser_without_page(tab.kind) != here
        ]
        return await self._close_in(owner, left, here)

    async def disconnect(self, owner: str, endpoint: str) -> ClosedTabs:
        """Disconnect from a running browser. Our tabs in it close, adopted ones stay open."""
        here = ConnectedKind(endpoint)
        return await self._close_in(
            owner,
            [tab for tab in self.owned_by(owner) if browser_without_page(tab.kind) == here],
            None,
        )

    async def _close_in(
        self, owner: str, tabs: list[OwnedTab], stays: BrowserKind | None
    ) -> ClosedTabs:
        for (key_owner, kind), browser in self._owner_browsers.items():
            if key_owner == owner and kind != stays:
                browser.connected = False
        open_adopted = [tab for tab in tabs if tab.adopted and tab.alive]
        await asyncio.gather(*(self._close_tab(tab) for tab in tabs))
        await self._leave_unused_browsers(owner)
        return ClosedTabs.split(tabs, released=open_adopted)

    async def _find_page(
        self,
        owner: str,
        supervisor: Supervisor,
        kind: ConnectedKind | ExtensionKind | AppKind,
        *,
        free: bool = False,
    ) -> str:
        """Return the target id of the page that is meant. Raises BrowserError.

        Pages of other owners are neither used nor mentioned. With `free`, pages that the owner
        already uses do not count either."""
        listed = (await supervisor.connection.send(Target.getTargets()))["targetInfos"]
        taken = {
            tab.target_id
            for tab in supervisor.state.tabs.values()
            if self.owner_of(supervisor, tab) not in ("",) + (() if free else (owner,))
        }
        infos = [
            TargetInfo(info["targetId"], info["type"], info["title"], info["url"])
            for info in listed
            if info["targetId"] not in taken
            and not self.url_policies.is_own_page(owner, info["url"])
        ]
        return choose_target(infos, kind.target, shared=isinstance(kind, ExtensionKind)).id

    # Closing.

    async def close(self, owner: str, wanted: CloseRequest) -> ClosedTabs:
        """Close one or all of an owner's tabs. Adopted tabs are only released.

        `kill` also ends an application that was started for them."""
        mine = self.owned_by(owner)
        chosen = mine if wanted.all else [t for t in mine if wanted.name in (t.name, t.tab_id)]
        within = min(wanted.timeout / 2, CLOSE_TIMEOUT_S)
        open_adopted = [tab for tab in chosen if tab.adopted and tab.alive]
        await asyncio.gather(*(self._close_tab(tab, within) for tab in chosen))
        killed = await self._leave_unused_browsers(owner, kill=wanted.kill, within=within)
        stay = [tab for tab in open_adopted if browser_without_page(tab.kind) not in killed]
        return ClosedTabs.split(chosen, released=stay)

    async def close_idle(self, since: float) -> list[OwnedTab]:
        """Close tabs that were not used since then. Adopted tabs are only released."""
        in_external_use = {
            key for key, browser in self._owner_browsers.items() if browser.external_clients
        }
        idle = [
            tab
            for tab in self._tabs.values()
            if tab.used_at < since
            and not tab.lease.holder
            and (tab.owner, browser_without_page(tab.kind)) not in in_external_use
        ]
        for tab in idle:
            await self._close_tab(tab)
        for owner in {tab.owner for tab in idle}:
            await self._leave_unused_browsers(owner)
        return idle

    async def _close_tab(self, tab: OwnedTab, within: float = CLOSE_TIMEOUT_S) -> None:
        self._tabs.pop((tab.owner, tab.name), None)
        await tab.close(within)

    async def _leave_unused_browsers(
        self, owner: str, *, kill: bool = False, within: float = LEAVE_TIMEOUT_S
    ) -> set[BrowserKind]:
        """Leave the browsers in which the owner has no tab. Returns the applications it ended."""
        killed = set()
        for (key_owner, kind), browser in list(self._owner_browsers.items()):
            if key_owner != owner:
                continue
            async with self._browser_lock(owner, kind):
                self._name_popups(owner)
                used = any(
                    t.owner == owner and browser_without_page(t.kind) == kind for t in self.all()
                )
                kept = used or browser.external_clients or browser.connected
                if kept and kill and isinstance(kind, AppKind):
                    add_notice(f"{kind.describe()} keeps running: you have other tabs in it")
                if not kept and self._owner_browsers.get((owner, kind)) is browser:
                    del self._owner_browsers[owner, kind]
                    if await self._end_owner_browser(owner, browser, kill, within):
                        killed.add(kind)
        return killed

    async def _end_owner_browser(
        self, owner: str, browser: OwnerBrowser, kill: bool, within: float
    ) -> bool:
        """Stop using a browser. Returns whether this ended an application."""
        kind = browser.kind
        for context_id in browser.contexts or {""}:
            browser.supervisor.url_policy.remove_policy(owner, context_id)
        await browser.dispose_context(within)
        handle = None
        if kill and not isinstance(kind, HeadlessKind) and kind in self._browsers.open_kinds():
            handle = await self._browsers.acquire(kind)
        await self._supervisors.stop((owner, kind))
        if handle is None:
            return False
        await handle.release(kill=True)
        if handle.why_not_killed:
            stays = f": {handle.why_not_killed}"
        elif kind in self._browsers.open_kinds():
            stays = " until its other owners leave it"
        else:
            return True
        add_notice(f"{kind.describe()} keeps running{stays}")
        return False
