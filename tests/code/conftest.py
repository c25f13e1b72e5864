"""A runner with a real zygote and real workers; only the browser is missing."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pilothouse.code.sandbox.daemon_side_runner import Runner, Zygote
from tests.code.worker_runs import Bench


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bench(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    """One zygote for all tests of a module: starting it is the slow part."""
    root = tmp_path_factory.mktemp("scratch")
    zygote = Zygote()
    runner = Runner(zygote, root)
    await runner.start()
    yield Bench(runner, zygote, root)
    await runner.close()
    assert list(root.iterdir()) == [], "scratch directories were left behind"
