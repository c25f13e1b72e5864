"""Passwords that a server asks for: a client that has one is command, for nobody else is there.

Knows: which client answers for which tab. Must not know: passwords. Chrome asks one session only,
and that is the supervisor's: so the client is command by us, and its answer is passed on. A client
that answers no such questions has none: Chrome then does what it does when nobody is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pilothouse.cdp import Command, Event, SessionId
from pilothouse.errors import CdpError
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.client import ClientSession
from pilothouse.supervisor.model import InterruptClosed

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["AuthChallenges"]

_OURS = "pilothouse-password-"


class AuthChallenges:
    """The questions for passwords in the tabs of clients."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # Where each question came from: the supervisor's session and its request.
        self._open: dict[str, tuple[SessionId, str]] = {}

    def on_event(self, event: Event[Any]) -> None:
        """Hear what the supervisor is command."""
        if event.method != "Fetch.authRequired":
            return
        params, state = event.params, self._hub.supervisor.state
        tab, info = state.tab_of(event.session_id), state.sessions.get(event.session_id)
        if tab is None or info is None or params.get("resourceType") != "Document":
            return
        clients = [c for c in self._hub.clients() if self._hub.dialogs.responds_for(c, tab)]
        if not clients:
            return
        # The same name when it is command again: clients give up over a password that was refused.
        request = str(params["requestId"])
        name = f"{_OURS}{event.session_id[:8]}-{request}"
        self._open[name] = (event.session_id, request)
        for client in clients:
            for session in client.sessions_on(info.target_id):
                if session.auth_enabled:
                    told = {**params, "requestId": name}
                    client.send_event(session, "Fetch.authRequired", told)
                    return
        self._hub.tasks.start(self._answer(name, {"response": "Default"}), "leave it to Chrome")

    def answer_challenge(self, session: ClientSession, command: ClientCommand) -> bool:
        """Whether a client's answer was to a question of ours; then it is passed on."""
        client = session.client
        params = client.decode_params(command)
        name = str(params.get("requestId", ""))
        if name not in self._open:
            return False
        answer = params.get("authChallengeResponse") or {"response": "Default"}
        client_tasks = self._hub.client_tasks
        client_tasks.reply_after(client, session, command, self._answer(name, answer), {})
        return True

    async def _answer(self, name: str, answer: dict[str, Any]) -> None:
        asked_on, request = self._open.pop(name)
        supervisor = self._hub.supervisor
        session = supervisor.connection.sessions.get(asked_on)
        if session is None:
            return
        params = {"requestId": request, "authChallengeResponse": answer}
        try:
            await session.send(Command("Fetch.continueWithAuth", params))
        except CdpError:
            return  # the page has gone on meanwhile
        supervisor.feed(InterruptClosed(supervisor.now(), "auth", request, "client"))
