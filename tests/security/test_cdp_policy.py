"""Raw CDP stays in its tab, reads no files and goes only where the URL policy lets it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.errors import ToolError
from pilothouse.security.cdp_policy import (
    Sender,
    check_tool_command,
    created_by,
    drag_urls,
    find_drag_problem,
    find_stream_problem,
)

ANYWHERE = Sender(check_url=lambda url: None)
OWN_JAR = Sender(check_url=lambda url: None, owns_cookie_jar=True)


def _dropped(*items: dict[str, Any], **data: Any) -> dict[str, Any]:
    return {"type": "drop", "x": 1, "y": 1, "data": {"items": list(items), **data}}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Page.reload", {}),
        ("Runtime.evaluate", {"expression": "1"}),
        ("Network.getCookies", {"urls": ["https://a.example/"]}),
        ("Network.setCookie", {"name": "a", "value": "b", "url": "https://a.example/"}),
        ("Network.emulateNetworkConditions", {"offline": True}),
        ("Emulation.setDeviceMetricsOverride", {"width": 400}),
        ("Emulation.setCPUThrottlingRate", {"rate": 4}),
        ("CSS.getComputedStyleForNode", {"nodeId": 1}),
        ("Accessibility.getFullAXTree", {}),
        ("Performance.getMetrics", {}),
        ("Overlay.hideHighlight", {}),
        ("Browser.getVersion", {}),
        ("Page.enable", {}),
        ("Page.createIsolatedWorld", {"frameId": "f", "grantUniveralAccess": False}),
        ("Page.setLifecycleEventsEnabled", {"enabled": True}),
        ("IO.read", {"handle": "7"}),
    ],
)
def test_commands_of_the_tab_itself_pass(method: str, params: dict[str, Any]) -> None:
    check_tool_command(method, params, ANYWHERE)


@pytest.mark.parametrize(
    "method",
    [
        "Target.getTargets",
        "Target.exposeDevToolsProtocol",
        "Browser.close",
        "SystemInfo.getProcessInfo",
        "SystemInfo.getInfo",
        "Tracing.start",
        "Page.disable",
        "Runtime.disable",
        "Network.disable",
        "Fetch.disable",
        "Fetch.enable",
        "Debugger.pause",
        "DOM.setFileInputFiles",
        "Page.setDownloadBehavior",
        "Network.loadNetworkResource",
        "Input.setIgnoreInputEvents",
        "Page.addCompilationCache",
        "Future.readEverything",
    ],
)
def test_commands_that_reach_beyond_the_page_are_refused_by_name(method: str) -> None:
    with pytest.raises(ToolError, match=f"{method} is refused: ") as refused:
        check_tool_command(method, {}, OWN_JAR)
    assert refused.value.hint


@pytest.mark.parametrize("field", ["browserContextId", "targetId"])
@pytest.mark.parametrize("method", ["Storage.getCookies", "Page.reload", "Runtime.evaluate"])
def test_fields_that_name_others_are_refused(method: str, field: str) -> None:
    with pytest.raises(ToolError, match=f"{method}: {field} reaches beyond this tab"):
        check_tool_command(method, {field: "x"}, OWN_JAR)


@pytest.mark.parametrize(
    ("method", "params"), [("", {}), ("reload", {}), (5, {}), ("Page.reload", [1])]
)
def test_what_is_no_command_is_refused(method: Any, params: Any) -> None:
    with pytest.raises(ToolError, match=r"command:|params:"):
        check_tool_command(method, params, ANYWHERE)


@pytest.mark.parametrize(
    "method",
    [
        "Network.clearBrowserCookies",
        "Network.clearBrowserCache",
        "Storage.clearCookies",
        "Storage.clearDataForOrigin",
        "Storage.getUsageAndQuota",
        "Security.setIgnoreCertificateErrors",
    ],
)
def test_data_of_a_whole_profile_is_only_touched_where_it_is_the_owner_s(method: str) -> None:
    check_tool_command(method, {}, OWN_JAR)
    with pytest.raises(ToolError, match=f"{method} is refused: .*profile") as refused:
        check_tool_command(method, {}, ANYWHERE)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("Page.enable", {"enableFileChooserOpenedEvent": False}, "enableFileChooserOpenedEvent"),
        ("Network.enable", {"maxTotalBufferSize": 2**40}, "maxTotalBufferSize"),
        ("Page.createIsolatedWorld", {"grantUniveralAccess": True}, "grantUniveralAccess"),
        ("Page.createIsolatedWorld", {"grantUniveralAccess": 1}, "grantUniveralAccess"),
        ("Page.setLifecycleEventsEnabled", {"enabled": False}, "enabled"),
        ("Network.setBypassServiceWorker", {"bypass": False}, "bypass"),
        ("IO.read", {"handle": "blob:9115d58c"}, "handle"),
        ("IO.read", {}, "handle"),
    ],
)
def test_fields_may_only_hold_what_is_harmless(
    method: str, params: dict[str, Any], field: str
) -> None:
    with pytest.raises(ToolError, match=f"{method} is refused: {field}: "):
        check_tool_command(method, params, OWN_JAR)


def test_where_a_navigation_goes_is_judged_by_the_url_policy() -> None:
    asked: list[str] = []
    check_tool_command("Page.navigate", {"url": "file:///x"}, Sender(check_url=asked.append))
    check_tool_command("Page.navigate", {}, Sender(check_url=asked.append))
    assert asked == ["file:///x", ""]


def test_scripts_and_bindings_are_removed_by_who_added_them_and_not_by_a_like_name() -> None:
    made = created_by("Page.addScriptToEvaluateOnNewDocument", {}, {"identifier": "7"})
    made |= created_by("Runtime.addBinding", {"name": "1"}, {})
    assert made == {("script", "7"), ("binding", "1")}
    assert created_by("Page.reload", {}, {}) == frozenset()
    mine = Sender(check_url=lambda url: None, created=made)
    check_tool_command("Page.removeScriptToEvaluateOnNewDocument", {"identifier": "7"}, mine)
    check_tool_command("Runtime.removeBinding", {"name": "1"}, mine)
    for method, params in (
        ("Page.removeScriptToEvaluateOnNewDocument", {"identifier": "1"}),
        ("Page.removeScriptToEvaluateOnNewDocument", {}),
        ("Runtime.removeBinding", {"name": "7"}),
    ):
        with pytest.raises(ToolError, match="that you added"):
            check_tool_command(method, params, mine)


LINK = {"mimeType": "text/uri-list", "data": "https://a.example/"}
FILE_DRAGS = [
    _dropped(files=["/etc/passwd"]),
    _dropped({"mimeType": "text/uri-list", "data": "file:///etc/passwd"}),
    _dropped({"mimeType": "text/uri-list", "data": "  FILE:/etc/passwd"}),
    _dropped({"mimeType": "text/uri-list", "data": "fi\nle:///etc/passwd"}),
    _dropped({"mimeType": "text/uri-list", "data": "view-source:file:///etc/passwd"}),
    _dropped({"mimeType": "text/plain", "data": "file:///etc/passwd"}),
    _dropped({"mimeType": "text/html", "data": "x", "baseURL": "file:///"}),
    _dropped({**LINK, "title": "file:///etc/passwd"}),
    _dropped(LINK, {"mimeType": "x/y", "data": "a:file:///etc/passwd"}),
]


@pytest.mark.parametrize("params", FILE_DRAGS)
def test_drag_data_names_no_file(params: dict[str, Any]) -> None:
    assert find_drag_problem(params)
    with pytest.raises(ToolError, match=r"Input\.dispatchDragEvent is refused: data\."):
        check_tool_command("Input.dispatchDragEvent", params, OWN_JAR)


@pytest.mark.parametrize(
    "data",
    [
        None,
        "x",
        [],
        {"items": "x"},
        {"items": ["x"]},
        {"items": [{"mimeType": 5}]},
        {"items": [{"mimeType": "a/b", "path": "/x"}]},
        {"items": [], "filenames": ["/etc/passwd"]},
    ],
)
def test_drag_data_of_an_unknown_shape_is_refused(data: Any) -> None:
    assert find_drag_problem({"type": "drop", "data": data})


def test_fields_beside_drag_data_are_known_ones() -> None:
    with pytest.raises(ToolError, match="paths: unknown field"):
        check_tool_command("Input.dispatchDragEvent", {**_dropped(LINK), "paths": []}, OWN_JAR)


def test_what_a_page_drags_is_dropped_and_its_addresses_are_judged() -> None:
    asked: list[str] = []
    lines = {"mimeType": "text/uri-list", "data": "# two\r\nhttps://a.example/\r\nhttp://b/"}
    text = {"mimeType": "text/plain", "data": "profile: anna"}
    params = _dropped(lines, text, dragOperationsMask=1, files=[])
    check_tool_command("Input.dispatchDragEvent", params, Sender(check_url=asked.append))
    assert asked[:2] == ["https://a.example/", "http://b/"]
    assert drag_urls(_dropped({**LINK, "baseURL": "http://c/"})) == [
        "https://a.example/",
        "http://c/",
    ]


@given(st.sampled_from(["text/uri-list", "text/plain", "text/html", "a/b"]), st.text(max_size=6))
def test_no_spelling_that_a_browser_reads_as_a_file_passes(mime: str, before: str) -> None:
    space = "".join(each for each in before if each in " \t\n\r")
    spelled = "\n".join("FiLe:///etc/passwd")
    assert find_drag_problem(_dropped({"mimeType": mime, "data": f"{space}{spelled}"}))


def test_streams_are_those_that_commands_returned() -> None:
    assert find_stream_problem({"handle": "3"}) == ""
    assert find_stream_problem({"handle": "BLOB:x"})
    assert find_stream_problem({"handle": 3})
