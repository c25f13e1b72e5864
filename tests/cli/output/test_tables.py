"""Tables for people: what is in them, and that pages cannot steer them."""

from __future__ import annotations

from typing import Any

import pytest

from pilothouse.cli.output import tables

EVIL = "\x1b[31m[bold]red[/]\nnext"


def shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    out = capsys.readouterr().out
    assert "\x1b" not in out
    return [" ".join(line.split()) for line in out.splitlines()]


def tab(**more: Any) -> dict[str, Any]:
    usual = {"name": "main", "url": "http://a/", "title": "A", "browser": "headless browser"}
    return {**usual, "busy": "", "alive": True, **more}


def test_tabs_are_listed_with_what_they_do(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show_tabs([tab(), tab(name="b", busy="click", title=EVIL), tab(name="c", alive=False)])
    assert shown(capsys) == [
        "name title address browser",
        "● main A http://a/ headless browser",
        "… b (click) ·[31m[bold]red[/] next http://a/ headless browser",
        "✗ c A http://a/ headless browser",
    ]


def test_no_tabs_says_how_to_open_one(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show_tabs([])
    assert "pilothouse open https://example.com" in shown(capsys)[0]


def test_dialogs_come_with_their_answers(capsys: pytest.CaptureFixture[str]) -> None:
    dialog = {"id": "d-1", "type": "confirm", "message": EVIL}
    over = {**dialog, "id": "d-0", "message": "x", "closed_at": 0, "closed_by": "agent"}
    interrupt = {"id": "i-1", "kind": "auth", "origin": "http://a", "answers": ["cancel"]}
    tables.show_dialogs(
        {
            "pending_dialogs": [dialog],
            "interrupts": [interrupt],
            "recent_dialogs": [{**over, "page_got": True}],
        },
        " --tab b",
    )
    lines = shown(capsys)
    assert lines[:4] == [
        "confirm d-1: ·[31m[bold]red[/] next",
        "answer pilothouse dialog accept d-1 --tab b",
        "or pilothouse dialog dismiss d-1 --tab b",
        "auth i-1 http://a",
    ]
    assert lines[4] == "answer pilothouse answer i-1 cancel --tab b"
    assert lines[6].endswith("confirm d-0: x; closed by agent; the page got True")


def test_nothing_that_waits_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show_dialogs({"pending_dialogs": [], "interrupts": [], "recent_dialogs": []})
    assert shown(capsys) == ["Nothing waits for an answer."]


def test_journal_is_a_line_for_each_thing_that_happened(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entry = {"at": 0, "tab": "main", "id": "t1", "event": "dialog", "words": f"alert d-1: {EVIL}"}
    refused = {**entry, "id": "", "event": "click", "words": "e3, refused: no, 3 ms"}
    tables.show_journal({"entries": [entry, refused], "left_out": 7})
    lines = shown(capsys)
    assert lines[0] == "7 older ones are left out (--last shows more)"
    assert lines[1] == "time tab event words"
    assert lines[2].endswith("main dialog alert d-1: ·[31m[bold]red[/] next")
    assert lines[3].endswith("main → click e3, refused: no, 3 ms")


def test_journal_without_lines_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show_journal({"entries": [], "left_out": 0})
    assert shown(capsys) == ["Nothing has happened yet."]


def test_console_lines_have_level_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    entry = {
        "seq": 3,
        "at": 0.0,
        "level": "error",
        "text": "bad",
        "url": "http://a/x.js",
        "line": 7,
    }
    tables.show_console({"entries": [entry], "dropped": 2})
    lines = shown(capsys)
    assert lines[1].endswith("error bad x.js:7")
    assert lines[2] == "2 older lines are no longer kept"
    tables.show_console({"entries": []})
    assert shown(capsys) == ["The console is empty."]


def test_requests_have_status_size_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    usual = {"method": "GET", "url": "http://a/", "type": "Document"}
    done = {**usual, "id": "r1", "state": "done", "status": 200, "size": 1234, "ms": 12.4}
    failed = {**usual, "id": "r2", "state": "failed", "failed": "net::ERR", "size": 0, "ms": 1}
    waits = {**usual, "id": "r3", "state": "pending"}
    tables.show_requests({"requests": [done, failed, waits], "total": 5})
    assert shown(capsys)[1:] == [
        "r1 GET 200 Document 1.2 kB 12 http://a/",
        "r2 GET failed net::ERR Document 0 B 1 http://a/",
        "r3 GET pending Document http://a/",
        "2 earlier ones: --limit shows more",
    ]
    tables.show_requests({"requests": [], "total": 0})
    assert shown(capsys) == ["No requests."]


def test_cookies_hide_their_values_unless_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    cookie = {"name": "id", "value": "secretsecret", "domain": "a", "path": "/", "expires": -1}
    tables.show_cookies([{**cookie, "secure": True, "sameSite": "Lax"}])
    assert shown(capsys)[1] == "id secr… (12) a / session secure Lax"
    tables.show_cookies([cookie], whole=True)
    assert "secretsecret" in shown(capsys)[1]
    tables.show_cookies([])
    assert shown(capsys) == ["No cookies."]


def test_status_shows_daemon_browsers_and_sandbox(capsys: pytest.CaptureFixture[str]) -> None:
    found = {"pid": 7, "version": "1", "uptime_s": 3725, "calls": 3, "clients": 1, "tabs": 2}
    browsers = [
        {"browser": "headless", "product": "Chrome/1", "ms": 1.25},
        {"browser": "other", "error": "gone"},
    ]
    walls = {"stand": ["limits", "files"], "missing": ["network"]}
    tables.show_status({**found, "browsers": browsers, "walls": walls, "settings": "/run"})
    assert shown(capsys) == [
        "daemon ● pid 7, version 1, up 1 h 2 min",
        "calls 3; clients connected: 1",
        "tabs 2 of yours",
        "browser ● Chrome/1 headless, answers in 1.2 ms",
        "browser ✗ other: gone",
        "sandbox limits, files; unavailable: network",
        "runtime /run",
    ]
    tables.show_status({**found, "browsers": [], "walls": {}, "settings": "/run"})
    lines = shown(capsys)
    assert "browser none: the first tab starts one" in lines
    assert "sandbox starts with the first run" in lines
    captures = {"mode": "actions", "folder": "/data/captures", "captures": 12, "bytes": 3_400_000}
    tables.show_status({**found, "browsers": [], "settings": "/run", "captures": captures})
    assert "captures actions: 12 captures, 3.4 MB in /data/captures" in shown(capsys)


def test_a_connected_browser_shows_its_pages(capsys: pytest.CaptureFixture[str]) -> None:
    pages = [{"title": EVIL, "url": "http://a/"}]
    tables.show_pages({"product": "Chrome/1", "endpoint": "http://x:1", "pages": pages})
    lines = shown(capsys)
    assert lines[0] == "Connected to Chrome/1 at http://x:1"
    assert lines[2] == "·[31m[bold]red[/] next http://a/"


def test_settings_are_listed_with_their_file(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show_settings([("browser.headless", "false", True)], "/c.yaml")
    assert shown(capsys) == ["setting value", "browser.headless false", "/c.yaml"]


def test_findings_say_how_to_mend(capsys: pytest.CaptureFixture[str]) -> None:
    ok = {"name": "python", "state": "ok", "found": "3.11", "mend": ""}
    broken = {"name": "fonts", "state": "broken", "found": "none", "mend": "install some"}
    tables.show_checks([ok, broken])
    lines = shown(capsys)
    assert lines[:3] == ["✓ python 3.11", "✗ fonts none", "→ install some"]
    assert lines[-1] == "1 broken, 0 warnings"
    tables.show_checks([ok])
    assert shown(capsys)[-1] == "nothing is broken"
