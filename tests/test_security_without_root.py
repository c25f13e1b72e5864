"""Security boundaries hold for every user, not only for root, as whom CI runs."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.code_and_docs_rules import ROOT
from tests.unprivileged import is_root, run_as_user

WITHIN_S = 600


@pytest.fixture
def home() -> Iterator[Path]:
    """A home in a place that every user may enter: pytest's own folders are root's."""
    made = Path(tempfile.mkdtemp(prefix="pilothouse-user-", dir="/tmp"))
    yield made
    shutil.rmtree(made)


@pytest.mark.early
@pytest.mark.browser
@pytest.mark.timeout(WITHIN_S + 30)
@pytest.mark.skipif(not is_root(), reason="the other tests run unprivileged already")
def test_every_boundary_holds_for_an_unprivileged_user(home: Path) -> None:
    flags = ["-q", "-p", "no:cacheprovider", "-m", "boundary and not figures"]
    # Only files that have such tests: collecting all of them takes longer than these tests.
    every = sorted((ROOT / "tests").rglob("test_*.py"))
    files = [str(path) for path in every if "mark.boundary" in path.read_text()]
    command = [sys.executable, "-m", "pytest", *flags, f"--basetemp={home}/pytest", *files]
    done = run_as_user(command, home, within=WITHIN_S, where=ROOT)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
