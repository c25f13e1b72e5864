"""Child targets of a page: out-of-process frames and workers that Chrome auto-attaches. Pure.

Knows: Chrome attaches each child once, and every session that wants it gets a session of its own.
Must not know: what is sent on them. A child that no session wants runs at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.relay.extension_browser.client_session import FlatSession
from pilothouse.relay.extension_browser.debuggee import Debuggee
from pilothouse.relay.extension_browser.tab_and_message_types import (
    OK,
    SESSION_ENDED,
    encode,
    event_message,
)
from pilothouse.relay.target_command_params import AutoAttach, filter_admits

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["AUTO_ATTACH", "ChildTargets"]

AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
_AUTO_ATTACH_OFF = {"autoAttach": False, "waitForDebuggerOnStart": False, "flatten": True}
_METHOD = "Target.setAutoAttach"


class ChildTargets:
    """The child targets of all attached tabs."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser

    def set_auto_attach(
        self, debuggee: Debuggee, session: FlatSession, command_id: int, params: Mapping[str, Any]
    ) -> None:
        """Carry out `Target.setAutoAttach` on a session of a tab or child."""
        had, session.auto_attach = session.auto_attach, AutoAttach.read(params)
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
        """Switch auto-attach off in Chrome if no session wants it and none is on a child."""
        wanted = any(s.auto_attach is not None for s in debuggee.sessions.values())
        held = any(child.sessions for child in debuggee.children.values())
        if debuggee.auto_attach_enabled and not wanted and not held:
            debuggee.auto_attach_enabled = False
            self._browser.send_command_ignoring_reply(debuggee, _METHOD, _AUTO_ATTACH_OFF)

    def on_attached(self, parent: Debuggee, params: Mapping[str, Any]) -> None:
        """Handle `Target.attachedToTarget` of Chrome."""
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
        if session.auto_attach is None or not filter_admits(session.auto_attach.filter, child.kind):
            return
        waits = child.waiting_for_debugger and session.auto_attach.wait_for_debugger
        created = self._browser.create_session(session.id, child)
        created.auto_attached = True
        if waits:
            child.holding_sessions.add(created.id)
        self._browser.announce_session(created, waits)

    def on_detached(self, parent: Debuggee, session_id: str) -> None:
        """Handle `Target.detachedFromTarget` of Chrome."""
        child = parent.children.get(session_id)
        if child is not None:
            self.end(child)

    def on_info_changed(self, parent: Debuggee, info: Mapping[str, Any]) -> None:
        """Handle `Target.targetInfoChanged` of Chrome."""
        browser, name = self._browser, info.get("targetId")
        if name == parent.tab.target_id:
            known = {key: info[key] for key in ("url", "title") if key in info}
            browser.tabs.update({"tabId": parent.tab.tab_id, **known})
            return
        child = next((c for c in parent.children.values() if c.target_id == name), None)
        if child is None:
            return
        child.info = {**info, "browserContextId": browser.context}
        browser.targets.changed(child.info)
        raw = encode({"targetInfo": child.info})
        for session in list(parent.sessions.values()):
            if session.auto_attach is not None:
                browser.emit(event_message("Target.targetInfoChanged", raw, session.id))

    def end(self, debuggee: Debuggee) -> None:
        """End a debuggee and everything below it."""
        browser = self._browser
        for child in list(debuggee.children.values()):
            self.end(child)
        browser.fail_requests_of(debuggee, SESSION_ENDED)
        for session in list(debuggee.sessions.values()):
            # Skip the clean-up commands of remove_session(): the debuggee can no longer run any.
            debuggee.sessions.pop(session.id)
            session.debuggee = None
            browser.end_session(session, debuggee.target_id)
        if debuggee.parent is not None:
            debuggee.parent.children.pop(debuggee.child_session_id, None)
            browser.debuggees.pop(debuggee.child_session_id, None)
            browser.targets.destroyed(debuggee.info)

    def stop_unused_auto_attach(self, debuggee: Debuggee) -> None:
        """Switch auto-attach off where a session that ended was the last to want it."""
        if debuggee.parent is not None:
            self._disable_auto_attach_if_unused(debuggee.parent)
        self._disable_auto_attach_if_unused(debuggee)
