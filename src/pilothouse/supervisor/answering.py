"""How decisions reach the browser: dialogs, other interrupts, and closing what has some open."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pilothouse.cdp import Command, Session
from pilothouse.cdp.protocol import DOM, Browser, FedCm, Fetch, Page, Runtime, Target
from pilothouse.errors import CdpError, CommandFailed, ToolError
from pilothouse.supervisor.model import ClosedDialog, Dialog, Interrupt, State, answer_commands
from pilothouse.supervisor.model import effects as do
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.supervisor.supervisor import Supervisor

__all__ = ["Answered", "Answering"]

REVIVES_WITHIN_S = 1.0
ANSWER_WITHIN_S = 5.0
CLOSE_WITHIN_S = 5.0
CLOSE_AGAIN_S = 0.3


class Answered(msgspec.Struct, frozen=True):
    """How a dialog ended. `already_closed`: someone else was faster."""

    closed: ClosedDialog
    already_closed: bool = False


class Answering:
    """The answering hand of one supervisor."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor

    # Dialogs.

    async def answer(
        self, accept: bool, text: str | None, dialog_id: str | None, tab: str | None, by: str
    ) -> Answered:
        """See `Supervisor.answer`. Raises ToolError when it cannot be answered."""
        supervisor = self._supervisor
        dialog = self._choose(dialog_id, tab)
        if isinstance(dialog, ClosedDialog):
            return Answered(dialog, already_closed=True)
        if dialog.orphaned:
            raise ToolError(
                f"{dialog.id} cannot be answered: {dialog.orphaned}",
                hint="reload or close the tab; unsaved input of the page is lost",
            )
        answering = bool(dialog.answering)
        supervisor.feed(ev.Answer(supervisor.now(), dialog.id, accept, text, by))
        try:
            closed = await supervisor.wait_for(
                lambda s: _closed(s, dialog.id), deadline=ANSWER_WITHIN_S
            )
        except TimeoutError:
            raise ToolError(
                f"{dialog.id} did not close within {ANSWER_WITHIN_S:g} s of its answer",
                hint="take a snapshot to see whether the page is alive; reload it if it is not",
            ) from None
        return Answered(closed, already_closed=answering or closed.closed_by != by)

    def pending(self, tab: str) -> bool:
        """Whether a dialog of this tab waits for an answer."""
        return any(dialog.tab == tab for dialog in self._supervisor.state.dialogs.values())

    async def by_command(self, tab: str, params: Mapping[str, Any]) -> None:
        """Answer a tab's dialog as `Page.handleJavaScriptDialog` with these parameters would,
        whichever way it was opened. Raises ToolError for parameters that are wrong."""
        accept, text = params.get("accept"), params.get("promptText")
        if not isinstance(accept, bool):
            raise ToolError(f"accept: {accept!r} is no decision", hint="expected true or false")
        if not isinstance(text, str | None):
            raise ToolError(f"promptText: {text!r} is no text", hint="expected a text")
        await self.answer(accept, text, None, tab, "agent")

    def _choose(self, dialog_id: str | None, tab: str | None) -> Dialog | ClosedDialog:
        state = self._supervisor.state
        pending = [d for d in state.dialogs.values() if tab in (None, d.tab)]
        names = ", ".join(d.id for d in pending) or "none"
        if dialog_id is not None:
            known = state.dialogs.get(dialog_id) or _closed(state, dialog_id)
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

    async def dialog(self, effect: do.AnswerDialog) -> None:
        """Carry out an answer; its failure is an event like any other."""
        supervisor = self._supervisor
        dialog = supervisor.state.dialogs.get(effect.dialog)
        if dialog is None:
            return
        try:
            session = self._session(dialog)
            commands = answer_commands(dialog, effect.accept, effect.text)
            for command in commands:
                # One after the other: `Debugger.resume` would overtake the answer.
                await session.send(command, ANSWER_WITHIN_S)
        except CdpError as error:
            refused = isinstance(error, CommandFailed)
            supervisor.feed(ev.AnswerFailed(supervisor.now(), dialog.id, error.message, refused))
            return
        if dialog.via != "native":
            text = effect.text or ""
            supervisor.feed(ev.AnswerTaken(supervisor.now(), dialog.id, effect.accept, text))

    def _session(self, dialog: Dialog) -> Session:
        """The session that saw the dialog; after a drop, the holder's of the same target."""
        supervisor = self._supervisor
        session = supervisor.connection.sessions.get(dialog.session_id)
        if session is not None:
            return session
        tab = supervisor.state.tabs.get(dialog.tab)
        if supervisor.holder is not None and tab is not None:
            return supervisor.holder.session(tab.target_id)
        return supervisor.session(dialog.tab)

    # Closing.

    async def close_tab(self, tab_id: str) -> None:
        """Answer what is open, then close. A tab nobody can answer in is emptied first."""
        supervisor = self._supervisor
        session = supervisor.session(tab_id)
        supervisor.feed(ev.LeavingAsked(supervisor.now(), tab_id, "agent"))
        for dialog in [d for d in supervisor.state.dialogs.values() if d.tab == tab_id]:
            if not dialog.orphaned:
                await self.answer(False, None, dialog.id, None, "agent")
        if any(d.tab == tab_id for d in supervisor.state.dialogs.values()):
            await session.send(Page.navigate(url="about:blank"), CLOSE_WITHIN_S)
        await self._close_target(tab_id, session.target_id)

    async def _close_target(self, tab_id: str, target: str) -> None:
        """Chrome says yes to a close and forgets it when a new document arrives at the same
        moment (half the time, measured): whoever is still there is asked again."""
        supervisor = self._supervisor
        give_up = supervisor.now() + CLOSE_WITHIN_S
        while tab_id in supervisor.state.tabs:
            with contextlib.suppress(CommandFailed):  # it is gone, and the news is on its way
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

    def decide(self, interrupt_id: str, action: str, detail: Mapping[str, Any]) -> None:
        """See `Supervisor.answer_interrupt`."""
        supervisor = self._supervisor
        interrupt = supervisor.state.interrupts.get(interrupt_id)
        if interrupt is None:
            known = ", ".join(supervisor.state.interrupts) or "none"
            raise ToolError(f"there is no interrupt {interrupt_id}", hint=f"pending: {known}")
        if action not in interrupt.answers:
            hint = f"use one of: {', '.join(interrupt.answers)}"
            if action == "grant":
                name = interrupt.detail.get("permission")
                hint = f"only a person grants {name}: browser.permissions in config.yaml"
            raise ToolError(f"{interrupt.kind} does not take {action!r}", hint=hint)
        supervisor.feed(ev.InterruptAnswered(supervisor.now(), interrupt_id, action, detail))

    async def interrupt(self, effect: do.AnswerInterrupt) -> None:
        """Carry out a decision."""
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
            await self._revive(session)

    async def _grant(self, interrupt: Interrupt) -> None:
        """From now on the site has the permission: it must ask again."""
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

    async def _revive(self, session: Session) -> None:
        """Chrome tells of a page that comes back, except of one that was unloaded before we came:
        that one took none of our settings either, so it is attached anew."""
        supervisor = self._supervisor
        tab = supervisor.state.tab_of(session.id)
        if tab is None:
            return
        try:
            await supervisor.wait_for(lambda s: not s.tabs[tab.id].crashed, REVIVES_WITHIN_S)
        except (TimeoutError, KeyError):
            if session.crashed and session.alive:
                await supervisor.attach_again(session)


def _commands(interrupt: Interrupt, action: str, detail: Mapping[str, Any]) -> list[Command[Any]]:
    """What a decision means in CDP."""
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


def _closed(state: State, dialog_id: str) -> ClosedDialog | None:
    return next((c for c in reversed(state.recent_dialogs) if c.dialog.id == dialog_id), None)
