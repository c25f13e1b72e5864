"""The relay's port: every request is judged at the door, then answered, or made a line.

    /cdp        -> `join` with what the client asked for; refused by HTTP, or let in
    /extension  -> challenge, hello, welcome; only then `extension` hears of it
    the rest    -> what `facts` knows, as JSON

Knows: routes, slots, which line belongs to whom. Must not know: CDP, the hub, the daemon. What goes
wrong with one connection ends that one. Nothing it logs or says holds a secret.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pilothouse.errors import PilothouseError
from pilothouse.relay.interfaces import ClientSpec, Guest, Hello, Line, Refused
from pilothouse.relay.server.auth import ROUTES, Door, route_of
from pilothouse.relay.server.bind import DEFAULT_PORT, listen
from pilothouse.relay.server.client_options import client_spec
from pilothouse.relay.server.handshake import Greeter
from pilothouse.relay.server.http import Request, json_answer, refusal_answer, switching_answer
from pilothouse.relay.server.pairing import NOT_PAIRED, Codes, Greeting
from pilothouse.relay.server.pairing_store import Pairings
from pilothouse.relay.server.slots import TOOLS_AT_WORK, ClientMode, Slots
from pilothouse.relay.server.status import Facts, page
from pilothouse.relay.server.websocket import Patience, Socket
from pilothouse.tasks import Tasks

__all__ = ["Extension", "FactsOf", "Join", "RelayServer"]

_log = logging.getLogger(__name__)

Join = Callable[[ClientSpec, Line], Awaitable[Guest | Refused]]
Extension = Callable[[Hello, Line], Guest | Refused]
FactsOf = Callable[[ClientSpec], Awaitable[Facts | Refused]]

# Whoever lends a browser is told RELAY_ENDS, and lets go of all tabs at once.
GOING_AWAY, REPLACED, SLOT_LOST, TOKEN_REVOKED, RELAY_ENDS = 1001, 4001, 4002, 4003, 4004
USUAL_PATIENCE = Patience()
_NOTHING: Mapping[str, str] = {}
_REVOKED = Refused(401, "the token was revoked", hint="pilothouse relay token create makes another")

# These know something to say even if no browser is there.
_ALWAYS = ("/", "/client-slot", "/extension/status")


class RelayServer:
    """The one server of a relay. `join`, `extension` and `facts` may raise PilothouseError."""

    def __init__(
        self,
        door: Door,
        join: Join,
        extension: Extension,
        facts: FactsOf,
        *,
        pairings: Pairings,
        mode: ClientMode = "multi-client",
        usual: Mapping[str, str] = _NOTHING,
        patience: Patience = USUAL_PATIENCE,
        tools: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        # What a client gets that does not say which browser it means, or how it is attached.
        self._usual = usual
        # Owners whose tools are at work in the user's Chrome: they hold the only slot, too.
        self._tools = tools
        self.slots = Slots(mode, patience.dead_s)
        self.codes = Codes()
        self.port = 0
        self._id = secrets.token_hex(8)
        self._door = door
        self._join = join
        self._extension = extension
        self._facts = facts
        self._pairings = pairings
        self._patience = patience
        self._sockets: set[Socket] = set()
        # By client id; by install and profile.
        self._clients: dict[str, Socket] = {}
        self._tokens: dict[str, str] = {}
        self._lenders: dict[tuple[str, str], Socket] = {}
        self._tasks = Tasks()
        self._server: asyncio.Server | None = None
        self._closing = False
        self._fewer = asyncio.Event()

    async def start(self, host: str = "127.0.0.1", port: int = DEFAULT_PORT) -> None:
        """Listen, on this machine alone; port 0 picks a free one. Raises PilothouseError."""
        sock = await asyncio.to_thread(listen, host, port)
        self.port = sock.getsockname()[1]
        self._server = await asyncio.get_running_loop().create_server(self._new_socket, sock=sock)
        self._tasks.start(self._sweep(), "relay: sweep")

    async def close(self) -> None:
        """Listen no more and hang up on everybody, with a word."""
        self._closing = True
        if self._server is not None:
            self._server.close()
        await self._tasks.close()
        lenders = set(self._lenders.values())
        for one in list(self._sockets):
            one.hang_up(RELAY_ENDS if one in lenders else GOING_AWAY, "the relay ends")
        # Whoever does not hang up in turn is hung up on, soon.
        while self._sockets:
            self._fewer.clear()
            await self._fewer.wait()

    def pairing_code(self) -> str:
        """A code to be typed into an extension, good for two minutes."""
        return self.codes.make(asyncio.get_running_loop().time())

    def check_tokens(self) -> int:
        """Hang up on clients whose token is good no more; how many there were."""
        ended = [name for name, token in self._tokens.items() if self._door.grant(token) is None]
        for client_id in ended:
            _log.info("client %s is hung up on: its token was revoked", client_id)
            self._clients[client_id].part(TOKEN_REVOKED, "its token was revoked")
            self._left(client_id)
        return len(ended)

    def extensions(self) -> list[tuple[str, str]]:
        """Who lends a browser at present: install and profile."""
        return list(self._lenders)

    # What sockets tell.

    def on_opened(self, socket: Socket) -> None:
        """Somebody is there."""
        self._sockets.add(socket)
        if self._closing:
            socket.hang_up(GOING_AWAY, "the relay ends")

    def on_request(self, socket: Socket, request: Request) -> None:
        """Judge it, and see to it."""
        refused = self._door.refusal(request, self.port)
        if refused is not None:
            # A path that is unknown may be anything, even the token.
            where = route_of(request.path) or "elsewhere"
            _log.info("refused %s %s: %s", request.method, where, refused.words)
            socket.answer(refusal_answer(refused))
            return
        route = route_of(request.path)
        match ROUTES[route]:
            case "page":
                self._see_to(socket, self._page(socket, request, route), f"relay: {route}")
            case "client":
                self._see_to(socket, self._client(socket, request), "relay: a client joins")
            case "extension":
                self._greet(socket, request)

    def on_closed(self, socket: Socket) -> None:
        """A connection is no more."""
        self._sockets.discard(socket)
        self._fewer.set()

    # Pages and clients.

    async def _page(self, socket: Socket, request: Request, route: str) -> None:
        grant = self._door.grant(self._door.token(request))
        spec = client_spec("", request.fields(), self._usual, grant) if grant else _REVOKED
        facts = spec if isinstance(spec, Refused) else await self._facts(spec)
        if isinstance(facts, Refused) and (facts is spec or route not in _ALWAYS):
            socket.answer(refusal_answer(facts))
            return
        known: Facts = {} if isinstance(facts, Refused) else facts
        own = grant is not None and not grant.owner
        tools = self._tools()
        slot = self.slots.facts(tools) if own else self.slots.facts_for_others(tools)
        socket.answer(json_answer(page(route, known, slot, self._door.address(request))))

    async def _client(self, socket: Socket, request: Request) -> None:
        token = self._door.token(request)
        grant = self._door.grant(token)
        name = f"c{secrets.token_hex(4)}"
        spec = client_spec(name, request.fields(), self._usual, grant) if grant else _REVOKED
        if isinstance(spec, Refused):
            socket.answer(refusal_answer(spec))
            return
        self._free_slot()
        now = asyncio.get_running_loop().time()
        busy = TOOLS_AT_WORK if self._is_held(spec) else None
        busy = busy or self.slots.take(spec.id, spec.label, now, datetime.now(UTC).isoformat())
        if busy is not None:
            socket.answer(refusal_answer(busy))
            return
        self._clients[spec.id] = socket
        try:
            guest = await self._join(spec, socket)
        except BaseException:
            self._left(spec.id)
            raise
        if not isinstance(guest, Refused) and self._door.grant(token) != grant:
            guest.on_gone("its token was revoked")
            guest = _REVOKED
        if isinstance(guest, Refused):
            self._left(spec.id)
            socket.answer(refusal_answer(guest))
            return
        _log.info(
            "client %s joined: %r on %s, token %s",
            *(spec.id, spec.label, spec.browser, spec.grant.id),
        )
        answer = switching_answer(request, self._door.protocol(request))
        socket.at_end = lambda: self._left(spec.id)
        self._tokens[spec.id] = token
        socket.upgrade(answer, guest)

    def _is_held(self, spec: ClientSpec) -> bool:
        """Whether tools of somebody else hold the only slot."""
        single = self.slots.mode == "single-active" and spec.browser == "extension"
        return single and any(owner != spec.owner for owner in self._tools())

    def _free_slot(self) -> None:
        """Hang up on whoever holds the only slot and is dead."""
        for client_id, socket in self._clients.items():
            self.slots.seen(client_id, socket.heard_at)
        for client_id in self.slots.dead(asyncio.get_running_loop().time()):
            self._clients[client_id].part(SLOT_LOST, "it was silent for too long")
            self._left(client_id)

    def _left(self, client_id: str) -> None:
        self.slots.leave(client_id)
        self._tokens.pop(client_id, None)
        if self._clients.pop(client_id, None) is not None:
            _log.info("client %s is gone", client_id)

    # Extensions.

    def _greet(self, socket: Socket, request: Request) -> None:
        greeting = Greeting(self.port, self._id)
        hello_s = self._patience.hello_s
        greeter = Greeter(socket, greeting, self._pairings, self.codes, self._lend, hello_s)
        greeter.begin(switching_answer(request))

    def _lend(self, hello: Hello, socket: Socket) -> Guest | Refused:
        """An extension has proven who it is. It takes the place of one that says it is the same:
        that is how one comes back whose old line nobody has missed yet."""
        key = (hello.install, hello.profile)
        former = self._lenders.pop(key, None)
        if former is not None:
            former.part(REPLACED, "the same extension came anew")
        guest = self._extension(hello, socket)
        if not isinstance(guest, Refused):
            self._lenders[key] = socket
            socket.at_end = lambda: self._returned(key, socket)
            _log.info("extension %s lends its browser", hello.version)
        return guest

    def unpaired(self, install: str) -> int:
        """Hang up on an install that is not paired any more, in all profiles; how many."""
        found = [key for key in self._lenders if key[0] == install]
        for key in found:
            self._lenders.pop(key).part(NOT_PAIRED, "this extension was unpaired")
        return len(found)

    def _returned(self, key: tuple[str, str], socket: Socket) -> None:
        if self._lenders.get(key) is socket:
            del self._lenders[key]

    # Upkeep.

    def _new_socket(self) -> Socket:
        return Socket(self, self._patience)

    def _see_to(self, socket: Socket, work: Coroutine[Any, Any, None], name: str) -> None:
        async def seen_to() -> None:
            try:
                await work
            except PilothouseError as error:
                socket.answer(refusal_answer(Refused(503, error.message, error.hint)))
            finally:
                # Whoever is not answered yet does not wait for what is in the log.
                socket.answer(refusal_answer(Refused(500, "the relay failed")))

        self._tasks.start(seen_to(), name)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(self._patience.sweep_s)
            self.check_tokens()
            for socket in list(self._sockets):
                socket.sweep()
