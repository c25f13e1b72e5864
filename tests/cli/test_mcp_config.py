"""What clients are told to write into their settings is what they can read."""

from __future__ import annotations

import json
import tomllib

import pytest

from pilothouse.cli.mcp_config import CLIENTS, snippet


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_gets_a_command_it_can_start(client: str) -> None:
    where, text = snippet(client, {"toolsets": "lean", "owner": 'a "b"'})
    assert where
    if client == "codex":
        server = tomllib.loads(text)["mcp_servers"]["pilothouse"]
    else:
        ((key, servers),) = json.loads(text).items()
        assert key == ("servers" if client == "vscode" else "mcpServers")
        server = servers["pilothouse"]
    assert server["command"].startswith("/")
    assert server["args"][-5:] == ["mcp", "--toolsets", "lean", "--owner", 'a "b"']


def test_nothing_is_added_that_was_not_asked_for() -> None:
    _, text = snippet("claude", {})
    assert json.loads(text)["mcpServers"]["pilothouse"]["args"][-1] == "mcp"
