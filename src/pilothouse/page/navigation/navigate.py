"""Navigation: the CDP shell around navigation_tracker.py.

Knows: which command starts which navigation, and how to wait for its end. Must not know: what
happens on the page afterwards.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Self

from msgspec.structs import replace

from pilothouse.cdp import Command, Reply, Session, SessionId
from pilothouse.cdp.protocol import Page, Runtime
from pilothouse.errors import (
    CdpError,
    CommandFailed,
    ConnectionLost,
    InterruptedByNavigation,
    ToolError,
    UsageError,
)
from pilothouse.page.blocked_time_deadline import Deadline
from pilothouse.page.input import DOWNLOADS_OFF, is_download_settled
from pilothouse.page.navigation import navigation_tracker
from pilothouse.page.navigation import requests_in_flight as inflight
from pilothouse.page.navigation.navigation_tracker import (
    NEVER,
    STATES,
    NavigationOutcome,
    NavigationTracker,
)
from pilothouse.page.navigation.tab_event_listener import TabEventListener
from pilothouse.page.navigation.url_arguments import normalize_url
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import IsolatedWorlds
from pilothouse.supervisor import Outcome, State
from pilothouse.supervisor.model import Download, blockers

__all__ = ["Navigation", "NavigationWatch"]

_log = logging.getLogger(__name__)

# A renderer that does not reply must not delay the navigation that leaves it.
PREPARED_WITHIN_S = 1.0
# A new tab that replied to the early preparation is trusted for this long to be responsive.
EARLY_VALID_S = 1.0
LEFT_WITHIN_S = 5.0
STOPPED_WITHIN_S = 5.0

# Poll at least this often: a closed tab sends no event about its navigation.
POLL_INTERVAL_S = 0.5

# `settled`: no DOM change and few requests for STILL_S, at most SETTLED_WITHIN_S after `load`.
STILL_S = 0.5
SETTLED_WITHIN_S = 3.0
FEW_REQUESTS = 2

# Most downloads are small: waiting a little lets the result name the file's path.
DOWNLOADED_S = 1.5
# Chrome announces a download shortly after it has cancelled the navigation.

_EVENTS = (*navigation_tracker.EVENTS, *inflight.EVENTS)


class NavigationWatch:
    """Watches the main frame from its creation on. Create it before the action that may
    navigate."""

    def __init__(self, context: TabContext, network: set[SessionId]) -> None:
        main = context.main()
        self.tracker = NavigationTracker(main.id, main.url)
        self.changed = asyncio.Event()
        self._context = context
        self.listener = TabEventListener(context, _EVENTS, self._on_event, network=network)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop watching."""
        self.listener.close()

    def _on_event(self, method: str, params: Any, session: SessionId, at: float) -> None:
        self.tracker.handle_event(method, params, session, at)
        self.changed.set()

    async def wait_until_due(self, due: Callable[[float], float], deadline: Deadline) -> bool:
        """Wait until `due` returns 0; false at the deadline. Raises ToolError if the tab is
        closed."""
        while self._context.session.alive:
            self.changed.clear()
            wait = due(self._context.supervisor.now())
            if wait == 0.0:
                return True
            left = deadline.left()
            if left == 0.0:
                return False
            try:
                async with asyncio.timeout(min(wait, left, POLL_INTERVAL_S)):
                    await self.changed.wait()
            except TimeoutError:
                continue
        return False


class _OwnNavigation(NavigationWatch):
    """A navigation that we started: it also knows Chrome's reply to the command."""

    has_reply = False
    failed: CdpError | ToolError | None = None

    def seconds_until(self, state: str, now: float) -> float:
        """Return 0 when it has ended or reached `state`."""
        if self.failed is not None:
            raise self.failed
        return self.tracker.seconds_until(state, now) if self.has_reply else NEVER


