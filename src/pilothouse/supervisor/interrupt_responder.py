"""`InterruptResponder`: sends the answers to dialogs and interrupts, and closes tabs that have
some."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.cdp import Command, Session
from pilothouse.cdp.protocol import DOM, Browser, FedCm, Fetch, Page, Runtime, Target
from pilothouse.errors import (
    CdpError,
    CommandFailed,
    NotPermitted,
    ToolError,
    UsageError,
    WaitTimeout,
)
from pilothouse.supervisor.model import (
    INTERRUPT_KINDS,
    ClosedDialog,
    Dialog,
    Interrupt,
    State,
    answer_commands,
)
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["DialogResult", "InterruptResponder"]

REVIVES_WITHIN_S = 1.0
ANSWER_WITHIN_S = 5.0
CLOSE_WITHIN_S = 5.0
CLOSE_AGAIN_S = 0.3


class DialogResult(msgspec.Struct, frozen=True):
    """How a dialog ended. `already_closed`: our answer came too late."""

    closed: ClosedDialog
    already_closed: bool = False


class InterruptResponder:
    """Answers the dialogs and interrupts of one supervisor."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    # Dialogs.

    async def answer_dialog(
        self, accept: bool, text: str | None, dialog_id: str | None, tab: str | None, by: str
    ) -> DialogResult:
        """Answer a dialog; see `Supervisor.answer`. Raises ToolError when that is impossible."""
        supervisor = self._supervisor
        dialog = self._choose(dialog_id, tab)
        if isinstance(dialog, ClosedDialog):
            return DialogResult(dialog, already_closed=True)
        if dialog.orphaned:
            raise ToolError(
                f"{dialog.id} cannot be answered: {dialog.orphaned}",
                hint="reload or close the tab; unsaved input of the page is lost",
            )
        was_sent = bool(dialog.answer_sent_by)
        supervisor.feed(ev.DialogAnswered(supervisor.now(), dialog.id, accept, text, by))
        try:
            closed = await supervisor.wait_for(
                lambda s: _find_closed(s, dialog.id), deadline=ANSWER_WITHIN_S
            )
        except TimeoutError:
            raise WaitTimeout(
                f"{dialog.id} did not close within {ANSWER_WITHIN_S:g} s of its answer",
                hint="take a snapshot to see whether the page is alive; reload it if it is not",
            ) from None
        return DialogResult(closed, already_closed=was_sent or closed.closed_by != by)

    def has_pending_dialog(self, tab: str) -> bool:
        """Return whether a dialog of this tab is open."""
        return any(dialog.tab == tab for dialog in self._supervisor.state.dialogs.values())

    async def answer_by_command(self, tab: str, params: Mapping[str, Any]) -> None:
        """Answer a tab's dialog, native or bridged, with the parameters of a
        `Page.handleJavaScriptDialog` command. Raises ToolError for invalid parameters."""
        accept, text = params.get("accept"), params.get("promptText")
        if not isinstance(accept, bool):
            raise UsageError(f"accept: invalid value {accept!r}", hint="give true or false")
        if not isinstance(text, str | None):
            raise UsageError(f"promptText: invalid value {text!r}", hint="give a string")
        await self.answer_dialog(accept, text, None, tab, "agent")

    def _choose(self, dialog_id: str | None, tab: str | None) -> Dialog | ClosedDialog:
        state = self._supervisor.state
        pending = [d for d in state.dialogs.values() if tab in (None, d.tab)]
        names = ", ".join(d.id for d in pending) or "none"
        if dialog_id is not None:
            known = state.dialogs.get(dialog_id) or _find_closed(state, dialog_id)
            if known is None:
                raise ToolError(f"there is no dialog {dialog_id}", hint=f"pending dialogs: {names}")
            return known
        if not pending:
            raise ToolError(
                "no dialog is open", hint="recent_dialogs tells how the last ones ended"
            )
        if len(pending) > 1:
            raise ToolError(f"{len(pending)} dialogs are open", hint=f"give dialog_id: {names}")
        return pending[0]

    async def send_dialog_answer(self, effect: do.AnswerDialog) -> None:
        """Send an answer; feed an event for its success or failure."""
        supervisor = self._supervisor
        dialog = supervisor.state.dialogs.get(effect.dialog)
        if dialog is None:
            return
        try:
            session = self._session(dialog)
            commands = answer_commands(dialog, effect.accept, effect.text)
            for command in commands:
                # Await each command: a pipelined `Debugger.resume` would overtake the answer.
                await session.send(command, ANSWER_WITHIN_S)
        except CdpError as error:
            refused = isinstance(error, CommandFailed)
            supervisor.feed(ev.AnswerFailed(supervisor.now(), dialog.id, error.message, refused))
            return
        if dialog.via != "native":
            text = effect.text or ""
            supervisor.feed(ev.AnswerDelivered(supervisor.now(), dialog.id, effect.accept, text))

    def _session(self, dialog: Dialog) -> Session:
        """Return the session that reported the dialog; after a drop, the standby session."""
        supervisor = self._supervisor
        session = supervisor.connection.sessions.get(dialog.session_id)
        if session is not None:
            return session
        tab = supervisor.state.tabs.get(dialog.tab)
        if supervisor.standby is not None and tab is not None:
            return supervisor.standby.session(tab.target_id)
        return supervisor.session(dialog.tab)

    # Closing tabs.

    async def close_tab(self, tab_id: str) -> None:
        """Dismiss the dialogs of a tab, then close it. A tab with an orphaned dialog navigates to
        about:blank first, which ends the dialog."""
        supervisor = self._supervisor
        session = supervisor.session(tab_id)
        supervisor.feed(ev.LeaveRequested(supervisor.now(), tab_id, "agent"))
        for dialog in [d for d in supervisor.state.dialogs.values() if d.tab == tab_id]:
            if not dialog.orphaned:
                await self.answer_dialog(False, None, dialog.id, None, "agent")
        if any(d.tab == tab_id for d in supervisor.state.dialogs.values()):
            await session.send(Page.navigate(url="about:blank"), CLOSE_WITHIN_S)
        await self._close_target(tab_id, session.target_id)

    async def _close_target(self, tab_id: str, target: str) -> None:
        """Close a target, repeatedly until it is gone. Chrome confirms a close and forgets it when
        a new document arrives at the same moment (measured: half the time)."""
        supervisor = self._supervisor
        give_up = supervisor.now() + CLOSE_WITHIN_S
        while tab_id in supervisor.state.tabs:
            with contextlib.suppress(CommandFailed):  # already gone; the event is on its way
                await supervisor.connection.send(
                    Target.closeTarget(targetId=target), CLOSE_WITHIN_S
                )
            left = give_up - supervisor.now()
            try:
                await supervisor.wait_for(
                    lambda s: tab_id not in s.tabs, max(min(CLOSE_AGAIN_S, left), 0)
                )
            except TimeoutError:
                if left <= 0:
                    raise

    # Other interrupts.

    def answer_interrupt(
        self, interrupt_id: str, action: str, detail: Mapping[str, Any], by: str
    ) -> None:
        """Answer an interrupt; see `Supervisor.answer_interrupt`."""
        supervisor = self._supervisor
        interrupt = supervisor.state.interrupts.get(interrupt_id)
        if interrupt is None:
            known = ", ".join(supervisor.state.interrupts) or "none"
            raise ToolError(f"there is no interrupt {interrupt_id}", hint=f"pending: {known}")
        if by != "human" and INTERRUPT_KINDS[interrupt.kind].person:
            raise NotPermitted(
                f"{interrupt_id} waits for a person: no agent can answer it",
                hint="ask the user to run `pilothouse handover`",
            )
        if action not in interrupt.answers:
            hint = f"use one of: {', '.join(interrupt.answers)}"
            if action == "grant":
                name = interrupt.detail.get("permission")
                hint = f"ask the user: only browser.permissions in config.yaml can grant {name}"
            raise ToolError(f"{interrupt.kind} does not take {action!r}", hint=hint)
        supervisor.feed(ev.InterruptAnswered(supervisor.now(), interrupt_id, action, detail, by))

    async def send_interrupt_answer(self, effect: do.AnswerInterrupt) -> None:
        """Send the commands for a decision."""
        detail = dict(effect.detail)
        interrupt: Interrupt = detail.pop("interrupt")
        session = self._supervisor.connection.sessions.get(interrupt.session_id)
        if session is None:
            return
        if (interrupt.kind, effect.action) == ("permission", "grant"):
            await self._grant(interrupt)
        for command in _commands(interrupt, effect.action, detail):
            await session.send(command, ANSWER_WITHIN_S)
        if (interrupt.kind, effect.action) == ("crashed", "reload"):
            await self._wait_revived(session)

    async def _grant(self, interrupt: Interrupt) -> None:
        """Grant a permission to the origin. The page must ask again to use it."""
        tab = self._supervisor.state.tabs.get(interrupt.tab)
        await self._supervisor.connection.send(
            Browser.setPermission(
                permission={"name": interrupt.detail["permission"]},
                setting="granted",
                origin=interrupt.detail["origin"],
                browserContextId=tab.context or None if tab else None,
            ),
            ANSWER_WITHIN_S,
        )

    async def _wait_revived(self, session: Session) -> None:
        """Wait until a crashed page is back. Chrome does not report that for a page that was
        discarded before we attached; such a page also ignored our setup, so attach it again."""
        supervisor = self._supervisor
        tab = supervisor.state.tab_of(session.id)
        if tab is None:
            return
        try:
            await supervisor.wait_for(lambda s: not s.tabs[tab.id].crashed, REVIVES_WITHIN_S)
        except (TimeoutError, KeyError):
            if session.crashed and session.alive:
                await supervisor.reattach(session)


