"""Isolated worlds: our own JavaScript context in each frame. It shares the DOM with the page, but
the page can neither see nor change what is in it.

Knows: how a world is created, when it dies, and how its functions are called. Must not know: what
the functions do (js/). A world lives as long as its document, so frame id and loader id identify
it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pilothouse import speedup_switches
from pilothouse.asyncio_tasks import wait_for_result
from pilothouse.cdp import Command, Session
from pilothouse.cdp.protocol import Accessibility, Page, Runtime
from pilothouse.errors import CdpError, CommandFailed, InterruptedByNavigation, ToolError
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.bundle_lookup import (
    ACTION_BUNDLE,
    READABILITY_FUNCTIONS,
    SNAPSHOT_BUNDLE,
    SNAPSHOT_FUNCTIONS,
    call_declaration,
    readability_source,
)
from pilothouse.page.world.layout_counters import LayoutCounters, LayoutCounts
from pilothouse.page.world.preloaded_worlds import PreloadedWorlds
from pilothouse.supervisor import Frame
from pilothouse.supervisor.extra_session_setup import SessionHook

if TYPE_CHECKING:
    from pilothouse.cdp.awaitable_reply import Reply

__all__ = ["CachedWalk", "IsolatedWorld", "IsolatedWorlds", "PageDocument"]

NAME = "pilothouse"
# Returned by a function that cannot compute a name without Chrome's accessibility tree
# (js/certain_names_and_roles.js).
NAMES_WANTED = "\0names"
# Returned by a world without our scripts: see `call_declaration`.
UNMADE = "\0unmade"
# Retryable: these resolve their element before mutating anything. They are first called without
# Chrome's accessibility tree, and once more with it if they return NAMES_WANTED.
_ALONE = frozenset(
    {"walk", "probe", "candidates", "count", "focused", "prepare", "takeFocus", "choose",
     "scrollIntoView", "everything"}
)  # fmt: skip
# The Runtime binding through which a world reports that a press has arrived. A call could not
# ask for it afterwards: the press may have replaced the document by then.
PRESS_BINDING = "pilothousePressed"
CALL_WITHIN_S = 30.0


class PageDocument(NamedTuple):
    """Remote object of `document` in the page's main world, for DOMDebugger.getEventListeners."""

    context_id: str = ""
    handle: str = ""


class CachedWalk(msgspec.Struct, frozen=True):
    """The text of one walk of a document, its options, and Chrome's layout counts before it
    (page/snapshot/walk_cache.py). The document remembers the walk under the same `key`."""

    key: str
    options: dict[str, Any]
    text: str
    counts: LayoutCounts


class IsolatedWorld(msgspec.Struct):
    """Our isolated world in one document."""

    frame: str
    loader: str
    session: Session
    context_id: int
    # Refs of this document start here: lower numbers belong to earlier documents of the frame.
    first_number: int
    # Whether Chrome offers `computedName` and `computedRole` to scripts.
    has_computed_names: bool = False
    has_action_bundle: bool = False
    has_readability: bool = False
    # Whether plain elements (page/snapshot/pointer_listeners.py) have pointer listeners; None:
    # unknown.
    has_listeners: bool | None = None
    document: PageDocument = PageDocument()
    # Backend node ids with pointer listeners, and the reply if Chrome was asked ahead of time.
    listener_nodes: frozenset[int] | None = None
    early_listeners: Reply[Any] | None = None
    has_many_listeners: bool = False
    # How many plain elements, from the first on, were checked for listeners.
    checked_elements: int = 0
    origin: str = ""
    # Whether names in this document are known to need Chrome's accessibility tree.
    needs_ax_tree: bool = False
    cached_walk: CachedWalk | None = None


