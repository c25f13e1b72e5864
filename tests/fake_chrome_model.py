"""What the fake Chrome believes: targets, sessions, and which messages it refuses.

Knows: the envelope rules of a real Chromium, the method list, a small model of targets.
Must not know: sockets, time, scripts. A message goes in, messages come out.

It refuses as Chromium does, with one wilful exception: unknown params, which Chromium drops in
silence, are an error here, because a test should see our typing mistakes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Client", "FakeError", "Message", "Model", "Request", "Target"]

Message = dict[str, Any]

METHODS = Path(__file__).parent / "protocol_methods.json"

# What the browser's own session understands; everything else needs a target.
BROWSER_DOMAINS = {
    "Browser",
    "Fetch",
    "IO",
    "Security",
    "Storage",
    "SystemInfo",
    "Target",
    "Tracing",
}

JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    "any": object,
    "array": list,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "object": dict,
    "string": str,
}

CONTEXT_ID = "C0" * 16


class FakeError(Exception):
    """An error answer; a scripted answer may raise it too."""

    def __init__(self, code: int, message: str, *, id: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id
        self.session_id = ""

    def body(self) -> Message:
        """The `error` member of the reply."""
        return {"code": self.code, "message": self.message}

    def reply(self) -> Message:
        """The whole answer to a message that did not pass the door."""
        number = {} if self.id is None else {"id": self.id}
        session = {"sessionId": self.session_id} if self.session_id else {}
        return {**number, "error": self.body(), **session}


@dataclass(frozen=True, slots=True)
class Request:
    """One command that passed the door."""

    id: int
    method: str
    params: dict[str, Any]
    session_id: str

    def reply(self, member: str, body: Message) -> Message:
        """The answer, as `result` or `error`."""
        session = {"sessionId": self.session_id} if self.session_id else {}
        return {"id": self.id, member: body, **session}


@dataclass(slots=True)
class Target:
    """A page or frame."""

    id: str
    type: str = "page"
    url: str = "about:blank"
    crashed: bool = False


@dataclass(slots=True)
class Client:
    """What one connection has asked for and holds."""

    sessions: dict[str, str] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    auto_attach: bool = False
    waits: bool = False
    discover: bool = False
    outbox: list[Message] = field(default_factory=list)

    def event(self, method: str, params: Message, session_id: str = "") -> None:
        """Say something unasked."""
        session = {"sessionId": session_id} if session_id else {}
        self.outbox.append({"method": method, "params": params, **session})


@cache
def known() -> tuple[dict[str, Any], frozenset[str]]:
    """All commands with their params, and all events, of the schema we were generated from."""
    listed = json.loads(METHODS.read_text())
    return listed["commands"], frozenset(listed["events"])


class Model:
    """The browser: shared by all clients."""

    def __init__(self) -> None:
        self.targets: dict[str, Target] = {}
        self.clients: list[Client] = []
        self._made = 0
        self.add_target()

    def new_id(self, kind: str) -> str:
        """An id never given before, of the look Chromium's have."""
        self._made += 1
        return f"{kind}{self._made:031X}"

    def add_target(self, type: str = "page", url: str = "about:blank") -> Target:
        """Open a target; clients that asked hear of it and are attached."""
        target = Target(self.new_id("F"), type, url)
        self.targets[target.id] = target
        for client in self.clients:
            if client.discover:
                client.event("Target.targetCreated", {"targetInfo": self.info(target)})
            if client.auto_attach:
                self.attach(client, target, waiting=client.waits)
        return target

    def attach(
        self, client: Client, target: Target, parent: str = "", *, waiting: bool = False
    ) -> str:
        """Start a session; its event is out before anything else learns the id."""
        session_id = self.new_id("5")
        first = not self._attached(target)
        client.sessions[session_id] = target.id
        client.parents[session_id] = parent
        if first:
            self._tell_changed(target)
        client.event(
            "Target.attachedToTarget",
            {
                "sessionId": session_id,
                "targetInfo": self.info(target),
                "waitingForDebugger": waiting,
            },
            parent,
        )
        return session_id

    def detach(self, client: Client, session_id: str) -> None:
        """End a session. Its children end without a word, as they do in Chromium."""
        family = [session_id]
        for member in family:
            family += [child for child, parent in client.parents.items() if parent == member]
        target_id = client.sessions[session_id]
        params = {"sessionId": session_id, "targetId": target_id}
        parent = client.parents[session_id]
        for member in family:
            del client.sessions[member], client.parents[member]
        if target_id in self.targets and not self._attached(self.targets[target_id]):
            self._tell_changed(self.targets[target_id])
        client.event("Target.detachedFromTarget", params, parent)

    def close_target(self, target: Target) -> None:
        """The target goes; its sessions with it."""
        for client in self.clients:
            for session_id, target_id in list(client.sessions.items()):
                if target_id == target.id and session_id in client.sessions:
                    reason = {"reason": "Render process gone."}
                    client.event("Inspector.detached", reason, session_id)
                    self.detach(client, session_id)
        self.targets.pop(target.id, None)
        for client in self.clients:
            if client.discover:
                client.event("Target.targetDestroyed", {"targetId": target.id})

    def crash(self, target: Target) -> None:
        """The renderer dies: the sessions stay, and answer nothing any more."""
        target.crashed = True
        for client in self.clients:
            for session_id, target_id in client.sessions.items():
                if target_id == target.id:
                    client.event("Inspector.targetCrashed", {}, session_id)
            if client.discover:
                params = {"targetId": target.id, "status": "crashed", "errorCode": 5}
                client.event("Target.targetCrashed", params)

    def info(self, target: Target) -> Message:
        """A TargetInfo."""
        return {
            "targetId": target.id,
            "type": target.type,
            "title": target.url,
            "url": target.url,
            "attached": self._attached(target),
            "canAccessOpener": False,
            "browserContextId": CONTEXT_ID,
        }

    def _attached(self, target: Target) -> bool:
        return any(target.id in client.sessions.values() for client in self.clients)

    def _tell_changed(self, target: Target) -> None:
        for client in self.clients:
            if client.discover:
                client.event("Target.targetInfoChanged", {"targetInfo": self.info(target)})

    # The door.

    def read(self, client: Client, text: str) -> Request:
        """The command in a message. Raises FakeError as Chromium would answer."""
        try:
            message = json.loads(text, object_pairs_hook=_unique)
        except ValueError as error:
            raise FakeError(-32700, f"JSON: {error}") from None
        if not isinstance(message, dict):
            raise FakeError(-32600, "Message must be an object")
        number = message.get("id")
        if type(number) is not int or not -(2**31) <= number < 2**31:
            raise FakeError(-32600, "Message must have integer 'id' property")
        for complaint in _shape_complaints(message):
            raise FakeError(-32600, complaint, id=number)
        session_id = message.get("sessionId", "")
        if session_id and session_id not in client.sessions:
            raise FakeError(-32001, "Session with given id not found.", id=number)
        try:
            params = _check(message["method"], message.get("params"), root=not session_id)
        except FakeError as error:
            error.id, error.session_id = number, session_id
            raise
        return Request(number, message["method"], params, session_id)

    # The few commands that mean something here.

    def perform(self, client: Client, request: Request) -> Message:
        """The result of a command; most have none. Raises FakeError."""
        params = request.params
        match request.method:
            case "Target.getTargets":
                return {"targetInfos": [self.info(t) for t in self.targets.values()]}
            case "Target.getTargetInfo":
                return {"targetInfo": self.info(self._target(params, client, request))}
            case "Target.createTarget":
                return {"targetId": self.add_target(url=params["url"]).id}
            case "Target.attachToTarget":
                target = self._target(params, client, request)
                return {"sessionId": self.attach(client, target, request.session_id)}
            case "Target.detachFromTarget":
                if "sessionId" not in params:
                    raise FakeError(-32602, "Session id must be specified")
                if params["sessionId"] not in client.sessions:
                    raise FakeError(-32602, "No session with given id")
                self.detach(client, params["sessionId"])
            case "Target.closeTarget":
                # The deed follows the reply: see `after`.
                self._target(params, client, request)
                return {"success": True}
            case "Target.activateTarget":
                self._target(params, client, request)
            case "Target.setDiscoverTargets":
                self._discover(client, params["discover"])
            case "Target.setAutoAttach" if not request.session_id:
                self._auto_attach(client, params)
            case "Browser.getVersion":
                return {"protocolVersion": "1.3", "product": "Chrome/0.0.0.0", "revision": "@0"}
            case "Runtime.evaluate":
                return {"result": {"type": "undefined"}}
        return {}

    def after(self, request: Request) -> None:
        """What Chromium does once the reply is out."""
        match request.method:
            case "Target.closeTarget":
                if target := self.targets.get(request.params["targetId"]):
                    self.close_target(target)

    def _target(self, params: Message, client: Client, request: Request) -> Target:
        target_id = params.get("targetId") or client.sessions.get(request.session_id, "")
        if target_id not in self.targets:
            raise FakeError(-32602, "No target with given id found")
        return self.targets[target_id]

    def _discover(self, client: Client, discover: bool) -> None:
        if discover and not client.discover:
            for target in self.targets.values():
                client.event("Target.targetCreated", {"targetInfo": self.info(target)})
        client.discover = discover

    def _auto_attach(self, client: Client, params: Message) -> None:
        if not params.get("flatten"):
            raise FakeError(
                -32602, "Only flatten protocol is supported with browser level auto-attach"
            )
        starts = params["autoAttach"] and not client.auto_attach
        client.auto_attach = params["autoAttach"]
        client.waits = params["waitForDebuggerOnStart"]
        if starts:
            for target in list(self.targets.values()):
                self.attach(client, target)


