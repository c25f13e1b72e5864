"""Frames and workers below a page, which Chrome attaches by itself. Pure.

Knows: that Chrome attaches each once, and that every session which wants it gets one of its own.
Must not know: what is sent on them. A child that nobody wants is let run at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.relay.extension_browser.client_session import AutoAttachOptions, FlatSession
from pilothouse.relay.extension_browser.debuggee import Debuggee
from pilothouse.relay.extension_browser.types import (
    OK,
    SESSION_ENDED,
    encode,
    event_message,
    filter_admits,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["AUTO_ATTACH", "ChildTargets"]

AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
_AUTO_ATTACH_OFF = {"autoAttach": False, "waitForDebuggerOnStart": False, "flatten": True}
_METHOD = "Target.setAutoAttach"


class ChildTargets:
    """The families of all attached tabs."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser

    def set_auto_attach(
        self, debuggee: Debuggee, session: FlatSession, command_id: int, params: Mapping[str, Any]
    ) -> None:
        """A session wants children, other children, or none any more."""
        had, session.auto_attach = session.auto_attach, AutoAttachOptions.read(params)
        browser = self._browser
        if session.auto_attach is None:
            for child in [s for s in browser.sessions_below(session) if s.auto_attached]:
                browser.end_session(child)
            if had is not None:
                self._disable_auto_attach_if_unused(debuggee)
            browser.reply(session.id, command_id, OK)
            return
        mine = {s.debuggee for s in browser.sessions_below(session)}
        for below in list(debuggee.children.values()):
            if below not in mine:
                self._offer(session, below)
        on, debuggee.auto_attach_enabled = debuggee.auto_attach_enabled, True

        def failed() -> None:
            debuggee.auto_attach_enabled = False

        debuggee.shared_commands.send(
            session, command_id, _METHOD, None if on else AUTO_ATTACH, failed
        )

    def _disable_auto_attach_if_unused(self, debuggee: Debuggee) -> None:
        """Nobody wants children any more; those that somebody still holds stay."""
        wanted = any(s.auto_attach is not None for s in debuggee.sessions.values())
        held = any(child.sessions for child in debuggee.children.values())
        if debuggee.auto_attach_enabled and not wanted and not held:
            debuggee.auto_attach_enabled = False
            self._browser.send_command_ignoring_reply(debuggee, _METHOD, _AUTO_ATTACH_OFF)

    def on_attached(self, parent: Debuggee, params: Mapping[str, Any]) -> None:
        """Chrome attached a frame or worker."""
        browser, session_id = self._browser, str(params.get("sessionId", ""))
        info = dict(params.get("targetInfo") or {})
        info["browserContextId"] = browser.context
        waiting = params.get("waitingForDebugger") is True
        again = next(
            (c for c in parent.children.values() if c.target_id == info.get("targetId")), None
        )
        if again is not None:
            browser.restorer.reattach_child(again, session_id, info, waiting)
            return
        child = Debuggee(browser, parent.tab, session_id, parent, info)
        child.waiting_for_debugger = waiting
        parent.children[session_id] = browser.debuggees[session_id] = child
        browser.targets.created(info)
        for session in list(parent.sessions.values()):
            if session.auto_attach is not None:
                self._offer(session, child)
        if child.waiting_for_debugger and not child.holding_sessions:
            child.run()

    def _offer(self, session: FlatSession, child: Debuggee) -> None:
        if session.auto_attach is None or not filter_admits(session.auto_attach.wanted, child.kind):
            return
        waits = child.waiting_for_debugger and session.auto_attach.waits
        made = self._browser.create_session(session.id, child)
        made.auto_attached = True
        if waits:
            child.holding_sessions.add(made.id)
        self._browser.announce_session(made, waits)

    def on_detached(self, parent: Debuggee, session_id: str) -> None:
        """Chrome detached a frame or worker, or it ended."""
        child = parent.children.get(session_id)
        if child is not None:
            self.end(child)

    def on_info_changed(self, parent: Debuggee, told: Mapping[str, Any]) -> None:
        """Chrome says what a target is like now."""
        browser, name = self._browser, told.get("targetId")
        if name == parent.tab.target_id:
            known = {key: told[key] for key in ("url", "title") if key in told}
            browser.tabs.update({"tabId": parent.tab.tab_id, **known})
            return
        child = next((c for c in parent.children.values() if c.target_id == name), None)
        if child is None:
            return
        child.info = {**told, "browserContextId": browser.context}
        browser.targets.changed(child.info)
        raw = encode({"targetInfo": child.info})
        for session in list(parent.sessions.values()):
            if session.auto_attach is not None:
                browser.emit(event_message("Target.targetInfoChanged", raw, session.id))

    def end(self, debuggee: Debuggee) -> None:
        """A debuggee is no more, nor is anything below it."""
        browser = self._browser
        for child in list(debuggee.children.values()):
            self.end(child)
        browser.fail_requests_of(debuggee, SESSION_ENDED)
        for session in list(debuggee.sessions.values()):
            # Nothing of it can be taken back on a debuggee that is gone.
            debuggee.sessions.pop(session.id)
            session.debuggee = None
            browser.end_session(session, debuggee.target_id)
        if debuggee.parent is not None:
            debuggee.parent.children.pop(debuggee.child_session_id, None)
            browser.debuggees.pop(debuggee.child_session_id, None)
            browser.targets.destroyed(debuggee.info)

    def stop_unused_auto_attach(self, debuggee: Debuggee) -> None:
        """A session left a debuggee: its parent may not need to attach by itself any more."""
        if debuggee.parent is not None:
            self._disable_auto_attach_if_unused(debuggee.parent)
        self._disable_auto_attach_if_unused(debuggee)
