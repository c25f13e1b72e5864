"""Between the wire and `step`: what Chrome says becomes events; what is lost is attached again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pilothouse.cdp import Command, Event, Reply, Session, Status
from pilothouse.cdp.protocol import Browser, Fetch, Target
from pilothouse.errors import CdpError
from pilothouse.supervisor.journal import METHODS as CONSOLE
from pilothouse.supervisor.model import (
    FOLLOWED,
    METHODS,
    READ_QUESTION,
    WHILE_PENDING,
    decode,
    decode_prompt,
    is_our_pause,
    read_question,
)
from pilothouse.supervisor.model import events as ev
from pilothouse.supervisor.service_workers import METHOD as SERVICE_WORKER

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["Wiring"]

_log = logging.getLogger(__name__)

ATTACH_WITHIN_S = 10.0
LEAVES_WITHIN_S = 2.0

_PAGES: list[Any] = [{"type": "page"}, {"exclude": True}]
_AND_SHARED_WORKERS: list[Any] = [{"type": "shared_worker"}, *_PAGES]


class Wiring:
    """The ears of one supervisor."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._connection = supervisor.connection
        self._leave: list[Callable[[], None]] = []

    def listen(self) -> None:
        """Hear everything from now on."""
        self._leave = [
            self._connection.tap(self.on_event),
            self._connection.on_status(self.on_status),
        ]

    def leave(self) -> None:
        """Hear nothing more."""
        for leave in self._leave:
            leave()

    def on_event(self, event: Event[Any]) -> None:
        method = event.method
        navigations = self._supervisor.navigations
        if method in METHODS or (method in WHILE_PENDING and len(navigations)):
            info = self._supervisor.state.sessions.get(event.session_id)
            root = info.target_id if info else ""
            now = self._supervisor.now()
            navigations.hear(method, event.params, event.session_id, root, now)
        if method in CONSOLE:
            info = self._supervisor.state.sessions.get(event.session_id)
            tab, kind = (info.tab, info.kind) if info else ("", "")
            self._supervisor.console.note(event, tab, self._supervisor.now(), kind)
        elif method == "Fetch.requestPaused":
            self._on_request(event)
        elif method == "Fetch.authRequired" and event.params.get("resourceType") != "Document":
            self._on_password_for_a_part(event)
        elif method == "Debugger.paused":
            self._supervisor.tasks.start(self._on_pause(event), "read a pause")
        elif method == "Runtime.bindingCalled":
            self._on_prompt(event)
        elif method == "Target.targetCreated":
            self._on_created(event.params["targetInfo"])
        elif method == "Network.responseReceived":
            self._supervisor.fences.heard(event)
        elif method == SERVICE_WORKER:
            self._supervisor.service_workers.heard(event.params)
        elif method in FOLLOWED:
            ours = decode(method, event.params, event.session_id, self._supervisor.now())
            if ours is not None:
                self._supervisor.feed(ours)
                if isinstance(ours, ev.FrameNavigated):
                    self._supervisor.fences.arrived(ours)
                elif isinstance(ours, ev.Detached | ev.TabEnded):
                    self._supervisor.console.keep(self._supervisor.state.tabs)
                    self._supervisor.additions.keep(self._supervisor.state.tabs)

    def _on_request(self, event: Event[Any]) -> None:
        params, session = event.params, event.session_id
        if self._supervisor.state.tab_of(session) is None:
            return  # whoever attached a target of its own and stops its requests answers them
        request = params["request"]
        if request["url"].startswith(self._supervisor.setup.host):
            frame, handle = params.get("frameId", ""), params["requestId"]
            text = request.get("postData", "")
            asked = read_question(text, session, frame, handle, "xhr", self._supervisor.now())
            if asked is not None:
                self._supervisor.feed(asked)
                return
        if self._is_leaving(event):
            self._supervisor.tasks.start(self._decide_after_answers(event), "let a page go")
        else:
            self._decide(event)

    def _decide(self, event: Event[Any]) -> None:
        if not self._supervisor.fences.refuses(event) and not self._taken(event):
            self._supervisor.feed(
                ev.RequestPaused(
                    self._supervisor.now(), event.session_id, event.params["requestId"]
                )
            )

    def _is_leaving(self, event: Event[Any]) -> bool:
        """Whether a new document is on its way while dialogs of the old one are being answered."""
        tab = self._supervisor.state.tab_of(event.session_id)
        return event.params.get("resourceType") == "Document" and any(
            tab is not None and dialog.tab == tab.id and dialog.answering == "navigation"
            for dialog in self._supervisor.state.dialogs.values()
        )

    async def _decide_after_answers(self, event: Event[Any]) -> None:
        """A frame whose question is cut off by the new document shows Chrome's own dialog, and
        Chrome crashes over it (docs/cdp/closing-with-a-frame-dialog.md)."""
        with contextlib.suppress(TimeoutError):  # a hung page: it is left all the same
            await self._supervisor.wait_for(
                lambda _: None if self._is_leaving(event) else True, LEAVES_WITHIN_S
            )
        self._decide(event)

    def _taken(self, event: Event[Any]) -> bool:
        tab = self._supervisor.state.tab_of(event.session_id)
        try:
            return tab is not None and self._supervisor.additions.takes(tab.id, event)
        except Exception:  # noqa: BLE001 - someone else's code; the request must not hang for it
            _log.exception("deciding about a request failed; it goes on")
            return False

    def _on_password_for_a_part(self, event: Event[Any]) -> None:
        """A password for less than a page. It is asked for only because somebody wanted the request
        stopped: the page gets the 401. With Chrome's default answer the request hangs."""
        session = self._connection.sessions.get(event.session_id)
        if session is not None:
            session.send(
                Fetch.continueWithAuth(
                    requestId=event.params["requestId"],
                    authChallengeResponse={"response": "CancelAuth"},
                )
            )

    async def _on_pause(self, event: Event[Any]) -> None:
        """Someone's `debugger` statement. Ours carries a question; any other goes on at once."""
        session = self._connection.sessions.get(event.session_id)
        if session is None:
            return
        try:
            asked = await self._question(session, is_our_pause(event.params))
            if asked is None:
                await session.send(Command("Debugger.resume"))
        except CdpError as error:
            # The page went on or away meanwhile; whatever waits for it hears of that itself.
            _log.debug("reading a pause of %r: %s", session, error)
            return
        if asked is not None:
            self._supervisor.feed(self._supervisor.actions.placed(asked))

    async def _question(self, session: Session, call_frame: str) -> ev.DialogOpened | None:
        """What our script asks at this pause; None if it is not ours or makes no sense."""
        if not call_frame:
            return None
        read = {"callFrameId": call_frame, "expression": READ_QUESTION}
        said: Any = await session.send(Command("Debugger.evaluateOnCallFrame", read))
        text = str(said["result"].get("value", ""))
        return read_question(text, session.id, "", call_frame, "debugger", self._supervisor.now())

    def _on_prompt(self, event: Event[Any]) -> None:
        """Our script in a page (prompts.js) reports what the page asks a person for."""
        session = self._connection.sessions.get(event.session_id)
        if session is None or event.params["name"] != self._supervisor.setup.binding:
            return
        said, now = str(event.params.get("payload", "")), self._supervisor.now()
        asked = decode_prompt(said, session.id, session.target_id, now)
        # A person who lends a browser is asked by that browser.
        if asked is not None and (asked.kind == "print" or self._supervisor.options.owned):
            self._supervisor.feed(asked)

    def _on_created(self, info: Mapping[str, Any]) -> None:
        """A popup in a browser that is not ours: it belongs to the opener's owner."""
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
                ev.Dropped(self._supervisor.now(), self._connection.closed_because or status.value)
            )

    async def _reattach(self) -> None:
        """The wire is back: find every tab again, by target, then by address."""
        self._supervisor.feed(ev.Restored(self._supervisor.now()))
        await self.attach_root()
        targets = (await self._connection.send(Target.getTargets()))["targetInfos"]
        there = {info["targetId"]: info["url"] for info in targets if info["type"] == "page"}
        lost = [tab for tab in self._supervisor.state.tabs.values() if tab.target_id not in there]
        for tab in lost:
            taken = {t.target_id for t in self._supervisor.state.tabs.values()}
            twin = next((i for i, url in there.items() if url == tab.url and i not in taken), None)
            if twin is not None:
                self._supervisor.feed(ev.TabFound(self._supervisor.now(), tab.id, twin))
        wanted = [t.target_id for t in self._supervisor.state.tabs.values() if t.target_id in there]
        if not self._supervisor.options.owned:
            await asyncio.gather(*(self.attach(target) for target in wanted))
        self._supervisor.feed(ev.Reattached(self._supervisor.now()))

    async def attach(self, target_id: str) -> None:
        """Attach one target; one that is frozen must not stall the rest."""
        try:
            await self._connection.send(
                Target.attachToTarget(targetId=target_id, flatten=True), deadline=ATTACH_WITHIN_S
            )
        except CdpError as error:
            _log.warning("target %s cannot be attached: %s", target_id, error)

    async def attach_root(self) -> None:
        send = self._connection.send
        sent = [send(Target.setDiscoverTargets(discover=True, filter=_PAGES))]
        if self._supervisor.options.owned:
            wanted = _AND_SHARED_WORKERS if self._supervisor.setup.shared_workers else _PAGES
            attach = Target.setAutoAttach(
                autoAttach=True, waitForDebuggerOnStart=True, flatten=True, filter=wanted
            )
            sent.append(send(attach))
        # All at once: Chrome takes commands in their order.
        allowing = self._allow_downloads()
        if self._supervisor.options.owned:
            self._permit()
        for reply in (*sent, *allowing):
            await reply

    def _allow_downloads(self, context: str = "") -> list[Reply[Any]]:
        """Where files go. Each context is told apart: without it Chrome cancels its downloads."""
        asked = self._supervisor.options
        ours = self._supervisor.capabilities.get("downloads", True)
        keeps = ours and asked.keeps_downloads
        off = ours and asked.owned and not asked.downloads
        # A browser that keeps its files to itself may still tell of them. One that others use is
        # left as it is: the last who says where downloads go decides for all.
        if not (keeps or off) and (ours or asked.known is None):
            return []
        said = Browser.setDownloadBehavior(
            behavior="allowAndName" if keeps else "deny" if off else "default",
            browserContextId=context or None,
            downloadPath=asked.downloads if keeps else None,
            eventsEnabled=True,
        )
        return [self._connection.send(said)]

    async def permit(self, context: str) -> None:
        """Decide in advance what pages of a context may do."""
        allowing = self._allow_downloads(context)
        self._permit(context)
        for reply in allowing:
            await reply

    def _permit(self, context: str = "") -> None:
        """Nobody waits for it: whatever is sent after these finds them decided."""
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
        self._supervisor.tasks.start(_heard(asked), "decide permissions")


async def _heard(asked: Sequence[tuple[str, Reply[Any]]]) -> None:
    """Names that this browser lacks are passed over."""
    for name, reply in asked:
        try:
            await reply
        except CdpError as error:
            _log.debug("permission %s: %s", name, error)
