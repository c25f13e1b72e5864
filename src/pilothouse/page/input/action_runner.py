"""Runs every action: watch the page, act, wait for effects, build the receipt.

Knows: the order of these steps. Must not know: what the actions are. The receipt does not wait a
fixed time. It waits for an effect: a DOM change, a navigation, a dialog, or the end of the requests
the action started. Only if nothing happens at all does a short quiet period end the wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from pilothouse.cdp import Event
from pilothouse.cdp.protocol import Page, Runtime
from pilothouse.errors import CdpError, CommandFailed, SessionGone, ToolError
from pilothouse.page.input.actionable_elements import ReadyElement
from pilothouse.page.input.receipt import (
    Baseline,
    ObservedChanges,
    Receipt,
    errors_since,
    is_download_settled,
    make_receipt,
    observe_changes,
)
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import PRESS_BINDING, IsolatedWorld, IsolatedWorlds
from pilothouse.supervisor import Supervisor
from pilothouse.supervisor.model import parse_permission_request

__all__ = ["ActionRunner", "PressMissed", "RequestActivity", "quiet_deadline"]

_log = logging.getLogger(__name__)

# How long a page may take to show a first effect, and how long its requests are followed.
QUIET_S = 0.05
REQUESTS_S = 1.0
COMMIT_S = 5.0
# After a navigation: wait until the new document is parsed, so that the next call finds its
# elements. Slower documents are left to explicit waits.
PARSED_S = 2.0
TITLE_S = 1.0
OPENED_S = 2.0
# The decision about a permission request follows shortly after the request.
PERMISSION_S = 0.5
# Most downloads are small: waiting a little lets the receipt name the file's path.
DOWNLOADED_S = 1.5
# A new tab may turn out to be a download, which Chrome closes again.
POPUP_S = 0.5
# After a click on a file input: its chooser opens, unless the page prevents it.
CHOOSER_S = 0.5
# After a click on a link to a file: its download begins.
DOWNLOAD_STARTS_S = 1.0

# Events that prove a press and a click. `pointerdown` proves nothing: disabled controls get it, and
# only it.
_PRESS_EVENTS = frozenset({"mousedown", "click", "auxclick", "contextmenu"})
_CLICK_EVENTS = frozenset({"click", "auxclick", "contextmenu", "dblclick"})

_CHANGE_COUNTERS = ("added", "removed", "attributes", "text", "inputs")


class RequestActivity(Protocol):
    """What the runner needs to know about a tab's requests."""

    def pending_since(self, at: float) -> int:
        """Return how many requests that started after `at` have not ended."""

    def last_end(self) -> float:
        """Return when the last request ended; 0 if none has."""


class PressMissed(ToolError):
    """The page's press guard stopped a press on the wrong element. Retryable."""


# One lock per tab, shared by all runners of a supervisor: several clients may drive one tab.
_pointer_locks: WeakKeyDictionary[Supervisor, dict[str, asyncio.Lock]] = WeakKeyDictionary()


