"""Scratch directories: one per worker, removed afterwards whatever the code did to it.

Knows: directories. Must not know: workers. Code can nest directories deeper than a path can
express, and remove its own permissions on them. Removal copes with both.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

__all__ = ["find_quota_excess", "make", "remove", "sweep"]

_PREFIX = "run-"
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make(root: Path) -> Path:
    """Create a directory for one worker."""
    return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))


def sweep(root: Path) -> None:
    """Remove what a dead daemon left behind."""
    for folder in root.glob(f"{_PREFIX}*"):
        remove(folder)


def find_quota_excess(folder: Path, max_bytes: int, max_files: int) -> str:
    """Return which quota a directory exceeds; empty if none."""
    size = files = 0
    unread = [str(folder)]
    while unread:
        try:
            with os.scandir(unread.pop()) as entries:
                for entry in entries:
                    files += 1
                    if files > max_files:
                        return f"the code made more than {max_files:,} files"
                    found = entry.stat(follow_symlinks=False)
                    size += found.st_blocks * 512
                    if size > max_bytes:
                        return f"the code wrote more than {max_bytes >> 20} MB of files"
                    if stat.S_ISDIR(found.st_mode):
                        unread.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue  # the code has just removed it
        except OSError as error:
            # Nested deeper than a path can express, or not readable.
            return f"the code made a directory that cannot be measured ({error.strerror})"
    return ""


def remove(folder: Path) -> None:
    """Remove a directory with its contents. It may be gone already."""
    # Move nested directories up before emptying them: no recursion, and never a long path.
    with contextlib.suppress(FileNotFoundError):
        os.chmod(folder, 0o700)
        root = os.open(folder, _OPEN)
        try:
            moved = 0
            while names := os.listdir(root):
                for name in names:
                    if _unlink_file(root, name):
                        continue
                    moved = _empty(root, name, moved)
                    os.rmdir(name, dir_fd=root)
        finally:
            os.close(root)
        os.rmdir(folder)


def _unlink_file(parent: int, name: str) -> bool:
    """Remove an entry that is not a directory. Returns whether it was removed."""
    if stat.S_ISDIR(os.lstat(name, dir_fd=parent).st_mode):
        os.chmod(name, 0o700, dir_fd=parent)
        return False
    os.unlink(name, dir_fd=parent)
    return True


def _empty(root: int, name: str, moved: int) -> int:
    """Empty one directory of the root into the root."""
    opened = os.open(name, _OPEN, dir_fd=root)
    try:
        for inner in os.listdir(opened):
            if not _unlink_file(opened, inner):
                moved += 1
                os.rename(inner, _unused_name(root, moved), src_dir_fd=opened, dst_dir_fd=root)
    finally:
        os.close(opened)
    return moved


def _unused_name(root: int, number: int) -> str:
    """Return an unused name in the root: the code may have created the expected one."""
    name = f".moved-{number}"
    while True:
        try:
            os.lstat(name, dir_fd=root)
        except FileNotFoundError:
            return name
        name += "-"