class Navigation:
    """Navigates one tab, and watches navigations that actions start."""

    def __init__(self, context: TabContext, worlds: IsolatedWorlds, *, files: bool = False) -> None:
        self._context = context
        self._worlds = worlds
        self._files = files
        self._network: set[SessionId] = set()
        self._lifecycle: set[SessionId] = set()
        # Replies that the first navigation will await, and when they were requested.
        self._early: tuple[float, list[Reply[Any]]] | None = None
        # Number of navigations sent. A caller whose browser died may retry only if its own was not
        # sent.
        self.sent = 0

    def prepare_early(self) -> None:
        """Send the preparations of the first navigation now, along with the other setup of a new
        tab."""
        if not self._lifecycle and self._context.tab.url in ("", "about:blank"):
            with NavigationWatch(self._context, self._network) as watch:
                self._early = (self._context.supervisor.now(), self._send_preparations(watch))

    async def goto(
        self, url: str, wait_until: str = "load", timeout: float = 30.0
    ) -> Outcome[NavigationOutcome]:
        """Go to a URL; a missing scheme means https (http for loopback hosts).

        Raises ToolError for a URL that is invalid or not allowed.
        """
        policy = self._context.supervisor.url_policy
        url_policy = policy.policy_for(self._context.tab)
        address = normalize_url(url, files=self._files, allowed=url_policy.allows_scheme)
        policy.check_navigation(self._context.tab_id, address)

        def on_reply(navigation: _OwnNavigation, answer: Any) -> None:
            error, loader = answer.get("errorText"), answer.get("loaderId")
            if loader:
                navigation.tracker.select_loader(loader)
            if error:
                navigation.tracker.fail_selected(error, download=answer.get("isDownload", False))
            elif not loader:
                navigation.tracker.select_same_document(address)

        return await self._navigate(Page.navigate(url=address), on_reply, wait_until, timeout)

    async def back(
        self, wait_until: str = "load", timeout: float = 30.0
    ) -> Outcome[NavigationOutcome]:
        """Go back one history entry. Raises ToolError at the first."""
        return await self._go_in_history(-1, wait_until, timeout)

    async def forward(
        self, wait_until: str = "load", timeout: float = 30.0
    ) -> Outcome[NavigationOutcome]:
        """Go forward one history entry. Raises ToolError at the last."""
        return await self._go_in_history(1, wait_until, timeout)

    async def reload(
        self, ignore_cache: bool = False, wait_until: str = "load", timeout: float = 30.0
    ) -> Outcome[NavigationOutcome]:
        """Reload the page."""
        command = Page.reload(ignoreCache=ignore_cache)
        return await self._navigate(command, _select_types("reload"), wait_until, timeout)

    async def stop(self) -> None:
        """Stop loading; the content so far stays."""
        await self._context.session.send(Page.stopLoading(), STOPPED_WITHIN_S)

    # Steps of a navigation.

    async def _add_download_path(
        self, result: NavigationOutcome, before: frozenset[str]
    ) -> NavigationOutcome:
        """Return a download's result with the path of its file, if that is known in time."""
        supervisor, tab = self._context.supervisor, self._context.tab_id
        keeps = supervisor.names_downloads

        def settled(state: State) -> Download | None:
            mine = [d for d in state.downloads.values() if d.tab == tab and d.guid not in before]
            return next((d for d in mine if is_download_settled(d, keeps=keeps)), None)

        try:
            download = await supervisor.wait_for(settled, DOWNLOADED_S)
        except TimeoutError:
            return result  # a large file, or a browser that reports no progress
        if supervisor.options.owned and not supervisor.options.downloads:
            return replace(result, error=DOWNLOADS_OFF)
        return replace(result, path=download.saved or download.path, error=download.problem)

    async def _go_in_history(
        self, by: int, wait_until: str, timeout: float
    ) -> Outcome[NavigationOutcome]:
        _check_arguments(wait_until, timeout)
        history = await self._context.session.send(Page.getNavigationHistory())
        entries, index = history["entries"], history["currentIndex"] + by
        # A tab starts on a blank page that nobody asked for; do not go back to it.
        blank = index == 0 and by < 0 and entries[0]["url"] == "about:blank"
        if blank or not 0 <= index < len(entries):
            where = "before" if by < 0 else "after"
            raise ToolError(
                f"there is no page {where} this one in the history of {self._context.tab_id}",
                hint="use goto with a URL",
            )
        command = Page.navigateToHistoryEntry(entryId=entries[index]["id"])
        return await self._navigate(
            command, _select_types("history", "restore"), wait_until, timeout
        )

    async def _navigate(
        self,
        command: Command[Any],
        on_reply: Callable[[_OwnNavigation, Any], None],
        wait_until: str,
        timeout: float,
    ) -> Outcome[NavigationOutcome]:
        _check_arguments(wait_until, timeout)
        context = self._context
        deadline = Deadline(context, timeout)

        async def navigate() -> NavigationOutcome:
            with _OwnNavigation(context, self._network) as navigation:
                await self._prepare(navigation)
                self._send(navigation, command, on_reply, timeout)
                before = frozenset(context.supervisor.state.downloads)
                result = await self._wait_for_arrival(navigation, wait_until, deadline)
            return (
                await self._add_download_path(result, before)
                if result.kind == "download"
                else result
            )

        if not self._is_stuck():
            return await context.race(navigate, context.session)
        # Navigating away is the cure for a hung or crashed page, so its interrupt must not block
        # this.
        navigation = _OwnNavigation(context, self._network)
        await self._prepare(navigation)
        self._send(navigation, command, on_reply, timeout)
        try:
            await context.supervisor.wait_for(lambda _: not self._is_stuck(), LEFT_WITHIN_S)
        except TimeoutError:
            navigation.close()
            return Outcome(blocked_by=tuple(blockers(context.supervisor.state, context.tab_id)))

        async def wait_for_arrival() -> NavigationOutcome:
            with navigation:
                return await self._wait_for_arrival(navigation, wait_until, deadline)

        return await context.race(wait_for_arrival, context.session)

    def _is_stuck(self) -> bool:
        """Whether the tab's renderer hangs or has crashed."""
        state = self._context.supervisor.state
        here = [i for i in state.interrupts.values() if i.tab == self._context.tab_id]
        return any(i.kind in ("hung", "crashed") for i in here)

    def _enable_lifecycle_events(self, watch: NavigationWatch) -> list[Reply[Any]]:
        session = self._context.session
        if session.id in self._lifecycle:
            return []
        self._lifecycle.add(session.id)
        enabled = session.send(Page.setLifecycleEventsEnabled(enabled=True))
        return [enabled, *watch.listener.replies]

    def _send_preparations(self, watch: NavigationWatch) -> list[Reply[Any]]:
        barrier = self._context.session.send(Runtime.evaluate(expression="0"))
        return [*self._enable_lifecycle_events(watch), barrier]

    async def _prepare(self, navigation: _OwnNavigation) -> None:
        """Make sure that lifecycle events are on and that the old page can be left.

        The navigation would overtake a pending enable command. A script that never ends would
        keep the next document from being shown, and once the navigation has started nothing
        can stop the script.
        """
        session = self._context.session
        early, self._early = self._early, None
        if early is not None and self._context.supervisor.now() - early[0] < EARLY_VALID_S:
            replies = early[1]
        else:
            replies = self._send_preparations(navigation)
        try:
            async with asyncio.timeout(PREPARED_WITHIN_S):
                for reply in replies:
                    await reply
        except TimeoutError:
            # While a navigation waits for its server, Chrome replies to nothing: no script is to
            # blame.
            if not self._context.supervisor.navigations.waiting_for_server(session.id):
                self._forget_enabled()
                await _terminate_script(session)
        except CdpError as error:
            if isinstance(error, ConnectionLost) and error.terminal:
                raise
            # The renderer crashed or is being replaced; the navigation command itself will tell.
            _log.debug("preparing to leave %r: %s", session, error)
            self._forget_enabled()

    def _forget_enabled(self) -> None:
        """Forget what was enabled: the old renderer did not confirm, so the next one gets it
        again."""
        self._lifecycle.clear()
        self._network.clear()

    def _send(
        self,
        navigation: _OwnNavigation,
        command: Command[Any],
        on_reply: Callable[[_OwnNavigation, Any], None],
        timeout: float,
    ) -> None:
        # Send it now; the task below awaits the reply while the caller's loop handles events.
        self.sent += 1
        reply = self._context.session.send(command, timeout + 3600.0)

        async def wait() -> None:
            try:
                answer = await reply
            except CdpError as error:
                navigation.failed = _explain(error, command)
            else:
                on_reply(navigation, answer)
                navigation.has_reply = True
            navigation.changed.set()

        self._context.supervisor.tasks.start(wait(), command.method)

    async def _wait_for_arrival(
        self, navigation: _OwnNavigation, state: str, deadline: Deadline
    ) -> NavigationOutcome:
        ended = await navigation.wait_until_due(
            lambda now: navigation.seconds_until(state, now), deadline
        )
        settled = False
        while (
            ended and state == "settled" and not settled and navigation.tracker.lifecycle_events()
        ):
            settled = await self._wait_until_settled(navigation)
            if not settled:  # another document replaced it
                ended = await navigation.wait_until_due(
                    lambda now: navigation.seconds_until("load", now), deadline
                )
        title = await self._read_title() if navigation.tracker.chain() else ""
        now = self._context.supervisor.now()
        return navigation.tracker.result(state, now, timed_out=not ended, title=title)

    async def _wait_until_settled(self, navigation: _OwnNavigation) -> bool:
        """Wait until the document and its requests are still; false if the document was
        replaced."""
        supervisor = self._context.supervisor
        cap = supervisor.now() + SETTLED_WITHIN_S
        main = self._context.main()
        while True:
            try:
                quiet = await self._worlds.call(main, "stillFor") / 1000
            except (InterruptedByNavigation, ToolError):
                return False
            now = supervisor.now()
            requests = navigation.tracker.in_flight.seconds_until_quiet(FEW_REQUESTS, STILL_S, now)
            wait = max(STILL_S - quiet, min(requests, STILL_S))
            if wait <= 0 or now >= cap:
                return self._context.main().loader == main.loader
            await asyncio.sleep(min(wait, cap - now))

    async def _read_title(self) -> str:
        await self._context.supervisor.refresh(self._context.tab_id)
        return self._context.tab.title


async def _terminate_script(session: Session) -> None:
    try:
        await session.send(Runtime.terminateExecution(), PREPARED_WITHIN_S)
    except CdpError as error:
        _log.debug("terminating the script of %r: %s", session, error)


def _select_types(*kinds: str) -> Callable[[_OwnNavigation, Any], None]:
    def on_reply(navigation: _OwnNavigation, _: Any) -> None:
        navigation.tracker.select_type(*kinds)

    return on_reply


def _check_arguments(wait_until: str, timeout: float) -> None:
    if wait_until not in STATES:
        raise UsageError(
            f"wait_until: unknown value {wait_until!r}", hint=f"use one of {', '.join(STATES)}"
        )
    if not timeout > 0:
        raise UsageError(
            f"timeout: expected more than 0, got {timeout}", hint="give a number of seconds"
        )


def _explain(error: CdpError, command: Command[Any]) -> CdpError | ToolError:
    if isinstance(error, CommandFailed) and "invalid URL" in error.detail:
        url = (command.params or {}).get("url", "")
        return UsageError(f"url: {url!r} is not a valid URL for Chrome", hint="check its spelling")
    return error
