"""Frames and workers below a page, which Chrome attaches by itself. Pure.

Knows: that Chrome attaches each once, and that every session which wants it gets one of its own.
Must not know: what is sent on them. A child that nobody wants is let run at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.relay.extension_browser.client_session import AutoAttach, Session
from pilothouse.relay.extension_browser.debuggee import Strand
from pilothouse.relay.extension_browser.types import OK, SESSION_ENDS, admits, encode, event_frame

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import Core

__all__ = ["AUTO_ATTACH", "Children"]

AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
_OFF = {"autoAttach": False, "waitForDebuggerOnStart": False, "flatten": True}
_METHOD = "Target.setAutoAttach"


class Children:
    """The families of all attached tabs."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def set_auto_attach(
        self, strand: Strand, session: Session, number: int, params: Mapping[str, Any]
    ) -> None:
        """A session wants children, other children, or none any more."""
        had, session.auto = session.auto, AutoAttach.read(params)
        core = self._core
        if session.auto is None:
            for child in [s for s in core.below(session) if s.auto_made]:
                core.end(child)
            if had is not None:
                self._off(strand)
            core.reply(session.id, number, OK)
            return
        mine = {s.strand for s in core.below(session)}
        for below in list(strand.children.values()):
            if below not in mine:
                self._offer(session, below)
        on, strand.auto_on = strand.auto_on, True

        def failed() -> None:
            strand.auto_on = False

        strand.flights.share(session, number, _METHOD, None if on else AUTO_ATTACH, failed)

    def _off(self, strand: Strand) -> None:
        """Nobody wants children any more; those that somebody still holds stay."""
        wanted = any(s.auto is not None for s in strand.sessions.values())
        held = any(child.sessions for child in strand.children.values())
        if strand.auto_on and not wanted and not held:
            strand.auto_on = False
            self._core.tell_strand(strand, _METHOD, _OFF)

    def came(self, parent: Strand, params: Mapping[str, Any]) -> None:
        """Chrome attached a frame or worker."""
        core, number = self._core, str(params.get("sessionId", ""))
        info = dict(params.get("targetInfo") or {})
        info["browserContextId"] = core.context
        waiting = params.get("waitingForDebugger") is True
        again = next(
            (c for c in parent.children.values() if c.target_id == info.get("targetId")), None
        )
        if again is not None:
            core.restoring.found(again, number, info, waiting)
            return
        child = Strand(core, parent.tab, number, parent, info)
        child.waiting = waiting
        parent.children[number] = core.strands[number] = child
        core.targets.created(info)
        for session in list(parent.sessions.values()):
            if session.auto is not None:
                self._offer(session, child)
        if child.waiting and not child.told:
            child.run()

    def _offer(self, session: Session, child: Strand) -> None:
        if session.auto is None or not admits(session.auto.wanted, child.kind):
            return
        waits = child.waiting and session.auto.waits
        made = self._core.make(session.id, child)
        made.auto_made = True
        if waits:
            child.told.add(made.id)
        self._core.tell_attached(made, waits)

    def went(self, parent: Strand, number: str) -> None:
        """Chrome detached a frame or worker, or it ended."""
        child = parent.children.get(number)
        if child is not None:
            self.end(child)

    def described(self, parent: Strand, told: Mapping[str, Any]) -> None:
        """Chrome says what a target is like now."""
        core, name = self._core, told.get("targetId")
        if name == parent.tab.target_id:
            known = {key: told[key] for key in ("url", "title") if key in told}
            core.tabs.updated({"tabId": parent.tab.tab_id, **known})
            return
        child = next((c for c in parent.children.values() if c.target_id == name), None)
        if child is None:
            return
        child.info = {**told, "browserContextId": core.context}
        core.targets.changed(child.info)
        raw = encode({"targetInfo": child.info})
        for session in list(parent.sessions.values()):
            if session.auto is not None:
                core.emit(event_frame("Target.targetInfoChanged", raw, session.id))

    def end(self, strand: Strand) -> None:
        """A strand is no more, nor is anything below it."""
        core = self._core
        for child in list(strand.children.values()):
            self.end(child)
        core.fail_strand(strand, SESSION_ENDS)
        for session in list(strand.sessions.values()):
            # Nothing of it can be taken back on a strand that is gone.
            strand.sessions.pop(session.id)
            session.strand = None
            core.end(session, strand.target_id)
        if strand.parent is not None:
            strand.parent.children.pop(strand.child, None)
            core.strands.pop(strand.child, None)
            core.targets.destroyed(strand.info)

    def left(self, strand: Strand) -> None:
        """A session left a strand: its parent may not need to attach by itself any more."""
        if strand.parent is not None:
            self._off(strand.parent)
        self._off(strand)
