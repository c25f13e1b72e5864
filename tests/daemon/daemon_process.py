"""A daemon of its own for tests: started, watched, and gone afterwards with everything it began.

Knows: processes and the client's line. Must not know: what is asserted.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from pilothouse.code.client.daemon_connection import DaemonClient
from pilothouse.errors import PilothouseError
from pilothouse.paths import RuntimePaths
from tests.browsers.machine_processes import ended

__all__ = ["Home", "at_home", "open_daemon"]

OPENS_WITHIN_S = 30.0
ENDS_WITHIN_S = 10.0


class Home:
    """Where one daemon lives; it may be started and ended many times."""

    def __init__(self, root: Path, chromium: Path) -> None:
        self.paths = RuntimePaths(root)
        self.process: subprocess.Popen[bytes] | None = None
        self.stdin: int = subprocess.DEVNULL
        self._chromium = chromium
        self._lines: list[DaemonClient] = []
        self._seen: list[psutil.Process] = []

    def environ(self, **more: str) -> dict[str, str]:
        """What a process of this daemon, or a client of it, finds around it."""
        kept = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
        return {
            **kept,
            "PILOTHOUSE_RUNTIME_DIR": str(self.paths.root),
            "PILOTHOUSE_CONFIG": str(self.paths.root / "none.yaml"),
            "PILOTHOUSE_DATA_DIR": str(self.paths.root / "data"),
            "PILOTHOUSE_BROWSER": str(self._chromium),
            **more,
        }

    def start(self, **environ: str) -> subprocess.Popen[bytes]:
        """Open the daemon and wait for its door."""
        self.paths.prepare()
        with self.paths.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "pilothouse.daemon"],
                stdin=self.stdin,
                stdout=log,
                stderr=log,
                cwd="/",
                env=self.environ(**environ),
                start_new_session=True,
            )
        self.process = process
        give_up = time.monotonic() + OPENS_WITHIN_S
        while time.monotonic() < give_up and process.poll() is None:
            with contextlib.suppress(PilothouseError):
                DaemonClient("door", paths=self.paths, start=False).close()
                return process
            time.sleep(0.05)
        raise AssertionError(f"the daemon did not open: {self.paths.log.read_text()[-500:]}")

    def line(self, owner: str = "me", **more: Any) -> DaemonClient:
        """A client's line to the daemon that runs."""
        line = DaemonClient(owner, paths=self.paths, start=False, **more)
        self._lines.append(line)
        return line

    def family(self) -> list[psutil.Process]:
        """The daemon and every process below it now."""
        assert self.process is not None
        return self.watch(self.process.pid)

    def watch(self, pid: int) -> list[psutil.Process]:
        """Also a daemon that a client started, and all below it: `stop` waits for their end."""
        daemon = psutil.Process(pid)
        family = [daemon, *daemon.children(recursive=True)]
        self._seen += family
        return family

    def kill(self, number: int = signal.SIGKILL) -> float:
        """End the daemon by a signal; how long that took."""
        assert self.process is not None
        began = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(30)
        return time.monotonic() - began

    def stop(self) -> None:
        """End whatever still runs, and see that nothing is left."""
        for line in self._lines:
            line.close()
        self._lines.clear()
        if self.process is not None and self.process.poll() is None:
            self.family()
            self.kill(signal.SIGTERM)
        left = [p for p in self._seen if not ended([p], ENDS_WITHIN_S)]
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        assert left == []


@contextlib.contextmanager
def at_home(chromium: Path) -> Iterator[Home]:
    """A daemon that is not open yet. Its path is short, as paths of sockets must be."""
    root = Path(tempfile.mkdtemp(prefix="ph-"))
    home = Home(root, chromium)
    try:
        yield home
    finally:
        try:
            home.stop()
        finally:
            shutil.rmtree(root)


@contextlib.contextmanager
def open_daemon(chromium: Path, *, browser: bool = True) -> Iterator[Home]:
    """An open daemon; with its browser, which somebody keeps, or without one."""
    with at_home(chromium) as made:
        made.start()
        if browser:
            made.line("who keeps the browser open").call("open")
        yield made
