"""A bench that runs code in real workers, with prepared answers instead of a browser."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from pilothouse.code.sandbox.daemon_side_runner import Runner, RunOutcome, Zygote

__all__ = ["PATIENCE_S", "Bench", "alive", "children", "gone", "left_in"]

# Far longer than anything takes, even on a busy machine: a hang fails, slowness does not.
PATIENCE_S = 60.0


class Bench:
    """Runs code and answers its calls from `answers`; what was called is in `calls`."""

    def __init__(self, runner: Runner, zygote: Zygote, root: Path) -> None:
        self.runner = runner
        self.zygote = zygote
        self.root = root

    async def run(
        self,
        code: str,
        answers: dict[str, Any] | None = None,
        *,
        seconds: float = 30.0,
        state: dict[str, Any] | None = None,
        calls: list[tuple[str, dict[str, Any]]] | None = None,
    ) -> RunOutcome:
        """Run code once. Raises an answer that is an exception, awaits a callable one."""

        async def call(method: str, params: dict[str, Any], left: float) -> Any:
            if calls is not None:
                calls.append((method, params))
            answer = (answers or {}).get(method, f"answer of {method}")
            if isinstance(answer, BaseException):
                raise answer
            return await answer() if callable(answer) else answer

        async with asyncio.timeout(PATIENCE_S):
            return await self.runner.run(code, call, seconds=seconds, state=state)

    async def value(self, code: str, answers: dict[str, Any] | None = None) -> Any:
        """Return the value of code that succeeds."""
        ran = await self.run(code, answers)
        assert ran.error is None, ran.error
        return ran.value

    async def error(self, code: str, answers: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the error of code that fails."""
        ran = await self.run(code, answers)
        assert ran.error is not None, ran
        return ran.error

    async def shown(self, code: str, answers: dict[str, Any] | None = None) -> list[str]:
        """Return the texts that code shows, in order."""
        ran = await self.run(code, answers)
        assert ran.error is None, ran.error
        return [item.get("text", f"<{item['type']}>") for item in ran.output]


def alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


async def gone(*pids: int) -> None:
    """Wait until none of the processes runs any more."""
    async with asyncio.timeout(PATIENCE_S):
        while any(alive(pid) for pid in pids):  # noqa: ASYNC110 - the kernel has no event for it
            await asyncio.sleep(0.01)


def children(pid: int | None) -> list[int]:
    """Return the child processes of a process."""
    found: list[int] = []
    if pid is None:
        return found
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                    parts = file.read().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(parts[1]) == pid:
                found.append(int(name))
    return found


def left_in(place: Path) -> list[str]:
    """Return the names in a directory."""
    return os.listdir(place)