class IsolatedWorlds:
    """The isolated worlds of one tab, created on first use."""

    def __init__(self, context: TabContext) -> None:
        self._context = context
        self._worlds: dict[str, IsolatedWorld] = {}
        self._making: dict[str, asyncio.Future[IsolatedWorld]] = {}
        # Frame -> the lowest ref number not used yet. Numbers are never reused.
        self._next: dict[str, int] = {}
        # Sessions with the Accessibility domain enabled, and sessions with our binding.
        self._accessible: set[str] = set()
        self._bound: set[str] = set()
        self.warms_up = speedup_switches.in_use().warm_up
        # Whether new documents get the snapshot bundle while they load.
        self._is_preloading = False
        self._preloaded = PreloadedWorlds(context, NAME)
        # Whether new sessions get the Accessibility domain enabled at once.
        self._is_preloading_names = False
        # Origins whose documents needed the accessibility tree: their next ones will, too.
        self._ax_tree_origins: set[str] = set()
        # Whether we acted on the page since the last snapshot.
        self.dirty = False
        self.layout_counters = LayoutCounters()

    async def call(
        self,
        frame: Frame,
        function: str,
        *arguments: Any,
        names: bool = False,
        deadline: float = CALL_WITHIN_S,
    ) -> Any:
        """Return the value of `ph.<function>(*arguments)` in a frame's world, promises awaited.

        `names` keeps Chrome's accessibility tree alive for the call. Raises
        InterruptedByNavigation when the document goes away during the call: a call that only reads
        may be repeated.
        """
        world = await self.of(frame)
        return await self.call_in(world, function, *arguments, names=names, deadline=deadline)

    async def read(self, frame: Frame, function: str, *arguments: Any, names: bool = False) -> Any:
        """Call a function that changes nothing; repeat it once if the document went away."""
        try:
            return await self.call(frame, function, *arguments, names=names)
        except InterruptedByNavigation:
            return await self.call(self._context.frame(frame.id), function, *arguments, names=names)

    def call_in(
        self,
        world: IsolatedWorld,
        function: str,
        *arguments: Any,
        names: bool = False,
        deadline: float = CALL_WITHIN_S,
    ) -> Awaitable[Any]:
        """Call a function in a known world; see `call`. The call is sent now and can be awaited
        later, so that calls and input share a round trip."""
        if function not in SNAPSHOT_FUNCTIONS:
            self.install_actions(world)
        if function in READABILITY_FUNCTIONS and not world.has_readability:
            world.session.send(
                Runtime.evaluate(expression=readability_source(), contextId=world.context_id)
            )
            world.has_readability = True
        if names and world.has_computed_names:
            if not world.needs_ax_tree and function in _ALONE:
                sent = self._send(world, "alone", (function, arguments), deadline)
                return _PendingCall(
                    sent, function, lambda: self._retry_with_names(world, function, *arguments)
                )
            self._prime(world)
        return _PendingCall(self._send(world, function, arguments, deadline), function)

    def _retry_with_names(
        self, world: IsolatedWorld, function: str, *arguments: Any
    ) -> Awaitable[Any]:
        """Repeat a call with the accessibility tree, and use it in documents of this origin."""
        world.needs_ax_tree = True
        self._ax_tree_origins.add(world.origin)
        return self.call_in(world, function, *arguments, names=True)

    def notify(self, world: IsolatedWorld, function: str, *arguments: Any) -> None:
        """Send a call and ignore its value and its failure."""
        self._send(world, function, arguments, CALL_WITHIN_S)

    def _send(
        self, world: IsolatedWorld, function: str, arguments: tuple[Any, ...], deadline: float
    ) -> Reply[Any]:
        declaration = call_declaration(function)
        return world.session.send(
            Runtime.callFunctionOn(
                functionDeclaration=declaration,
                executionContextId=world.context_id,
                arguments=[{"value": argument} for argument in arguments],
                returnByValue=True,
                awaitPromise=True,
            ),
            deadline,
        )

    def install_actions(self, world: IsolatedWorld) -> None:
        """Send the action bundle, once. Chrome keeps the order, so later calls find it there."""
        if not world.has_action_bundle:
            world.has_action_bundle = True
            world.session.send(
                Runtime.evaluate(expression=ACTION_BUNDLE, contextId=world.context_id)
            )

    def _prime(self, world: IsolatedWorld) -> None:
        """Keep Chrome's accessibility cache alive: without it every single name rebuilds it."""
        if world.session.id not in self._accessible:
            self._accessible.add(world.session.id)
            world.session.send(Accessibility.enable())
        if self.warms_up and not self._is_preloading_names:
            self._is_preloading_names = True
            work = self._add("names", self._name_commands)
            self._context.supervisor.tasks.start(work, "preload names")
        world.session.send(Accessibility.getRootAXNode())

    async def of(self, frame: Frame) -> IsolatedWorld:
        """Return the world of a frame's current document; create it if there is none."""
        frame = self._context.frame(frame.id)
        known = self._worlds.get(frame.id)
        if known is not None and known.loader == frame.loader and known.session.alive:
            return known
        making = self._making.get(frame.id)
        if making is None:
            making = asyncio.ensure_future(self._make(frame))
            self._making[frame.id] = making
            making.add_done_callback(lambda made: self._finish_making(frame.id, made))
        return await wait_for_result(making)

    def _finish_making(self, frame_id: str, made: asyncio.Future[IsolatedWorld]) -> None:
        self._making.pop(frame_id, None)
        if not made.cancelled():
            # Retrieve it: asyncio would log it if every caller was cancelled meanwhile.
            made.exception()

    def known(self, frame: Frame) -> IsolatedWorld | None:
        """Return the world of a frame's current document if it exists already."""
        world = self._worlds.get(frame.id)
        return world if world is not None and world.loader == frame.loader else None

    async def _make(self, frame: Frame) -> IsolatedWorld:
        session = self._context.session_of(frame)
        seen: list[str] = []

        def loader_now(_: msgspec.Raw) -> None:
            # Runs inside the reader, so the state is exactly as old as this reply.
            now = self._context.supervisor.state.frames.get(frame.id)
            seen.append(now.loader if now else "")

        for command in self._binding(session):
            session.send(command)
        reply = session.send(Page.createIsolatedWorld(frameId=frame.id, worldName=NAME))
        try:
            context = (await reply.on_result(loader_now))["executionContextId"]
        except CommandFailed as error:
            if "No frame for given id" not in str(error):
                raise
            # The frame moved to another process or was removed: callers that only read retry.
            raise InterruptedByNavigation(
                "Page.createIsolatedWorld", 0, "the frame is no longer in this process"
            ) from error
        world = self._new(frame, seen[0], session, context)
        first = world.first_number
        found = await self._resume(world) if self._is_preloading else None
        if found is None:
            # The same text for every document: Chrome compiles it once per renderer process.
            installed = session.send(
                Runtime.evaluate(expression=SNAPSHOT_BUNDLE, contextId=context)
            )
            found = await self.call_in(world, "again", first)
            await _value(installed, "install")
        native, first = found
        self.register(world, first, native)
        self.preload()
        return world

    def preload(self) -> None:
        """Have new documents of this tab load the snapshot bundle as they begin, and warm it up.
        Does nothing if the setting `speedups.warm_up` is off."""
        if self.warms_up and not self._is_preloading:
            self._is_preloading = True
            work = self._add("snapshot bundle", self._preload_commands)
            self._context.supervisor.tasks.start(work, "preload the snapshot bundle")

    def _new(self, frame: Frame, loader: str, session: Session, context: int) -> IsolatedWorld:
        first = self._next.get(frame.id, 1)
        world = IsolatedWorld(frame.id, loader, session, context, first, origin=frame.origin)
        world.needs_ax_tree = frame.origin in self._ax_tree_origins
        return world

    def preloaded(self, frame: Frame) -> IsolatedWorld | None:
        """Return the world that a frame's document was given while it loaded, if Chrome announced
        it. The first caller must pass the ref number to start from (`first_number`) to the walker,
        and `register` what the walker returns."""
        found = self._preloaded.of(frame)
        if found is None:
            return None
        context, page, document = found
        world = self._new(frame, frame.loader, self._context.session_of(frame), context)
        # Assume that Chrome computes names; the first walk corrects it, and works either way.
        world.has_computed_names = True
        if document:
            world.document = PageDocument(page, document)
        return world

    def register(self, world: IsolatedWorld, first: int, native: bool) -> None:
        """Record a world's first ref number and whether Chrome computes names in it; from now on
        `of` and `known` return it."""
        world.first_number, world.has_computed_names = first, native
        self._worlds[world.frame] = world

    async def _resume(self, world: IsolatedWorld) -> Any:
        """Take over a world that loaded the bundle with its document; None if it has no bundle."""
        sent = self._send(world, "again", (world.first_number,), CALL_WITHIN_S)
        found = await _value(sent, "again")
        return None if found == UNMADE else found

    async def _add(self, name: str, commands: Callable[[Session], list[Command[Any]]]) -> None:
        """Send commands to every session of the tab, present and future. A tab with one snapshot
        will have more: new documents are prepared while they load."""
        context = self._context
        with contextlib.suppress(CdpError, ToolError):  # the tab was closed
            await context.supervisor.session_hooks.put(context.tab_id, name, SessionHook(commands))

    def _preload_commands(self, session: Session) -> list[Command[Any]]:
        if session.target_type not in ("page", "iframe"):
            return []
        script = Page.addScriptToEvaluateOnNewDocument(source=SNAPSHOT_BUNDLE, worldName=NAME)
        self._preloaded.listen(session)
        return [*self._binding(session), script, *self.layout_counters.begin(session)]

    def _binding(self, session: Session) -> list[Command[Any]]:
        """Return the command that adds the press binding; nothing if the session has it."""
        if session.id in self._bound:
            return []
        self._bound.add(session.id)
        return [Runtime.addBinding(name=PRESS_BINDING, executionContextName=NAME)]

    def _name_commands(self, session: Session) -> list[Command[Any]]:
        """Have an OOPIF build its accessibility tree while it loads."""
        if session.id in self._accessible or session.target_type not in ("page", "iframe"):
            return []
        self._accessible.add(session.id)
        return [Accessibility.enable()]

    def reserve_numbers(self, world: IsolatedWorld, next_number: int) -> None:
        """Record that ref numbers below `next_number` are taken in a world's frame."""
        self._next[world.frame] = max(self._next.get(world.frame, 1), next_number)

    def forget(self, frame_id: str) -> None:
        """Drop the world of a frame: its document or the frame is gone."""
        self._worlds.pop(frame_id, None)
        self._preloaded.forget(frame_id)


class _PendingCall:
    """A call that was sent; it need not be awaited. `retry` repeats it with Chrome's accessibility
    tree if the function returns NAMES_WANTED."""

    def __init__(
        self, reply: Reply[Any], function: str, retry: Callable[[], Awaitable[Any]] | None = None
    ) -> None:
        self._reply = reply
        self._function = function
        self._retry = retry

    def __await__(self) -> Generator[Any, None, Any]:
        value = yield from _value(self._reply, self._function).__await__()
        if value == UNMADE:
            raise InterruptedByNavigation(
                f"ph.{self._function}", 0, "our isolated world is not in this document"
            )
        if self._retry is not None and value == NAMES_WANTED:
            value = yield from self._retry().__await__()
        return value


async def _value(reply: Reply[Any], function: str) -> Any:
    answer = await reply
    details = answer.get("exceptionDetails")
    if details is not None:
        thrown = details.get("exception") or {}
        text = thrown.get("description") or details.get("text", "an exception")
        raise CommandFailed(f"ph.{function}", 0, text)
    return answer["result"].get("value")
