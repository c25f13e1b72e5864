"""An owner of one browser, to be killed in many ways: `owner_child.py ROOT WAY [PROFILE]`, or of
an application: `owner_child.py ROOT WAY PATH ARGS...`.

It prints one JSON line when its browser answers. `close` ends it in order; `crash` kills the
browser first; `wait` waits for a signal, and ends with 128 + its number.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import psutil

from pilothouse.browsers import AppKind, BrowserKind, Browsers, HeadlessKind


def guardian_pid() -> int:
    """Find the guardian among the children of this process."""
    (pid,) = (c.pid for c in psutil.Process().children() if "guardian" in " ".join(c.cmdline()))
    return pid


async def own(root: Path, way: str, kind: BrowserKind) -> int:
    asked_to_end: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, asked_to_end.set_result, number)
    sys.stdout.write("\n")
    sys.stdout.flush()
    async with Browsers(root=root) as browsers:
        handle = await browsers.acquire(kind)
        assert handle.pid is not None
        sys.stdout.write(json.dumps({"browser": handle.pid, "guardian": guardian_pid()}))
        sys.stdout.write("\n")
        sys.stdout.flush()
        if way == "crash":
            os.kill(handle.pid, signal.SIGKILL)
        if way == "wait":
            return 128 + await asked_to_end
    return 0


if __name__ == "__main__":
    wanted: BrowserKind = HeadlessKind(profile=sys.argv[3] if len(sys.argv) > 3 else None)
    if len(sys.argv) > 4:
        wanted = AppKind(sys.argv[3], tuple(sys.argv[4:]))
    sys.exit(asyncio.run(own(Path(sys.argv[1]), sys.argv[2], wanted)))