class ActionRunner:
    """Runs actions on one tab."""

    def __init__(
        self, context: TabContext, worlds: IsolatedWorlds, requests: RequestActivity | None = None
    ) -> None:
        self.tab_context = context
        self.worlds = worlds
        self._requests = requests

    def pointer_lock(self) -> asyncio.Lock:
        """Return the tab's pointer lock; hold it from resolving the element until the receipt.

        A tab has one pointer, and the guard in its page covers one press, whatever the number of
        clients.
        """
        of_tabs = _pointer_locks.setdefault(self.tab_context.supervisor, {})
        return of_tabs.setdefault(self.tab_context.tab_id, asyncio.Lock())

    async def perform(
        self,
        action: str,
        element: ReadyElement,
        work: Callable[[], Awaitable[Any]],
        *,
        guarded: bool = False,
    ) -> Receipt:
        """Run `work` on a ready element and return a receipt of what changed.

        `guarded` work presses the pointer on an element resolved with `Requirements(arm=True)`.
        It raises PressMissed if the press would have reached another element. The value that
        `work` returns becomes the receipt's value.
        """
        context = self.tab_context
        self.worlds.dirty = True
        world = element.world or await self.worlds.of(element.frame)
        baseline = Baseline.of(context.supervisor.state, context.tab_id, context.main(), _now())
        action_events = _ActionEvents(context, world)
        notes: tuple[str, ...] = ()
        watching = True
        try:
            if not guarded:
                # Await it: Chrome does not keep the order of input events and script calls.
                await self.worlds.call_in(world, "watch")
            value = await work()
            effects = await self._read_effects(world)
            cut = _check_press(element, effects, action_events) if guarded else ""
            if cut and "clicked" in action:
                action, notes = action.replace("clicked", "pressed"), (cut,)
            now = await self._wait_for_effects(baseline, world, effects, action_events)
            effects = {**effects, **await self._read_effects(world, done=True)}
            watching = False
            if now.committed:
                title = await self._wait_for_title(action_events)
                effects = {**effects, "focus": "", "title": title}
                now = observe_changes(baseline, context.supervisor.state, context.tab_id)
        finally:
            action_events.close()
            if watching:
                # The action failed: remove the guard, or it would stop a user's own clicks.
                self.worlds.notify(world, "effects", True)
            for ancestor_worlds in element.ancestor_worlds if guarded else ():
                self.worlds.notify(ancestor_worlds, "disarm")
        errors = errors_since(baseline.at, context.supervisor.console.errors(context.tab_id))
        return make_receipt(
            action,
            element.describe(),
            baseline,
            now,
            effects,
            errors,
            self._pending(baseline),
            value,
            hit=element.facts.get("tag", ""),
            notes=notes,
            downloads_off=context.supervisor.options.owned
            and not context.supervisor.options.downloads,
        )

    async def _read_effects(self, world: IsolatedWorld, *, done: bool = False) -> dict[str, Any]:
        """Return what the page observed; empty if its document is gone, itself an effect."""
        try:
            seen: dict[str, Any] = await self.worlds.call_in(world, "effects", done)
        except (CommandFailed, SessionGone):
            return {}
        return seen

    async def _wait_for_title(self, action_events: _ActionEvents) -> str:
        """Wait until the new document is parsed and return its title.

        Returns "" while a dialog or a slow server delays it.
        """
        context = self.tab_context
        parsed = context.supervisor.tasks.start(
            action_events.parsed.wait(), "wait for the new document"
        )
        try:
            await self._wait_until(self._is_blocked, PARSED_S, parsed)
        finally:
            parsed.cancel()
        if not action_events.parsed.is_set():
            return ""
        try:
            call = Runtime.evaluate(expression="document.title", returnByValue=True)
            answer = await context.session.send(call, TITLE_S)
        except (CdpError, ToolError):
            return ""  # the tab has navigated again
        return str(answer["result"].get("value", ""))

    def _is_blocked(self) -> bool:
        """Whether a dialog is open or the tab is closed."""
        state, tab = self.tab_context.supervisor.state, self.tab_context.tab_id
        return tab not in state.tabs or any(d.tab == tab for d in state.dialogs.values())

    async def _wait_for_effects(
        self,
        baseline: Baseline,
        world: IsolatedWorld,
        effects: Mapping[str, Any],
        action_events: _ActionEvents,
    ) -> ObservedChanges:
        """Wait until the action shows effects, or until the page stays quiet."""
        supervisor, tab = self.tab_context.supervisor, self.tab_context.tab_id

        def now() -> ObservedChanges:
            return observe_changes(baseline, supervisor.state, tab)

        def left() -> bool:
            frame = supervisor.state.frames.get(world.frame)
            return frame is None or frame.loader != world.loader or now().has_effect

        if not effects:
            # The document is gone; its navigation event may still be on its way.
            await self._wait_until(left, COMMIT_S)
        elif not any(effects.get(key) for key in _CHANGE_COUNTERS) and not now().has_effect:
            await self._wait_for_first_sign(baseline, world, action_events, now)
        if effects.get("chooser") and not now().interrupts:
            await self._wait_until(lambda: bool(now().interrupts), CHOOSER_S)
        if effects.get("download") and not now().downloads:
            await self._wait_until(lambda: bool(now().downloads), DOWNLOAD_STARTS_S)
        if action_events.open_permissions:
            await action_events.wait_for_permission(PERMISSION_S)
        if action_events.opens_window and not now().new_tabs:
            await self._wait_until(lambda: bool(now().new_tabs), OPENED_S)
        if now().new_tabs:
            await self._wait_until(lambda: self._are_popups_known(now()), POPUP_S)
        if action_events.navigates or now().navigating:
            began = action_events.navigates

            def arrived() -> bool:
                changes = now()
                over = not changes.navigating and not began
                return changes.committed or bool(changes.downloads) or changes.tab_closed or over

            await self._wait_until(arrived, COMMIT_S)
        if now().downloads:
            await self._wait_until(lambda: self._are_downloads_settled(baseline), DOWNLOADED_S)
        return now()

    def _are_popups_known(self, now: ObservedChanges) -> bool:
        """Whether each new tab shows something, or became a download that needs no tab."""
        tabs = self.tab_context.supervisor.state.tabs
        return bool(now.downloads) or all(
            tabs[tab].url not in ("", "about:blank") for tab in now.new_tabs if tab in tabs
        )

    def _are_downloads_settled(self, baseline: Baseline) -> bool:
        """Whether every download of the action has its final path or failed."""
        supervisor = self.tab_context.supervisor
        keeps = supervisor.names_downloads
        fresh = (
            d for guid, d in supervisor.state.downloads.items() if guid not in baseline.downloads
        )
        return all(is_download_settled(one, keeps=keeps) for one in fresh)

    async def _wait_for_first_sign(
        self,
        baseline: Baseline,
        world: IsolatedWorld,
        action_events: _ActionEvents,
        now: Callable[[], ObservedChanges],
    ) -> None:
        """Wait for the first effect, or until the page and its requests have been quiet."""
        call = _ignore_cdp_errors(self.worlds.call_in(world, "changed"))
        changed = self.tab_context.supervisor.tasks.start(call, "wait for a change")
        clock = self.tab_context.supervisor.now
        began = clock()

        def stirs() -> bool:
            return changed.done() or now().has_effect or action_events.has_effect

        def due() -> float:
            last_end = self._requests.last_end() if self._requests else 0.0
            return quiet_deadline(began, self._pending(baseline), last_end)

        try:
            while not stirs() and (left := due() - clock()) > 0:
                await self._wait_until(stirs, min(left, QUIET_S), changed)
        finally:
            changed.cancel()

    async def _wait_until(
        self,
        question: Callable[[], bool],
        within: float,
        also: asyncio.Task[Any] | None = None,
    ) -> None:
        """Wait until `question` is true for the supervisor's state, or `also` is done. Never raises
        TimeoutError."""
        supervisor = self.tab_context.supervisor
        watch = supervisor.tasks.start(
            supervisor.wait_for(lambda _: question() or None, within), "wait for effects"
        )
        try:
            await asyncio.wait(
                {watch, also} if also else {watch},
                timeout=within,
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            watch.cancel()

    def _pending(self, baseline: Baseline) -> int:
        return self._requests.pending_since(baseline.at) if self._requests else 0


class _ActionEvents:
    """CDP events that announce effects before the supervisor's state shows them."""

    def __init__(self, context: TabContext, world: IsolatedWorld) -> None:
        self._context = context
        self._world = world
        self.pressed = False
        self.opens_window = False
        self.navigates = False
        # Permission requests of the page that are not decided yet.
        self.open_permissions = 0
        self._permission_decided = asyncio.Event()
        # Set once the document that the tab navigated to is parsed.
        self.parsed = asyncio.Event()
        connection = context.supervisor.connection
        self._unsubscribe = [
            connection.on(Page.windowOpen, self._on_window_open),
            connection.on(Page.frameRequestedNavigation, self._on_navigation_start),
            connection.on(Page.frameStartedNavigating, self._on_navigation_start),
            connection.on(Page.frameNavigated, self._on_navigated),
            connection.on(Page.domContentEventFired, self._on_parsed),
            connection.on(Page.loadEventFired, self._on_parsed),
            connection.on(Runtime.bindingCalled, self._on_binding_called),
        ]

    @property
    def has_effect(self) -> bool:
        return self.opens_window or self.navigates

    def _on_window_open(self, event: Event[Any]) -> None:
        self.opens_window = self.opens_window or self._is_ours(event)

    def _on_navigation_start(self, event: Event[Any]) -> None:
        main = self._context.supervisor.state.tabs[self._context.tab_id].target_id
        same = "ameDocument" in event.params.get("navigationType", "")
        if event.params["frameId"] == main and not same and self._is_ours(event):
            self.navigates = event.params.get("disposition", "currentTab") == "currentTab"

    def _on_navigated(self, event: Event[Any]) -> None:
        if "parentId" in event.params["frame"] or not self._is_ours(event):
            return
        if event.params.get("type") == "BackForwardCacheRestore":
            self.parsed.set()  # already parsed; Chrome repeats no events for it
        else:
            self.parsed.clear()

    def _on_parsed(self, event: Event[Any]) -> None:
        # OOPIFs send the same events on their own sessions.
        tab = self._context.supervisor.state.tabs.get(self._context.tab_id)
        if tab is not None and event.session_id == tab.session:
            self.parsed.set()

    async def wait_for_permission(self, within: float) -> None:
        """Wait until the page's permission requests are decided."""
        try:
            async with asyncio.timeout(within):
                await self._permission_decided.wait()
        except TimeoutError:
            _log.debug("permission request not decided within %g s", within)

    def _on_binding_called(self, event: Event[Any]) -> None:
        if event.params["name"] == self._context.supervisor.setup.binding:
            call = parse_permission_request(event.params.get("payload", ""))
            if self._is_ours(event) and call:
                self.open_permissions += 1 if call.state == "asked" else -1
                if self.open_permissions <= 0:
                    self._permission_decided.set()
        else:
            self._on_pressed(event)

    def _on_pressed(self, event: Event[Any]) -> None:
        world = self._world
        if event.params["name"] == PRESS_BINDING and event.session_id == world.session.id:
            self.pressed = self.pressed or event.params["executionContextId"] == world.context_id

    def _is_ours(self, event: Event[Any]) -> bool:
        tab = self._context.supervisor.state.tab_of(event.session_id)
        return tab is not None and tab.id == self._context.tab_id

    def close(self) -> None:
        for close in self._unsubscribe:
            close()


def _check_press(
    element: ReadyElement, effects: Mapping[str, Any], action_events: _ActionEvents
) -> str:
    """Check that the press reached the element. Returns a note if no click resulted.

    Raises PressMissed if nothing was pressed, and ToolError if that is unknown.
    """
    if not effects:
        if not action_events.pressed:
            raise ToolError(
                f"{element.describe()} was not hit: the page navigated before the press reached it",
                hint="take a snapshot of the new page",
            )
        return ""
    dispatched = effects["events"]
    if effects["blocked"]:
        raise PressMissed(
            f"{element.describe()} was not hit: {effects['blocked']} was at its position",
            hint="take a snapshot; the page changed under the pointer",
        )
    if not _PRESS_EVENTS.intersection(dispatched):
        raise PressMissed(
            f"{element.describe()} was not hit: the press never reached it",
            hint="take a snapshot or a screenshot; an element of another frame may cover it",
        )
    if _CLICK_EVENTS.intersection(dispatched):
        return ""
    return f"no click resulted: {effects['cut'] or 'another element'} was there at the release"


def quiet_deadline(began: float, pending: int, last_end: float) -> float:
    """Return when a page without effects counts as quiet.

    Effects of a response come after its end, so the quiet period starts at `last_end`.
    """
    give_up = began + REQUESTS_S
    return give_up if pending else min(max(began, last_end) + QUIET_S, give_up)


async def _ignore_cdp_errors(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except CdpError:
        return None  # the document is gone; the supervisor's state shows it


def _now() -> float:
    return asyncio.get_running_loop().time()
