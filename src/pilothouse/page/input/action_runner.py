"""Doing something to an element and seeing what came of it: the frame around every action.

Knows: the order of things (watch, act, look, wait for effects, receipt). Must not know: what the
actions are. A receipt waits for effects, not for a clock: a change, a navigation, a dialog or the
end of the requests the action began; only where nothing at all stirs does a short quiet end it.
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
from pilothouse.page.input.actionability import ReadyElement
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

# How long a page may take to show a first sign of life, and how long its requests are followed.
QUIET_S = 0.05
REQUESTS_S = 1.0
COMMIT_S = 5.0
# The action led to another document: it is waited for until it is parsed, so that the next call
# finds what is on it. A slow one is left to the waits.
PARSED_S = 2.0
TITLE_S = 1.0
OPENED_S = 2.0
# The page asked for a permission: what it got is known a moment later.
PERMISSION_S = 0.5
# Most files are small: then the receipt says where they are.
DOWNLOADED_S = 1.5
# A new tab may turn out to be a download.
POPUP_S = 0.5
# A file input was clicked: its chooser opens, unless the page prevents it.
CHOOSER_S = 0.5
# A link to a file was clicked: its download begins.
DOWNLOAD_STARTS_S = 1.0

# A press is these, a click one of those; a disabled control is told of no more than `pointerdown`.
_PRESS_EVENTS = frozenset({"mousedown", "click", "auxclick", "contextmenu"})
_CLICK_EVENTS = frozenset({"click", "auxclick", "contextmenu", "dblclick"})

_CHANGE_COUNTERS = ("added", "removed", "attributes", "text", "inputs")


class RequestActivity(Protocol):
    """What is known of a tab's requests."""

    def pending_since(self, at: float) -> int:
        """How many that began after `at` have not ended."""

    def last_end(self) -> float:
        """When the last one ended; 0 if none has."""


class PressMissed(ToolError):
    """The press went to something else and was stopped there; it may be tried again."""


_pointer_locks: WeakKeyDictionary[Supervisor, dict[str, asyncio.Lock]] = WeakKeyDictionary()


