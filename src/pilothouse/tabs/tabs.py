"""Who holds what: the tabs of all owners, by (owner, name), each in a browser that is shared.

Knows: which browser a tab needs, when one is reused, recreated or refused, and what closing means
for whom. Must not know: who asks over which wire. An owner never sees another's tabs: every look
goes by its own name.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from msgspec.structs import replace

from pilothouse.browsers import Browsers, Connected, Extension, Headless, Spawned
from pilothouse.browsers.connected import CONSENT_WITHIN_S, no_consent
from pilothouse.browsers.endpoint import asks_consent
from pilothouse.browsers.kinds import Kind
from pilothouse.browsers.opener import opener
from pilothouse.browsers.page_picker import TargetInfo, choose_target
from pilothouse.cdp import Command
from pilothouse.cdp.protocol import Target
from pilothouse.errors import (
    BrowserError,
    CdpError,
    CommandFailed,
    ConnectionLost,
    PilothouseError,
    ToolError,
)
from pilothouse.page.page import Page
from pilothouse.security.file_access import FileAccess, Folders
from pilothouse.security.profile_policy import ProfilePolicy
from pilothouse.security.redaction import redact_endpoint
from pilothouse.security.secrets import Secrets
from pilothouse.security.url_policy import Fence
from pilothouse.supervisor import Options, Outcome, Policy, Supervisor, Supervisors
from pilothouse.supervisor.model import Action, Tab
from pilothouse.tabs.download_keeper import DownloadKeeper
from pilothouse.tabs.lease import Lease
from pilothouse.tabs.notices import add_notice
from pilothouse.tabs.open_request import (
    DEFAULT_NAME,
    DEFAULT_TIMEOUT_S,
    CloseRequest,
    OpenRequest,
    popup_name,
)
from pilothouse.tabs.owned_tab import Home, Opened, OwnedTab, browser_of, key_of
from pilothouse.tabs.owner_policy import Fencing
from pilothouse.tabs.progress import tell, tell_meanwhile

__all__ = ["Opened", "OwnedTab", "Tabs"]

_log = logging.getLogger(__name__)

LEAVES_WITHIN_S = 5.0
# A browser that does not confirm a close in time is not waited for: it will do it when it can.
CLOSES_WITHIN_S = 5.0

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
        usual: Callable[[], Headless] = Headless,
        policy: Callable[[], Policy] = Policy,
        options: Options | None = None,
        files: Callable[[str], Folders] = lambda owner: FileAccess(),
        follow: Callable[[Supervisor], object] = lambda supervisor: None,
        fence: Callable[[str], Fence] = lambda owner: Fence(),
        secrets: Secrets | None = None,
        profiles: ProfilePolicy | None = None,
        taken: Callable[[str], tuple[str, str] | None] = lambda target: None,
    ) -> None:
        # How the user took a tab of theirs, by its target: words and a hint.
        self._taken = taken
        self._profiles = profiles or ProfilePolicy()
        self._secrets = secrets or Secrets()
        self.fencing = Fencing(fence)
        self._follow = follow
        self._files = files
        self._options = options or Options()
        # One for each browser, whoever uses it.
        self._keepers: dict[Supervisor, DownloadKeeper] = {}
        self._browsers = browsers
        self._supervisors = supervisors
        self._usual = usual
        self._policy = policy
        self._tabs: dict[tuple[str, str], OwnedTab] = {}
        self._homes: dict[tuple[str, Kind], Home] = {}
        self._numbers: dict[Kind, int] = {}
        # Calls for one tab's name take turns, and so do changes of one owner's home.
        self._opening: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._turns: WeakValueDictionary[tuple[str, Kind], asyncio.Lock] = WeakValueDictionary()

    # Looking.

    def of(self, owner: str) -> list[OwnedTab]:
        """An owner's tabs; popups that came by themselves have names by now."""
        self._forget_ended_popups(owner)
        self._name_popups(owner)
        return [tab for (whose, _), tab in self._tabs.items() if whose == owner]

    def everyone(self) -> list[OwnedTab]:
        """All tabs, for the daemon itself."""
        return list(self._tabs.values())

    def get(self, owner: str, name: str = "main") -> OwnedTab:
        """An owner's tab by name or id. Raises ToolError that names the ones there are."""
        mine = self.of(owner)
        for tab in mine:
            if name in (tab.name, tab.tab_id):
                if not tab.alive:
                    self._check_taken(tab)
                    raise ToolError(
                        f'tab "{name}" is not alive', hint="reopen it with open", quotes=()
                    )
                return tab
        names = ", ".join(tab.name for tab in mine) or "none"
        raise ToolError(
            f'there is no tab "{name}"', hint=f"open it first; your tabs: {names}", quotes=()
        )

    def _check_taken(self, tab: OwnedTab) -> None:
        """Raises ToolError for a tab that the user of its browser has taken."""
        if (why := self._taken(tab.target)) is not None:
            raise ToolError(why[0], hint=why[1], quotes=())

    def whose(self, supervisor: Supervisor, tab: Tab) -> str:
        """The owner of a tab of a browser, also before it has a name and after it has gone."""
        if tab.owner:
            return tab.owner.partition("\n")[0]
        homes = self._homes.items()
        jars = {jar: who for (who, _), h in homes if h.supervisor is supervisor for jar in h.jars}
        return jars.get(tab.context, "") if tab.context else ""

    def owns_jar(self, tab: OwnedTab) -> bool:
        """Whether the cookie jar of a tab ends with its owner: no kept profile, no browser that
        others started."""
        home = self._homes.get((tab.owner, browser_of(tab.kind)))
        known = tab.supervisor.state.tabs.get(tab.tab_id)
        return home is not None and known is not None and known.context in home.jars

    def users(self, supervisor: Supervisor) -> set[str]:
        """The owners that use a browser."""
        return {who for (who, _), home in self._homes.items() if home.supervisor is supervisor}

    def _name_popups(self, owner: str) -> None:
        for (whose, kind), home in list(self._homes.items()):
            if whose != owner:
                continue
            known = {t.tab_id: t for t in self._tabs.values() if t.supervisor is home.supervisor}
            for tab in list(home.supervisor.state.tabs.values()):
                by = known.get(tab.opener)
                ours = by.owner == owner if by else self._stray(owner, home, tab)
                if tab.id in known or not ours:
                    continue
                if tab.session not in home.supervisor.connection.sessions:
                    continue  # on its way out
                taken = {name for (someone, name) in self._tabs if someone == owner}
                named = popup_name(by.name if by else DEFAULT_NAME, taken)
                made = self._keep(owner, named, tab.id, by.kind if by else kind, home)
                made.popup, made.key = True, tab.owner
                made.dialogs, made.adopted = (by.dialogs, by.adopted) if by else ("", False)

    def _stray(self, owner: str, home: Home, tab: Tab) -> bool:
        """Whether a tab nobody asked for is the owner's: it is in its own cookie jar, its opener
        is gone or was not to be known; or a guest of the owner opened it."""
        return not home.making and (tab.context in home.jars or tab.owner == owner)

    def _forget_ended_popups(self, owner: str) -> None:
        """Popups come and go by themselves; nobody would ever close those that went."""
        for key, tab in list(self._tabs.items()):
            if tab.owner == owner and tab.popup and not tab.alive and not tab.lease.holder:
                del self._tabs[key]
                tab.supervisor.forget(tab.key)

    # Opening.

    async def open(
        self, owner: str, wanted: OpenRequest, *, holding: OwnedTab | None = None
    ) -> Opened:
        """A tab of this name: the living one, or a new one; at `url` if one is given.

        A living one is waited for until its turn comes, unless the caller is `holding` it.
        """
        self.fencing.check(owner, wanted.url)
        lock = self._opening.setdefault((owner, wanted.name), asyncio.Lock())
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
            # The browser had died before it was asked to go anywhere, and nobody knew yet.
            return await self._open(owner, wanted, holding)

    async def _open(self, owner: str, wanted: OpenRequest, holding: OwnedTab | None) -> Opened:
        kind = await self.fencing.kind(owner, self._kind(owner, wanted))
        self._name_popups(owner)
        present = self._tabs.get((owner, wanted.name))
        bound = browser_of(present.kind) if present and present.alive else None
        if present is not None and bound not in (None, browser_of(kind)):
            raise ToolError(
                f'tab "{wanted.name}" is bound to a different browser ({present.kind.describe()})',
                hint="close it first, or use another name",
            )
        reused = present is not None and present.will_do(wanted, kind)
        if present is not None and not reused:
            await self._drop(present)
        tab = present if present is not None and reused else None
        if tab is None:
            tab = await self._make(owner, wanted, kind)
        if tab is holding:
            return Opened(tab, reused, await self._arrive(tab, wanted))
        async with tab.lease.held("open", wanted.timeout):
            return Opened(tab, reused, await self._arrive(tab, wanted))

    async def _arrive(self, tab: OwnedTab, wanted: OpenRequest) -> Outcome[Any] | None:
        tab.used_at = asyncio.get_running_loop().time()
        await tab.page.start()  # before anything is requested: the log has the first, too
        await tab.supervisor.ready(tab.tab_id)
        if wanted.viewport is not None:
            size = wanted.viewport
            await tab.page.emulation.viewport(
                int(size["width"]), int(size["height"]), scale=float(size.get("scale", 1))
            )
        if not wanted.url:
            return None
        tell(f"loading {wanted.url}")
        with tell_meanwhile(tab.waits):
            return await tab.page.goto(wanted.url, wanted.wait_until, wanted.timeout)

    def _kind(self, owner: str, wanted: OpenRequest) -> Kind:
        """The browser that is asked for. Raises ToolError for a profile that is not the owner's."""
        app = wanted.app
        if wanted.browser == "extension":
            return Extension(wanted.profile, wanted.target or None)
        if app is not None and app.cdp_url:
            return Connected(app.cdp_url.rstrip("/"), app.target or None)
        if app is not None:
            return Spawned(app.path, app.args, app.target or None)
        usual = self._usual()
        profile = wanted.profile or usual.profile
        if profile:
            self._profiles.check(owner, profile)
        return replace(
            usual,
            headed=usual.headed if wanted.headed is None else wanted.headed,
            profile=profile,
            stealth=wanted.stealth or usual.stealth,
        )

    async def _make(self, owner: str, wanted: OpenRequest, kind: Kind) -> OwnedTab:
        try:
            async with self._turn(owner, kind):
                home = await self._home(owner, kind, wanted.timeout)
                home.making = True
                try:
                    return await self._new_tab(owner, wanted, kind, home)
                finally:
                    home.making = False
        except (PilothouseError, TimeoutError):
            await self._leave_empty_homes(owner)
            raise

    async def _new_tab(self, owner: str, wanted: OpenRequest, kind: Kind, home: Home) -> OwnedTab:
        key = key_of(owner, wanted.name)
        action = _POLICIES.get(wanted.dialogs)
        policy = self._policy()
        if action:
            policy = replace(policy, action=action)
        home.supervisor.set_policy(key, policy)
        named = isinstance(kind, Connected | Extension) and bool(kind.target)
        adopted = named or isinstance(kind, Spawned)
        if adopted:
            assert isinstance(kind, Connected | Extension | Spawned)
            target = await self._target(owner, home.supervisor, kind)
            tab_id = await home.supervisor.adopt(target, key)
        else:
            tab_id, adopted = await self._opened_tab(owner, key, kind, home)
        tab = self._keep(owner, wanted.name, tab_id, kind, home)
        tab.dialogs, tab.adopted = wanted.dialogs, adopted
        return tab

    async def _opened_tab(self, owner: str, key: str, kind: Kind, home: Home) -> tuple[str, bool]:
        """A new tab; in a browser that opens none, as Electron, its first real page, adopted."""
        try:
            opened = await home.supervisor.open_tab(key, context=home.context, wait=False)
            return opened, False
        except CommandFailed as error:
            if not isinstance(kind, Connected) or error.method != "Target.createTarget":
                raise
            refused = error.detail
        try:
            target = await self._target(owner, home.supervisor, kind, free=True)
        except BrowserError as none:
            raise BrowserError(
                f"{kind.describe()} opens no tabs ({refused}), and it has no page that is free",
                hint="close a tab of yours in it, or open a window in it",
            ) from none
        add_notice(f"{kind.describe()} opens no tabs: took its first page as it is")
        return await home.supervisor.adopt(target, key), True

    def _keep(self, owner: str, name: str, tab_id: str, kind: Kind, home: Home) -> OwnedTab:
        page = Page(home.supervisor, tab_id, files=self._files(owner))
        tab = OwnedTab(owner, name, tab_id, kind, home.supervisor, page, Lease(name))
        tab.secrets = self._secrets
        tab.target = home.supervisor.state.tabs[tab_id].target_id
        tab.used_at = asyncio.get_running_loop().time()
        self._tabs[owner, name] = tab
        return tab

    def _turn(self, owner: str, kind: Kind) -> asyncio.Lock:
        return self._turns.setdefault((owner, browser_of(kind)), asyncio.Lock())

    async def _home(self, owner: str, kind: Kind, within: float = DEFAULT_TIMEOUT_S) -> Home:
        """The owner's place in a browser of this kind, with cookies of its own in ours."""
        kind = browser_of(kind)
        key = f"{owner}\n{self._numbers.setdefault(kind, len(self._numbers))}"
        options = replace(self._options, policy=self._policy())
        if kind not in self._browsers.open_kinds():
            tell(f"{'reaching' if isinstance(kind, Connected) else 'starting'} a browser")
        supervisor = await self._reached(key, kind, options, within)
        home = self._homes.get((owner, kind))
        if home is not None and home.supervisor is supervisor:
            return home
        joined = home is not None and home.joined
        self._follow(supervisor)
        context = ""
        if isinstance(kind, Headless) and not kind.profile:
            made: dict[str, Any] = await supervisor.connection.send(
                Command(
                    "Target.createBrowserContext",
                    {"disposeOnDetach": True, **await self.fencing.jar(owner)},
                )
            )
            context = made["browserContextId"]
        supervisor.fences.put(owner, self.fencing.of(owner), context)
        self._homes[owner, kind] = Home(supervisor, kind, key, context, joined=joined)
        self._keep_downloads(supervisor)
        return self._homes[owner, kind]

    def _keep_downloads(self, supervisor: Supervisor) -> None:
        used = {home.supervisor for home in self._homes.values()}
        for gone in self._keepers.keys() - used:
            self._keepers.pop(gone).close()
        if supervisor not in self._keepers:
            self._keepers[supervisor] = DownloadKeeper(
                supervisor, lambda tab: self.whose(supervisor, tab), self._files
            )

    async def _reached(self, key: str, kind: Kind, options: Options, within: float) -> Supervisor:
        """The supervisor of a browser. One that asks its user first is dialled once and waited for
        by everybody: whoever comes back later finds the same question, or its answer."""
        start = opener(self._browsers, kind)
        if not isinstance(kind, Connected) or not asks_consent(kind.endpoint):
            return await self._supervisors.get_or_start(key, kind, start, options)
        if kind not in self._browsers.open_kinds():
            self._browsers.prepare(kind, within=CONSENT_WITHIN_S)
            tell("reaching a browser: if it asks whether to allow remote debugging, allow it")
        try:
            async with asyncio.timeout(within):
                return await self._supervisors.get_or_start(key, kind, start, options)
        except TimeoutError:
            raise no_consent(redact_endpoint(kind.endpoint)) from None

    async def lodge(self, owner: str, wanted: OpenRequest) -> Home:
        """The owner's place in a browser for a program that uses it beside us: the same that its
        tabs would get. It stays until the program has left (`unlodge`)."""
        kind = await self.fencing.kind(owner, self._kind(owner, wanted))
        async with self._turn(owner, kind):
            home = await self._home(owner, kind)
            home.guests += 1
            return home

    async def unlodge(self, owner: str, home: Home) -> None:
        """Such a program has left."""
        home.guests -= 1
        await self._leave_empty_homes(owner)

    async def join(
        self, owner: str, endpoint: str, within: float = DEFAULT_TIMEOUT_S
    ) -> Supervisor:
        """Reach a running browser for an owner before any tab is asked for. It stays reached until
        the owner leaves it."""
        kind = await self.fencing.kind(owner, Connected(endpoint))
        async with self._turn(owner, kind):
            home = await self._home(owner, kind, within)
            home.joined = True
            return home.supervisor

    async def move(self, owner: str, endpoint: str) -> list[str]:
        """Leave the browsers that the owner's tabs were opened in for the one at `endpoint`; the
        names of the tabs that are gone. Applications and the user's Chrome were asked for by name,
        and stay."""
        here = Connected(endpoint)
        left = [
            tab
            for tab in self.of(owner)
            if isinstance(tab.kind, Connected | Headless) and browser_of(tab.kind) != here
        ]
        return await self._let_go(owner, left, here)

    async def leave(self, owner: str, endpoint: str) -> list[str]:
        """Let go of a running browser: our tabs in it are closed, adopted ones stay open."""
        here = Connected(endpoint)
        return await self._let_go(
            owner, [tab for tab in self.of(owner) if browser_of(tab.kind) == here], None
        )

    async def _let_go(self, owner: str, tabs: list[OwnedTab], stays: Kind | None) -> list[str]:
        for (whose, kind), home in self._homes.items():
            if whose == owner and kind != stays:
                home.joined = False
        await asyncio.gather(*(self._drop(tab) for tab in tabs))
        await self._leave_empty_homes(owner)
        return [tab.name for tab in tabs]

    async def _target(
        self,
        owner: str,
        supervisor: Supervisor,
        kind: Connected | Extension | Spawned,
        *,
        free: bool = False,
    ) -> str:
        """The page that is meant; one that is another owner's is neither taken nor told. With
        `free`, one that is the owner's already is not meant either. Raises BrowserError."""
        listed = (await supervisor.connection.send(Target.getTargets()))["targetInfos"]
        taken = {
            tab.target_id
            for tab in supervisor.state.tabs.values()
            if self.whose(supervisor, tab) not in ("",) + (() if free else (owner,))
        }
        infos = [
            TargetInfo(info["targetId"], info["type"], info["title"], info["url"])
            for info in listed
            if info["targetId"] not in taken
        ]
        return choose_target(infos, kind.target, shared=isinstance(kind, Extension)).id

    # Closing.

    async def close(self, owner: str, wanted: CloseRequest) -> list[str]:
        """Close an owner's tab, or all of them; the names of those that were. `kill` also ends an
        application that was started for them."""
        mine = self.of(owner)
        chosen = mine if wanted.all else [t for t in mine if wanted.name in (t.name, t.tab_id)]
        within = min(wanted.timeout / 2, CLOSES_WITHIN_S)
        await asyncio.gather(*(self._drop(tab, within) for tab in chosen))
        await self._leave_empty_homes(owner, kill=wanted.kill, within=within)
        return [tab.name for tab in chosen]

    async def close_idle(self, since: float) -> list[OwnedTab]:
        """Close the tabs that nobody used since then; adopted ones are only let go."""
        lodged = {key for key, home in self._homes.items() if home.guests}
        idle = [
            tab
            for tab in self._tabs.values()
            if tab.used_at < since
            and not tab.lease.holder
            and (tab.owner, browser_of(tab.kind)) not in lodged
        ]
        for tab in idle:
            await self._drop(tab)
        for owner in {tab.owner for tab in idle}:
            await self._leave_empty_homes(owner)
        return idle

    async def _drop(self, tab: OwnedTab, within: float = CLOSES_WITHIN_S) -> None:
        self._tabs.pop((tab.owner, tab.name), None)
        try:
            async with asyncio.timeout(within):
                await tab.page.close()
                if tab.adopted:
                    tab.supervisor.disown(tab.tab_id)
                elif tab.alive:
                    await tab.supervisor.close_tab(tab.tab_id)
        except (CdpError, ToolError, TimeoutError):
            pass  # it is gone, or the browser is: nothing is left to close
        tab.supervisor.forget(tab.key)

    async def _leave_empty_homes(
        self, owner: str, *, kill: bool = False, within: float = LEAVES_WITHIN_S
    ) -> None:
        for (whose, kind), home in list(self._homes.items()):
            if whose != owner:
                continue
            async with self._turn(owner, kind):
                self._name_popups(owner)
                used = any(t.owner == owner and browser_of(t.kind) == kind for t in self.everyone())
                kept = used or home.guests or home.joined
                if kept and kill and isinstance(kind, Spawned):
                    add_notice(f"{kind.describe()} goes on: you have other tabs in it")
                if not kept and self._homes.get((owner, kind)) is home:
                    del self._homes[owner, kind]
                    await self._end_home(home, kind, kill, within)

    async def _end_home(self, home: Home, kind: Kind, kill: bool, within: float) -> None:
        for jar in home.jars or {""}:
            home.supervisor.fences.drop(home.key.partition("\n")[0], jar)
        if home.context:
            try:
                # Others may go on using the browser; this owner's cookies must not stay in it.
                await home.supervisor.connection.send(
                    Target.disposeBrowserContext(browserContextId=home.context), within
                )
            except CdpError as error:
                _log.debug("a cookie jar ends with its browser: %s", error)
        handle = None
        if kill and not isinstance(kind, Headless) and kind in self._browsers.open_kinds():
            handle = await self._browsers.acquire(kind)
        await self._supervisors.stop(home.key)
        if handle is not None:
            await handle.release(kill=True)
            if handle.goes_on:
                add_notice(f"{kind.describe()} goes on: {handle.goes_on}")
            elif kind in self._browsers.open_kinds():
                add_notice(f"{kind.describe()} goes on until its other users have left it")
