"""The runner on another event loop than asyncio's own: the one the daemon has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import uvloop

from pilothouse.code.sandbox.daemon_side_runner import Runner, Zygote
from tests.code.worker_runs import Bench, alive

LIMIT_S = 1.0


def test_it_works_on_uvloop(tmp_path: Path) -> None:
    async def both() -> tuple[Any, str, int | None]:
        zygote = Zygote()
        runner = Runner(zygote, tmp_path)
        bench = Bench(runner, zygote, tmp_path)
        await runner.start()
        value = await bench.value("tab.title()", {"tab.title": "Home"})
        ran = await bench.run("while True: pass", seconds=LIMIT_S)
        assert ran.error is not None
        pid = zygote.pid
        await runner.close()
        return value, ran.error["kind"], pid

    value, kind, pid = uvloop.run(both())
    assert (value, kind) == ("Home", "RunTimeout")
    assert pid is not None
    assert not alive(pid)
    assert list(tmp_path.iterdir()) == []
