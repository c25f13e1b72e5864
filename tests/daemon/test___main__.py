"""The daemon from start to end: one per user, ended by signals, by silence, or when told to."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from pilothouse.code.client.daemon_connection import BrowserSignal, DaemonClient
from pilothouse.errors import PilothouseError
from tests.browsers.machine_processes import ended
from tests.daemon.daemon_process import Home
from tests.page_server import Pages

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def _ignoring(line: DaemonClient, method: str, name: str, code: str) -> None:
    with contextlib.suppress(PilothouseError):
        line.call(method, name=name, code=code, timeout=60)


def test_second_daemon_is_refused_and_the_first_goes_on(lived_in: Home) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "pilothouse.daemon"],
        env=lived_in.environ(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert second.returncode == 1
    assert b"a daemon is already running" in second.stderr
    assert lived_in.line("still").call("tabs") == []


def test_bad_settings_are_told_before_the_daemon_opens(lived_in: Home, tmp_path: Path) -> None:
    bad = tmp_path / "c.yaml"
    bad.write_text("daemon:\n  idle: 5\n")
    (tmp_path / "rt").mkdir(mode=0o700)
    environ = {"PILOTHOUSE_CONFIG": str(bad), "PILOTHOUSE_RUNTIME_DIR": str(tmp_path / "rt")}
    refused = subprocess.run(
        [sys.executable, "-m", "pilothouse.daemon"],
        env=lived_in.environ(**environ),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert refused.returncode == 2
    assert b"daemon.idle" in refused.stderr


def browsers_of(home: Home) -> list[int]:
    found = {}
    for process in home.family():
        with contextlib.suppress(psutil.NoSuchProcess):
            words = process.cmdline()
            if "--remote-debugging-pipe" in words and not any("--type=" in w for w in words):
                found[process.pid] = process.ppid()
    # Where the browser is started by a shell script, that forks itself for a moment.
    return [number for number, parent in found.items() if parent not in found]


def test_a_browser_that_is_rung_for_starts_with_the_daemon_and_is_the_one_that_is_used(
    home: Home,
) -> None:
    with BrowserSignal(rung=True) as bell:
        home.stdin = bell.inside
        home.start()
    deadline = time.monotonic() + 30
    while not (ahead := browsers_of(home)):
        assert time.monotonic() < deadline
    home.line("alice").call("open", name="one")
    assert browsers_of(home) == ahead


@pytest.mark.figures
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_daemon_within_3_s_and_leaves_nothing(
    home: Home, pages: Pages, number: signal.Signals
) -> None:
    home.start()
    line = home.line("alice")
    for name in ("one", "two", "hung"):
        line.call("open", name=name, url=pages.add("/kept.html", "<title>kept</title>"))
    spin = "setTimeout(() => { while (true) {} }, 0)"
    line.call("page.cdp", tab="hung", command="Runtime.evaluate", params={"expression": spin})
    busy = threading.Thread(target=_ignoring, args=(line, "run", "one", "while True: pass"))
    busy.start()
    watcher = home.line("alice")
    while not any(tab["busy"] for tab in watcher.call("tabs")):
        time.sleep(0.02)
    family = home.family()
    took = home.kill(number)
    busy.join(10)
    assert not busy.is_alive()
    assert took < 3.0
    assert home.process is not None
    assert home.process.returncode == 128 + number
    assert ended(family, 5.0)
    assert not home.paths.socket.exists()
    assert not home.paths.ledger.exists()
    assert os.listdir(home.paths.scratch) == []


def test_daemon_that_nobody_needs_closes_by_itself(home: Home) -> None:
    process = home.start(PILOTHOUSE_IDLE_S="1")
    line = home.line("alice")
    line.call("open")
    family = home.family()
    line.call("close")
    line.close()
    assert process.wait(30) == 0
    assert ended(family, 5.0)
    lines = [json.loads(one) for one in home.paths.log.read_text().splitlines()]
    assert any("stopping the daemon" in one["text"] for one in lines)


def test_daemon_stays_while_a_tab_is_open(home: Home) -> None:
    process = home.start(PILOTHOUSE_IDLE_S="0.5")
    line = home.line("alice")
    line.call("open")
    line.close()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2)
    home.line("alice").call("stop")
    assert process.wait(10) == 0


_STOPS_AND_CALLS = """from pathlib import Path
from pilothouse.code.client.daemon_connection import BrowserSignal, DaemonClient
from pilothouse.paths import RuntimePaths
for turn in range(2):
    line = DaemonClient("x")
    line.call("open")
    line.call("stop")
    assert not RuntimePaths().socket.exists()
    after = DaemonClient("x")
    assert after.call("tabs") == []
    assert after.hello["pid"] != line.hello["pid"]
    print(line.hello["pid"])
after.call("stop")
print(after.hello["pid"])
"""


def test_call_right_after_stop_is_answered_by_a_new_daemon(home: Home) -> None:
    try:
        done = subprocess.run(
            [sys.executable, "-c", _STOPS_AND_CALLS],
            env=home.environ(),
            capture_output=True,
            timeout=100,
            check=False,
        )
    finally:
        # A daemon that it left, if it failed: nobody else would stop that one.
        with contextlib.suppress(PilothouseError):
            home.line("x").call("stop")
    assert done.returncode == 0, done.stderr
    daemons = [int(line) for line in done.stdout.split()]
    with contextlib.suppress(psutil.NoSuchProcess):
        assert ended([psutil.Process(daemons[-1])], 10.0)


def test_client_that_finds_nobody_starts_a_daemon_and_stop_ends_it(home: Home) -> None:
    code = (
        "from pilothouse.code.client.daemon_connection import BrowserSignal, DaemonClient\n"
        "line = DaemonClient('x')\nprint(line.hello['pid'])\nline.call('stop')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=home.environ(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    daemon = int(done.stdout)
    with contextlib.suppress(psutil.NoSuchProcess):
        assert ended([psutil.Process(daemon)], 10.0)
    assert not home.paths.socket.exists()
