"""The relay's server: authenticate each request, then serve a page or open a WebSocket.

    /cdp        -> `join` with the client's options; refused by HTTP, or upgraded
    /extension  -> challenge, hello, welcome; then `extension` gets the proven socket
    the rest    -> what `facts` returns, as JSON

Knows: routes, slots, which socket belongs to whom. Must not know: CDP, the hub, the daemon. A
failure on one connection ends only that one. Nothing it logs or sends contains a secret.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pilothouse.asyncio_tasks import Tasks
from pilothouse.errors import PilothouseError
from pilothouse.loopback import listen
from pilothouse.relay.interfaces import (
    ClientSpec,
    Hello,
    HttpRefusal,
    MessageHandler,
    MessageSocket,
)
from pilothouse.relay.server.auth import ROUTES, RequestAuth, route_of
from pilothouse.relay.server.client_options import parse_client_spec
from pilothouse.relay.server.client_slots import TOOLS_BUSY, ClientMode, Slots
from pilothouse.relay.server.extension_handshake import ExtensionHandshake
from pilothouse.relay.server.http_and_websocket_connection import RelaySocket, SocketLimits
from pilothouse.relay.server.http_codec import (
    Request,
    json_response,
    refusal_response,
    switching_response,
)
from pilothouse.relay.server.json_bodies import BrowserFacts, page_body
from pilothouse.relay.server.pairing_proofs_and_codes import (
    NOT_PAIRED,
    PairingChallenge,
    PairingCodes,
)
from pilothouse.relay.server.pairing_store import PairingStore

__all__ = ["AcceptExtension", "DescribeBrowser", "JoinClient", "RelayServer"]

_log = logging.getLogger(__name__)

JoinClient = Callable[[ClientSpec, MessageSocket], Awaitable[MessageHandler | HttpRefusal]]
AcceptExtension = Callable[[Hello, MessageSocket], MessageHandler | HttpRefusal]
DescribeBrowser = Callable[[ClientSpec], Awaitable[BrowserFacts | HttpRefusal]]

# Close codes. An extension that gets RELAY_ENDS detaches from all tabs at once.
GOING_AWAY, REPLACED, SLOT_LOST, TOKEN_REVOKED, RELAY_ENDS = 1001, 4001, 4002, 4003, 4004
DEFAULT_LIMITS = SocketLimits()
_NOTHING: Mapping[str, str] = {}
_REVOKED = HttpRefusal(
    401, "the token was revoked", hint="create another: pilothouse relay token create"
)

# Pages that have something to show even without a browser.
_ANSWER_WITHOUT_BROWSER = ("/", "/client-slot", "/extension/status")


class RelayServer:
    """The one server of a relay. `join`, `extension` and `facts` may raise PilothouseError."""

    def __init__(
        self,
        auth: RequestAuth,
        join: JoinClient,
        extension: AcceptExtension,
        facts: DescribeBrowser,
        *,
        pairings: PairingStore,
        mode: ClientMode = "multi-client",
        defaults: Mapping[str, str] = _NOTHING,
        limits: SocketLimits = DEFAULT_LIMITS,
        active_tool_owners: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        # Browser and attach mode for clients that do not ask for one.
        self._defaults = defaults
        # Owners whose tools use the user's Chrome: in single-active mode they hold the slot, too.
        self._active_tool_owners = active_tool_owners
        self.slots = Slots(mode, limits.dead_s)
        self.codes = PairingCodes()
        self.port = 0
        self._id = secrets.token_hex(8)
        self._auth = auth
        self._join = join
        self._extension = extension
        self._facts = facts
        self._pairings = pairings
        self._limits = limits
        self._sockets: set[RelaySocket] = set()
        # Sockets by client id, tokens by client id, sockets by install and profile.
        self._clients: dict[str, RelaySocket] = {}
        self._tokens: dict[str, str] = {}
        self._extensions: dict[tuple[str, str], RelaySocket] = {}
        self._tasks = Tasks()
        self._server: asyncio.Server | None = None
        self._closing = False
        self._socket_closed = asyncio.Event()

    async def start(self, host: str, port: int) -> None:
        """Listen on this machine only. Port 0 picks a free one. Raises PilothouseError."""
        hint = "stop that program, or set another port for the relay"
        sock = await asyncio.to_thread(listen, host, port, taken_hint=hint)
        self.port = sock.getsockname()[1]
        self._server = await asyncio.get_running_loop().create_server(self._new_socket, sock=sock)
        self._tasks.start(self._sweep(), "relay: sweep")

    async def close(self) -> None:
        """Stop listening and disconnect everybody, with a close code."""
        self._closing = True
        if self._server is not None:
            self._server.close()
        await self._tasks.close()
        extensions = set(self._extensions.values())
        for one in list(self._sockets):
            one.disconnect(RELAY_ENDS if one in extensions else GOING_AWAY, "the relay ends")
        # A peer that does not close in turn is dropped after linger_s.
        while self._sockets:
            self._socket_closed.clear()
            await self._socket_closed.wait()

    def pairing_code(self) -> str:
        """Create a code to type into an extension. It is valid for two minutes."""
        return self.codes.create(asyncio.get_running_loop().time())

    def check_tokens(self) -> int:
        """Disconnect clients whose token is no longer valid. Returns how many."""
        ended = [
            name for name, token in self._tokens.items() if self._auth.find_grant(token) is None
        ]
        for client_id in ended:
            _log.info("client %s is disconnected: its token was revoked", client_id)
            self._clients[client_id].close_now(TOKEN_REVOKED, "its token was revoked")
            self._forget_client(client_id)
        return len(ended)

    def extensions(self) -> list[tuple[str, str]]:
        """Return the connected extensions: install and profile."""
        return list(self._extensions)

    # SocketOwner.

    def on_opened(self, socket: RelaySocket) -> None:
        """Register a new connection."""
        self._sockets.add(socket)
        if self._closing:
            socket.disconnect(GOING_AWAY, "the relay ends")

    def on_request(self, socket: RelaySocket, request: Request) -> None:
        """Authenticate a request and serve it."""
        refused = self._auth.check(request, self.port)
        if refused is not None:
            # Log no unknown path: it may be anything, even the token.
            where = route_of(request.path) or "an unknown path"
            _log.info("refused %s %s: %s", request.method, where, refused.message)
            socket.respond(refusal_response(refused))
            return
        route = route_of(request.path)
        match ROUTES[route]:
            case "page":
                self._run_request(
                    socket, self._serve_page(socket, request, route), f"relay: {route}"
                )
            case "client":
                self._run_request(
                    socket, self._serve_client(socket, request), "relay: a client joins"
                )
            case "extension":
                self._start_handshake(socket, request)

    def on_closed(self, socket: RelaySocket) -> None:
        """Forget a closed connection."""
        self._sockets.discard(socket)
        self._socket_closed.set()

    # Pages and clients.

    async def _serve_page(self, socket: RelaySocket, request: Request, route: str) -> None:
        grant = self._auth.find_grant(self._auth.read_token(request))
        spec = (
            parse_client_spec("", request.query_fields(), self._defaults, grant)
            if grant
            else _REVOKED
        )
        facts = spec if isinstance(spec, HttpRefusal) else await self._facts(spec)
        if isinstance(facts, HttpRefusal) and (
            facts is spec or route not in _ANSWER_WITHOUT_BROWSER
        ):
            socket.respond(refusal_response(facts))
            return
        known: BrowserFacts = {} if isinstance(facts, HttpRefusal) else facts
        own = grant is not None and not grant.owner
        tools = self._active_tool_owners()
        slot = self.slots.status(tools) if own else self.slots.anonymous_status(tools)
        socket.respond(
            json_response(page_body(route, known, slot, self._auth.websocket_url(request)))
        )

    async def _serve_client(self, socket: RelaySocket, request: Request) -> None:
        token = self._auth.read_token(request)
        grant = self._auth.find_grant(token)
        name = f"c{secrets.token_hex(4)}"
        spec = (
            parse_client_spec(name, request.query_fields(), self._defaults, grant)
            if grant
            else _REVOKED
        )
        if isinstance(spec, HttpRefusal):
            socket.respond(refusal_response(spec))
            return
        self._drop_dead_clients()
        now = asyncio.get_running_loop().time()
        busy = TOOLS_BUSY if self._is_held(spec) else None
        busy = busy or self.slots.take(spec.id, spec.label, now, datetime.now(UTC).isoformat())
        if busy is not None:
            socket.respond(refusal_response(busy))
            return
        self._clients[spec.id] = socket
        try:
            handler = await self._join(spec, socket)
        except BaseException:
            self._forget_client(spec.id)
            raise
        if not isinstance(handler, HttpRefusal) and self._auth.find_grant(token) != grant:
            handler.on_disconnect("its token was revoked")
            handler = _REVOKED
        if isinstance(handler, HttpRefusal):
            self._forget_client(spec.id)
            socket.respond(refusal_response(handler))
            return
        _log.info(
            "client %s joined: %r on %s, token %s",
            *(spec.id, spec.label, spec.browser, spec.grant.id),
        )
        answer = switching_response(request, self._auth.choose_subprotocol(request))
        socket.on_end = lambda: self._forget_client(spec.id)
        self._tokens[spec.id] = token
        socket.upgrade(answer, handler)

    def _is_held(self, spec: ClientSpec) -> bool:
        """Return whether another owner's tools hold the only slot."""
        single = self.slots.mode == "single-active" and spec.browser == "extension"
        return single and any(owner != spec.owner for owner in self._active_tool_owners())

    def _drop_dead_clients(self) -> None:
        """Disconnect the holder of the only slot if it is dead."""
        for client_id, socket in self._clients.items():
            self.slots.mark_seen(client_id, socket.last_received_at)
        for client_id in self.slots.dead_clients(asyncio.get_running_loop().time()):
            self._clients[client_id].close_now(SLOT_LOST, "it was silent for too long")
            self._forget_client(client_id)

    def _forget_client(self, client_id: str) -> None:
        self.slots.leave(client_id)
        self._tokens.pop(client_id, None)
        if self._clients.pop(client_id, None) is not None:
            _log.info("client %s disconnected", client_id)

    # Extensions.

    def _start_handshake(self, socket: RelaySocket, request: Request) -> None:
        challenge = PairingChallenge(self.port, self._id)
        hello_s = self._limits.hello_s
        handshake = ExtensionHandshake(
            socket, challenge, self._pairings, self.codes, self._accept_extension, hello_s
        )
        handshake.begin(switching_response(request))

    def _accept_extension(self, hello: Hello, socket: RelaySocket) -> MessageHandler | HttpRefusal:
        """Accept a proven extension.

        It replaces a connected one of the same install and profile: that is how an extension
        reconnects before its old connection has timed out.
        """
        key = (hello.install, hello.profile)
        former = self._extensions.pop(key, None)
        if former is not None:
            former.close_now(REPLACED, "the same extension connected again")
        handler = self._extension(hello, socket)
        if not isinstance(handler, HttpRefusal):
            self._extensions[key] = socket
            socket.on_end = lambda: self._on_extension_closed(key, socket)
            _log.info("extension %s connected", hello.version)
        return handler

    def disconnect_install(self, install: str) -> int:
        """Disconnect an unpaired install in all profiles. Returns how many there were."""
        found = [key for key in self._extensions if key[0] == install]
        for key in found:
            self._extensions.pop(key).close_now(NOT_PAIRED, "this extension was unpaired")
        return len(found)

    def _on_extension_closed(self, key: tuple[str, str], socket: RelaySocket) -> None:
        if self._extensions.get(key) is socket:
            del self._extensions[key]

    # Upkeep.

    def _new_socket(self) -> RelaySocket:
        return RelaySocket(self, self._limits)

    def _run_request(self, socket: RelaySocket, work: Coroutine[Any, Any, None], name: str) -> None:
        async def run() -> None:
            try:
                await work
            except PilothouseError as error:
                socket.respond(refusal_response(HttpRefusal(503, error.message, error.hint)))
            finally:
                # A failure is in the log; this ends the connection if nothing was sent yet.
                socket.respond(
                    refusal_response(HttpRefusal(500, "internal error; see pilothouse daemon logs"))
                )

        self._tasks.start(run(), name)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._limits.sweep_s)
            self.check_tokens()
            for socket in list(self._sockets):
                socket.check_health()
