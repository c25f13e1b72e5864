"""Pass HTTP authentication challenges (`Fetch.authRequired`) to the client that owns the tab.

Knows: which client answers for which tab. Must not know: passwords. Chrome sends the event to one
session only, the supervisor's. So the hub sends it to the client and passes the answer on. If the
client has not enabled `handleAuthRequests`, Chrome's default applies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pilothouse.cdp import Command, Event, SessionId
from pilothouse.errors import CdpError
from pilothouse.relay.cdp_bytes import ClientCommand
from pilothouse.relay.hub.session import ClientSession
from pilothouse.supervisor.model import InterruptClosed

if TYPE_CHECKING:
    from pilothouse.relay.hub.hub import Hub

__all__ = ["AuthChallenges"]

_ID_PREFIX = "pilothouse-password-"


class AuthChallenges:
    """The open authentication challenges in the tabs of clients."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        # The supervisor's session and request id of each challenge, by our request id.
        self._open: dict[str, tuple[SessionId, str]] = {}

    def on_event(self, event: Event[Any]) -> None:
        """Handle the supervisor's events; pass challenges to clients."""
        if event.method != "Fetch.authRequired":
            return
        params, state = event.params, self._hub.supervisor.state
        tab, info = state.tab_of(event.session_id), state.sessions.get(event.session_id)
        if tab is None or info is None or params.get("resourceType") != "Document":
            return
        clients = [c for c in self._hub.clients() if self._hub.dialogs.responds_for(c, tab)]
        if not clients:
            return
        # The same id when Chrome asks again: clients give up when an id repeats, as they should
        # for a wrong password.
        request = str(params["requestId"])
        name = f"{_ID_PREFIX}{event.session_id[:8]}-{request}"
        self._open[name] = (event.session_id, request)
        for client in clients:
            for session in client.sessions_on(info.target_id):
                if session.prompts.auth:
                    challenge = {**params, "requestId": name}
                    client.send_event(session, "Fetch.authRequired", challenge)
                    return
        self._hub.tasks.start(
            self._answer(name, {"response": "Default"}), "default answer to a login challenge"
        )

    def answer_challenge(self, session: ClientSession, command: ClientCommand) -> bool:
        """Pass on a client's answer. Returns False if it was for a challenge of Chrome's own."""
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
        session_id, request = self._open.pop(name)
        supervisor = self._hub.supervisor
        session = supervisor.connection.sessions.get(session_id)
        if session is None:
            return
        params = {"requestId": request, "authChallengeResponse": answer}
        try:
            await session.send(Command("Fetch.continueWithAuth", params))
        except CdpError:
            return  # the page navigated meanwhile
        supervisor.feed(InterruptClosed(supervisor.now(), "auth", request, "client"))
