"""A real disk of one megabyte that a test can fill: a tmpfs of its own.

Knows: mounting. Must not know: what is asserted. Mounting needs root; as another user the test is
skipped, with that reason.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

__all__ = ["SmallDisk", "small_disk"]


class SmallDisk:
    """One mounted file system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self) -> None:
        """Leave not one byte."""
        with self._ballast.open("ab", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 4096)

    def empty(self) -> None:
        """Give back what `fill` took."""
        self._ballast.unlink(missing_ok=True)

    def drafts(self) -> list[str]:
        """Files that look half-written."""
        return sorted(
            path.name for path in self.path.rglob("*") if path.suffix in (".new", ".part")
        )


@contextlib.contextmanager
def small_disk(size: str = "1m") -> Iterator[SmallDisk]:
    """A disk of that size, gone afterwards."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small disk needs root")
    place = Path(tempfile.mkdtemp(prefix="ph-"))
    options = ["-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(place)]
    mounted = subprocess.run(["mount", *options], capture_output=True, text=True, check=False)
    if mounted.returncode:
        place.rmdir()
        pytest.skip(f"this machine mounts no tmpfs: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
        place.rmdir()
