"""A real Lightpanda, from its wheel: a browser that speaks CDP and is no Chromium.

Knows: how to start it on a free loopback port and leave nothing behind.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

__all__ = ["running_lightpanda"]

READY_WITHIN_S = 20.0


@contextlib.contextmanager
def running_lightpanda() -> Iterator[str]:
    """Run it; the value is its WebSocket's address."""
    executable = Path(sysconfig.get_path("scripts")) / "lightpanda"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="ph-test-") as home:
        process = subprocess.Popen(
            [str(executable), "serve", "--host", "127.0.0.1", "--port", str(port)],
            env={**os.environ, "LIGHTPANDA_DISABLE_TELEMETRY": "true", "HOME": home},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _wait_for(process, port)
            yield f"ws://127.0.0.1:{port}/"
        finally:
            process.kill()
            process.wait()


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    give_up = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < give_up:
        if process.poll() is not None:
            raise RuntimeError(f"Lightpanda ended at once with code {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise RuntimeError(f"Lightpanda took no connection within {READY_WITHIN_S:g} s")
