"""Modules that import each other can be wanted by several threads at once."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from pilothouse.daemon.late_imports import import_late


async def test_threads_that_import_a_circle_from_both_ends_both_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    names = [f"circle{number}_{end}" for number in range(20) for end in "ab"]
    for name in names:
        other = name[:-1] + ("b" if name.endswith("a") else "a")
        body = f"import threading\nthreading.Event().wait(0.002)\nfrom {other} import *\nDONE = 1\n"
        (tmp_path / f"{name}.py").write_text(body)
    try:
        found = await asyncio.gather(*(asyncio.to_thread(import_late, name) for name in names))
        assert [module.DONE for (module,) in found] == [1] * len(names)
    finally:
        for name in names:
            sys.modules.pop(name, None)
