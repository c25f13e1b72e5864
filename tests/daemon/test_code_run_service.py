"""`run`: agent-written code through a real daemon, and what is reported of its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from tests.daemon.daemon_process import Home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

_HTML = """<title>start</title><button onclick="document.title += '!'">Go</button>
<button id=ask onclick="document.title = confirm('sure?')">ask</button>
<a target=_blank href=/child.html>child</a>"""


@pytest.fixture
def line(lived_in: Home, served: Pages) -> Iterator[DaemonClient]:
    """A line whose owner has a tab with something to click."""
    served.add("/child.html", "<title>child</title>")
    served.add("/run.html", _HTML)
    made = lived_in.line("")
    made.call("open", url=served.url("/run.html"))
    yield made
    made.call("close", all=True)


def _run(line: DaemonClient, code: str, **more: Any) -> dict[str, Any]:
    report: dict[str, Any] = line.call("run", code=code, **more)
    return report


def _together(*calls: Callable[[], Any]) -> list[Any]:
    """Do calls at the same time, each on its own thread; what they gave."""
    got: list[Any] = [None] * len(calls)

    def one(index: int, call: Callable[[], Any]) -> None:
        try:
            got[index] = call()
        except Refused as error:
            got[index] = error

    threads = [threading.Thread(target=one, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
        assert not thread.is_alive()
    return got


def test_code_clicks_prints_returns_and_keeps_state(line: DaemonClient) -> None:
    code = "tab.click('text=Go')\nprint(tab.title())\nstate['n'] = state.get('n', 0) + 1\nstate"
    report = _run(line, code)
    assert [item["text"] for item in report["content"]] == ["start!\n", '{\n  "n": 1\n}']
    assert report["value"] == {"n": 1}
    assert report["details"]["action"] == "run"
    assert report["details"]["url"].endswith("/run.html")
    assert "error" not in report
    assert _run(line, "state['n'] + 1")["value"] == 2


def test_code_that_shows_nothing_says_that_it_ran(line: DaemonClient) -> None:
    assert _run(line, "x = 1")["content"] == [{"type": "text", "text": 'Ran code on tab "main"'}]


def test_error_names_the_line_and_keeps_what_was_printed(line: DaemonClient) -> None:
    report = _run(line, "print('before')\nassert tab.title() == 'else'")
    assert report["content"][0]["text"] == "before\n"
    assert "at line 2: assert tab.title() == 'else'" in report["error"]["message"]


@pytest.mark.parametrize(
    ("code", "stalled"),
    [
        ("print('so far')\nwhile True: pass", ""),
        ("print('so far')\ntab.wait_for(text='never', timeout=60)", "tab.wait_for"),
        ("print('so far')\nimport time; time.sleep(60)", ""),
    ],
)
def test_run_that_takes_too_long_ends_with_a_report_and_leaves_the_tab(
    line: DaemonClient, code: str, stalled: str
) -> None:
    began = time.monotonic()
    report = _run(line, code, timeout=1)
    # The promise is half a second; the machine may be busy, the bound is not measured here.
    assert time.monotonic() - began < 10
    assert report["content"][0]["text"] == "so far\n"
    message = report["error"]["message"]
    assert "line 2" in message
    if stalled:
        assert stalled in message or "within" in message
    else:
        assert "took longer than 1 s" in message
        assert 'tab "main" is alive, at http://' in message
    assert line.call("tab.title") == "start"
    assert _run(line, "1 + 1")["value"] == 2


def test_open_dialog_is_named_with_how_to_answer_it(line: DaemonClient) -> None:
    report = _run(line, "tab.click('#ask')")
    message, hint = report["error"]["message"], report["error"]["hint"]
    assert "click is blocked by confirm 'sure?'" in message
    assert "a confirm dialog is open: 'sure?'" in message
    assert "tab.handle_dialog(accept=True), then tab.result('a-" in hint
    _run(line, "tab.handle_dialog(accept=True)")
    assert _run(line, "tab.title()")["value"] == "true"


def test_code_answers_the_dialog_it_caused(line: DaemonClient) -> None:
    code = (
        "try:\n    tab.click('#ask')\nexcept Exception as error:\n    print(error)\n"
        "tab.handle_dialog(accept=False)\ntab.wait_for(function=\"document.title == 'false'\")\n"
        "tab.title()"
    )
    report = _run(line, code)
    assert report["value"] == "false"
    assert "blocked by confirm" in report["content"][0]["text"]


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("document.title", "start"),
        ("const t = document.title; return t + '?'", "start?"),
        ("() => ({n: 1})", {"n": 1}),
        ("await Promise.resolve(5)", 5),
    ],
)
def test_javascript_runs_in_the_page(line: DaemonClient, code: str, value: Any) -> None:
    assert _run(line, code, language="js")["value"] == value


def test_javascript_that_throws_hangs_or_asks_is_told(line: DaemonClient) -> None:
    with pytest.raises(Refused, match="no such luck"):
        _run(line, "throw new Error('no such luck')", language="js")
    with pytest.raises(Refused, match="still running after 1 s and was terminated"):
        _run(line, "while (true) {}", language="js", timeout=1)
    with pytest.raises(Refused, match="blocked by confirm 'well") as blocked:
        _run(line, "confirm('well?')", language="js")
    assert "handle_dialog" in blocked.value.hint
    line.call("tab.handle_dialog")
    assert line.call("tab.title") == "start"


def test_two_runs_on_one_tab_take_turns(line: DaemonClient) -> None:
    code = "tab.evaluate('window.n = (window.n || 0) + 1')\nwait(0.3)\ntab.evaluate('window.n--')"
    one, two = _together(lambda: _run(line, code), lambda: _run(line, code))
    assert (one["value"], two["value"]) == (1, 1)
    assert "error" not in one | two


def test_runs_on_two_tabs_go_on_at_the_same_time(line: DaemonClient, served: Pages) -> None:
    line.call("open", name="second", url=served.url("/run.html"))
    key = "localStorage"
    meet = f"tab.evaluate(\"{key}['%s'] = 1\")\ntab.wait_for(function=\"{key}['%s']\", timeout=20)"
    one, two = _together(
        lambda: _run(line, meet % ("a", "b"), timeout=30),
        lambda: _run(line, meet % ("b", "a"), name="second", timeout=30),
    )
    assert "error" not in one
    assert "error" not in two


def test_code_reaches_other_tabs_of_its_owner_in_their_turn(
    line: DaemonClient, served: Pages
) -> None:
    url = served.url("/child.html")
    code = f"other = browser.open('other', {url!r})\n[other.title(), tab.title()]"
    assert _run(line, code)["value"] == ["child", "start"]
    busy = "browser.tab('other').wait_for(function='window.free', timeout=1)"
    clash = "browser.tab('other').extract()"
    slow, queued = _together(lambda: _run(line, busy), lambda: _run(line, clash, name="other"))
    assert slow["error"]
    assert "there is no tab" not in str(queued)
    assert [t["name"] for t in line.call("tabs")] == ["main", "other"]


def test_code_may_open_its_own_tab_elsewhere(line: DaemonClient, served: Pages) -> None:
    code = f"browser.open('main', {served.url('/child.html')!r}).title()"
    assert _run(line, code, timeout=20)["value"] == "child"


def test_popups_that_code_causes_have_names(line: DaemonClient) -> None:
    assert _run(line, "tab.click('text=child')['new_tabs']")["value"] == ["main.1"]
    assert _run(line, "browser.tab('main.1').wait_for(url='child'); 1")["value"] == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("tab.clik('e1')", "clik"),
        ("page.cdp('Target.getTargets')", "beyond this tab"),
        ("browser.tab('nowhere').title()", 'there is no tab "nowhere"'),
    ],
)
def test_calls_that_cannot_be_done_are_errors_of_the_code(
    line: DaemonClient, code: str, said: str
) -> None:
    assert said in _run(line, code)["error"]["message"]


@pytest.mark.boundary
def test_code_cannot_have_the_daemon_start_a_program(line: DaemonClient, tmp_path: Path) -> None:
    escaped = tmp_path / "escaped"
    code = f"""
