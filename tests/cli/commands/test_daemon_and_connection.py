"""The daemon's life from the command line."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import psutil
import pytest

from pilothouse.cli.commands.daemon_and_connection import format_log_line
from tests.chromium import running_chromium
from tests.cli.conftest import Shell
from tests.page_server import Pages

pytestmark = pytest.mark.browser


def test_log_lines_are_readable_and_cannot_steer_the_terminal() -> None:
    line = {"at": "2026-01-02T03:04:05", "level": "info", "from": "daemon", "text": "a\x1b[1m"}
    assert format_log_line(json.dumps({**line, "pid": 7})) == (
        "2026-01-02T03:04:05 info     daemon: a·[1m pid=7"
    )
    assert format_log_line("Traceback: \x1b[1m") == "Traceback: ·[1m"


def test_without_a_daemon_status_says_so_and_starts_none(shell: Shell) -> None:
    ran = shell("status")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "pilothouse: no daemon is running (start it with: pilothouse daemon start)\n"
    assert shell("daemon", "stop").out == "No daemon is running.\n"
    assert shell("daemon", "logs").out.startswith("No log yet")
    assert not shell.runtime.exists()


def test_a_daemon_is_started_seen_and_stopped(shell: Shell) -> None:
    started = shell.json("daemon", "start")
    assert psutil.pid_exists(started["pid"])
    assert os.stat(shell.runtime).st_mode & 0o077 == 0
    status = shell.json("status")
    assert (status["running"], status["pid"], status["browsers"]) == (True, started["pid"], [])
    assert "daemon started" in shell("daemon", "logs").out
    assert f"pid {started['pid']}" in shell("daemon", "status").out
    assert shell("tabs").out.startswith("No tabs.")
    elsewhere = {**shell.environment, "PILOTHOUSE_BROWSER": "/nope"}
    ran = shell("tabs", environment=elsewhere)
    assert (ran.code, ran.out.startswith("No tabs.")) == (0, True)
    assert "note: PILOTHOUSE_BROWSER=/nope has no effect: the daemon runs with" in ran.err
    assert "pilothouse daemon stop" in ran.err
    assert "/nope" in shell("tabs", "--json", environment=elsewhere).told["notices"][0]
    assert shell("tabs").err == ""
    assert shell("daemon", "stop").out == f"The daemon has stopped (pid {started['pid']}).\n"
    assert shell("daemon", "status").code == 1


def test_a_running_browser_is_joined_used_and_left_alone(
    shell: Shell, site: Pages, chromium_path: Path
) -> None:
    url = site.add("/mine.html", "<title>Mine</title>")
    with running_chromium(chromium_path) as endpoint:
        joined = shell("connect", str(endpoint.port))
        assert joined.code == 0, joined.err
        assert joined.out.startswith("Connected to Chrome/")
        assert "about:blank" in joined.out
        taken = shell("open", "--target", "blank", "--name", "theirs")
        said = 'Using the page "about:blank" as tab theirs in the browser at '
        assert (taken.code, taken.out.startswith(said)) == (0, True), taken.out
        assert shell("close", "theirs").out == "Released theirs (left open)\n"
        shell("open", "--target", "blank", "--name", "theirs")
        opened = shell.json("open", url)
        assert opened["browser"] != "headless browser"
        assert url in {page["url"] for page in endpoint.get("/json/list")}
        left = shell("disconnect")
        assert left.out.endswith("; closed main; released theirs (left open)\n")
        urls = {page["url"] for page in endpoint.get("/json/list")}
        assert ("about:blank" in urls, url in urls) == (True, False)
    assert shell("disconnect").out == "Not connected to a running browser.\n"


def test_a_browser_nobody_runs_cannot_be_joined(shell: Shell, refusing_port: int) -> None:
    ran = shell("connect", str(refusing_port), "--json")
    assert (ran.code, ran.told["error"]["kind"]) == (1, "BrowserError")


def test_an_exported_journal_is_replayed_in_words(shell: Shell, site: Pages) -> None:
    url = site.add("/lived.html", "<title>Lived</title>")
    shell.json("open", url, "--name", "lived")
    (file,) = shell.json("journal", "export")["files"]
    assert url in shell("journal", "replay", file).out
    assert url in str(shell.json("journal", "replay", file)["entries"])
    shell.json("close", "lived")
    assert shell("journal", "replay").err.startswith("pilothouse: file: missing (")
    assert shell("journal", "replay", url).code == 1
    shutil.rmtree(Path(file).parent)  # it outlives the daemon


def test_journal_tells_what_happened_in_ones_own_tabs(shell: Shell, site: Pages) -> None:
    url = site.add("/told.html", "<title>Told</title>")
    shell.json("open", url, "--name", "told")
    shell.json("open", "--owner", "other")
    lines = [line.split() for line in shell("journal", "--tab", "told").out.splitlines()]
    assert lines[0] == ["time", "tab", "event", "words"]
    assert ["told", "loads", url] in [line[1:] for line in lines]
    assert ["told", "→", "open", f"{url},"] in [line[1:5] for line in lines]
    (last,) = shell.json("journal", "--last", "1")["entries"]
    assert (last["tab"], last["event"]) == ("told", "open")
    assert url not in shell("journal", "--owner", "other").out
    ran = shell("journal", "--last", "0")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("pilothouse: --last: expected a number from 1 to 400, got 0 (")
    for owner in ("cli", "other"):
        shell.json("close", "--all", "--owner", owner)
