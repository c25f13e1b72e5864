"""A daemon of its own for the tests of the command line; nothing of it is left at the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.page_server import Pages

ENDS_WITHIN_S = 100.0


@dataclass(frozen=True, slots=True)
class Ran:
    """One command that is over."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> Any:
        """Its JSON envelope."""
        return json.loads(self.out)


class Shell:
    """A person at a terminal: a working directory, a home, and a daemon that calls start."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runtime = folder / "rt"
        self.data = folder / "data"
        self.cwd = folder / "cwd"
        self.cwd.mkdir()
        self.environment = {
            **{name: value for name, value in os.environ.items() if "PILOTHOUSE_O" not in name},
            "PILOTHOUSE_RUNTIME_DIR": str(self.runtime),
            "PILOTHOUSE_CONFIG": str(folder / "config.yaml"),
            "PILOTHOUSE_DATA_DIR": str(self.data),
            "TMPDIR": str(folder),
        }

    def __call__(
        self, *words: str, stdin: str = "", environment: dict[str, str] | None = None
    ) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "pilothouse", *words],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=ENDS_WITHIN_S,
            cwd=self.cwd,
            env=environment or self.environment,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def json(self, *words: str) -> Any:
        """The result of a command that must work."""
        ran = self(*words, "--json")
        assert ran.code == 0, ran.out + ran.err
        return ran.told["result"]


@pytest.fixture(scope="module")
def shell(chromium_path: Path) -> Iterator[Shell]:
    """The terminal of one module; its daemon is stopped in the end, and has left nothing."""
    with tempfile.TemporaryDirectory(prefix="ph-", dir="/tmp") as folder:
        person = Shell(Path(folder))
        try:
            yield person
        finally:
            state = person("daemon", "status", "--json")
            pid = state.told["result"].get("pid")
            below = psutil.Process(pid).children(recursive=True) if pid else []
            stopped = person("daemon", "stop")
        assert stopped.code == 0, stopped.err
        _, alive = psutil.wait_procs(below, timeout=20)
        assert alive == []
        left = {path.name for path in person.runtime.iterdir()} if pid else set()
        assert left <= {"daemon.lock", "daemon.log", "scratch", "start.lock"}


@pytest.fixture(scope="module")
def site() -> Iterator[Pages]:
    """Pages for a whole module."""
    with Pages() as served:
        yield served
