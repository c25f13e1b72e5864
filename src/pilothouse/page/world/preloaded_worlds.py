"""Preloaded worlds: isolated worlds that new documents get from
Page.addScriptToEvaluateOnNewDocument. Chrome announces each with Runtime.executionContextCreated.

Knows: which document a world was announced for. Must not know: what is done in it. A document that
was created before `listen` is not known here, though it may have a world by now.
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

# Look for removed frames when more than this many are known.
MOST = 256


class _AnnouncedWorld(msgspec.Struct):
    session: str
    loader: str
    context_id: int
    # The unique context id of the page's main world, and a handle of `document` there.
    page: str
    document: str = ""


class _Object(msgspec.Struct):
    objectId: str = ""


class _Evaluated(msgspec.Struct):
    result: _Object = msgspec.field(default_factory=_Object)


class PreloadedWorlds:
    """The announced worlds of one name in one tab."""

    def __init__(self, context: TabContext, name: str) -> None:
        self._context = context
        self._name = name
        self._worlds: dict[str, _AnnouncedWorld] = {}
        # Frame id -> loader id and main world of documents whose creation we saw. A world in any
        # other document may have been created later, without our scripts.
        self._created: dict[str, tuple[str, str]] = {}

    def listen(self, session: Session) -> None:
        """Record the worlds of a session from now on."""
        session.on(Runtime.executionContextCreated, self._listener(session))

    def of(self, frame: Frame) -> tuple[int, str, str] | None:
        """Return the announced world of a frame's current document: its context id, the unique id
        of the main world, and a handle of `document` there ("" until Chrome has replied)."""
        world = self._worlds.get(frame.id)
        if world is None or (world.session, world.loader) != (frame.session, frame.loader):
            return None
        return world.context_id, world.page, world.document

    def forget(self, frame_id: str) -> None:
        """Drop the world of a frame: it is gone."""
        self._worlds.pop(frame_id, None)

    def _prune(self) -> None:
        """Drop removed frames: their removal is not reported here."""
        if len(self._created) > MOST:
            there = self._context.supervisor.state.frames
            self._created = {frame: of for frame, of in self._created.items() if frame in there}
            self._worlds = {frame: w for frame, w in self._worlds.items() if frame in there}

    def _fetch_document(self, session: Session, world: _AnnouncedWorld) -> None:
        """Get a handle of the document ahead of time: the first snapshot queries its listeners."""

        def record(answer: msgspec.Raw) -> None:
            world.document = msgspec.json.decode(answer, type=_Evaluated).result.objectId

        command = Runtime.evaluate(expression="document", uniqueContextId=world.page)
        session.send(command).on_result(record)

    def _listener(
        self, session: Session
    ) -> Callable[[Event[RuntimeExecutionContextCreatedEvent]], None]:
        def record(event: Event[RuntimeExecutionContextCreatedEvent]) -> None:
            context = event.params["context"]
            about = context.get("auxData") or {}
            # Runs inside the reader. Chrome sends Page.frameNavigated before the events of the
            # document's worlds, so the state has the new loader id already.
            frame = self._context.supervisor.state.frames.get(about.get("frameId", ""))
            if frame is None or frame.session != session.id:
                return
            if about.get("isDefault"):
                self._created[frame.id] = (frame.loader, context["uniqueId"])
                self._prune()
                return
            loader, page = self._created.get(frame.id, ("", ""))
            if context["name"] == self._name and loader == frame.loader:
                world = _AnnouncedWorld(session.id, loader, context["id"], page)
                self._worlds[frame.id] = world
                self._fetch_document(session, world)

        return record
