"""How an MCP client is greeted. test_stdio_session_beside_sdk.py compares it with the SDK."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.daemon.mcp.initialize import (
    HANDSHAKE_VERSIONS,
    initialize_problem,
    initialize_result,
)

ASKED: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_a_known_version_is_spoken(version: str) -> None:
    assert initialize_result(version)["protocolVersion"] == version


@pytest.mark.parametrize("version", ["1999-01-01", "", None, 5])
def test_an_unknown_version_is_answered_with_the_newest(version: Any) -> None:
    assert initialize_result(version)["protocolVersion"] == HANDSHAKE_VERSIONS[-1]


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "1999-01-01"])
def test_a_greeting_in_any_version_is_fine(version: str) -> None:
    assert initialize_problem({**ASKED, "protocolVersion": version}) == ""


@pytest.mark.parametrize(
    ("odd", "problem"),
    [
        ({"protocolVersion": 7}, "params.protocolVersion: expected a string, such as 2025-11-25"),
        ({"capabilities": None}, "params.capabilities: expected an object"),
        ({"clientInfo": "t"}, "params.clientInfo: expected an object"),
        ({"clientInfo": {"name": "t"}}, "params.clientInfo.version: expected a string"),
        ({"_meta": 7}, "params._meta: expected an object"),
        (
            {"_meta": {"progressToken": []}},
            "params._meta.progressToken: expected a string or an integer",
        ),
    ],
)
def test_what_is_wrong_with_a_greeting_is_named(odd: dict[str, Any], problem: str) -> None:
    assert initialize_problem({**ASKED, **odd}) == problem
    assert initialize_problem(None) == "params: expected an object"
