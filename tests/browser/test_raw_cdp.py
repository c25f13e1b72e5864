"""Raw CDP from an agent on a real Chromium: useful for the long tail, and never beyond the tab."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import Refused
from pilothouse.supervisor.capabilities.dialog_safe_commands import DIALOG_SAFE_COMMANDS
from tests.chromium import running_chromium
from tests.daemon.daemon_process import Home, open_daemon
from tests.page_server import Pages
from tests.tools.tool_caller import Agent

pytestmark = [pytest.mark.browser, pytest.mark.boundary]

# Takes what is dropped on it and reads the first file.
TAKES_FILES = """<!doctype html><title>takes files</title>
<body style="height: 400px"
 ondragenter="event.preventDefault()" ondragover="event.preventDefault()"
 ondrop="event.preventDefault(); window.dropped = true;
         event.dataTransfer.files[0].text().then(text => window.got = text)">"""
# Its drag data is the address of a file, and nothing takes the drop. Chrome itself drops such
# addresses from what a page drags.
LURE = """<!doctype html><title>lure</title><body style="height: 400px">
<p draggable="true" style="width: 200px; height: 50px; background: #ccc"
 ondragstart="event.dataTransfer.setData('text/uri-list', '{url}')">pull me</p>
<p role="button" style="width: 200px; height: 50px; background: #eee">drop here</p>"""


# One of each kind of refusal: method, params, and a word of the reason.
REFUSALS: list[tuple[str, dict[str, Any], str]] = [
    ("Page.navigate", {"url": "file:///etc/passwd"}, "file"),
    ("Page.navigate", {"url": "chrome://version/"}, "chrome"),
    ("DOM.setFileInputFiles", {"files": ["/etc/passwd"]}, "reads files"),
    ("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": "/tmp"}, "downloads"),
    ("Fetch.disable", {}, "URL policy"),
    ("Page.disable", {}, "supervisor"),
    ("Runtime.disable", {}, "supervisor"),
    ("Network.disable", {}, "supervisor"),
    ("Debugger.enable", {}, "breakpoint"),
    ("Target.getTargets", {}, "beyond this tab"),
    ("Tracing.start", {}, "trace"),
    ("SystemInfo.getInfo", {}, "machine"),
    ("Storage.getCookies", {"browserContextId": "x"}, "beyond this tab"),
    ("Page.removeScriptToEvaluateOnNewDocument", {"identifier": "1"}, "you added"),
    ("Page.createIsolatedWorld", {"grantUniveralAccess": True}, "other sites"),
    ("Nothing.known", {}, "does not know"),
]
# Code in a run that tries each and prints what it is told.
EACH = """for method, params, _ in {cases}:
    try:
        page.cdp(method, params)
    except Exception as error:
        print(error)
"""


@pytest.fixture(scope="module")
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        pages.add("/takes.html", TAKES_FILES)
        pages.add("/plain.html", "<!doctype html><title>plain</title><body><p id=p>text</p>")
        yield pages


@pytest.fixture(scope="module")
def home(chromium_path: Path) -> Iterator[Home]:
    with open_daemon(chromium_path) as made:
        yield made


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    kept = tmp_path / "secret.txt"
    kept.write_text("the contents of a local file")
    return kept


@pytest.fixture
def agent(home: Home, request: pytest.FixtureRequest) -> Iterator[Agent]:
    line = home.line(request.node.name[:90])
    yield Agent(line)
    line.call("close", all=True)


def _value(agent: Agent, expression: str) -> Any:
    given = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    answer = agent.ok("browser_cdp", method="Runtime.evaluate", params=given)
    return answer["result"]["result"].get("value")


def _drop(agent: Agent, data: dict[str, Any]) -> list[dict[str, Any]]:
    """What a whole drag of these data is answered."""
    return [
        agent.use(
            "browser_cdp",
            method="Input.dispatchDragEvent",
            params={"type": kind, "x": 50, "y": 50, "data": {"dragOperationsMask": 1, **data}},
        )
        for kind in ("dragEnter", "dragOver", "drop")
    ]


