"""What clients are told to write into their settings is what they can read."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from pilothouse.cli.commands.mcp_config import CLIENTS, OPTIONS, URL, http_config, stdio_config
from pilothouse.cli.declarations import mcp_and_serve as mcp_words
from pilothouse.errors import PilothouseError

KEYS = {"vscode": "servers", "zed": "context_servers", "opencode": "mcp"}


def server_of(client: str, text: str) -> dict[str, Any]:
    if client == "codex":
        found: dict[str, Any] = tomllib.loads(text)["mcp_servers"]["pilothouse"]
    else:
        found = json.loads(text)[KEYS.get(client, "mcpServers")]["pilothouse"]
    return found


def test_the_command_line_offers_every_client_and_option() -> None:
    assert tuple(sorted(CLIENTS)) == mcp_words.CLIENTS
    declared = {word.name for word in mcp_words.COMMANDS[0].arguments}
    assert declared - {"print_config", "http"} == {*OPTIONS}


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_gets_a_command_it_can_start(client: str) -> None:
    options = {"toolsets": "lean", "owner": 'a "b"', "headed": True, "cdp_url": "9222"}
    where, text = stdio_config(client, options)
    assert where
    server = server_of(client, text)
    if client == "opencode":
        command, *args = server["command"]
    else:
        command, args = server["command"], server["args"]
    assert command.startswith("/")
    wanted = ["--toolsets", "lean", "--owner", 'a "b"', "--headed", "--cdp-url", "9222"]
    assert args[-8:] == ["mcp", *wanted]


@pytest.mark.parametrize("client", sorted(set(CLIENTS) - {"claude-desktop"}))
def test_every_client_that_takes_an_address_gets_it_without_a_token(client: str) -> None:
    where, text = http_config(client)
    assert "http.token" in where
    server = server_of(client, text)
    assert URL in server.values()
    if client == "codex":
        assert server["bearer_token_env_var"] == "PILOTHOUSE_TOKEN"
    else:
        assert server["headers"]["Authorization"].startswith("Bearer ")
        assert "TOKEN" in server["headers"]["Authorization"].upper()


def test_a_client_that_takes_no_address_is_named() -> None:
    with pytest.raises(PilothouseError, match="claude-desktop does not support HTTP servers"):
        http_config("claude-desktop")


def test_nothing_is_added_that_was_not_asked_for() -> None:
    _, text = stdio_config("claude", {})
    assert json.loads(text)["mcpServers"]["pilothouse"]["args"][-1] == "mcp"
