"""A relay's port in a process of its own, for as long as its input lasts; run it with `python -m`.

It says its port and its token, as one line of JSON; to its stderr it says errors only.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import tempfile
from pathlib import Path

from pilothouse.asyncio_tasks import run
from tests.relay.relay_port_and_clients import opened


async def serve() -> None:
    """Serve echoes."""
    with tempfile.TemporaryDirectory(prefix="ph-port-") as directory:
        async with opened(Path(directory), linger_s=0.5) as port:
            port.remembers = False
            sys.stdout.write(json.dumps({"port": port.port, "token": port.token}) + "\n")
            sys.stdout.flush()
            await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    run(serve())
