"""Translate between ids that a client learned before there was a debugger and the browser's ids.

    client --outbound--> browser      context 2**30 -> 7     script "1" -> "4"
    client <--inbound--- browser      context 2**30 <- 7     loader ours <- Chrome's

Knows: where such ids occur in commands, results and events. Must not know: how a session came to
them, or how messages travel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pilothouse.relay.lazy.execution_contexts import (
    FIRST_CONTEXT_ID,
    UNIQUE_ID_PREFIX,
    LazyContexts,
)
from pilothouse.relay.lazy.setup_commands import ADD_SCRIPT, CREATE_WORLD, REMOVE_SCRIPT

__all__ = ["CommandFailure", "Event", "IdMap"]

Params = Mapping[str, Any]
Event = tuple[str, Params]

_EXECUTION = "executionContextId"


@dataclass(frozen=True, slots=True)
class CommandFailure:
    """A command that must not be sent, and the error for the client."""

    message: str
    code: int = -32000


NO_CONTEXT = CommandFailure("Cannot find context with specified id")
NO_UNIQUE = CommandFailure("invalid uniqueContextId", -32602)


class IdMap:
    """Both ids of everything that a session made up and the client may still use."""

    def __init__(self, session: str, frame: str) -> None:
        self.contexts = LazyContexts(session)
        # The main frame id for the client and for the browser. They differ in a tab that was
        # prerendered.
        self.frame = frame
        self.real_frame = frame
        # The loader id the client knows, and the browser's; "" once that document is gone.
        self.loader = ""
        self.real_loader = ""
        # Lifecycle events that the client got before the browser sent them.
        self.sent_lifecycle: set[str] = set()
        self._scripts: dict[str, str] = {}
        self._more_scripts = 0

    @property
    def is_identity(self) -> bool:
        """Return whether no id differs any more."""
        renamed = self.contexts or self.real_loader or self._scripts
        return not renamed and self.frame == self.real_frame

    def map_script(self, placeholder: str, real: str) -> None:
        """Map a made-up script identifier to the browser's."""
        if placeholder != real:
            self._scripts[placeholder] = real

    def mark_contexts_unannounced(self) -> None:
        """Mark all contexts as not announced: `Runtime.disable` was sent, and the next enable
        announces them again."""
        for context in self.contexts:
            context.announced = False

    def forget_real_ids(self) -> None:
        """Forget the real ids: the session they came from is gone."""
        self.real_frame, self.real_loader = self.frame, ""
        self._scripts.clear()
        for context in self.contexts:
            context.real, context.real_unique = None, ""

    def forget_document(self) -> None:
        """Forget the ids of the main frame's previous document."""
        self.contexts.clear()
        self.real_loader = ""
        self.sent_lifecycle.clear()

    # Client to browser.

    def outbound(self, method: str, params: Params) -> Params | CommandFailure:
        """Return a command's params with the browser's ids."""
        if method == "Runtime.disable":
            self.mark_contexts_unannounced()
        elif method == "Page.setLifecycleEventsEnabled":
            self.sent_lifecycle.clear()
        elif method == REMOVE_SCRIPT:
            real = self._scripts.pop(str(params.get("identifier")), None)
            return params if real is None else {**params, "identifier": real}
        if self.frame != self.real_frame:
            params = _replace_id(params, self.frame, self.real_frame)
        changed: dict[str, Any] = {}
        for key in (_EXECUTION, "contextId"):
            number = params.get(key)
            if type(number) is int and number >= FIRST_CONTEXT_ID:
                known = self.contexts.by_id(number)
                if known is None or known.real is None:
                    return NO_CONTEXT
                changed[key] = known.real
        unique = params.get("uniqueContextId")
        if isinstance(unique, str) and unique.startswith(UNIQUE_ID_PREFIX):
            known = self.contexts.by_unique(unique)
            if known is None or not known.real_unique:
                return NO_UNIQUE
            changed["uniqueContextId"] = known.real_unique
        several = params.get("uniqueIds")
        if isinstance(several, list):
            changed["uniqueIds"] = list(filter(None, map(self._real_unique, several)))
        return {**params, **changed} if changed else params

    def _real_unique(self, unique: object) -> object:
        if not isinstance(unique, str) or not unique.startswith(UNIQUE_ID_PREFIX):
            return unique
        known = self.contexts.by_unique(unique)
        return known.real_unique if known is not None else ""

    # Browser to client.

    def inbound_result(self, method: str, result: Params) -> Params:
        """Return a result with the client's ids."""
        if self.frame != self.real_frame:
            result = _replace_id(result, self.real_frame, self.frame)
        if method == CREATE_WORLD:
            return self._map_execution_context(result)
        if method == ADD_SCRIPT:
            return self._map_new_script(result)
        tree = result.get("frameTree")
        if isinstance(tree, Mapping):
            frame = tree.get("frame", {})
            mapped = self._map_loader(frame)
            return result if mapped is frame else {"frameTree": {**tree, "frame": mapped}}
        return self._map_exception(result)

    def inbound(self, method: str, params: Params) -> list[Event]:
        """Return an event with the client's ids; none if the client had it already."""
        if self.frame != self.real_frame:
            params = _replace_id(params, self.real_frame, self.frame)
        match method:
            case "Runtime.executionContextCreated":
                created = self._on_context_created(params)
                return [] if created is None else [(method, created)]
            case "Runtime.executionContextDestroyed":
                return [(method, self._on_context_destroyed(params))]
            case "Runtime.executionContextsCleared":
                self.contexts.clear()
            case "Runtime.exceptionThrown":
                return [(method, self._map_exception(params))]
            case "Page.frameNavigated":
                frame = params.get("frame", {})
                if frame.get("id") == self.frame and frame.get("loaderId") != self.real_loader:
                    self.forget_document()
            case "Page.lifecycleEvent" if params.get("loaderId") == self.real_loader:
                if (
                    params.get("frameId") == self.frame
                    and params.get("name") in self.sent_lifecycle
                ):
                    return []
            case _:
                pass
        return [(method, self._map_loader(self._map_execution_context(params)))]

    def _on_context_created(self, params: Params) -> Params | None:
        described = params.get("context", {})
        real, about = described.get("id"), described.get("auxData") or {}
        context = self.contexts.by_real(real)
        if context is None and about.get("frameId") == self.frame:
            # The reply to createIsolatedWorld has bound a world already, unless the frame id
            # differs.
            default = bool(about.get("isDefault"))
            name = str(described.get("name", ""))
            context = self.contexts.main() if default else self.contexts.world(name)
        if context is None or context.real not in (None, real):
            return params
        self.contexts.bind(context, real, str(described.get("uniqueId", "")))
        if context.announced:
            return None
        context.announced = True
        return {"context": {**described, "id": context.id, "uniqueId": context.unique}}

    def _on_context_destroyed(self, params: Params) -> Params:
        context = self.contexts.by_real(params.get(_EXECUTION))
        if context is None:
            return params
        self.contexts.drop(context)
        mapped: dict[str, Any] = {_EXECUTION: context.id}
        if "executionContextUniqueId" in params:
            mapped["executionContextUniqueId"] = context.unique
        return {**params, **mapped}

    def _map_execution_context(self, params: Params) -> Params:
        context = self.contexts.by_real(params.get(_EXECUTION))
        return params if context is None else {**params, _EXECUTION: context.id}

    def _map_exception(self, params: Params) -> Params:
        details = params.get("exceptionDetails")
        if not isinstance(details, Mapping):
            return params
        mapped = self._map_execution_context(details)
        return params if mapped is details else {**params, "exceptionDetails": mapped}

    def _map_loader(self, params: Params) -> Params:
        if not self.real_loader or params.get("loaderId") != self.real_loader:
            return params
        return {**params, "loaderId": self.loader}

    def _map_new_script(self, result: Params) -> Params:
        real = str(result.get("identifier"))
        if real not in self._scripts:
            return result
        # The client knows another script by this identifier: make up a new one.
        self._more_scripts += 1
        placeholder = f"lazy-{self._more_scripts}"
        self._scripts[placeholder] = real
        return {**result, "identifier": placeholder}


def _replace_id(value: Any, old: str, new: str) -> Any:
    """Return a value with one id replaced by another, at any depth."""
    if isinstance(value, Mapping):
        return {key: _replace_id(one, old, new) for key, one in value.items()}
    if isinstance(value, list):
        return [_replace_id(one, old, new) for one in value]
    return new if value == old else value
