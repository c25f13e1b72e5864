"""An agent joins browsers of this machine, and no others."""

from __future__ import annotations

import pytest

from pilothouse.errors import ToolError
from pilothouse.security.connect_policy import check_agent_endpoint

pytestmark = pytest.mark.boundary


@pytest.mark.parametrize(
    "endpoint",
    [
        "",
        "9222",
        "127.0.0.1:9222",
        "localhost:9222",
        "[::1]:9222",
        "http://127.0.0.1:9222",
        "HTTP://localhost:9222/json/version",
        "ws://127.0.0.1:9222/devtools/browser/0f-1",
    ],
)
def test_a_port_or_loopback_url_passes(endpoint: str) -> None:
    check_agent_endpoint(endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        "wss://evil.example/devtools/browser/1",
        "http://127.0.0.1@evil.example:9222",
        "http://127.0.0.1:9222@evil.example",
        "http://127.0.0.1.evil.example:9222",
        "http://localhost.evil.example",
        "http://10.0.0.5:9222",
        "10.0.0.5:9222",
        "evil.example:9222",
        "http://0.0.0.0:9222",
        "http://2130706433:9222",
        "http://127.1:9222",
        "http://127.0.0.1:9222/\\@evil.example",
        "http://127.0.0.1:9222?x=http://evil.example",
        "http://127.0.0.1:9222#x",
        "http://127.0.0.1\n.evil.example:9222",
        "9222\n",
        "123456",
        "/etc/passwd",
        "~/.config/google-chrome",
        "./profile",
        "file:///etc/passwd",
        "ftp://127.0.0.1:9222",
        "http:///127.0.0.1:9222",
    ],
)
def test_another_machine_a_file_or_a_trick_is_refused(endpoint: str) -> None:
    with pytest.raises(ToolError, match="is not a port or URL of this machine") as refused:
        check_agent_endpoint(endpoint)
    assert "pilothouse connect" in refused.value.hint
