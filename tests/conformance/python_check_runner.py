"""Runs named checks of a Python client one after the other; says as JSON lines what each gave.

    await run_all(wish, CHECKS, stage)

Knows: order, limits, plain values; the same as node_check_runner.mjs. Must not know: any client.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

__all__ = ["Wish", "failure", "run_all", "words"]

LIMIT_S = 90.0

StageT = TypeVar("StageT")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the runner asked for."""

    endpoint: str
    site: str
    scratch: str
    rooms: str
    only: tuple[str, ...] = ()

    @classmethod
    def read(cls) -> Wish:
        """From the command line."""
        said = json.loads(sys.argv[1])
        named = {name: said[name] for name in ("endpoint", "site", "scratch", "rooms")}
        return cls(**named, only=tuple(said.get("only") or ()))

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        """The address of a page under one of the site's names."""
        return f"http://{host}:{urlsplit(self.site).port}{path}"

    def plain(self, value: Any) -> Any:
        """A value without what differs from run to run: ports, ids, folders."""
        text = json.dumps(value).replace(self.scratch, "SCRATCH")
        text = re.sub(r"(127\.0\.0\.1|localhost):\d+", r"\1:PORT", text)
        return json.loads(re.sub(r"\b[0-9A-F]{32}\b", "ID", text))


async def run_all(
    wish: Wish,
    checks: Mapping[str, Callable[[StageT], Awaitable[Any]]],
    stage: Callable[[], AbstractAsyncContextManager[StageT]],
) -> None:
    """Run every check on a stage of its own."""
    for name, check in checks.items():
        if wish.only and name not in wish.only:
            continue
        told: dict[str, Any] = {"name": name}
        started = time.monotonic()
        try:
            async with asyncio.timeout(LIMIT_S), stage() as staged:
                told["value"] = wish.plain(await check(staged))
        except Exception as error:  # noqa: BLE001 - what went wrong is what is compared
            told["error"] = wish.plain(words(error))
        told["ms"] = round((time.monotonic() - started) * 1000)
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def words(error: BaseException) -> str:
    """The first line of what went wrong."""
    return (str(error) or type(error).__name__).strip().splitlines()[0]


async def failure(awaited: Awaitable[Any]) -> str:
    """What it fails with; the check is wrong if it does not fail."""
    try:
        await awaited
    except Exception as error:  # noqa: BLE001 - any failure is what is asked for
        return words(error)
    raise AssertionError("it was to fail and did not")
