"""TabContext: one tab of a supervisor, as every part of the page package uses it.

Knows: the supervisor's state: the tab, its frames and the sessions that host them. Must not know:
what is done on the page.
"""

from __future__ import annotations

from functools import partial

from pilothouse.cdp import Session
from pilothouse.errors import ElementNotFound
from pilothouse.supervisor import Frame, Supervisor, Tab

__all__ = ["TabContext"]


class TabContext:
    """A tab of one supervisor. It stores nothing: everything is read from the current state."""

    def __init__(self, supervisor: Supervisor, tab: str) -> None:
        self.supervisor = supervisor
        self.tab_id = tab
        # Runs work, but returns at once when a dialog or another interrupt blocks the tab.
        self.race = partial(supervisor.actions.race, tab)

    @property
    def tab(self) -> Tab:
        """The tab's current state. Raises ToolError if the tab is gone."""
        self.supervisor.session(self.tab_id)
        return self.supervisor.state.tabs[self.tab_id]

    @property
    def session(self) -> Session:
        """The session of the tab's page target. Raises ToolError if the tab is gone."""
        return self.supervisor.session(self.tab_id)

    def main(self) -> Frame:
        """Return the main frame. Raises ToolError while there is none."""
        return self.frame(self.session.target_id)

    def frame(self, frame_id: str = "") -> Frame:
        """Return a frame of this tab; without an id the main frame. Raises ToolError if the tab
        has no such frame."""
        found = self.supervisor.state.frames.get(frame_id or self.session.target_id)
        if found is None or found.tab != self.tab_id:
            raise ElementNotFound(
                f"frame: the page has no frame {frame_id}"
                if frame_id
                else "frame: the page has no frame yet",
                hint="pass the ref of the iframe in a snapshot, its name, or a part of its URL",
            )
        return found

    def frames(self) -> list[Frame]:
        """Return every frame that has a session, parents first."""
        state = self.supervisor.state
        return [
            state.frames[frame_id]
            for frame_id in state.frame_subtree(self.session.target_id)
            if frame_id in state.frames and state.frames[frame_id].session
        ]

    def document_url(self, frame_id: str) -> str:
        """Return the URL of a frame's document. For about:blank and srcdoc, return that of the
        closest ancestor with a URL of its own. Raises ToolError if the frame is gone."""
        frame = self.frame(frame_id)
        while frame.url.startswith("about:") and frame.parent:
            frame = self.frame(frame.parent)
        return frame.url

    def session_of(self, frame: Frame) -> Session:
        """Return the session that hosts a frame's document. Raises ToolError if it has none."""
        return self.supervisor.frame(frame.id)[0]
