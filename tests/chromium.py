"""A real Chromium for tests and scripts that need its debugging port.

Knows: how to find a browser, start it on a free loopback port and leave nothing behind.
Must not know: CDP. The product's own launcher is `pilothouse.browsers`; this one stands apart
so that the wire can be tested without it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["ARGS", "Endpoint", "endpoint", "find_chromium", "running_chromium"]

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
READY_WITHIN_S = 30.0

ARGS = (
    "--headless=new",
    "--no-first-run",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-gpu",
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a running Chromium listens."""

    port: int
    path: str

    @property
    def websocket_url(self) -> str:
        """The address of the browser's own session."""
        return f"ws://127.0.0.1:{self.port}{self.path}"

    def get(self, path: str) -> Any:
        """The JSON Chromium serves at an HTTP path such as `/json/version`."""
        no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with no_proxy.open(f"http://127.0.0.1:{self.port}{path}", timeout=10) as response:
            return json.load(response)


def find_chromium() -> Path | None:
    """The browser to test with: `PILOTHOUSE_BROWSER`, else the first one on the search path."""
    if named := os.environ.get("PILOTHOUSE_BROWSER"):
        return Path(named)
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return Path(found) if found else None


@contextlib.contextmanager
def running_chromium(executable: Path, *args: str) -> Iterator[Endpoint]:
    """Run a headless Chromium with a fresh profile; its processes and files end with the block."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    # Chromium's last writers may still hold files for a moment after the kill.
    with tempfile.TemporaryDirectory(prefix="ph-test-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [
                str(executable),
                *ARGS,
                *sandbox,
                *args,
                f"--user-data-dir={profile}",
                "--remote-debugging-port=0",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield endpoint(process, Path(profile) / "DevToolsActivePort")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def endpoint(
    process: subprocess.Popen[bytes], port_file: Path, within: float = READY_WITHIN_S
) -> Endpoint:
    """Where a browser that was just started listens, once it says so. Raises RuntimeError."""
    give_up = time.monotonic() + within
    while time.monotonic() < give_up:
        if process.poll() is not None:
            raise RuntimeError(f"Chromium ended at once with code {process.returncode}")
        # The file is written in one go; an empty read means "not yet".
        lines = port_file.read_text().splitlines() if port_file.exists() else []
        if len(lines) >= 2:
            return Endpoint(int(lines[0]), lines[1])
        time.sleep(0.05)
    raise RuntimeError(f"Chromium opened no debugging port within {within:g} s")