def test_a_dropped_file_is_not_read_by_the_page(agent: Agent, pages: Pages, secret: Path) -> None:
    agent.ok("browser_navigate", url=pages.url("/takes.html"))
    answers = _drop(agent, {"items": [], "files": [str(secret)]})
    assert [answer["success"] for answer in answers] == [False] * 3
    assert "data.files" in answers[0]["error"]
    assert "upload" in answers[0]["hint"]
    assert _value(agent, "[window.dropped ?? false, window.got ?? '']") == [False, ""]


@pytest.mark.parametrize("kind", ["files", "text/uri-list", "text/html", "text/plain"])
def test_no_drop_opens_a_file_in_a_new_tab(
    agent: Agent, pages: Pages, secret: Path, kind: str
) -> None:
    agent.ok("browser_navigate", url=pages.url("/plain.html"))
    item = {"mimeType": kind, "data": secret.as_uri()}
    data = {"files": [str(secret)], "items": []} if kind == "files" else {"items": [item]}
    assert not any(answer["success"] for answer in _drop(agent, data))
    assert _value(agent, "document.title") == "plain"
    assert [tab["url"] for tab in agent.line.call("tabs")] == [pages.url("/plain.html")]


def test_a_page_cannot_have_an_agent_drop_the_address_of_a_file(
    agent: Agent, pages: Pages, secret: Path
) -> None:
    pages.add("/lure.html", LURE.format(url=secret.as_uri()))
    agent.ok("browser_navigate", url=pages.url("/lure.html"))
    agent.refused("browser_drag", ref="text=pull me", to="text=drop here")
    assert [tab["url"] for tab in agent.line.call("tabs")] == [pages.url("/lure.html")]


def test_tools_code_and_the_daemon_s_rpc_refuse_alike(agent: Agent) -> None:
    agent.line.call("open")
    errors = []
    for method, params, said in REFUSALS:
        error, hint = agent.refused("browser_cdp", method=method, params=params)
        assert said in error
        assert hint
        with pytest.raises(Refused) as by_rpc:
            agent.line.call("page.cdp", command=method, params=params)
        assert by_rpc.value.message == error
        errors.append(error)
    ran = json.dumps(agent.line.call("run", code=EACH.format(cases=REFUSALS)), ensure_ascii=False)
    assert [error for error in errors if error not in ran] == []


def test_the_long_tail_works(agent: Agent, pages: Pages) -> None:
    agent.ok("browser_navigate", url=pages.url("/plain.html"))

    def cdp(method: str, **params: Any) -> dict[str, Any]:
        result: dict[str, Any] = agent.ok("browser_cdp", method=method, params=params)["result"]
        return result

    here = pages.url("/")
    assert cdp("Network.setCookie", name="a", value="b", url=here)["success"]
    assert [c["name"] for c in cdp("Network.getCookies", urls=[here])["cookies"]] == ["a"]
    cdp("Network.deleteCookies", name="a", url=here)
    assert cdp("Storage.getCookies")["cookies"] == []
    size = {"width": 321, "height": 400, "deviceScaleFactor": 1, "mobile": False}
    cdp("Emulation.setDeviceMetricsOverride", **size)
    assert _value(agent, "innerWidth") == 321
    cdp("Emulation.clearDeviceMetricsOverride")
    cdp("Emulation.setCPUThrottlingRate", rate=1)
    cdp("Network.enable")
    rate = {"offline": False, "latency": 1, "downloadThroughput": -1, "uploadThroughput": -1}
    cdp("Network.emulateNetworkConditions", **rate)
    root = cdp("DOM.getDocument")["root"]["nodeId"]
    node = cdp("DOM.querySelector", nodeId=root, selector="#p")["nodeId"]
    cdp("CSS.enable")
    assert cdp("CSS.getComputedStyleForNode", nodeId=node)["computedStyle"]
    cdp("Overlay.enable")
    cdp("Overlay.highlightNode", nodeId=node, highlightConfig={})
    cdp("Overlay.hideHighlight")
    assert cdp("Accessibility.getFullAXTree", depth=1)["nodes"]
    cdp("Performance.enable")
    assert cdp("Performance.getMetrics")["metrics"]
    cdp("Network.clearBrowserCookies")
    cdp("Storage.clearDataForOrigin", origin=here, storageTypes="all")
    pdf = cdp("Page.printToPDF", transferMode="ReturnAsStream")
    assert cdp("IO.read", handle=pdf["stream"], size=4, offset=0)["data"]
    added = cdp("Page.addScriptToEvaluateOnNewDocument", source="window.added = 1")
    cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])
    link = {"mimeType": "text/plain", "data": "words"}
    assert all(answer["success"] for answer in _drop(agent, {"items": [link]}))


