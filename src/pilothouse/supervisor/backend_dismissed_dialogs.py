"""Native dialogs on backends that dismiss them without being asked.

Some of these (Lightpanda) never report that a dialog closed, and it would stay pending forever. A
page that answers an evaluation has no dialog open, so we evaluate in the frame that opened it. This
is a module of its own because only such backends need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pilothouse.cdp.protocol import Runtime
from pilothouse.errors import CdpError
from pilothouse.supervisor.model import (
    Dialog,
    DialogClosed,
    DialogOpened,
    Effect,
    Event,
    State,
)

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["watch_auto_dismissed_dialogs"]

WITHIN_S = 300.0


def watch_auto_dismissed_dialogs(supervisor: Supervisor) -> None:
    """Detect the end of every native dialog, even when the backend does not report it."""

    def observe(event: Event, state: State, effects: list[Effect]) -> None:
        if isinstance(event, DialogOpened) and event.via == "native":
            for dialog in state.dialogs.values():
                if (dialog.session_id, dialog.opened_at) == (event.session, event.at):
                    supervisor.tasks.start(_watch(supervisor, dialog), f"watch {dialog.id}")

    supervisor.observe(observe)


async def _watch(supervisor: Supervisor, dialog: Dialog) -> None:
    frame = supervisor.state.frames.get(dialog.frame_id)
    sessions = supervisor.connection.sessions
    session = sessions.get(frame.session if frame else dialog.session_id)
    if session is None:
        return
    try:
        await session.send(Runtime.evaluate(expression="0"), WITHIN_S)
    except CdpError:
        return  # the page is gone, and its dialog; other events report that
    if dialog.id in supervisor.state.dialogs:
        supervisor.feed(
            DialogClosed(supervisor.now(), dialog.session_id, dialog.frame_id, accepted=False)
        )