class ActionRunner:
    """Acts on one tab."""

    def __init__(
        self, context: TabContext, worlds: IsolatedWorlds, requests: RequestActivity | None = None
    ) -> None:
        self.tab_context = context
        self.worlds = worlds
        self._requests = requests

    def pointer_lock(self) -> asyncio.Lock:
        """To be held from aiming to the receipt by whoever presses: a tab has one pointer, and
        the guard in its page stands for one press, however many clients there are."""
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
        """Do `work` on what was aimed at; the receipt says what came of it.

        `guarded` work presses the pointer on what was aimed at with `Requirements(arm=True)`: Missed is
        raised when the press would have reached something else. What `work` returns is the
        receipt's value.
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
                # Input and calls take different ways: what is sent first need not be first.
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
                effects = {
                    **effects,
                    "focus": "",
                    "title": await self._wait_for_title(action_events),
                }
                now = observe_changes(baseline, context.supervisor.state, context.tab_id)
        finally:
            action_events.close()
            if watching:
                # Nobody asks any more: a guard left behind would stop a person's own clicks.
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
        """What the page saw; nothing if its document is gone, which is an effect by itself."""
        try:
            seen: dict[str, Any] = await self.worlds.call_in(world, "effects", done)
        except (CommandFailed, SessionGone):
            return {}
        return seen

    async def _wait_for_title(self, action_events: _ActionEvents) -> str:
        """Wait until the document that the action led to is parsed; its title. Nothing while a
        dialog or a slow server holds it up."""
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
            asked = Runtime.evaluate(expression="document.title", returnByValue=True)
            answer = await context.session.send(asked, TITLE_S)
        except (CdpError, ToolError):
            return ""  # it has gone on already
        return str(answer["result"].get("value", ""))

    def _is_blocked(self) -> bool:
        """Whether a dialog is open, or the tab gone."""
        state, tab = self.tab_context.supervisor.state, self.tab_context.tab_id
        return tab not in state.tabs or any(d.tab == tab for d in state.dialogs.values())

    async def _wait_for_effects(
        self,
        baseline: Baseline,
        world: IsolatedWorld,
        effects: Mapping[str, Any],
        action_events: _ActionEvents,
    ) -> ObservedChanges:
        """Wait until something has come of it, or nothing seems to."""
        supervisor, tab = self.tab_context.supervisor, self.tab_context.tab_id

        def now() -> ObservedChanges:
            return observe_changes(baseline, supervisor.state, tab)

        def left() -> bool:
            frame = supervisor.state.frames.get(world.frame)
            return frame is None or frame.loader != world.loader or now().has_effect

        if not effects:
            # The document is gone; the news of it may still be under way.
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
        """Whether it is known what new tabs are for: they show something, or ended as a download
        that needs no tab."""
        tabs = self.tab_context.supervisor.state.tabs
        return bool(now.downloads) or all(
            tabs[tab].url not in ("", "about:blank") for tab in now.new_tabs if tab in tabs
        )

    def _are_downloads_settled(self, baseline: Baseline) -> bool:
        """Whether what the action downloads has its place, or failed."""
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
        asked = _ignore_cdp_errors(self.worlds.post(world, "changed"))
        changed = self.tab_context.supervisor.tasks.start(asked, "wait for a change")
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
        """Wait for the supervisor's state, or for `also`; no error when it does not come."""
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
    """What Chrome announces before the state can show it."""

    def __init__(self, context: TabContext, world: IsolatedWorld) -> None:
        self._context = context
        self._world = world
        self.pressed = False
        self.opens_window = False
        self.navigates = False
        # Permissions that the page asked for, and of which it is not known whether it has them.
        self.open_permissions = 0
        self._permission_decided = asyncio.Event()
        # Set while the document that the tab came to since is parsed.
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
            self.parsed.set()  # it was parsed before, and tells nothing now
        else:
            self.parsed.clear()

    def _on_parsed(self, event: Event[Any]) -> None:
        # Frames of their own process have sessions of their own, and tell the same of themselves.
        tab = self._context.supervisor.state.tabs.get(self._context.tab_id)
        if tab is not None and event.session_id == tab.session:
            self.parsed.set()

    async def wait_for_permission(self, within: float) -> None:
        """Wait until it is known what the page got."""
        try:
            async with asyncio.timeout(within):
                await self._permission_decided.wait()
        except TimeoutError:
            _log.debug("a permission was not decided within %g s", within)

    def _on_binding_called(self, event: Event[Any]) -> None:
        if event.params["name"] == self._context.supervisor.setup.binding:
            if self._is_ours(event) and (asked := parse_permission_request(event.params.get("payload", ""))):
                self.open_permissions += 1 if asked.state == "asked" else -1
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
    """Whether the press came to what was aimed at; a note if no click came of it. Raises Missed
    where nothing has been pressed, ToolError where that cannot be known any more."""
    if not effects:
        if not action_events.pressed:
            raise ToolError(
                f"{element.describe()} was not hit: the page went away before the press came to it",
                hint="take a snapshot of what is there now",
            )
        return ""
    dispatched = effects["events"]
    if effects["blocked"]:
        raise PressMissed(
            f"{element.describe()} was not hit: {effects['blocked']} was in its place",
            hint="take a snapshot: the page has changed under the pointer",
        )
    if not _PRESS_EVENTS.intersection(dispatched):
        raise PressMissed(
            f"{element.describe()} was not hit: the press never came to it",
            hint="something in another frame may cover it: take a snapshot or a screenshot",
        )
    if _CLICK_EVENTS.intersection(dispatched):
        return ""
    return f"no click came of it: {effects['cut'] or 'something else'} was there at the release"


def quiet_deadline(began: float, pending: int, last_end: float) -> float:
    """When a page that does not stir counts as quiet. What an answer brings comes after it."""
    give_up = began + REQUESTS_S
    return give_up if pending else min(max(began, last_end) + QUIET_S, give_up)


async def _ignore_cdp_errors(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except CdpError:
        return None  # the document went away: the supervisor's signs tell


def _now() -> float:
    return asyncio.get_running_loop().time()
