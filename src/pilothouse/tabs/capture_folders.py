"""The folders of captures on disk: one per capture, private, and limited in number and size.

    <root>/<owner>/<time>-<tab>/003-click-Save/    receipt.json, page.md, page.html, ...

Knows: names, file modes and limits. Must not know: what a capture contains, or when one is made.
A folder appears whole or not at all. If a limit is reached, the oldest captures are deleted.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pilothouse.security.file_access import folder_name

__all__ = ["MOST_FILES", "CaptureFolders", "capture_name"]

# Of all captures together. The limit of bytes is the setting `browser.capture_mb`.
MOST_FILES = 4000
LONGEST_NAME = 40

_CAPTURE = re.compile(r"\d{3,}-[A-Za-z0-9-]{1,40}")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")


class _KeptCapture(msgspec.Struct, frozen=True):
    folder: Path
    files: int
    bytes: int


def capture_name(number: int, words: str) -> str:
    """Return the name of a capture's folder, such as `003-click-Save`."""
    plain = _NOT_IN_NAMES.sub("-", words).strip("-")[:LONGEST_NAME].rstrip("-")
    return f"{number:03d}-{plain or 'action'}"


class CaptureFolders:
    """All captures below one folder. `write` may be called in any thread."""

    def __init__(self, root: Path, *, most_bytes: int, most_files: int = MOST_FILES) -> None:
        self.root = root
        self._most_bytes = most_bytes
        self._most_files = most_files
        self._lock = threading.Lock()
        # The captures on disk, oldest first. Read from the disk before the first write.
        self._kept: list[_KeptCapture] | None = None
        self._sessions: set[Path] = set()

    def session_folder(self, owner: str, tab: str) -> Path:
        """Return a folder for a new tab, which no other tab has. It is created when needed."""
        wanted = f"{time.strftime('%Y%m%dT%H%M%S')}-{folder_name(tab)}"
        folder, number = self.root / folder_name(owner) / wanted, 1
        while folder in self._sessions or folder.exists():
            number += 1
            folder = folder.with_name(f"{wanted}-{number}")
        self._sessions.add(folder)
        return folder

    def write(self, folder: Path, files: Mapping[str, bytes]) -> None:
        """Write a capture, then delete the oldest ones until all limits hold. The newest one stays.

        Raises OSError; then nothing of the capture is left."""
        with self._lock:
            if self._kept is None:
                self._kept = _read_kept(self.root)
            _make_private(self.root, folder.parent)
            draft = folder.with_name(f".{folder.name}.part")
            try:
                draft.mkdir(mode=0o700)
                for name, data in files.items():
                    _write_private(draft / name, data)
                draft.rename(folder)
            except OSError:
                shutil.rmtree(draft, ignore_errors=True)
                raise
            size = sum(map(len, files.values()))
            self._kept.append(_KeptCapture(folder, len(files), size))
            self._delete_oldest(self._kept)

    def _delete_oldest(self, kept: list[_KeptCapture]) -> None:
        while len(kept) > 1 and (
            sum(one.bytes for one in kept) > self._most_bytes
            or sum(one.files for one in kept) > self._most_files
        ):
            oldest = kept.pop(0).folder
            shutil.rmtree(oldest, ignore_errors=True)
            with contextlib.suppress(OSError):  # not empty, or the user has deleted it
                oldest.parent.rmdir()
                oldest.parent.parent.rmdir()

    def count(self) -> tuple[int, int]:
        """Return how many captures there are, and their size in bytes."""
        with self._lock:
            kept = _read_kept(self.root) if self._kept is None else self._kept
            return len(kept), sum(one.bytes for one in kept)


def _read_kept(root: Path) -> list[_KeptCapture]:
    """Return the captures on disk, oldest first; also those of earlier daemons."""
    found = []
    for folder in root.glob("*/*/*"):
        if _CAPTURE.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink():
            sizes = [entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder)]
            age = folder.stat().st_mtime_ns
            found.append((age, _KeptCapture(folder, len(sizes), sum(sizes))))
    return [kept for _, kept in sorted(found, key=lambda pair: (pair[0], pair[1].folder))]


def _make_private(root: Path, folder: Path) -> None:
    """Create the root and the folders below it for this user alone. Raises OSError."""
    root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    steps = folder.relative_to(root).parts
    for depth in range(len(steps) + 1):
        made = root.joinpath(*steps[:depth])
        made.mkdir(mode=0o700, exist_ok=True)
        found = made.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise PermissionError(f"{made} is not a folder of yours: remove or rename it")
        if stat.S_IMODE(found.st_mode) != 0o700:
            made.chmod(0o700)


def _write_private(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with open(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
