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
from pilothouse.page.input.actionability import Aimed
from pilothouse.page.input.receipt import (
    Before,
    Receipt,
    Signs,
    errors_since,
    is_settled,
    make_receipt,
    signs,
)
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world import PRESSED, World, Worlds
from pilothouse.supervisor import Supervisor
from pilothouse.supervisor.model import read_permission

__all__ = ["Act", "Missed", "Requests", "quiet_at"]

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
BEGINS_S = 1.0

# A press is these, a click one of those; a disabled control is told of no more than `pointerdown`.
_PRESSES = frozenset({"mousedown", "click", "auxclick", "contextmenu"})
_CLICKS = frozenset({"click", "auxclick", "contextmenu", "dblclick"})

_COUNTS = ("added", "removed", "attributes", "text", "inputs")


class Requests(Protocol):
    """What is known of a tab's requests."""

    def pending_since(self, at: float) -> int:
        """How many that began after `at` have not ended."""

    def last_end(self) -> float:
        """When the last one ended; 0 if none has."""


class Missed(ToolError):
    """The press went to something else and was stopped there; it may be tried again."""


_turns: WeakKeyDictionary[Supervisor, dict[str, asyncio.Lock]] = WeakKeyDictionary()


class Act:
    """Acts on one tab."""

    def __init__(
        self, context: TabContext, worlds: Worlds, requests: Requests | None = None
    ) -> None:
        self.tab_context = context
        self.worlds = worlds
        self._requests = requests

    def turn(self) -> asyncio.Lock:
        """To be held from aiming to the receipt by whoever presses: a tab has one pointer, and
        the guard in its page stands for one press, however many clients there are."""
        of_tabs = _turns.setdefault(self.tab_context.supervisor, {})
        return of_tabs.setdefault(self.tab_context.tab_id, asyncio.Lock())

    async def perform(
        self,
        action: str,
        aimed: Aimed,
        work: Callable[[], Awaitable[Any]],
        *,
        guarded: bool = False,
    ) -> Receipt:
        """Do `work` on what was aimed at; the receipt says what came of it.

        `guarded` work presses the pointer on what was aimed at with `Need(arm=True)`: Missed is
        raised when the press would have reached something else. What `work` returns is the
        receipt's value.
        """
        context = self.tab_context
        self.worlds.stirred = True
        world = aimed.world or await self.worlds.of(aimed.frame)
        before = Before.of(context.supervisor.state, context.tab_id, context.main(), _now())
        heard = _Heard(context, world)
        notes: tuple[str, ...] = ()
        watching = True
        try:
            if not guarded:
                # Input and calls take different ways: what is sent first need not be first.
                await self.worlds.call_in(world, "watch")
            value = await work()
            effects = await self._effects(world)
            cut = _check_press(aimed, effects, heard) if guarded else ""
            if cut and "clicked" in action:
                action, notes = action.replace("clicked", "pressed"), (cut,)
            now = await self._wait(before, world, effects, heard)
            effects = {**effects, **await self._effects(world, done=True)}
            watching = False
            if now.committed:
                effects = {**effects, "focus": "", "title": await self._new_title(heard)}
                now = signs(before, context.supervisor.state, context.tab_id)
        finally:
            heard.leave()
            if watching:
                # Nobody asks any more: a guard left behind would stop a person's own clicks.
                self.worlds.tell(world, "effects", True)
            for around in aimed.around if guarded else ():
                self.worlds.tell(around, "disarm")
        errors = errors_since(before.at, context.supervisor.console.errors(context.tab_id))
        return make_receipt(
            action,
            aimed.shown(),
            before,
            now,
            effects,
            errors,
            self._pending(before),
            value,
            hit=aimed.facts.get("tag", ""),
            notes=notes,
            downloads_off=context.supervisor.options.owned
            and not context.supervisor.options.downloads,
        )

    async def _effects(self, world: World, *, done: bool = False) -> dict[str, Any]:
        """What the page saw; nothing if its document is gone, which is an effect by itself."""
        try:
            seen: dict[str, Any] = await self.worlds.call_in(world, "effects", done)
        except (CommandFailed, SessionGone):
            return {}
        return seen

    async def _new_title(self, heard: _Heard) -> str:
        """Wait until the document that the action led to is parsed; its title. Nothing while a
        dialog or a slow server holds it up."""
        context = self.tab_context
        parsed = context.supervisor.tasks.start(heard.parsed.wait(), "wait for the new document")
        try:
            await self._until(self._is_held, PARSED_S, parsed)
        finally:
            parsed.cancel()
        if not heard.parsed.is_set():
            return ""
        try:
            asked = Runtime.evaluate(expression="document.title", returnByValue=True)
            answer = await context.session.send(asked, TITLE_S)
        except (CdpError, ToolError):
            return ""  # it has gone on already
        return str(answer["result"].get("value", ""))

    def _is_held(self) -> bool:
        """Whether a dialog is open, or the tab gone."""
        state, tab = self.tab_context.supervisor.state, self.tab_context.tab_id
        return tab not in state.tabs or any(d.tab == tab for d in state.dialogs.values())

    async def _wait(
        self, before: Before, world: World, effects: Mapping[str, Any], heard: _Heard
    ) -> Signs:
        """Wait until something has come of it, or nothing seems to."""
        supervisor, tab = self.tab_context.supervisor, self.tab_context.tab_id

        def now() -> Signs:
            return signs(before, supervisor.state, tab)

        def left() -> bool:
            frame = supervisor.state.frames.get(world.frame)
            return frame is None or frame.loader != world.loader or now().any

        if not effects:
            # The document is gone; the news of it may still be under way.
            await self._until(left, COMMIT_S)
        elif not any(effects.get(key) for key in _COUNTS) and not now().any:
            await self._first_sign(before, world, heard, now)
        if effects.get("chooser") and not now().interrupts:
            await self._until(lambda: bool(now().interrupts), CHOOSER_S)
        if effects.get("download") and not now().downloads:
            await self._until(lambda: bool(now().downloads), BEGINS_S)
        if heard.asks:
            await heard.decided(PERMISSION_S)
        if heard.opens and not now().new_tabs:
            await self._until(lambda: bool(now().new_tabs), OPENED_S)
        if now().new_tabs:
            await self._until(lambda: self._popups_came(now()), POPUP_S)
        if heard.leaves or now().leaving:
            began = heard.leaves

            def arrived() -> bool:
                sign = now()
                over = not sign.leaving and not began
                return sign.committed or bool(sign.downloads) or sign.gone or over

            await self._until(arrived, COMMIT_S)
        if now().downloads:
            await self._until(lambda: self._downloaded(before), DOWNLOADED_S)
        return now()

    def _popups_came(self, now: Signs) -> bool:
        """Whether it is known what new tabs are for: they show something, or ended as a download
        that needs no tab."""
        tabs = self.tab_context.supervisor.state.tabs
        return bool(now.downloads) or all(
            tabs[tab].url not in ("", "about:blank") for tab in now.new_tabs if tab in tabs
        )

    def _downloaded(self, before: Before) -> bool:
        """Whether what the action downloads has its place, or failed."""
        supervisor = self.tab_context.supervisor
        keeps = supervisor.names_downloads
        fresh = (
            d for guid, d in supervisor.state.downloads.items() if guid not in before.downloads
        )
        return all(is_settled(one, keeps=keeps) for one in fresh)

    async def _first_sign(
        self, before: Before, world: World, heard: _Heard, now: Callable[[], Signs]
    ) -> None:
        asked = _quietly(self.worlds.post(world, "changed"))
        changed = self.tab_context.supervisor.tasks.start(asked, "wait for a change")
        clock = self.tab_context.supervisor.now
        began = clock()

        def stirs() -> bool:
            return changed.done() or now().any or heard.any

        def due() -> float:
            last_end = self._requests.last_end() if self._requests else 0.0
            return quiet_at(began, self._pending(before), last_end)

        try:
            while not stirs() and (left := due() - clock()) > 0:
                await self._until(stirs, min(left, QUIET_S), changed)
        finally:
            changed.cancel()

    async def _until(
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

    def _pending(self, before: Before) -> int:
        return self._requests.pending_since(before.at) if self._requests else 0


class _Heard:
    """What Chrome announces before the state can show it."""

    def __init__(self, context: TabContext, world: World) -> None:
        self._context = context
        self._world = world
        self.pressed = False
        self.opens = False
        self.leaves = False
        # Permissions that the page asked for, and of which it is not known whether it has them.
        self.asks = 0
        self._decided = asyncio.Event()
        # Set while the document that the tab came to since is parsed.
        self.parsed = asyncio.Event()
        connection = context.supervisor.connection
        self._leave = [
            connection.on(Page.windowOpen, self._opened),
            connection.on(Page.frameRequestedNavigation, self._left),
            connection.on(Page.frameStartedNavigating, self._left),
            connection.on(Page.frameNavigated, self._came),
            connection.on(Page.domContentEventFired, self._is_parsed),
            connection.on(Page.loadEventFired, self._is_parsed),
            connection.on(Runtime.bindingCalled, self._called),
        ]

    @property
    def any(self) -> bool:
        return self.opens or self.leaves

    def _opened(self, event: Event[Any]) -> None:
        self.opens = self.opens or self._ours(event)

    def _left(self, event: Event[Any]) -> None:
        main = self._context.supervisor.state.tabs[self._context.tab_id].target_id
        same = "ameDocument" in event.params.get("navigationType", "")
        if event.params["frameId"] == main and not same and self._ours(event):
            self.leaves = event.params.get("disposition", "currentTab") == "currentTab"

    def _came(self, event: Event[Any]) -> None:
        if "parentId" in event.params["frame"] or not self._ours(event):
            return
        if event.params.get("type") == "BackForwardCacheRestore":
            self.parsed.set()  # it was parsed before, and tells nothing now
        else:
            self.parsed.clear()

    def _is_parsed(self, event: Event[Any]) -> None:
        # Frames of their own process have sessions of their own, and tell the same of themselves.
        tab = self._context.supervisor.state.tabs.get(self._context.tab_id)
        if tab is not None and event.session_id == tab.session:
            self.parsed.set()

    async def decided(self, within: float) -> None:
        """Wait until it is known what the page got."""
        try:
            async with asyncio.timeout(within):
                await self._decided.wait()
        except TimeoutError:
            _log.debug("a permission was not decided within %g s", within)

    def _called(self, event: Event[Any]) -> None:
        if event.params["name"] == self._context.supervisor.setup.binding:
            if self._ours(event) and (asked := read_permission(event.params.get("payload", ""))):
                self.asks += 1 if asked.state == "asked" else -1
                if self.asks <= 0:
                    self._decided.set()
        else:
            self._pressed(event)

    def _pressed(self, event: Event[Any]) -> None:
        world = self._world
        if event.params["name"] == PRESSED and event.session_id == world.session.id:
            self.pressed = self.pressed or event.params["executionContextId"] == world.context

    def _ours(self, event: Event[Any]) -> bool:
        tab = self._context.supervisor.state.tab_of(event.session_id)
        return tab is not None and tab.id == self._context.tab_id

    def leave(self) -> None:
        for leave in self._leave:
            leave()


def _check_press(aimed: Aimed, effects: Mapping[str, Any], heard: _Heard) -> str:
    """Whether the press came to what was aimed at; a note if no click came of it. Raises Missed
    where nothing has been pressed, ToolError where that cannot be known any more."""
    if not effects:
        if not heard.pressed:
            raise ToolError(
                f"{aimed.shown()} was not hit: the page went away before the press came to it",
                hint="take a snapshot of what is there now",
            )
        return ""
    events = effects["events"]
    if effects["blocked"]:
        raise Missed(
            f"{aimed.shown()} was not hit: {effects['blocked']} was in its place",
            hint="take a snapshot: the page has changed under the pointer",
        )
    if not _PRESSES.intersection(events):
        raise Missed(
            f"{aimed.shown()} was not hit: the press never came to it",
            hint="something in another frame may cover it: take a snapshot or a screenshot",
        )
    if _CLICKS.intersection(events):
        return ""
    return f"no click came of it: {effects['cut'] or 'something else'} was there at the release"


def quiet_at(began: float, pending: int, last_end: float) -> float:
    """When a page that does not stir counts as quiet. What an answer brings comes after it."""
    give_up = began + REQUESTS_S
    return give_up if pending else min(max(began, last_end) + QUIET_S, give_up)


async def _quietly(work: Awaitable[Any]) -> Any:
    try:
        return await work
    except CdpError:
        return None  # the document went away: the supervisor's signs tell


def _now() -> float:
    return asyncio.get_running_loop().time()
