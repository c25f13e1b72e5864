"""What other servers are given is fill_variables in, and told to nobody."""

from __future__ import annotations

import pytest

from pilothouse.daemon.external_mcp_servers.secrets import (
    SECRETS,
    fill_variables,
    make_server_redactor,
)
from pilothouse.errors import PilothouseError
from pilothouse.tools.tool_config_file import McpServerConfig

KEPT = McpServerConfig(
    "shop",
    url="https://ann:pass-word@shop.example/mcp?api_key=query-secret&lang=en-GB-oxendict",
    env={"SHOP_TOKEN": "${TOKEN}", "PLACE": "harbour-town", "N": "1"},
    headers={"Authorization": "Bearer header-secret", "X-Trace": "yes"},
)
ENVIRON = {"TOKEN": "env-secret"}


def test_variables_are_filled_in() -> None:
    server = fill_variables(
        McpServerConfig("a", env={"A": "x${ONE}y${TWO}"}), {"ONE": "1", "TWO": "2"}
    )
    assert server.env == {"A": "x1y2"}
    assert fill_variables(McpServerConfig("a", headers={"H": "$ONE {ONE}"}), {}).headers == {
        "H": "$ONE {ONE}"
    }


def test_variable_that_nobody_set_is_named_with_its_field() -> None:
    with pytest.raises(PilothouseError, match=r"mcp_servers.shop.headers.Key: .* variable TOKEN"):
        fill_variables(McpServerConfig("shop", headers={"Key": "${TOKEN}"}), {})


def test_reasons_hold_nothing_that_was_given() -> None:
    said = (
        "env-secret harbour-town header-secret query-secret pass-word en-GB-oxendict Bearer 1 yes"
    )
    hush = make_server_redactor(KEPT, ENVIRON)
    assert hush.redact_text(said) == "*** *** *** *** *** *** Bearer 1 yes"
    assert hush.redact_text("Bearer header-secret") == "***"


def test_answers_lose_only_what_is_called_a_secret() -> None:
    hush = make_server_redactor(KEPT, ENVIRON, SECRETS)
    answer = {"content": [{"text": "env-secret at harbour-town"}], "data": "env%2Dsecret", "n": 1}
    assert hush.redact(answer) == {
        "content": [{"text": "*** at harbour-town"}],
        "data": "***",
        "n": 1,
    }


def test_server_with_nothing_has_nothing_to_hush() -> None:
    assert (
        make_server_redactor(McpServerConfig("a", command="x"), {}).redact_text("anything at all")
        == "anything at all"
    )
    assert make_server_redactor(KEPT, {}).redact_text("${TOKEN} header-secret") == "*** ***"
