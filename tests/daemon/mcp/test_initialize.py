"""How an MCP client is greeted; that the SDK says the same is in test_mcp_early.py."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.daemon.mcp.initialize import (
    FULL_RESULT_VERSIONS,
    HANDSHAKE_VERSIONS,
    can_answer_initialize,
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


@pytest.mark.parametrize("version", FULL_RESULT_VERSIONS)
def test_a_plain_greeting_can_be_answered_at_once(version: str) -> None:
    assert can_answer_initialize({**ASKED, "protocolVersion": version})


@pytest.mark.parametrize(
    "odd",
    [
        {"protocolVersion": "2024-11-05"},
        {"capabilities": None},
        {"clientInfo": {"name": "t"}},
        {"clientInfo": "t"},
        {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-01-01"}},
    ],
)
def test_an_odd_one_is_left_to_the_sdk(odd: dict[str, Any]) -> None:
    assert not can_answer_initialize({**ASKED, **odd})
    assert not can_answer_initialize(None)
