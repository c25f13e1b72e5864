"""The options of an MCP session are checked when it begins."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.daemon.mcp.options import McpOptions, mcp_options, sees_images
from pilothouse.errors import ToolError
from pilothouse.tools.toolsets import PLATFORMS


def test_nothing_asked_for_is_the_usual() -> None:
    assert mcp_options({}) == McpOptions()
    assert mcp_options({}, "api-server").platform == "api-server"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_platform_can_be_asked_for(platform: str) -> None:
    assert mcp_options({"platform": platform}).platform == platform


def test_all_options_at_once() -> None:
    size = {"width": 800, "height": 600}
    asked = {
        "toolsets": "lean, web",
        "images": "omit",
        "browser": {"headed": True, "profile": "work", "viewport": size, "cdp_url": ""},
    }
    made = mcp_options(asked)
    assert made.toolsets == ("lean", "web")
    assert made.images == "omit"
    assert made.opens == {"headed": True, "profile": "work", "viewport": size}
    joined = mcp_options({"browser": {"cdp_url": "http://127.0.0.1:9222"}})
    assert joined.opens == {"app": {"cdp_url": "http://127.0.0.1:9222"}}


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"platform": "fridge"}, "platform: unknown value 'fridge'"),
        ({"images": "some"}, "images: unknown value 'some'"),
        ({"toolsets": 5}, "toolsets: expected a list of names"),
        ({"browser": 5}, "browser: expected an object, got 5"),
        ({"browser": {"app": "/bin/true"}}, "browser.app: unknown option"),
        ({"browser": {"viewport": {"width": 1}}}, "viewport.width: expected 100 to 7680, got 1"),
        (
            {"browser": {"profile": "a", "cdp_url": "x"}},
            "profile: cannot be set for a running browser (cdp_url)",
        ),
        ({"browser": {"browser": "firefox"}}, "browser: unknown value 'firefox'"),
    ],
)
def test_what_cannot_be_had_is_refused(asked: dict[str, Any], error: str) -> None:
    with pytest.raises(ToolError) as refused:
        mcp_options(asked)
    assert refused.value.message == error
    assert refused.value.hint


@pytest.mark.parametrize(
    ("images", "experimental", "sees"),
    [
        ("auto", None, True),
        ("auto", {}, True),
        ("auto", {"images": {}}, True),
        ("auto", {"images": False}, False),
        ("allow", {"images": False}, True),
        ("omit", None, False),
    ],
)
def test_who_decides_whether_a_client_sees(images: str, experimental: Any, sees: bool) -> None:
    assert sees_images(images, experimental) is sees
