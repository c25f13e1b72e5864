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
from pilothouse.page.place import Place
from pilothouse.supervisor import Frame

if TYPE_CHECKING:
    from pilothouse.cdp.protocol import RuntimeExecutionContextCreatedEvent

__all__ = ["Announced"]

# No more are kept of frames that may be gone.
MOST = 256


class _World(msgspec.Struct, frozen=True):
    session: str
    loader: str
    context: int


class Announced:
    """The worlds of one name in one tab."""

    def __init__(self, place: Place, name: str) -> None:
        self._place = place
        self._name = name
        self._worlds: dict[str, _World] = {}
        # Documents that were heard to begin: others may get a world later, with nothing in it.
        self._begun: dict[str, str] = {}

    def listen(self, session: Session) -> None:
        """Hear of the worlds of a session from now on."""
        session.on(Runtime.executionContextCreated, self._hearing(session.id))

    def of(self, frame: Frame) -> int | None:
        """The world of a frame's present document, if it was announced."""
        world = self._worlds.get(frame.id)
        if world is None or (world.session, world.loader) != (frame.session, frame.loader):
            return None
        return world.context

    def forget(self, frame_id: str) -> None:
        """It turned out to be gone."""
        self._worlds.pop(frame_id, None)

    def _prune(self) -> None:
        """Frames come and go, and nobody says so here."""
        if len(self._begun) > MOST:
            there = self._place.supervisor.state.frames
            self._begun = {frame: of for frame, of in self._begun.items() if frame in there}
            self._worlds = {frame: w for frame, w in self._worlds.items() if frame in there}

    def _hearing(
        self, session: str
    ) -> Callable[[Event[RuntimeExecutionContextCreatedEvent]], None]:
        def heard(event: Event[RuntimeExecutionContextCreatedEvent]) -> None:
            context = event.params["context"]
            about = context.get("auxData") or {}
            # Inside the reader: Chrome tells of a new document before it tells of its worlds.
            frame = self._place.supervisor.state.frames.get(about.get("frameId", ""))
            if frame is None or frame.session != session:
                return
            if about.get("isDefault"):
                self._begun[frame.id] = frame.loader
                self._prune()
            elif context["name"] == self._name and self._begun.get(frame.id) == frame.loader:
                self._worlds[frame.id] = _World(session, frame.loader, context["id"])

        return heard
