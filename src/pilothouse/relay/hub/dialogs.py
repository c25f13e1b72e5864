"""Show dialogs to clients as the supervisor knows them, and answer them through the supervisor.

Knows: which client a dialog belongs to. Must not know: how a dialog is held. Chrome's own dialog
events never reach a client: two clients that each dismiss what they see would answer for each
other, and a dialog that the supervisor bridges has no such event. One client is told of a dialog:
the one whose action opened it, else the one that opened the tab.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pilothouse.errors import PilothouseError
from pilothouse.relay import cdp_bytes
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import RelayClient
from pilothouse.relay.hub.refusal_texts import format_refusal
from pilothouse.relay.hub.session import ClientSession
from pilothouse.supervisor.model import Dialog, State, Tab
from pilothouse.supervisor.model import events as ev

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["ClientDialogs"]

NO_DIALOG = "No dialog is showing"


class ClientDialogs:
    """The dialogs of one browser, as clients see them."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._known: Mapping[str, Dialog] = {}
        # The sessions that were told of each dialog.
        self._sessions: dict[str, list[ClientSession]] = {}
        # Answers without a reply yet.
        self._answering: list[tuple[ClientSession, ClientCommand]] = []

    def observe(self, event: ev.Event, state: State, effects: object) -> None:
        """Compare the open dialogs after each supervisor event; tell clients what changed."""
        # The state is immutable: the same mapping means that no dialog changed.
        if state.dialogs is not self._known:
            before, self._known = self._known, state.dialogs
            for dialog in [d for d in before.values() if d.id not in state.dialogs]:
                self._closed(dialog, state)
            for dialog in [d for d in state.dialogs.values() if d.id not in before]:
                self._opened(dialog, state)

    def _opened(self, dialog: Dialog, state: State) -> None:
        tab = state.tabs.get(dialog.tab)
        if tab is None or dialog.answer_sent_by:
            return  # the owner's dialog policy answers it
        sessions = self._sessions_to_tell(tab)
        if not sessions:
            return
        self._sessions[dialog.id] = sessions
        params = {
            "url": dialog.url,
            "frameId": dialog.frame_id,
            "message": dialog.message,
            "type": dialog.type,
            "hasBrowserHandler": True,
            "defaultPrompt": dialog.default_prompt,
        }
        for session in sessions:
            session.client.send_event(session, "Page.javascriptDialogOpening", params)

    def _closed(self, dialog: Dialog, state: State) -> None:
        sessions = self._sessions.pop(dialog.id, ())
        how = next((c for c in reversed(state.recent_dialogs) if c.dialog.id == dialog.id), None)
        params = {
            "frameId": dialog.frame_id,
            "result": how.accepted if how else False,
            "userInput": how.text if how else "",
        }
        for session in sessions:
            if session.client.sessions.get(session.visible_id) is session:
                session.client.send_event(session, "Page.javascriptDialogClosed", params)

    def _sessions_to_tell(self, tab: Tab) -> list[ClientSession]:
        hub = self._hub
        cause = hub.dialog_attribution.find_client(
            tab.target_id, hub.is_pending, hub.supervisor.now()
        )
        meant = [cause] if cause is not None and cause.spec.dialogs == "client" else []
        for client in meant + [c for c in hub.clients() if self.responds_for(c, tab)]:
            hearing = [s for s in client.sessions_on(tab.target_id) if s.prompts.dialogs]
            if hearing:
                return hearing
        return []

    def responds_for(self, client: RelayClient, tab: Tab) -> bool:
        """Return whether a client answers dialogs that open by themselves in a tab: it opened the
        tab, or one of its pages did."""
        if client.spec.dialogs != "client":
            return False
        info = self._hub.targets.get(tab.target_id) or {}
        return (
            tab.target_id in client.opened_targets
            or any(opener in client.opened_targets for opener in self._hub.targets.openers(info))
            or tab.context in client.contexts
            or (bool(tab.context) and tab.context == client.context and not client.spec.owner)
        )

    def has_open_dialog(self, tab: str) -> bool:
        """Return whether a dialog is open in a tab."""
        return any(d.tab == tab for d in self._hub.supervisor.state.dialogs.values())

    # Answers.

    def answer(self, session: ClientSession, command: ClientCommand) -> None:
        """Answer a dialog for a client. Fails for another's dialog, or if none is open."""
        client, state = session.client, self._hub.supervisor.state
        tab = state.tab_of_target(session.target)
        if tab is None:
            client.forward(session, command)  # a frame's session: Chrome replies with its own error
            return
        waiting = [d for d in state.dialogs.values() if d.tab == tab.id and not d.answer_sent_by]
        if waiting and not self._may_answer(client, waiting[0], tab):
            error_text = format_refusal(
                command.method,
                "the owner of this tab answers its dialogs",
                "connect with dialogs=client, and answer what your own actions open",
            )
            client.fail(session, command, error_text)
        elif not waiting:
            client.fail(session, command, NO_DIALOG, cdp_bytes.INVALID_PARAMS)
        else:
            self._answering.append((session, command))
            self._hub.tasks.start(
                self._answer(session, command, waiting[0]), f"answer {waiting[0].id}"
            )

    def _may_answer(self, client: RelayClient, dialog: Dialog, tab: Tab) -> bool:
        """Return whether a client was told of the dialog; if no client was, whether the tab is its
        own."""
        sessions = self._sessions.get(dialog.id)
        return (
            any(s.client is client for s in sessions)
            if sessions
            else self.responds_for(client, tab)
        )

    async def _answer(self, session: ClientSession, command: ClientCommand, dialog: Dialog) -> None:
        client = session.client
        params: dict[str, Any] = client.decode_params(command)
        accept = bool(params.get("accept"))
        try:
            # Without promptText Chrome gives the page an empty string.
            await self._hub.supervisor.answer(
                accept=accept,
                text=str(params.get("promptText", "")),
                dialog_id=dialog.id,
                by="client",
            )
        except PilothouseError as error:
            if self._answers(session, command):
                client.fail(session, command, error.message)
        else:
            if self._answers(session, command):
                client.reply(session, command)

    def _answers(self, session: ClientSession, command: ClientCommand) -> bool:
        """Return whether an answer still needs its reply, and remove it."""
        if (session, command) not in self._answering:
            return False
        self._answering.remove((session, command))
        return True

    def confirm_answers(self, session: ClientSession) -> None:
        """Reply to answers on a session before it ends: the answer may be what ends it."""
        for of, command in [one for one in self._answering if one[0] is session]:
            self._answering.remove((of, command))
            of.client.reply(of, command)

    def forget_client(self, client: RelayClient) -> None:
        """Forget a client. Its dialogs are left to the owner's dialog policy."""
        for dialog, sessions in list(self._sessions.items()):
            self._sessions[dialog] = [s for s in sessions if s.client is not client]

    # The supervisor's own requests.

    def continue_bridge_request(self, session: ClientSession, message: bytes) -> None:
        """Continue a request by which the supervisor bridges a dialog, if the client intercepted
        it. The client hears nothing of it."""
        if cdp_bytes.read_method(message) == b"Fetch.requestPaused":
            params = {"requestId": cdp_bytes.read_params(message).get("requestId", "")}
            session.client.send_command(
                session, "Fetch.continueRequest", params, lambda result, error_text: None
            )
