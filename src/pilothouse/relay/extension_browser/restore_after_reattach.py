"""Restores what sessions had set on a tab after the debugger was attached again. Pure.

Knows: what is replayed in which order, and what sessions must hear if the page has changed. Must
not know: why the debugger was lost. Until it is done, no other command is sent to the page.
Remote objects and nodes end with the debugger even if the page is the same. Execution contexts
are therefore announced as cleared and created again, so that clients look their objects up anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.relay.extension_browser.child_targets import AUTO_ATTACH
from pilothouse.relay.extension_browser.client_session import DocumentScript
from pilothouse.relay.extension_browser.debuggee import RUN, Debuggee
from pilothouse.relay.extension_browser.event_replay import (
    CONTEXTS_CLEARED,
    LIFECYCLE,
    EventHistory,
)
from pilothouse.relay.extension_browser.requests_and_shared_commands import ExtensionRequest
from pilothouse.relay.extension_browser.tab_and_message_types import (
    EMPTY,
    ErrorReply,
    decode_object,
    encode,
    event_message,
)

if TYPE_CHECKING:
    from pilothouse.relay.extension_browser.browser import ExtensionBrowser

__all__ = ["StateRestorer"]

_ADD_SCRIPT = "Page.addScriptToEvaluateOnNewDocument"
_AUTO = "Target.setAutoAttach"
# The events that tell a session what ended with the debugger, by domain.
_ENDING_EVENTS = {
    "Debugger": ("Debugger.resumed", EMPTY),
    "Runtime": CONTEXTS_CLEARED,
    "DOM": ("DOM.documentUpdated", EMPTY),
}

ResultHandler = Callable[[Mapping[str, Any]], None]
ReplayCommand = tuple[str, Mapping[str, Any], ResultHandler | None]


class StateRestorer:
    """The tabs and child targets being restored."""

    def __init__(self, browser: ExtensionBrowser) -> None:
        self._browser = browser
        self._requests: dict[Debuggee, list[ExtensionRequest]] = {}

    def mark_lost(self, debuggee: Debuggee) -> None:
        """Mark a debuggee and everything below it for restoring."""
        self.abandon(debuggee)
        debuggee.restoring = True
        debuggee.shared_commands.clear()
        for child in debuggee.children.values():
            self.mark_lost(child)

    def abandon(self, debuggee: Debuggee) -> None:
        """Drop the replay in progress: the debugger was lost again."""
        for requests in self._requests.pop(debuggee, ()):
            requests.done = True
        for child in debuggee.children.values():
            self.abandon(child)

    def reattach_child(
        self, child: Debuggee, number: str, info: Mapping[str, Any], waiting: bool
    ) -> None:
        """Adopt the new session id of a known frame or worker that Chrome attached again."""
        browser, parent = self._browser, child.parent
        if parent is not None:
            parent.children.pop(child.child_session_id, None)
            parent.children[number] = child
        browser.debuggees.pop(child.child_session_id, None)
        browser.debuggees[number] = child
        child.child_session_id, child.info = number, dict(info)
        ran = not child.waiting_for_debugger
        child.waiting_for_debugger = waiting and not ran
        self.restore(child, lambda: None, let_run=waiting and ran)

    def restore(self, debuggee: Debuggee, then: Callable[[], None], let_run: bool = False) -> None:
        """Replay everything a debuggee's sessions had set. Calls `then` when Chrome has answered
        it."""
        self._announce_loss(debuggee)
        debuggee.history = EventHistory(debuggee.history.latest)
        debuggee.restoring = True
        debuggee.crashed = False
        tree: dict[str, Any] = {}
        sent = [*self._commands_to_replay(debuggee, tree)]
        if let_run:
            sent.append((RUN, {}, None))
        requests: list[ExtensionRequest] = []
        self._requests[debuggee] = requests
        left = len(sent)

        def settled(on_result: ResultHandler | None, result: msgspec.Raw | None) -> None:
            nonlocal left
            left -= 1
            if on_result is not None and result is not None:
                on_result(decode_object(result))
            if left == 0:
                finish()

        def finish() -> None:
            self._requests.pop(debuggee, None)
            self._finish(debuggee, tree)
            then()

        for method, params, on_result in sent:
            requests.append(self._make_request(debuggee, method, params, on_result, settled))
        for one in requests:
            self._browser.send_now(one)
        if not requests:
            finish()  # nothing was set in this frame

    def _announce_loss(self, debuggee: Debuggee) -> None:
        """Tell sessions what ended with the debugger. This waits for the new attachment, because a
        tab that closes reports only that. Workers end and come back as new targets: clients
        accept a worker's execution context only once."""
        for domain, said in _ENDING_EVENTS.items():
            if domain != "Debugger" or debuggee.history.is_paused():
                for session in debuggee.listeners(domain):
                    self._browser.emit(event_message(*said, session))
        for child in [c for c in debuggee.children.values() if c.kind != "iframe"]:
            self._browser.child_targets.end(child)

    def _make_request(
        self,
        debuggee: Debuggee,
        method: str,
        params: Mapping[str, Any],
        on_result: ResultHandler | None,
        settled: Callable[[ResultHandler | None, msgspec.Raw | None], None],
    ) -> ExtensionRequest:
        def then(result: msgspec.Raw | None, error: ErrorReply | None) -> None:
            settled(on_result, result)

        return ExtensionRequest(method, encode(params), then, debuggee)

    def _commands_to_replay(
        self, debuggee: Debuggee, tree: dict[str, Any]
    ) -> Iterator[ReplayCommand]:
        for method, params in debuggee.domains.replay():
            yield method, params, None
        for method, params in debuggee.overrides.replay():
            yield method, params, None
        for session in debuggee.sessions.values():
            for params in session.bindings.values():
                yield "Runtime.addBinding", params, None
            for script in session.scripts.values():
                yield _ADD_SCRIPT, _with_isolated_world(script.params), _update_script_id(script)
        for send in debuggee.fetch.replay():
            yield send.method, send.params, None
        if not debuggee.child_session_id:
            yield "Page.getFrameTree", {}, lambda result: tree.update(result.get("frameTree") or {})
        if debuggee.auto_attach_enabled:
            yield _AUTO, AUTO_ATTACH, lambda _: self._end_missing_children(debuggee)

    def _end_missing_children(self, debuggee: Debuggee) -> None:
        """End children that Chrome did not attach again: they no longer exist."""
        for child in list(debuggee.children.values()):
            if child.restoring and child not in self._requests:
                self._browser.child_targets.end(child)

    def _finish(self, debuggee: Debuggee, tree: Mapping[str, Any]) -> None:
        debuggee.restoring = False
        emit, hearers = self._browser.emit, debuggee.listeners
        loader = str(tree.get("frame", {}).get("loaderId", ""))
        moved = bool(loader and debuggee.loader_id and loader != debuggee.loader_id)
        debuggee.loader_id = loader or debuggee.loader_id
        for method, params in _frame_events(tree) if moved else ():
            for session in hearers("Page"):
                emit(event_message(method, encode(params), session))
        for domain in ("Runtime", "Debugger", "CSS"):
            for session in hearers(domain):
                for method, raw in debuggee.history.replay(domain):
                    emit(event_message(method, raw, session))
        for session in debuggee.lifecycle_listeners() if moved else ():
            for method, raw in debuggee.history.replay(LIFECYCLE):
                emit(event_message(method, raw, session))


def _update_script_id(script: DocumentScript) -> ResultHandler:
    def on_result(result: Mapping[str, Any]) -> None:
        script.wire_id = str(result.get("identifier", script.wire_id))

    return on_result


def _with_isolated_world(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Run an empty script immediately: it only creates an isolated world, which the current
    document needs too."""
    if params.get("worldName") and not params.get("source"):
        return {**params, "runImmediately": True}
    return params


def _frame_events(tree: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the events for a document and its frames as if it had just loaded."""
    frame = tree.get("frame", {})
    if frame.get("parentId"):
        ids = {"frameId": frame.get("id", ""), "parentFrameId": frame["parentId"]}
        yield "Page.frameAttached", ids
    yield "Page.frameNavigated", {"frame": frame, "type": "Navigation"}
    for child in tree.get("childFrames", ()):
        yield from _frame_events(child)
