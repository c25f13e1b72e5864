"""Every error that tabs and runs are promised to tell, provoked through a real daemon: what is
said,
and that a hint says what to do."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from tests.daemon.daemon_process import Home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

_HTML = """<!doctype html><title>quay</title>
<button id=go>Go</button><button id=off disabled>Off</button><input id=name><p id=text>Words</p>
<button id=hidden style="display:none">Hidden</button>
<div style="position:relative"><button id=under>Under</button>
<div id=lid style="position:absolute;inset:0;background:#ccc"></div></div>
<a class=twin>one</a><a class=twin>two</a>
<button id=ask onclick="confirm('sure?')">ask</button>"""


@pytest.fixture(scope="module")
def line(lived_in: Home, served: Pages) -> Iterator[DaemonClient]:
    """A line whose owner has a tab with things that cannot be done."""
    served.add("/errors.html", _HTML)
    made = lived_in.line("")
    made.call("open", url=served.url("/errors.html"))
    yield made
    made.call("close", all=True)


def _refused(line: DaemonClient, method: str, **params: Any) -> Refused:
    """The refusal of a call, which has a hint."""
    with pytest.raises(Refused) as refused:
        line.call(method, **params)
    assert refused.value.hint
    return refused.value


def _failed(line: DaemonClient, code: str, **more: Any) -> dict[str, Any]:
    """The error of a run, which names its line and has a hint."""
    error: dict[str, Any] = line.call("run", code=code, **more)["error"]
    assert error["hint"]
    assert f"at line {error['line']}: " in error["message"]
    return error


def _facts(line: DaemonClient, name: str) -> dict[str, Any]:
    """One of the tabs as its owner reads it."""
    found: dict[str, Any] = next(tab for tab in line.call("tabs") if tab["name"] == name)
    return found


# open and close.


@pytest.mark.parametrize(
    ("asked", "said", "hint"),
    [
        (
            {"viewport": {"width": 5, "height": 600}},
            "width: expected 100 to 7680, got 5",
            "CSS pixels",
        ),
        ({"viewport": {"width": 800}}, "height: expected 100 to 4320, got None", "CSS pixels"),
        (
            {"viewport": {"width": 800, "height": 600, "scale": 9}},
            "viewport.scale: expected 0.25 to 5, got 9",
            "give 1",
        ),
        ({"viewport": "800x600"}, "viewport: expected an object, got '800x600'", "width, height"),
        ({"wait_until": "idle"}, "wait_until: unknown value 'idle'", "networkidle0"),
        ({"dialogs": "ignore"}, "dialogs: unknown value 'ignore'", "accept, dismiss"),
        ({"name": "a\nb"}, "cannot be a tab's name", "letters, digits"),
        ({"timeout": "soon"}, "timeout: expected a number of seconds, got 'soon'", "1 to 300"),
        ({"url": "chrome://version"}, "belong to the browser and cannot be opened", "http"),
        ({"url": "file:///etc/passwd"}, "file: URLs are not allowed", "serve the file"),
        ({"url": "http://no host/"}, "has no host", "https://example.com"),
        ({"app": {"path": "/x", "cdp_url": "1"}}, "path and cdp_url are both given", "to connect"),
        ({"app": {"target": "x"}}, "neither path nor cdp_url", "give one"),
        ({"app": {"path": "chromium"}}, "is not an absolute path", "full path"),
        ({"app": {"path": "/usr/bin"}}, "/usr/bin is a directory", "inside it"),
        ({"app": {"path": "/no/such/app"}}, "/no/such/app does not exist", "typo"),
        ({"app": {"path": "/etc/passwd"}}, "is not executable", "chmod"),
        ({"app": {"path": "/bin/false"}}, "ended with code 1 before it could be", "instance"),
        ({"app": {"cdp_url": "ftp://127.0.0.1"}}, "ftp:// is not supported", "http"),
        ({"profile": "p", "app": {"path": "/x"}}, "profile: not available for an app", "leave out"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_open_refuses(line: DaemonClient, asked: dict[str, Any], said: str, hint: str) -> None:
    error = _refused(line, "open", **{"name": "refused", **asked})
    assert said in error.message
    assert hint in error.hint
    assert [tab["name"] for tab in line.call("tabs")] == ["main"]  # nothing was begun


def test_changed_kind_is_refused_until_the_tab_is_closed(line: DaemonClient) -> None:
    error = _refused(line, "open", app={"cdp_url": "http://127.0.0.1:9"})
    assert 'tab "main" is bound to a different browser (headless browser)' in error.message
    assert "close it first" in error.hint


def test_endpoint_where_nobody_listens(line: DaemonClient, refusing_port: int) -> None:
    url = f"http://127.0.0.1:{refusing_port}"
    error = _refused(line, "connect", endpoint=url)
    assert "refuses the connection: nothing listens" in error.message
    assert "remote-debugging" in error.hint or "remote debugging" in error.hint


def test_endpoint_that_is_no_browser(line: DaemonClient, served: Pages) -> None:
    error = _refused(line, "open", name="x", app={"cdp_url": served.url("")})
    assert str(served.port) in error.message
    assert "check the port" in error.hint


@pytest.mark.parametrize(("asked", "said"), [({"all": "yes"}, "all:"), ({"tab": "x"}, "'tab'")])
def test_close_refuses(line: DaemonClient, asked: dict[str, Any], said: str) -> None:
    assert said in _refused(line, "close", **asked).message


def test_closing_a_tab_that_is_not_there_says_so(line: DaemonClient) -> None:
    assert line.call("close", name="nowhere")["text"] == 'No tab named "nowhere"'


# run.


@pytest.mark.parametrize("code", ["", "  \n", None])
def test_run_without_code(line: DaemonClient, code: str | None) -> None:
    error = _refused(line, "run", **({} if code is None else {"code": code}))
    assert error.message == "Missing required parameter 'code' for action 'run'"


def test_run_in_an_unknown_language(line: DaemonClient) -> None:
    error = _refused(line, "run", code="1", language="perl")
    assert "language: unknown value 'perl'" in error.message
    assert error.hint == "use python or js"


def test_unknown_tab(line: DaemonClient) -> None:
    for method in ("run", "tab.title"):
        given = {"code": "1", "name": "nowhere"} if method == "run" else {"tab": "nowhere"}
        error = _refused(line, method, **given)
        assert error.message == 'there is no tab "nowhere"'
        assert "open it first; your tabs: main" in error.hint


def test_tab_that_is_not_alive(line: DaemonClient) -> None:
    line.call("open", name="short")
    line.call("run", name="short", code="page.cdp('Page.close')")
    while _facts(line, "short")["alive"]:  # bounded by the test's own timeout
        os.sched_yield()
    for method in ("run", "tab.title"):
        given = {"code": "1", "name": "short"} if method == "run" else {"tab": "short"}
        error = _refused(line, method, **given)
        assert error.message == 'tab "short" is not alive'
        assert "reopen it" in error.hint
    assert line.call("open", name="short")["details"]["reused"] is False


def test_tab_that_is_busy_for_too_long(line: DaemonClient) -> None:
    line.call("open", name="busy")
    run = {"code": "tab.wait_for(function='window.free')", "name": "busy", "timeout": 60}
    thread = threading.Thread(target=lambda: line.call("run", **run))
    thread.start()
    while not _facts(line, "busy")["busy"]:  # bounded by the test's own timeout
        os.sched_yield()
    error = _refused(line, "run", name="busy", code="1", timeout=1)
    assert 'tab "busy" is busy with run' in error.message
    assert "longer timeout" in error.hint
    line.call("page.cdp", tab="busy", command="Runtime.evaluate", params={"expression": "free = 1"})
    thread.join(60)
    assert not thread.is_alive()


def test_tab_closed_while_code_runs_on_it(line: DaemonClient) -> None:
    line.call("open", name="closing")
    reports: list[dict[str, Any]] = []
    code = "tab.wait_for(function='window.never', timeout=60)"
    run = {"code": code, "name": "closing", "timeout": 60}
    thread = threading.Thread(target=lambda: reports.append(line.call("run", **run)))
    thread.start()
    while not _facts(line, "closing")["busy"]:  # bounded by the test's own timeout
        os.sched_yield()
    line.call("close", name="closing")
    thread.join(60)
    ((report),) = reports
    assert report["error"]["hint"]
    assert any(word in report["error"]["message"] for word in ("closed", "gone", "ended"))


def test_code_goes_on_after_its_tab_was_closed(line: DaemonClient) -> None:
    line.call("open", name="closed")
    error = _failed(line, "browser.close('closed')\ntab.title()", name="closed")
    assert 'tab "closed" was closed while the code ran' in error["message"]
    assert "open it again" in error["hint"]


def test_code_that_takes_too_long(line: DaemonClient) -> None:
    code = "print('so far')\nwhile True: x = 1"
    report = line.call("run", code=code, timeout=1)
    error = report["error"]
    assert error["kind"] == "RunTimeout"
    assert "the run took longer than 1 s" in error["message"]
    assert "at line 2: while True: x = 1" in error["message"]
    assert 'tab "main" is alive' in error["message"]
    assert "longer timeout" in error["hint"]
    assert report["details"]["result"] == "so far"


def test_code_that_hangs_past_its_grace_is_killed(line: DaemonClient) -> None:
    code = "while True:\n    try:\n        time.sleep(60)\n    except BaseException: pass"
    error = line.call("run", code=code, timeout=1)["error"]
    assert "the run took longer than 1 s and had to be killed" in error["message"]
    assert error["hint"]
    assert line.call("tab.title") == "quay"


def test_call_that_stalls_a_run_is_named_with_its_time(line: DaemonClient) -> None:
    error = _failed(line, "page.expect('Page.loadEventFired')()", timeout=1)
    assert "took longer than 1 s" in error["message"]
    assert re.search(r"stalled on page\.expected \(\d+\.\d s\)", error["message"])


def test_code_raises(line: DaemonClient) -> None:
    error = line.call("run", code="x = 1\nassert x == 2, 'it is not two'")["error"]
    assert error["message"] == (
        "assertion failed: it is not two; at line 2: assert x == 2, 'it is not two'"
    )


# What the methods of a tab cannot do.


@pytest.mark.parametrize(
    ("code", "said", "hint"),
    [
        # Selectors.
        ("tab.click('p-foo/Go')", "'p-foo/' is not supported in", "text="),
        ("tab.click('button:text(\"Go\")')", "is not supported", "button="),
        ("tab.click('li:visible')", "is not supported", "only shown"),
        ("tab.click('a[')", "'a[' is not a valid selector", "CSS"),
        ("tab.click('')", "target: expected a selector, got an empty string", "a ref such as e12"),
        ("tab.click(5)", "click: target: expected a string", "use only: target"),
        ("tab.click(None)", "got null", "use only: target"),
        # Elements.
        ("tab.click('#none', timeout=0.2)", "'#none' matches nothing", "snapshot"),
        ("tab.click('.twin')", "'.twin' matches 2 elements", "nth=0"),
        ("tab.click('#hidden', timeout=0.2)", "is hidden", "open its container"),
        (
            "tab.click('#under', timeout=0.2)",
            "is covered by <div#lid>",
            "close the covering element",
        ),
        ("tab.click('#off', timeout=0.2)", "is disabled", "enable it first"),
        ("tab.id(99999)", "e99999: no snapshot has given this ref", "fresh snapshot"),
        ("tab.screenshot('#none')", "'#none' matches nothing", "snapshot"),
        ("tab.screenshot(format='bmp')", "format: unknown value 'bmp'", "png"),
        ("tab.screenshot(save='/etc/a.png')", "'/etc/a.png' is refused: it is absolute", "allowed"),
        # Acting.
        ("tab.drag('#go', {'x': 'a', 'y': 1})", "drag: destination: expected", "use only"),
        ("tab.drag('#go', '#none', timeout=0.2)", "'#none' matches nothing", "snapshot"),
        ("tab.drag('#go')", "destination: give either destination or by", "by="),
        ("tab.select('#text', 'a')", "is not a list of options", "click it"),
        ("tab.fill('#text', 'a')", "does not take text", "fill an input"),
        ("tab.press('Nokey')", "unknown key 'Nokey'", "Enter"),
        ("tab.upload('#name', 'none.txt')", "is refused: it does not exist", "check the path"),
        ("tab.upload('#name', '/etc/passwd')", "outside the allowed folders", "allowed folders"),
        ("tab.upload('#name')", "paths: 0 files", "1 to"),
        (
            "open('a', 'w').close(); tab.upload('#name', 'a', how='input')",
            "is not a file input",
            "auto",
        ),
        # Going and waiting.
        ("tab.goto('')", "url: empty", "https://example.com"),
        ("tab.goto()", "missing 1 required positional argument: 'url'", "it takes: url"),
        ("tab.goto('about:blank', wait_until='idle')", "'idle'", "load"),
        ("tab.wait_for('#none', timeout=0.1)", "it matches 0 elements", "take a snapshot"),
        ("tab.wait_for('text=None', timeout=0.1)", "it matches 0 elements", "take a snapshot"),
        (
            "tab.wait_for('#hidden', timeout=0.1)",
            "matches 1 element, 0 of them visible",
            "take a snapshot",
        ),
        ("tab.wait_for()", "nothing to wait for is given", "give one of selector, text"),
        ("tab.click('#go', timeout='soon')", "timeout: expected a number of seconds", "1 to 300"),
        ("tab.title(timeout='soon')", "unexpected keyword argument 'timeout'", "it takes:"),
        ("page.click('#go', timeout='soon')", "expected a number of milliseconds", "such as 5000"),
        ("page.goto('about:blank', timeout=[])", "expected a number of milliseconds", "5000"),
        ("page.expect('Page.loadEventFired', timeout='soon')", "number of seconds", "1 to 300"),
        (
            "wait(lambda: False, timeout='soon')",
            "timeout: expected a number of seconds",
            "give seconds",
        ),
        ("tab.snapshot(budget=-1)", "budget: expected a whole number of at least 0", "no limit"),
        ("tab.requests(limit=-1)", "limit: expected a whole number of at least 0", ""),
        ("tab.wait_for('#go', state='odd')", "state: unknown value 'odd'", "visible, hidden"),
        ("tab.wait_for('text=Go', state='odd')", "state: unknown value 'odd'", "visible, hidden"),
        ("tab.wait_for_url('none', timeout=0.1)", "the tab is at http://", "take a snapshot"),
        ("tab.wait_for_url('re:(')", "is not a valid regular expression", "escape"),
        (
            "tab.wait_for_response('none', timeout=0.1)",
            "waiting for a response to 'none'",
            "start the wait before",
        ),
        # Code in the page, and beside it.
        ("tab.evaluate('nope()')", "ReferenceError: nope is not defined", "threw"),
        ("tab.evaluate('1 +')", "SyntaxError", "correct the code"),
        ("tab.extract('pdf')", "format: unknown value 'pdf'", "markdown or text"),
        ("tab.clik('#go')", "no attribute 'clik'", "did you mean tab.click?"),
        ("tab.click('#go', colour='red')", "unexpected keyword argument 'colour'", "it takes:"),
        ("tab.result('a-999')", "there is no action a-999", "waiting actions"),
        ("tab.handle_dialog()", "no dialog is open", "recent_dialogs"),
        ("playwright_page.goto('about:blank')", "only through the relay", "use tab"),
        ("page.cdp('Browser.close')", "reaches beyond this tab", "use open"),
        ("browser.tab('nowhere').title()", 'there is no tab "nowhere"', "open it first"),
        ("open('/etc/passwd')", "Permission denied", "scratch directory"),
    ],
    ids=lambda value: value[:40],
)
def test_tab_refuses(line: DaemonClient, code: str, said: str, hint: str) -> None:
    error = _failed(line, code, timeout=20)
    assert said in error["message"]
    assert hint in error["hint"]


def test_stale_id(line: DaemonClient) -> None:
    code = (
        "ref = next(e['id'] for e in tab.observe()['elements'] if e['name'] == 'Go')\n"
        "tab.evaluate(\"document.getElementById('go').remove()\")\ntab.id(ref)"
    )
    error = _failed(line, code)
    assert 'was button "Go"; it is no longer on the page' in error["message"]
    line.call("tab.reload")


def test_dialog_in_the_way(line: DaemonClient) -> None:
    error = _failed(line, "tab.click('#ask')")
    assert "click is blocked by confirm 'sure?'" in error["message"]
    assert "tab.handle_dialog(accept=True), then tab.result(" in error["hint"]
    line.call("tab.handle_dialog")
