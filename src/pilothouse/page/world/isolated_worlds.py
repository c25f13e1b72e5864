"""A JavaScript world of our own in each frame: same DOM, own heap, out of the page's reach.

Knows: how a world comes to be, when it dies, and how its functions are called. Must not know: what
the functions do; they are in scripts/. A world lives as long as its document, so it is named by
frame and loader.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import msgspec

from pilothouse.cdp import Command, Session
from pilothouse.cdp.protocol import Accessibility, Page, Runtime
from pilothouse.errors import CdpError, CommandFailed, InterruptedByNavigation, ToolError
from pilothouse.page.tab_context import TabContext
from pilothouse.page.world.bundle import (
    ACTION_BUNDLE_MINIFIED,
    READABILITY_FUNCTIONS,
    SNAPSHOT_BUNDLE_MINIFIED,
    SNAPSHOT_FUNCTIONS,
    call_declaration,
    readability_source,
)
from pilothouse.page.world.layout_counters import LayoutCounters, LayoutCounts
from pilothouse.page.world.preloaded_worlds import PreloadedWorlds
from pilothouse.supervisor import Frame
from pilothouse.supervisor.session_hooks import SessionHook
from pilothouse.tasks import wait_for_result

if TYPE_CHECKING:
    from pilothouse.cdp.reply import Reply

__all__ = ["CachedWalk", "IsolatedWorld", "IsolatedWorlds", "PageDocument"]

NAME = "pilothouse"
# What a function says that cannot do without Chrome's tree (scripts/sure.js).
NAMES_WANTED = "\0names"
# What a world says that is not ours, or not yet.
UNMADE = "\0unmade"
# Functions that find out who is meant before they change anything, so they can be called again.
_ALONE = frozenset(
    {"walk", "probe", "candidates", "count", "focused", "prepare", "takeFocus", "choose",
     "scrollIntoView", "everything"}
)  # fmt: skip
# How a world tells that a press has arrived: its document may be gone before it can be asked.
PRESS_BINDING = "pilothousePressed"
CALL_WITHIN_S = 30.0


class _Value(TypedDict, total=False):
    value: Any


class PageDocument(NamedTuple):
    """A document as the page's own world has it: a handle that questions about it can name."""

    context_id: str = ""
    handle: str = ""


class CachedWalk(msgspec.Struct, frozen=True):
    """A walk, how it was asked for, and what Chrome had counted before it
    (page/snapshot/cache.py). The document knows it by a word."""

    word: str
    options: dict[str, Any]
    text: str
    counts: LayoutCounts


class IsolatedWorld(msgspec.Struct):
    """Our world in one document."""

    frame: str
    loader: str
    session: Session
    context_id: int
    first_number: int
    has_computed_names: bool = False
    has_action_bundle: bool = False
    # Whether it has the library that finds articles.
    has_readability: bool = False
    # Whether plain elements of it were found to listen to the pointer; None: nobody has asked yet.
    has_listeners: bool | None = None
    document: PageDocument = PageDocument()
    # Which nodes listen to the pointer, as far as Chrome was asked, or is being asked already.
    listener_nodes: frozenset[int] | None = None
    early_listeners: Reply[Any] | None = None
    has_many_listeners: bool = False
    # Of how many plain elements it is known which of them do.
    checked_elements: int = 0
    origin: str = ""
    # Whether names of this document are known to need Chrome's tree.
    needs_ax_tree: bool = False
    # The last walk of it that was kept.
    cached_walk: CachedWalk | None = None


