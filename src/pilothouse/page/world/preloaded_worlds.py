"""Worlds that documents have from their beginning: Chrome tells their numbers as it makes them.

Knows: which document a world was announced for. Must not know: what is done in it. A document that
began before anybody listened is not known here, though it may have a world by now.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from pilothouse.cdp import Event, Session
from pilothouse.cdp.protocol import Runtime
from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Frame

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import RuntimeExecutionContextCreatedEvent

__all__ = ["PreloadedWorlds"]

# No more are kept of frames that may be gone.
MOST = 256


class _World(msgspec.Struct):
    session: str
    loader: str
    context_id: int
    # The page's own world, and the document as that has it.
    page: str
    document: str = ""


class _Object(msgspec.Struct):
    objectId: str = ""


class _Evaluated(msgspec.Struct):
    result: _Object = msgspec.field(default_factory=_Object)


class PreloadedWorlds:
    """The worlds of one name in one tab."""

    def __init__(self, context: TabContext, name: str) -> None:
        self._context = context
        self._name = name
        self._worlds: dict[str, _World] = {}
        # Documents that were heard to begin, and the page's own world in them: others may get a
        # world later, with nothing in it.
        self._begun: dict[str, tuple[str, str]] = {}

    def listen(self, session: Session) -> None:
        """Hear of the worlds of a session from now on."""
        session.on(Runtime.executionContextCreated, self._hearing(session))

    def of(self, frame: Frame) -> tuple[int, str, str] | None:
        """The world of a frame's present document, if it was announced; the page's own world, and
        the document as that has it, or nothing if that is not known yet."""
        world = self._worlds.get(frame.id)
        if world is None or (world.session, world.loader) != (frame.session, frame.loader):
            return None
        return world.context_id, world.page, world.document

    def forget(self, frame_id: str) -> None:
        """It turned out to be gone."""
        self._worlds.pop(frame_id, None)

    def _prune(self) -> None:
        """Frames come and go, and nobody says so here."""
        if len(self._begun) > MOST:
            there = self._context.supervisor.state.frames
            self._begun = {frame: of for frame, of in self._begun.items() if frame in there}
            self._worlds = {frame: w for frame, w in self._worlds.items() if frame in there}

    def _ask(self, session: Session, world: _World) -> None:
        """Have the document at hand: whoever looks asks who listens in it."""

        def told(answer: msgspec.Raw) -> None:
            world.document = msgspec.json.decode(answer, type=_Evaluated).result.objectId

        asked = Runtime.evaluate(expression="document", uniqueContextId=world.page)
        session.send(asked).heard(told)

    def _hearing(
        self, session: Session
    ) -> Callable[[Event[RuntimeExecutionContextCreatedEvent]], None]:
        def heard(event: Event[RuntimeExecutionContextCreatedEvent]) -> None:
            context = event.params["context"]
            about = context.get("auxData") or {}
            # Inside the reader: Chrome tells of a new document before it tells of its worlds.
            frame = self._context.supervisor.state.frames.get(about.get("frameId", ""))
            if frame is None or frame.session != session.id:
                return
            if about.get("isDefault"):
                self._begun[frame.id] = (frame.loader, context["uniqueId"])
                self._prune()
                return
            loader, page = self._begun.get(frame.id, ("", ""))
            if context["name"] == self._name and loader == frame.loader:
                world = _World(session.id, loader, context["id"], page)
                self._worlds[frame.id] = world
                self._ask(session, world)

        return heard
