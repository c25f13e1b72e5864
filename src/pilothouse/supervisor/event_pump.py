"""`EventPump`: turns Chrome's events into ours and feeds them to the supervisor.

It also handles what cannot go through `step` alone: paused requests, debugger pauses of the dialog
bridge, reports of print_and_permission_requests.js, popups, and attaching again after a drop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pilothouse.cdp import Command, Event, Reply, Session, Status
from pilothouse.cdp.protocol import Browser, Fetch, Target
from pilothouse.errors import CdpError
from pilothouse.supervisor.ended_service_workers import WORKER_UPDATED
from pilothouse.supervisor.journal import METHODS as CONSOLE_METHODS
from pilothouse.supervisor.model import (
    DECODED_METHODS,
    NAVIGATION_METHODS,
    READ_QUESTION_EXPRESSION,
    REQUEST_METHODS,
    bridge_call_frame,
    decode,
    decode_page_prompt,
    parse_question,
)
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["EventPump"]

_log = logging.getLogger(__name__)

ATTACH_WITHIN_S = 10.0
DISMISSED_WITHIN_S = 2.0

_PAGE_FILTER: list[Any] = [{"type": "page"}, {"exclude": True}]
_PAGE_AND_SHARED_WORKER_FILTER: list[Any] = [{"type": "shared_worker"}, *_PAGE_FILTER]


class EventPump:
    """Listens to the connection of one supervisor."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._connection = supervisor.connection
        self._unlisten: list[Callable[[], None]] = []

    def start(self) -> None:
        """Start listening."""
        self._unlisten = [
            self._connection.on_any_event(self.on_event),
            self._connection.on_status(self.on_status),
        ]

    def stop(self) -> None:
        """Stop listening."""
        for unlisten in self._unlisten:
            unlisten()

    def on_event(self, event: Event[Any]) -> None:
        method = event.method
        navigations = self._supervisor.navigations
        if method in NAVIGATION_METHODS or (method in REQUEST_METHODS and len(navigations)):
            info = self._supervisor.state.sessions.get(event.session_id)
            root = info.target_id if info else ""
            now = self._supervisor.now()
            navigations.feed(method, event.params, event.session_id, root, now)
        if method in CONSOLE_METHODS:
            info = self._supervisor.state.sessions.get(event.session_id)
            tab, kind = (info.tab, info.kind) if info else ("", "")
            self._supervisor.console.record(event, tab, self._supervisor.now(), kind)
        elif method == "Fetch.requestPaused":
            self._on_request(event)
        elif method == "Fetch.authRequired" and event.params.get("resourceType") != "Document":
            self._cancel_subresource_auth(event)
        elif method == "Debugger.paused":
            self._supervisor.tasks.start(self._on_debugger_pause(event), "read a pause")
        elif method == "Runtime.bindingCalled":
            self._on_page_prompt(event)
        elif method == "Target.targetCreated":
            self._on_target_created(event.params["targetInfo"])
        elif method == "Network.responseReceived":
            self._supervisor.url_policy.check_response(event)
        elif method == WORKER_UPDATED:
            self._supervisor.service_workers.on_versions(event.params)
        elif method in DECODED_METHODS:
            ours = decode(method, event.params, event.session_id, self._supervisor.now())
            if ours is not None:
                self._supervisor.feed(ours)
                if isinstance(ours, ev.FrameNavigated):
                    self._supervisor.url_policy.check_document(ours)
                elif isinstance(ours, ev.SessionDetached | ev.TargetDestroyed):
                    self._supervisor.console.retain_tabs(self._supervisor.state.tabs)
                    self._supervisor.session_hooks.retain_tabs(self._supervisor.state.tabs)

    def _on_request(self, event: Event[Any]) -> None:
        params, session = event.params, event.session_id
        if self._supervisor.state.tab_of(session) is None:
            return  # another client attached this target and handles its requests
        request = params["request"]
        if request["url"].startswith(self._supervisor.setup.bridge_url):
            frame, handle = params.get("frameId", ""), params["requestId"]
            text = request.get("postData", "")
            asked = parse_question(text, session, frame, handle, "xhr", self._supervisor.now())
            if asked is not None:
                self._supervisor.feed(asked)
                return
        if self._is_leaving(event):
            self._supervisor.tasks.start(self._decide_after_answers(event), "let a page go")
        else:
            self._decide(event)

    def _decide(self, event: Event[Any]) -> None:
        if not self._supervisor.url_policy.block_request(event) and not self._is_handled(event):
            self._supervisor.feed(
                ev.RequestPaused(
                    self._supervisor.now(), event.session_id, event.params["requestId"]
                )
            )

    def _is_leaving(self, event: Event[Any]) -> bool:
        """Return whether this is a new document's request while dialogs of the old one are being
        dismissed."""
        tab = self._supervisor.state.tab_of(event.session_id)
        return event.params.get("resourceType") == "Document" and any(
            tab is not None and dialog.tab == tab.id and dialog.answer_sent_by == "navigation"
            for dialog in self._supervisor.state.dialogs.values()
        )

    async def _decide_after_answers(self, event: Event[Any]) -> None:
        """Hold a new document's request until the old one's dialogs are dismissed. A bridge that
        the new document cuts off falls back to a native dialog, and that crashes Chrome
        (docs/cdp/closing-with-a-frame-dialog.md)."""
        with contextlib.suppress(TimeoutError):  # a hung page: continue all the same
            await self._supervisor.wait_for(
                lambda _: None if self._is_leaving(event) else True, DISMISSED_WITHIN_S
            )
        self._decide(event)

    def _is_handled(self, event: Event[Any]) -> bool:
        tab = self._supervisor.state.tab_of(event.session_id)
        try:
            return tab is not None and self._supervisor.session_hooks.handles(tab.id, event)
        except Exception:  # noqa: BLE001 - a failing hook must not hang the request
            _log.exception("a request hook failed; the request continues")
            return False

    def _cancel_subresource_auth(self, event: Event[Any]) -> None:
        """Cancel an auth challenge of a subresource, so that the page gets the 401. The challenge
        comes only because some hook intercepts requests. With Chrome's default answer the request
        hangs."""
        session = self._connection.sessions.get(event.session_id)
        if session is not None:
            session.send(
                Fetch.continueWithAuth(
                    requestId=event.params["requestId"],
                    authChallengeResponse={"response": "CancelAuth"},
                )
            )

    async def _on_debugger_pause(self, event: Event[Any]) -> None:
        """Handle a `debugger` statement: ours carries a question; resume at any other."""
        session = self._connection.sessions.get(event.session_id)
        if session is None:
            return
        try:
            asked = await self._read_question(session, bridge_call_frame(event.params))
            if asked is None:
                await session.send(Command("Debugger.resume"))
        except CdpError as error:
            # The page resumed or went away meanwhile; other events report that.
            _log.debug("reading a pause of %r: %s", session, error)
            return
        if asked is not None:
            self._supervisor.feed(self._supervisor.actions.locate_frame(asked))

    async def _read_question(self, session: Session, call_frame: str) -> ev.DialogOpened | None:
        """Read the question of our script at this pause; None if it is not ours or malformed."""
        if not call_frame:
            return None
        read = {"callFrameId": call_frame, "expression": READ_QUESTION_EXPRESSION}
        said: Any = await session.send(Command("Debugger.evaluateOnCallFrame", read))
        text = str(said["result"].get("value", ""))
        return parse_question(text, session.id, "", call_frame, "debugger", self._supervisor.now())

    def _on_page_prompt(self, event: Event[Any]) -> None:
        """Handle a report of print_and_permission_requests.js."""
        session = self._connection.sessions.get(event.session_id)
        if session is None or event.params["name"] != self._supervisor.setup.binding:
            return
        said, now = str(event.params.get("payload", "")), self._supervisor.now()
        asked = decode_page_prompt(said, session.id, session.target_id, now)
        # In the user's own browser the user sees the permission prompt.
        if asked is not None and (asked.kind == "print" or self._supervisor.options.owned):
            self._supervisor.feed(asked)

    def _on_target_created(self, info: Mapping[str, Any]) -> None:
        """Attach a popup in a browser that we did not launch: it belongs to the opener's owner."""
        opener = self._supervisor.state.tab_of_target(
            info.get("openerId") or info.get("openedBy", "")
        )
        if not self._supervisor.options.owned and opener is not None:
            self._supervisor.tasks.start(self.attach(info["targetId"]), "attach a popup")

    def on_status(self, status: Status) -> None:
        if status is Status.OPEN:
            self._supervisor.tasks.start(self._reattach(), "attach again")
        elif self._supervisor.state.connected:
            self._supervisor.navigations.clear()
            self._supervisor.feed(
                ev.ConnectionDropped(
                    self._supervisor.now(), self._connection.close_reason or status.value
                )
            )

    async def _reattach(self) -> None:
        """The wire is back: find every tab again, by target, then by address."""
        self._supervisor.feed(ev.ConnectionRestored(self._supervisor.now()))
        await self.attach_root()
        targets = (await self._connection.send(Target.getTargets()))["targetInfos"]
        there = {info["targetId"]: info["url"] for info in targets if info["type"] == "page"}
        lost = [tab for tab in self._supervisor.state.tabs.values() if tab.target_id not in there]
        for tab in lost:
            taken = {t.target_id for t in self._supervisor.state.tabs.values()}
            twin = next((i for i, url in there.items() if url == tab.url and i not in taken), None)
            if twin is not None:
                self._supervisor.feed(ev.TabTargetReplaced(self._supervisor.now(), tab.id, twin))
        wanted = [t.target_id for t in self._supervisor.state.tabs.values() if t.target_id in there]
        if not self._supervisor.options.owned:
            await asyncio.gather(*(self.attach(target) for target in wanted))
        self._supervisor.feed(ev.TargetsReattached(self._supervisor.now()))

    async def attach(self, target_id: str) -> None:
        """Attach one target. A failure is only logged: a frozen target must not stall the
        others."""
        try:
            await self._connection.send(
                Target.attachToTarget(targetId=target_id, flatten=True), deadline=ATTACH_WITHIN_S
            )
        except CdpError as error:
            _log.warning("target %s cannot be attached: %s", target_id, error)

    async def attach_root(self) -> None:
        send = self._connection.send
        sent = [send(Target.setDiscoverTargets(discover=True, filter=_PAGE_FILTER))]
        if self._supervisor.options.owned:
            wanted = (
                _PAGE_AND_SHARED_WORKER_FILTER
                if self._supervisor.setup.shared_workers
                else _PAGE_FILTER
            )
            attach = Target.setAutoAttach(
                autoAttach=True, waitForDebuggerOnStart=True, flatten=True, filter=wanted
            )
            sent.append(send(attach))
        # Pipelined: Chrome handles commands in order.
        allowing = self._set_download_behavior()
        if self._supervisor.options.owned:
            self._set_permissions()
        for reply in (*sent, *allowing):
            await reply

    def _set_download_behavior(self, context: str = "") -> list[Reply[Any]]:
        """Set where downloads go. Each browser context needs its own command: without one Chrome
        cancels the downloads of that context."""
        asked = self._supervisor.options
        ours = self._supervisor.capabilities.get("downloads", True)
        keeps = ours and asked.keeps_downloads
        off = ours and asked.owned and not asked.downloads
        # A browser that keeps its files may still report downloads. Leave a browser that others use
        # as it is: the last `setDownloadBehavior` decides for all of its clients.
        if not (keeps or off) and (ours or asked.features is None):
            return []
        said = Browser.setDownloadBehavior(
            behavior="allowAndName" if keeps else "deny" if off else "default",
            browserContextId=context or None,
            downloadPath=asked.downloads if keeps else None,
            eventsEnabled=True,
        )
        return [self._connection.send(said)]

    async def set_up_context(self, context: str) -> None:
        """Set downloads and permissions for a new browser context."""
        allowing = self._set_download_behavior(context)
        self._set_permissions(context)
        for reply in allowing:
            await reply

    def _set_permissions(self, context: str = "") -> None:
        """Set the permissions of a context. Not awaited: Chrome handles commands in order, so later
        ones find them set."""
        asked = [
            (
                name,
                self._connection.send(
                    Browser.setPermission(
                        permission={"name": name},
                        setting=setting,
                        browserContextId=context or None,
                    )
                ),
            )
            for name, setting in self._supervisor.options.permissions.items()
        ]
        self._supervisor.tasks.start(_log_failures(asked), "decide permissions")


async def _log_failures(asked: Sequence[tuple[str, Reply[Any]]]) -> None:
    """Await the replies and log failures: older browsers lack some permission names."""
    for name, reply in asked:
        try:
            await reply
        except CdpError as error:
            _log.debug("permission %s: %s", name, error)
