"""`pilothouse dashboard`: a link on stdout, in no command line and in no log."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.daemon.daemon_process import Home, at_home
from tests.daemon.web.served_dashboard import Person

WITHIN_S = 60.0

# A browser that writes down its command line.
_BROWSER = """#!/bin/sh
printf '%s\\n' "$@" > "$OUT"
"""


@pytest.fixture(scope="module")
def home(chromium_path: Path) -> Iterator[Home]:
    with at_home(chromium_path) as made:
        made.start()
        yield made


def run(home: Home, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pilothouse", "dashboard", *words]
    return subprocess.run(
        command, env=home.environ(**environ), capture_output=True, text=True, timeout=WITHIN_S
    )


def link(home: Home) -> dict[str, Any]:
    done = run(home, "--json", "--port", "0")
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)["result"]
    return result


async def test_a_link_is_printed_and_works_once(home: Home) -> None:
    made = await asyncio.to_thread(link, home)
    person = Person(made["port"])
    assert await person.enter(made["url"]) == 200
    assert (await person.ask("POST", "/api/leave", {}))[0] == 200
    assert await person.enter(made["url"]) == 403


def test_the_secret_is_in_no_log_and_in_no_command_line(home: Home, tmp_path: Path) -> None:
    browser, out = tmp_path / "browser", tmp_path / "out"
    browser.write_text(_BROWSER)
    browser.chmod(0o700)
    done = run(home, "--port", "0", BROWSER=f"{browser} %s", OUT=str(out), DISPLAY=":99")
    assert done.returncode == 0, done.stderr
    secret = done.stdout.partition("#")[2].partition("\n")[0]
    assert len(secret) == 43
    assert "It is open in your browser" in done.stdout
    opened = out.read_text()
    assert secret not in opened
    file = home.paths.root / "dashboard.html"
    assert file.as_uri() in opened
    assert secret in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.stat().st_uid == os.getuid()
    assert secret not in home.paths.log.read_text()
    for process in psutil.process_iter():
        try:
            assert secret not in " ".join(process.cmdline())
        except psutil.Error:
            continue


def test_no_open_prints_only_the_link(home: Home, tmp_path: Path) -> None:
    done = run(home, "--no-open", "--port", "0", BROWSER="false", DISPLAY=":99")
    assert done.returncode == 0
    assert "Open it in your browser" in done.stdout


def test_another_port_is_refused_while_one_is_open(home: Home) -> None:
    port = link(home)["port"]
    done = run(home, "--no-open", "--port", str(port - 1))
    assert done.returncode == 1
    assert f"already open at http://127.0.0.1:{port}" in done.stderr


async def test_revoking_ends_what_was_entered(home: Home) -> None:
    made = await asyncio.to_thread(link, home)
    person = Person(made["port"])
    assert await person.enter(made["url"]) == 200
    done = await asyncio.to_thread(run, home, "--revoke")
    assert done.returncode == 0
    assert "dashboard session" in done.stdout
    with pytest.raises(ConnectionError):
        await person.ask("GET", "/")
    refused = await asyncio.to_thread(run, home, "--revoke", "--no-open")
    assert refused.returncode == 2
