"""The conformance suite's tools that need more than one round: they ask the client for something,
and get it with the next call. The state in between is signed.

Knows: what the suite's scenarios ask. Must not know: what is asserted.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from pilothouse.daemon.mcp.sdk_server import COMPLETE

__all__ = ["ROUNDS", "asked_for", "rounds"]

_KEY = secrets.token_bytes(16)
PREFIX = "test_input_required_result_"


def asked_for(message: str, field: str, kind: str = "string") -> dict[str, Any]:
    """A form with one field."""
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": message, "requestedSchema": schema},
    }


def _sample(text: str, tokens: int) -> dict[str, Any]:
    said = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [said], "maxTokens": tokens}}


_ROOTS = {"method": "roots/list", "params": {}}
_NAME = asked_for("What is your name?", "name")
_OK = asked_for("Please confirm", "ok", "boolean")
# Each tool's rounds: what it asks for in each, and whether it gives the client its state to keep.
ROUNDS: dict[str, tuple[list[dict[str, Any]], bool]] = {
    f"{PREFIX}elicitation": ([{"user_name": _NAME}], False),
    f"{PREFIX}sampling": (
        [{"capital_question": _sample("What is the capital of France?", 100)}],
        False,
    ),
    f"{PREFIX}list_roots": ([{"client_roots": _ROOTS}], False),
    f"{PREFIX}request_state": ([{"confirm": _OK}], True),
    f"{PREFIX}tampered_state": ([{"confirm": _OK}], True),
    f"{PREFIX}multiple_inputs": (
        [
            {
                "user_name": _NAME,
                "greeting": _sample("Generate a greeting", 50),
                "client_roots": _ROOTS,
            }
        ],
        True,
    ),
    f"{PREFIX}multi_round": (
        [
            {"step1": asked_for("Step 1: What is your name?", "name")},
            {"step2": asked_for("Step 2: What is your favorite color?", "color")},
        ],
        True,
    ),
    f"{PREFIX}capabilities": ([{"user_name": _NAME, "greeting": _sample("Hello", 50)}], False),
}
_NEEDS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling"}


def rounds(
    name: str,
    params: types.InputResponseRequestParams,
    able: types.ClientCapabilities | None,
) -> dict[str, Any]:
    """The answer to a call of one of them: complete, or what is wanted next."""
    steps, signed = ROUNDS[name]
    at = _step(params.request_state) if signed and params.request_state is not None else 0
    given = params.input_responses or {}
    wanted = steps[at]
    if set(wanted) <= set(given):
        at += 1
        if at == len(steps):
            return _done(given)
        wanted = steps[at]
    asked = {key: one for key, one in wanted.items() if _can(able, one["method"])}
    answer: dict[str, Any] = {"resultType": "input_required", "inputRequests": asked}
    if signed:
        answer["requestState"] = _state(at)
    return answer


def _can(able: types.ClientCapabilities | None, method: str) -> bool:
    need = _NEEDS.get(method)
    return need is None or (able is not None and getattr(able, need) is not None)


def _done(given: Any) -> dict[str, Any]:
    said = {key: one.model_dump(mode="json", by_alias=True) for key, one in given.items()}
    return {"content": [{"type": "text", "text": f"state-ok Hello, {said}!"}], **COMPLETE}


def _state(at: int) -> str:
    word = str(at)
    return f"{word}.{hmac.new(_KEY, word.encode(), hashlib.sha256).hexdigest()}"


def _step(state: str) -> int:
    word, _, _ = state.partition(".")
    if not word.isdigit() or not hmac.compare_digest(_state(int(word)), state):
        raise MCPError(types.INVALID_PARAMS, "this state is not ours")
    return int(word)