import os
os.close(os.open("script", os.O_CREAT | os.O_WRONLY, 0o755))
Path("script").write_text("#!/bin/sh\\ntouch {escaped}\\n")
browser.open("x", app={{"path": str(Path("script").absolute())}})
"""
    error = _run(line, code)["error"]
    assert "cannot set 'app'" in error["message"]
    assert not escaped.exists()


@pytest.mark.boundary
@pytest.mark.parametrize(
    "call",
    [
        "browser.open('x', app={'cdp_url': 'http://127.0.0.1:9222'})",
        "browser.open('x', profile='work')",
        "browser.open('x', browser='extension')",
        "browser._daemon.call('close', all=True)",
        "browser._daemon.call('close', name='main', kill=True)",
        "browser._daemon.call('connect', endpoint='http://127.0.0.1:9222')",
        "browser._daemon.call('tool', name='browser_cdp', arguments={})",
        "browser._daemon.call('run', code='1')",
        "browser._daemon.call('stop')",
        "browser._daemon.call('status')",
        "browser._daemon.call('relay.start', port=0)",
        "browser._daemon.call('mcp')",
        "browser._daemon.call('tab.save_state', path='state.json')",
        "browser._daemon.call('tab.load_state', state='state.json')",
    ],
)
def test_code_cannot_call_what_would_lead_out_of_the_sandbox(line: DaemonClient, call: str) -> None:
    error = _run(line, call)["error"]
    assert "code in a run cannot" in error["message"]
    assert error["hint"]
    assert [tab["name"] for tab in line.call("tabs")] == ["main"]


@pytest.mark.boundary
def test_code_cannot_signal_the_daemon_or_lock_its_directory(
    line: DaemonClient, lived_in: Home
) -> None:
    assert lived_in.process is not None
    root = lived_in.paths.root
    mode = root.stat().st_mode
    code = f"""
