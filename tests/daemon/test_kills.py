"""Whoever is killed, in whatever order: nobody is left behind, and the next call works."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from pilothouse.browsers.launcher.run_directories import default_roots
from pilothouse.code.client.daemon_connection import DaemonClient, Refused
from pilothouse.errors import PilothouseError
from tests.browsers.machine_processes import ended
from tests.daemon.daemon_process import Home
from tests.page_server import Pages
from tests.soak_extent import repeats

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

_PARTS = ("daemon", "zygote", "worker", "browser", "client")
_CLIENT = """import sys
from pilothouse.code.client.daemon_connection import DaemonClient
from pilothouse.paths import RuntimePaths
line = DaemonClient("doomed", paths=RuntimePaths())
print("here", flush=True)
line.call("run", code="wait(60)", timeout=90)"""


def _url(pages: Pages) -> str:
    return pages.add("/kept.html", "<title>kept</title>")


def _main(family: list[psutil.Process], word: str) -> psutil.Process:
    """The topmost of the processes that have a word on their command line."""
    for process in family[1:]:
        with contextlib.suppress(psutil.Error):
            if any(word in arg for arg in process.cmdline()):
                return process
    raise AssertionError(f"no {word} in {family}")


def _alive(home: Home, line: DaemonClient, url: str) -> None:
    """The daemon works: a tab is opened, and code runs on it."""
    opened = line.call("open", url=url)
    assert opened["details"]["url"] == url
    ran = line.call("run", code="tab.title()")
    if ran.get("error"):
        # It had asked for the title when its zygote died: not done again by itself, but told.
        assert ran["error"]["kind"] == "Killed", ran
        assert ran["error"]["hint"] == "run it again: a new one is started", ran
        raise Refused("lost with its zygote", hint=ran["error"]["hint"], kind="Killed")
    assert ran["value"] == "kept", ran
    assert line.call("status")["browsers"][0]["ms"] > 0


def test_daemon_that_is_killed_leaves_nothing_and_the_next_says_what_was_lost(
    home: Home, pages: Pages
) -> None:
    home.start()
    url = _url(pages)
    line = home.line("alice")
    _alive(home, line, url)
    home.line("bob").call("open", name="mine", url=url)
    family = home.family()
    assert len(family) > 4
    home.kill()
    with pytest.raises(PilothouseError, match="the daemon stopped during the call"):
        line.call("tabs")
    assert ended(family, 15.0)
    home.start()
    assert home.line("carol").hello["notices"] == []
    home.line("carol").call("open", url=url)
    home.kill()
    home.start()
    again = home.line("alice")
    assert again.hello["notices"] == [f"lost in a crash of the daemon: main {url}"]
    assert home.line("bob").hello["notices"] == [f"lost in a crash of the daemon: mine {url}"]
    assert home.line("alice").hello["notices"] == []
    assert again.call("tabs") == []
    _alive(home, again, url)


def test_browser_that_is_killed_is_told_and_opened_anew(home: Home, pages: Pages) -> None:
    home.start()
    url = _url(pages)
    line = home.line("alice")
    _alive(home, line, url)
    family = home.family()
    _main(family, "--remote-debugging-pipe").kill()
    while line.call("tabs")[0]["alive"]:
        time.sleep(0.02)
    with pytest.raises(Refused, match='tab "main" is not alive') as refused:
        line.call("tab.extract")
    assert "open" in refused.value.hint
    _alive(home, line, url)


def test_zygote_and_workers_that_are_killed_are_replaced(home: Home, pages: Pages) -> None:
    home.start()
    url = _url(pages)
    line = home.line("alice")
    _alive(home, line, url)
    before = line.call("status")["zygote"]
    os.kill(before, signal.SIGKILL)
    dying = [process for process in psutil.process_iter() if process.pid == before]
    assert ended(dying, 10.0)
    with contextlib.suppress(Refused):  # the first one may meet it dying
        line.call("run", code="1")
    assert line.call("run", code="tab.title()")["value"] == "kept"
    after = line.call("status")["zygote"]
    assert after != before

    over = threading.Event()

    def kill_a_worker() -> None:
        # The worker of the run may be forked at any moment: whatever is there goes, until it has.
        while not over.wait(0.05):
            if line.call("tabs")[0]["busy"]:
                for worker in psutil.Process(after).children():
                    with contextlib.suppress(psutil.NoSuchProcess):
                        worker.kill()

    killer = threading.Thread(target=kill_a_worker)
    killer.start()
    report = line.call("run", code="print('x')\nwait(30)", timeout=40)
    over.set()
    killer.join()
    assert report["error"]["message"]
    assert line.call("run", code="tab.title()")["value"] == "kept"


def test_client_that_is_killed_in_the_middle_of_a_run_frees_the_tab(
    home: Home, pages: Pages
) -> None:
    home.start()
    line = home.line("doomed")
    line.call("open", url=_url(pages))
    with subprocess.Popen(
        [sys.executable, "-c", _CLIENT], env=home.environ(), stdout=subprocess.PIPE
    ) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == b"here\n"
        while not line.call("tabs")[0]["busy"]:
            time.sleep(0.02)
        client.kill()
    assert line.call("run", code="tab.title()", timeout=20)["value"] == "kept"


def _ignoring(line: DaemonClient, method: str, name: str, code: str) -> None:
    with contextlib.suppress(PilothouseError):
        line.call(method, name=name, code=code, timeout=60)


def _kill_one(home: Home, line: DaemonClient, part: str) -> None:
    family = home.family()
    if part == "daemon":
        home.kill()
        assert ended(family, 15.0)
    elif part == "zygote":
        os.kill(line.call("status")["zygote"], signal.SIGKILL)
    elif part == "browser":
        _main(family, "--remote-debugging-pipe").kill()
    elif part == "client":
        client = subprocess.Popen(
            [sys.executable, "-c", _CLIENT], env=home.environ(), stdout=subprocess.PIPE
        )
        with client:
            assert client.stdout is not None
            client.stdout.readline()
            client.kill()
    else:
        runner = threading.Thread(target=_ignoring, args=(line, "run", "main", "wait(30)"))
        runner.start()
        zygote = psutil.Process(line.call("status")["zygote"])
        while runner.is_alive():
            for worker in zygote.children():
                with contextlib.suppress(psutil.NoSuchProcess):
                    worker.kill()
            time.sleep(0.02)


@pytest.mark.soak
@pytest.mark.timeout(3000)
def test_anything_killed_in_any_order_leaves_no_orphan_and_the_next_call_works(
    home: Home, pages: Pages
) -> None:
    url, chance, rounds = _url(pages), random.Random(5), repeats(3, 50)
    before = _litter()
    order = [*_PARTS, *(chance.choice(_PARTS) for _ in range(rounds))][:rounds]
    chance.shuffle(order)
    home.start()
    line = home.line("doomed")
    _alive(home, line, url)
    for part in order:
        _kill_one(home, line, part)
        if home.process is not None and home.process.poll() is not None:
            home.start()
            line = home.line("doomed")
            assert line.hello["notices"] == [f"lost in a crash of the daemon: main {url}"]
        for _ in range(2):  # a call may still meet what is dying, and says so
            with contextlib.suppress(Refused):
                _alive(home, line, url)
                break
        _alive(home, line, url)
    family = home.family()
    assert home.kill(signal.SIGTERM) < 3.0
    assert ended(family, 5.0)
    assert os.listdir(home.paths.scratch) == []
    assert _litter() <= before


def _litter() -> set[Path]:
    """The directories of runs of daemons that do not live any more."""
    gone = set()
    for record in (path for root in default_roots() for path in root.glob("*/record.json")):
        with contextlib.suppress(OSError, ValueError):
            if not psutil.pid_exists(json.loads(record.read_text())["owner"]):
                gone.add(record.parent)
    return gone
