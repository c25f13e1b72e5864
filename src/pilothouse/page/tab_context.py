"""One tab, as everything in this room sees it: its frames, where they live, how to race.

Knows: the supervisor's state. Must not know: what is done on the page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from pilothouse.cdp import Session
from pilothouse.errors import ToolError
from pilothouse.supervisor import Frame, Outcome, Supervisor, Tab

__all__ = ["TabContext"]

T = TypeVar("T")


class TabContext:
    """A tab of one supervisor. It keeps nothing: all it says is read from the state."""

    def __init__(self, supervisor: Supervisor, tab: str) -> None:
        self.supervisor = supervisor
        self.tab_id = tab

    @property
    def tab(self) -> Tab:
        """The tab as it is now. Raises ToolError if it is gone."""
        self.supervisor.session(self.tab_id)
        return self.supervisor.state.tabs[self.tab_id]

    @property
    def session(self) -> Session:
        """The session of the tab's own process. Raises ToolError if the tab is gone."""
        return self.supervisor.session(self.tab_id)

    def main(self) -> Frame:
        """The main frame. Raises ToolError while there is none."""
        return self.frame(self.session.target_id)

    def frame(self, frame_id: str = "") -> Frame:
        """A frame of this tab; without an id the main one. Raises ToolError."""
        found = self.supervisor.state.frames.get(frame_id or self.session.target_id)
        if found is None or found.tab != self.tab_id:
            raise ToolError(
                f"frame: there is no frame {frame_id or 'at all'} on the page now",
                hint="give the ref of the iframe in a snapshot, its name, or a part of its address",
            )
        return found

    def frames(self) -> list[Frame]:
        """Every frame that can be talked to now, parents first."""
        state = self.supervisor.state
        return [
            state.frames[frame_id]
            for frame_id in state.frame_subtree(self.session.target_id)
            if frame_id in state.frames and state.frames[frame_id].session
        ]

    def document_url(self, frame_id: str) -> str:
        """The URL of the document in a frame; of the document that made it where it has none of
        its own (about:blank, srcdoc). Raises ToolError if the frame is gone."""
        frame = self.frame(frame_id)
        while frame.url.startswith("about:") and frame.parent:
            frame = self.frame(frame.parent)
        return frame.url

    def session_of(self, frame: Frame) -> Session:
        """The session that hosts a frame's document. Raises ToolError if it has none."""
        return self.supervisor.frame(frame.id)[0]

    async def race(
        self,
        work: Awaitable[T] | Callable[[], Awaitable[T]],
        session: Session | None = None,
        **patience: float,
    ) -> Outcome[T]:
        """Do `work`, but end at once when something blocks the tab; see `Actions.race`."""
        return await self.supervisor.race(self.tab_id, work, session, **patience)