def _shape_complaints(message: Message) -> Iterator[str]:
    method = message.get("method")
    if not isinstance(method, str) or not method:
        yield "Message must have string 'method' property"
    if not isinstance(message.get("sessionId", ""), str):
        yield "Message may have string 'sessionId' property"
    if not isinstance(message.get("params"), dict | list | None):
        yield "Message may have object 'params' property"
    if set(message) - {"id", "method", "params", "sessionId"}:
        yield "Message has property other than 'id', 'method', 'sessionId', 'params'"


def _check(method: str, params: Any, *, root: bool) -> Message:
    commands, _ = known()
    if method not in commands or (root and method.partition(".")[0] not in BROWSER_DOMAINS):
        raise FakeError(-32601, f"'{method}' wasn't found")
    required, optional = commands[method]["required"], commands[method]["optional"]
    types: dict[str, str] = required | optional
    if isinstance(params, list):
        if types:
            raise FakeError(-32602, "Invalid parameters")
        return {}
    given: Message = params or {}
    for name in required:
        if name not in given:
            raise FakeError(-32602, f"Invalid parameters: {name} is missing")
    for name, value in given.items():
        if name not in types:
            raise FakeError(-32602, f"{method} has no parameter {name}")
        right = isinstance(value, JSON_TYPES[types[name]])
        if not right or (isinstance(value, bool) and types[name] in ("integer", "number")):
            raise FakeError(-32602, f"Invalid parameters: {name} must be of type {types[name]}")
    return given


def _unique(pairs: list[tuple[str, Any]]) -> Message:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("duplicate map key")
    return found
