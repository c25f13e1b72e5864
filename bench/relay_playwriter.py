"""npm `playwriter`'s relay for the relay's benchmark, with a stand-in for its extension.

Knows: how its relay is started, and that it takes what says that it is playwriter's extension. Must
not know: figures. Version 0.0.56 is the last one whose dependencies npm can find; the package holds
the relay and no extension.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.chromium import BenchError, Chromium

__all__ = ["PLAYWRITER", "playwriter"]

PLAYWRITER = "playwriter 0.0.56"
WANTED = {"name": "peer", "private": True, "dependencies": {"playwriter": "0.0.56"}}
CACHE = Path(".dev/bench/playwriter")
INSTALL_WITHIN_S = 120.0
READY_WITHIN_S = 20.0
STAND_IN = Path(__file__).parent / "clients" / "playwriter_extension"
# Of the two that its relay lets in: the id of its development build.
ORIGIN = "chrome-extension://pebbngnfojnignonigcnkdilknapkgid"
START = (
    "import(process.argv[1]).then((relay) =>"
    " relay.startPlayWriterCDPRelayServer({ port: Number(process.argv[2]), host: '127.0.0.1' }))"
)


@contextmanager
def playwriter(executable: str, home: Path, clients: Iterable[str]) -> Iterator[dict[str, str]]:
    """Its relay with a Chromium behind it; where clients connect. Raises BenchError.

    Who connects without a name of its own is "default", and a second one is turned away, which
    breaks the first one's line too: each is given a name.
    """
    node = shutil.which("node")
    if node is None:
        raise BenchError("node is not installed")
    package = _installed()
    port = _free_port()
    with ExitStack() as stack:
        module = (package / "dist" / "cdp-relay.js").as_uri()
        environ = {**os.environ, "HOME": str(home)}
        _started([node, "-e", START, module, str(port)], stack, environ)
        _wait(f"http://127.0.0.1:{port}/", lambda told: True)
        extension = home / "playwriter-extension"
        shutil.copytree(STAND_IN, extension)
        where = {"relay": f"ws://127.0.0.1:{port}/extension", "origin": ORIGIN}
        (extension / "where.json").write_text(json.dumps(where))
        load = f"--load-extension={extension}"
        browser = Chromium(
            executable, "relay-playwriter", pipe=False, extensions=True, extra=(load,)
        )
        stack.callback(browser.close)
        status = f"http://127.0.0.1:{port}/extension/status"
        _wait(status, lambda told: bool(json.loads(told)["connected"]))
        yield {name: f"ws://127.0.0.1:{port}/cdp/{name}" for name in clients}


def _started(command: list[str], stack: ExitStack, environ: dict[str, str]) -> None:
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environ,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)


def _wait(url: str, good: Callable[[str], bool]) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < deadline:
        try:
            with direct.open(url, timeout=5) as answer:
                if good(answer.read().decode()):
                    return
        except (OSError, ValueError):  # not there yet
            pass
        time.sleep(0.1)
    raise BenchError(f"{url} was not ready within {READY_WITHIN_S:g} s")


def _installed() -> Path:
    """The package, fetched once."""
    package = CACHE.resolve() / "node_modules" / "playwriter"
    if (package / "dist" / "cdp-relay.js").exists():
        return package
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE / "package.json").write_text(json.dumps(WANTED))
    flags = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--no-progress"]
    try:
        done = subprocess.run(
            ["npm", "install", *flags], cwd=CACHE, capture_output=True, text=True,
            timeout=INSTALL_WITHIN_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchError(f"npm install playwriter: {error}") from error
    if done.returncode != 0:
        raise BenchError(f"npm install playwriter: {done.stderr.strip()[:300]}")
    return package


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])
