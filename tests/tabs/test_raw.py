"""Raw CDP stays in its tab."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.errors import ToolError
from pilothouse.tabs.raw import check_raw


@pytest.mark.parametrize(
    "method", ["Page.reload", "Runtime.evaluate", "Network.getCookies", "Browser.getVersion"]
)
def test_commands_of_the_tab_itself_pass(method: str) -> None:
    check_raw(method, {})


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Target.getTargets", {}),
        ("Target.attachToTarget", {"targetId": "x"}),
        ("Target.exposeDevToolsProtocol", {}),
        ("Browser.close", {}),
        ("Browser.crash", {}),
        ("SystemInfo.getProcessInfo", {}),
        ("Storage.getCookies", {"browserContextId": "x"}),
        ("Storage.clearCookies", {"browserContextId": "x"}),
    ],
)
def test_commands_that_reach_other_owners_are_refused_by_name(
    method: str, params: dict[str, Any]
) -> None:
    with pytest.raises(ToolError, match=f"{method}.*beyond this tab") as refused:
        check_raw(method, params)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("method", "params"), [("", {}), ("reload", {}), (5, {}), ("Page.reload", [1])]
)
def test_what_is_no_command_is_refused(method: Any, params: Any) -> None:
    with pytest.raises(ToolError, match=r"command:|params:"):
        check_raw(method, params)


@pytest.mark.parametrize(
    "method",
    [
        "Fetch.disable",
        "Fetch.enable",
        "DOM.setFileInputFiles",
        "Page.setDownloadBehavior",
        "Network.loadNetworkResource",
    ],
)
def test_what_would_take_the_fence_down_or_reach_files_is_not_sent_raw(method: str) -> None:
    with pytest.raises(ToolError, match=f"{method} is not sent raw") as refused:
        check_raw(method, {})
    assert refused.value.hint


def test_going_somewhere_raw_is_asked_for_first() -> None:
    asked: list[str] = []
    check_raw("Page.navigate", {"url": "file:///etc/passwd"}, asked.append)
    assert asked == ["file:///etc/passwd"]