def test_in_a_joined_browser_nothing_of_the_profile_is_cleared(
    home: Home, pages: Pages, chromium_path: Path
) -> None:
    with running_chromium(chromium_path) as theirs:
        agent = Agent(home.line("guest"))
        url = f"http://127.0.0.1:{theirs.port}"
        agent.line.call("open", app={"cdp_url": url}, url=pages.url("/plain.html"))
        agent.ok("browser_cdp", method="Network.getAllCookies")
        for method in (
            "Network.clearBrowserCookies",
            "Network.clearBrowserCache",
            "Storage.clearCookies",
            "Storage.getUsageAndQuota",
        ):
            params = {"origin": url} if method.endswith("Quota") else {}
            error, hint = agent.refused("browser_cdp", method=method, params=params)
            assert "profile" in error
            assert hint
        agent.line.call("close", all=True)


# Parameters with which Chromium takes a command, where it needs any.
_ORIGIN = "http://127.0.0.1"
_COOKIE = {"name": "a", "value": "b", "url": f"{_ORIGIN}/"}
WHILE_BLOCKED: dict[str, dict[str, Any]] = {
    "Emulation.setGeolocationOverride": {"latitude": 1, "longitude": 1, "accuracy": 1},
    "Emulation.setIdleOverride": {"isUserActive": True, "isScreenUnlocked": True},
    "Network.deleteCookies": {"name": "a", "url": f"{_ORIGIN}/"},
    "Network.fetchSchemefulSite": {"origin": _ORIGIN},
    "Network.setCookie": _COOKIE,
    "Network.setCookies": {"cookies": [_COOKIE]},
    "Security.setIgnoreCertificateErrors": {"ignore": False},
    "Storage.clearDataForOrigin": {"origin": _ORIGIN, "storageTypes": "local_storage"},
    "Storage.setCookies": {"cookies": [_COOKIE]},
}
# A stream that is not there: an error, and an answer all the same.
STREAMS = {"IO.read", "IO.close"}


def test_a_dialog_does_not_block_what_the_browser_process_answers(
    agent: Agent, pages: Pages
) -> None:
    agent.ok("browser_navigate", url=pages.url("/plain.html"))
    dialog = agent.blocked("browser_evaluate", expression="confirm('Sure?')")["blocked_by"][0]
    for method in sorted(DIALOG_SAFE_COMMANDS - STREAMS):
        given = WHILE_BLOCKED.get(method, {})
        answer = agent.ok("browser_cdp", method=method, params=given, timeout=5)
        assert [one["id"] for one in answer["pending_dialogs"]] == [dialog["id"]]
    for method in sorted(STREAMS):
        error, _ = agent.refused("browser_cdp", method=method, params={"handle": "1"}, timeout=5)
        assert "Invalid stream handle" in error
    needs = {"expression": "1"}
    blocked = agent.blocked("browser_cdp", method="Runtime.evaluate", params=needs)
    assert blocked["action_id"] == ""  # nothing was begun


@pytest.mark.parametrize("accept", [True, False])
def test_a_dialog_is_answered_by_its_own_command(agent: Agent, pages: Pages, accept: bool) -> None:
    agent.ok("browser_navigate", url=pages.url("/plain.html"))
    blocked = agent.blocked("browser_evaluate", expression="prompt('Who?', 'nobody')")
    handle = "Page.handleJavaScriptDialog"
    error, _ = agent.refused("browser_cdp", method=handle, params={"accept": "yes"})
    assert error == "accept: invalid value 'yes'"
    answer = agent.ok(
        "browser_cdp", method=handle, params={"accept": accept, "promptText": "somebody"}
    )
    assert answer["result"] == {}
    assert "pending_dialogs" not in answer
    ended = agent.ok("browser_interrupt", action_id=blocked["action_id"])["interrupted"]
    assert ended["result"] == ("somebody" if accept else None)
    error, _ = agent.refused("browser_cdp", method=handle, params={"accept": True})
    assert "No dialog is showing" in error