def _commands(interrupt: Interrupt, action: str, detail: Mapping[str, Any]) -> list[Command[Any]]:
    """Return the CDP commands for a decision."""
    match interrupt.kind, action:
        case "auth", "provide":
            response = {
                "response": "ProvideCredentials",
                "username": detail.get("username", ""),
                "password": detail.get("password", ""),
            }
            return [_auth(interrupt, response)]
        case "auth", _:
            return [_auth(interrupt, {"response": "CancelAuth"})]
        case "file_chooser", "upload":
            files, node = list(detail.get("files", ())), interrupt.detail["node"]
            return [DOM.setFileInputFiles(files=files, backendNodeId=node)]
        case "fedcm", "select":
            index = int(detail.get("account", 0))
            return [FedCm.selectAccount(dialogId=interrupt.handle, accountIndex=index)]
        case "fedcm", _:
            return [FedCm.dismissDialog(dialogId=interrupt.handle)]
        case "hung", "terminate":
            return [Runtime.terminateExecution()]
        case (("hung" | "crashed"), "reload"):
            return [Page.reload()]
        case "crashed", "close":
            return [Page.close()]
    return []


def _auth(interrupt: Interrupt, response: dict[str, Any]) -> Command[Any]:
    return Fetch.continueWithAuth(
        requestId=interrupt.handle,
        authChallengeResponse=response,  # type: ignore[arg-type]
    )


def _find_closed(state: State, dialog_id: str) -> ClosedDialog | None:
    return next((c for c in reversed(state.recent_dialogs) if c.dialog.id == dialog_id), None)