class IsolatedWorlds:
    """The worlds of one tab, made when they are first needed."""

    def __init__(self, context: TabContext) -> None:
        self._context = context
        self._worlds: dict[str, IsolatedWorld] = {}
        self._making: dict[str, asyncio.Future[IsolatedWorld]] = {}
        # The first number that no ref of a frame has had yet: they are never used again.
        self._next: dict[str, int] = {}
        self._accessible: set[str] = set()
        self._bound: set[str] = set()
        # Whether documents to come get our eyes as they begin.
        self._ahead = False
        self._announced = PreloadedWorlds(context, NAME)
        # Whether their names are kept at hand from then on.
        self._names_ahead = False
        # Whose documents have needed Chrome's names: the next ones will, too.
        self._asking: set[str] = set()
        # Whether anything was done to the page since it was last looked at.
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
        """The value of `ph.<function>(*arguments)` in a frame's world, promises awaited.

        `names` keeps Chrome's own names at hand for the call. Raises InterruptedByNavigation when the document
        goes away under it: whoever only reads may call again.
        """
        world = await self.of(frame)
        return await self.call_in(world, function, *arguments, names=names, deadline=deadline)

    async def read(self, frame: Frame, function: str, *arguments: Any, names: bool = False) -> Any:
        """`call` for what changes nothing: asked once more if the document went away under it."""
        try:
            return await self.call(frame, function, *arguments, names=names)
        except InterruptedByNavigation:
            return await self.call(self._context.frame(frame.id), function, *arguments, names=names)

    async def call_in(
        self,
        world: IsolatedWorld,
        function: str,
        *arguments: Any,
        names: bool = False,
        deadline: float = CALL_WITHIN_S,
    ) -> Any:
        """The same in a world at hand."""
        return await self.post(world, function, *arguments, names=names, deadline=deadline)

    def post(
        self,
        world: IsolatedWorld,
        function: str,
        *arguments: Any,
        names: bool = False,
        deadline: float = CALL_WITHIN_S,
    ) -> Awaitable[Any]:
        """Send a call now and await its value later: calls and input can share a round trip."""
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
                return _Posted(sent, function, lambda: self._asked(world, function, *arguments))
            self._prime(world)
        return _Posted(self._send(world, function, arguments, deadline), function)

    def _asked(self, world: IsolatedWorld, function: str, *arguments: Any) -> Awaitable[Any]:
        """The same call with Chrome's names at hand, as every later one in such documents."""
        world.needs_ax_tree = True
        self._asking.add(world.origin)
        return self.post(world, function, *arguments, names=True)

    def notify(self, world: IsolatedWorld, function: str, *arguments: Any) -> None:
        """Send a call whose value nobody wants, not even its failure."""
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
        """Send the rest of our scripts, once; whatever is called after it finds them there."""
        if not world.has_action_bundle:
            world.has_action_bundle = True
            world.session.send(
                Runtime.evaluate(expression=ACTION_BUNDLE_MINIFIED, contextId=world.context_id)
            )

    def _prime(self, world: IsolatedWorld) -> None:
        """Keep the accessibility cache alive: without it every single name rebuilds it."""
        if world.session.id not in self._accessible:
            self._accessible.add(world.session.id)
            world.session.send(Accessibility.enable())
        if not self._names_ahead:
            self._names_ahead = True
            self._context.supervisor.tasks.start(self._add("names", self._names), "names to come")
        world.session.send(Accessibility.getRootAXNode())

    async def of(self, frame: Frame) -> IsolatedWorld:
        """The world of a frame's present document; made now if there is none."""
        frame = self._context.frame(frame.id)
        known = self._worlds.get(frame.id)
        if known is not None and known.loader == frame.loader and known.session.alive:
            return known
        making = self._making.get(frame.id)
        if making is None:
            making = asyncio.ensure_future(self._make(frame))
            self._making[frame.id] = making
            making.add_done_callback(lambda made: self._made(frame.id, made))
        return await wait_for_result(making)

    def _made(self, frame_id: str, made: asyncio.Future[IsolatedWorld]) -> None:
        self._making.pop(frame_id, None)
        if not made.cancelled():
            made.exception()  # whoever wanted it may have stopped waiting

    def known(self, frame: Frame) -> IsolatedWorld | None:
        """The world of a frame's present document, if it was made already."""
        world = self._worlds.get(frame.id)
        return world if world is not None and world.loader == frame.loader else None

    async def _make(self, frame: Frame) -> IsolatedWorld:
        session = self._context.session_of(frame)
        seen: list[str] = []

        def loader_now(_: msgspec.Raw) -> None:
            # Inside the reader: the state is as old as the answer, no older and no newer.
            now = self._context.supervisor.state.frames.get(frame.id)
            seen.append(now.loader if now else "")

        for command in self._binding(session):
            session.send(command)
        reply = session.send(Page.createIsolatedWorld(frameId=frame.id, worldName=NAME))
        try:
            context = (await reply.heard(loader_now))["executionContextId"]
        except CommandFailed as error:
            if "No frame for given id" not in str(error):
                raise
            # It went to another process meanwhile, or away: who only reads looks for it again.
            raise InterruptedByNavigation(
                "Page.createIsolatedWorld", 0, "the frame is not here any more"
            ) from error
        world = self._new(frame, seen[0], session, context)
        first = world.first_number
        found = await self._again(world) if self._ahead else None
        if found is None:
            # The same text for every document: the browser compiles it only once for each process.
            installed = session.send(
                Runtime.evaluate(expression=SNAPSHOT_BUNDLE_MINIFIED, contextId=context)
            )
            found = await self.post(world, "again", first)
            await _value(installed, "install")
        native, first = found
        self.register(world, first, native)
        self.preload()
        return world

    def preload(self) -> None:
        """This tab will be looked at: its documents to come get our eyes as they begin."""
        if not self._ahead:
            self._ahead = True
            self._context.supervisor.tasks.start(self._add("eyes", self._eyes), "eyes to come")

    def _new(self, frame: Frame, loader: str, session: Session, context: int) -> IsolatedWorld:
        first = self._next.get(frame.id, 1)
        world = IsolatedWorld(frame.id, loader, session, context, first, origin=frame.origin)
        world.needs_ax_tree = frame.origin in self._asking
        return world

    def preloaded(self, frame: Frame) -> IsolatedWorld | None:
        """The world that a frame's document had from its beginning, if it is known without asking.
        Whoever calls it first has to tell it where to go on counting (`IsolatedWorld.first`), and what it
        says to that (`met`)."""
        announced = self._announced.of(frame)
        if announced is None:
            return None
        context, page, document = announced
        world = self._new(frame, frame.loader, self._context.session_of(frame), context)
        world.has_computed_names = True  # until it says otherwise; it would do the same
        if document:
            world.document = PageDocument(page, document)
        return world

    def register(self, world: IsolatedWorld, first: int, native: bool) -> None:
        """A world has said with which number it began to count, and whether Chrome tells names in
        it: it is one for everybody now."""
        world.first_number, world.has_computed_names = first, native
        self._worlds[world.frame] = world

    async def _again(self, world: IsolatedWorld) -> Any:
        """Take up the world of a document that had our eyes from its beginning; None if not."""
        sent = self._send(world, "again", (world.first_number,), CALL_WITHIN_S)
        found = await _value(sent, "again")
        return None if found == UNMADE else found

    async def _add(self, name: str, commands: Callable[[Session], list[Command[Any]]]) -> None:
        """A tab that was looked at once will be again: its next documents are made ready while
        they load, and the first look at each finds everything there."""
        context = self._context
        with contextlib.suppress(CdpError, ToolError):  # the tab went: no documents are to come
            await context.supervisor.session_hooks.put(context.tab_id, name, SessionHook(commands))

    def _eyes(self, session: Session) -> list[Command[Any]]:
        if session.target_type not in ("page", "iframe"):
            return []
        script = Page.addScriptToEvaluateOnNewDocument(
            source=SNAPSHOT_BUNDLE_MINIFIED, worldName=NAME
        )
        self._announced.listen(session)
        return [*self._binding(session), script, *self.layout_counters.begin(session)]

    def _binding(self, session: Session) -> list[Command[Any]]:
        """Once for each session."""
        if session.id in self._bound:
            return []
        self._bound.add(session.id)
        return [Runtime.addBinding(name=PRESS_BINDING, executionContextName=NAME)]

    def _names(self, session: Session) -> list[Command[Any]]:
        """A frame with a process of its own builds its names while it loads."""
        if session.id in self._accessible or session.target_type not in ("page", "iframe"):
            return []
        self._accessible.add(session.id)
        return [Accessibility.enable()]

    def reserve_numbers(self, world: IsolatedWorld, next_number: int) -> None:
        """Note which numbers a world has given away."""
        self._next[world.frame] = max(self._next.get(world.frame, 1), next_number)

    def forget(self, frame_id: str) -> None:
        """The world of a frame is gone, or its frame is."""
        self._worlds.pop(frame_id, None)
        self._announced.forget(frame_id)


class _Posted:
    """A value on its way; nothing is amiss if nobody waits for it. `asked` makes the call again,
    if it turns out that it cannot do without Chrome's names."""

    def __init__(
        self, reply: Reply[Any], function: str, asked: Callable[[], Awaitable[Any]] | None = None
    ) -> None:
        self._reply = reply
        self._function = function
        self._asked = asked

    def __await__(self) -> Generator[Any, None, Any]:
        value = yield from _value(self._reply, self._function).__await__()
        if value == UNMADE:
            raise InterruptedByNavigation(
                f"ph.{self._function}", 0, "there is no world of ours in this document"
            )
        if self._asked is not None and value == NAMES_WANTED:
            value = yield from self._asked().__await__()
        return value


async def _value(reply: Reply[Any], function: str) -> Any:
    answer = await reply
    details = answer.get("exceptionDetails")
    if details is not None:
        thrown = details.get("exception") or {}
        text = thrown.get("description") or details.get("text", "an exception")
        raise CommandFailed(f"ph.{function}", 0, text)
    return answer["result"].get("value")
