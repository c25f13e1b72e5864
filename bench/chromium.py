"""One Chromium per client, all with the same flags, none left behind.

Knows: flags, profiles, process groups. Must not know: clients, figures. The harness owns every
browser, also those on a pipe: their clients are given the other end of the socket pair.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from pilothouse.browsers.launcher.browser_executable import find_browser
from pilothouse.errors import BrowserError

__all__ = ["BenchError", "Chromium", "find", "sweep", "version"]

PROFILES = Path(".dev/bench/profiles")
READY_WITHIN_S = 20.0

# Throttling of background pages would measure the throttle, not the client.
FLAGS = (
    "--headless=new",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-quic",
    "--disable-sync",
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling",
    "--password-store=basic",
    "--use-mock-keychain",
)

# Runs between fork and the browser: gives it descriptors 3 and 4, and on Linux ties its life to
# ours, so that even a killed harness leaves no browser.
LAUNCHER = """
import ctypes, os, sys
wire, parent = int(sys.argv[1]), int(sys.argv[2])
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)
if wire >= 0:
    keep = os.dup2(wire, 64)
    os.dup2(keep, 3)
    os.dup2(keep, 4)
    os.close(keep)
    if wire not in (3, 4):
        os.close(wire)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class BenchError(Exception):
    """The benchmark, or one client of it, cannot go on; the message says why."""


class Chromium:
    """One browser with an empty page. `where` tells a client how to reach it."""

    def __init__(
        self,
        executable: str,
        name: str,
        *,
        pipe: bool,
        extra: Sequence[str] = (),
        extensions: bool = False,
    ) -> None:
        self.where: dict[str, Any] = {}
        self.wire: socket.socket | None = None
        self._profile = PROFILES.resolve() / f"{os.getpid()}-{name}"
        self._profile.mkdir(parents=True)
        theirs: socket.socket | None = None
        if pipe:
            self.wire, theirs = socket.socketpair()
            door = "--remote-debugging-pipe"
        else:
            door = "--remote-debugging-port=0"
        fd = theirs.fileno() if theirs is not None else -1
        usual = [flag for flag in FLAGS if not (extensions and flag == "--disable-extensions")]
        flags = [*usual, *extra, door, f"--user-data-dir={self._profile}"]
        if os.geteuid() == 0:
            flags.append("--no-sandbox")
        launcher = [sys.executable, "-S", "-c", LAUNCHER, str(fd), str(os.getpid())]
        self._process = subprocess.Popen(
            [*launcher, executable, *flags, "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(fd,) if theirs is not None else (),
            start_new_session=True,
        )
        if theirs is not None:
            theirs.close()
        self.pid = self._process.pid

    def wait_ready(self) -> None:
        """Return when a client can attach to the page."""
        if self.wire is not None:
            self.where = {"fd": self.wire.fileno()}
            return
        deadline = time.monotonic() + READY_WITHIN_S
        while not self._reached():
            if self._process.poll() is not None:
                raise BenchError(f"Chromium ended with {self._process.returncode}")
            if time.monotonic() > deadline:
                raise BenchError(f"Chromium was not ready within {READY_WITHIN_S:g} s")
            time.sleep(0.05)

    def _reached(self) -> bool:
        try:
            port, path = (self._profile / "DevToolsActivePort").read_text().split("\n")
            http = f"http://127.0.0.1:{port}"
            direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with direct.open(f"{http}/json/list", timeout=5) as answer:
                pages = [t for t in json.load(answer) if t["type"] == "page"]
        except (OSError, ValueError):  # not there yet, or half written
            return False
        if not pages:
            return False
        self.where = {
            "http": http,
            "host": "127.0.0.1",
            "port": port,
            "path": path,
            "ws": f"ws://127.0.0.1:{port}{path}",
            "page_ws": pages[0]["webSocketDebuggerUrl"],
            "target": pages[0]["id"],
        }
        return True

    def close(self) -> None:
        """Kill it with all its processes and delete its profile."""
        if self.wire is not None:
            self.wire.close()
        with contextlib.suppress(ProcessLookupError):  # it may have gone before us
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        _remove(self._profile)


def find() -> str:
    """The browser to measure with. Raises BenchError when there is none."""
    try:
        return str(find_browser())
    except BrowserError as error:
        raise BenchError(error.format_line()) from error


def version(executable: str) -> str:
    """What the browser calls itself."""
    return subprocess.run(
        [executable, "--version"], capture_output=True, text=True, timeout=20, check=True
    ).stdout.strip()


def sweep() -> None:
    """Delete profiles of runs that were killed."""
    for profile in PROFILES.glob("*-*"):
        pid = profile.name.split("-")[0]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            _remove(profile)


def _remove(profile: Path) -> None:
    """Chromium's dying children may still write: a directory that refills is emptied again."""
    for _ in range(20):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            return
        time.sleep(0.05)
