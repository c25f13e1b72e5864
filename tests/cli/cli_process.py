"""The command line as a person runs it: a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process

__all__ = ["run", "start"]

ENDS_WITHIN_S = 60.0


async def start(*args: str, **environment: str) -> Process:
    """Start `pilothouse` with these words."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "pilothouse",
        *args,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, **environment},
    )


async def run(*args: str, **environment: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `pilothouse` with these words."""
    process = await start(*args, **environment)
    async with asyncio.timeout(ENDS_WITHIN_S):
        out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()
