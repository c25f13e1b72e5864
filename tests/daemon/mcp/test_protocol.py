"""The phases of a session and the shape of requests and results; pure."""

from __future__ import annotations

from typing import Any, get_args

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.daemon.mcp.initialize import HANDSHAKE_VERSIONS
from pilothouse.daemon.mcp.json_rpc_lines import LineRequest
from pilothouse.daemon.mcp.protocol import (
    ENVELOPE_VERSIONS,
    LOG_LEVELS,
    McpRefusal,
    Phase,
    parse_request,
    phase_after_notification,
    phase_after_request,
    shape_result,
)
from tests.daemon.mcp_stdio_messages import ENVELOPE, INFO

GREETING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}
REQUESTS = {
    "greeting": LineRequest(1, "initialize", GREETING),
    "wrong greeting": LineRequest(1, "initialize", {}),
    "plain": LineRequest(1, "tools/list", {}),
    "enveloped": LineRequest(1, "tools/list", {"_meta": ENVELOPE}),
}


def after(phase: Phase, request: str) -> Phase | int:
    """The phase after a request, or the code with which it is refused."""
    try:
        return phase_after_request(phase, REQUESTS[request])
    except McpRefusal as refusal:
        return refusal.code


@pytest.mark.parametrize(
    ("phase", "phases"),
    [
        (Phase.OPENING, [Phase.GREETED, Phase.UNGREETED, Phase.UNGREETED, Phase.ENVELOPE]),
        (Phase.UNGREETED, [Phase.GREETED, Phase.UNGREETED, Phase.UNGREETED, -32600]),
        (Phase.GREETED, [Phase.GREETED, Phase.GREETED, Phase.GREETED, -32600]),
        (Phase.ENVELOPE, [-32022, -32022, Phase.ENVELOPE, Phase.ENVELOPE]),
    ],
)
def test_each_request_leads_from_each_phase_to_one_other(
    phase: Phase, phases: list[Phase | int]
) -> None:
    assert [after(phase, request) for request in REQUESTS] == phases


@given(st.lists(st.sampled_from(list(REQUESTS))))
def test_the_first_request_decides_the_form_of_a_session_for_good(requests: list[str]) -> None:
    phase, forms = Phase.OPENING, set()
    for request in requests:
        found = after(phase, request)
        phase = found if isinstance(found, Phase) else phase
        forms.add(phase is Phase.ENVELOPE)
    assert len(forms) <= 1
    assert (Phase.OPENING is phase) == (not requests)


def test_a_client_may_send_only_the_end_of_a_handshake() -> None:
    told = "notifications/initialized"
    assert phase_after_notification(Phase.UNGREETED, told) is Phase.GREETED
    assert phase_after_notification(Phase.ENVELOPE, told) is Phase.ENVELOPE
    assert phase_after_notification(Phase.OPENING, "notifications/cancelled") is Phase.OPENING


def test_versions_and_levels_are_those_of_the_sdk() -> None:
    assert types.version.HANDSHAKE_PROTOCOL_VERSIONS == HANDSHAKE_VERSIONS
    assert types.version.MODERN_PROTOCOL_VERSIONS == ENVELOPE_VERSIONS
    assert set(LOG_LEVELS) == set(get_args(types.LoggingLevel))


def test_what_comes_with_a_request_of_the_newer_form_is_read() -> None:
    meta = {**ENVELOPE, "progressToken": 7, "io.modelcontextprotocol/logLevel": "info"}
    request = parse_request(
        Phase.ENVELOPE, LineRequest(1, "tools/call", {"name": "x", "_meta": meta})
    )
    assert request.params.name == "x"
    assert (request.progress_token, request.log_level, request.client_name) == (7, "info", "t")
    assert request.capabilities is not None


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        (None, -32602),
        ({}, -32602),
        ({**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}, -32022),
        ({**ENVELOPE, "io.modelcontextprotocol/protocolVersion": 7}, -32602),
        ({**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": 7}, -32602),
    ],
)
def test_a_wrong_envelope_is_refused(meta: Any, code: int) -> None:
    with pytest.raises(McpRefusal) as refused:
        parse_request(Phase.ENVELOPE, LineRequest(1, "tools/list", {"_meta": meta}))
    assert refused.value.code == code


def test_results_have_more_fields_in_the_newer_form() -> None:
    result = {"tools": [], "_meta": {"a": 1}}
    assert shape_result(Phase.GREETED, "tools/list", result) is result
    shaped = shape_result(Phase.ENVELOPE, "tools/list", result)
    assert shaped["cacheScope"] == "private"
    assert shaped["resultType"] == "complete"
    assert shaped["_meta"]["a"] == 1
    assert shaped["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "pilothouse"
    assert "ttlMs" not in shape_result(Phase.ENVELOPE, "tools/call", {"content": []})