import fcntl, os, signal, socket
a, b = socket.socketpair()
refused = []
for attack in (
    lambda: fcntl.fcntl(a, fcntl.F_SETOWN, {lived_in.process.pid}),
    lambda: fcntl.fcntl(a, 10, signal.SIGKILL),
    lambda: fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK),
    lambda: os.chmod({str(root)!r}, 0),
    lambda: os.utime({str(root)!r}, (1, 1)),
):
    try:
        attack()
    except PermissionError as error:
        refused.append(error.errno)
b.send(b"now")
refused
"""
    assert _run(line, code)["value"] == [1] * 5
    assert root.stat().st_mode == mode
    assert line.call("status")["pid"] == lived_in.process.pid


def test_code_keeps_a_state_in_a_file_of_its_own(line: DaemonClient) -> None:
    code = """
tab.evaluate("document.cookie = 'kept=yes'")
saved = tab.save_state("state.json")["path"]
tab.clear_cookies()
tab.load_state("state.json")
[Path(saved).name, Path(saved).exists(), tab.evaluate("document.cookie")]
"""
    assert _run(line, code)["value"] == ["state.json", True, "kept=yes"]


def test_tab_closed_in_the_middle_of_a_run_ends_its_calls(line: DaemonClient) -> None:
    def close() -> Any:
        while not line.call("tabs")[0]["busy"]:
            pass
        return line.call("close")

    run, _ = _together(
        lambda: _run(line, "tab.wait_for(function='window.never', timeout=60)", timeout=60), close
    )
    assert run["error"]["message"]
    assert line.call("open")["details"]["reused"] is False
