"""Scratch directories: one for each worker, and gone afterwards whatever was done to it.

Knows: directories. Must not know: workers. Code can nest directories deeper than a path can say
and take away its own rights to them; removing has to cope with both.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

__all__ = ["make", "over_quota", "remove", "sweep"]

_PREFIX = "run-"
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make(root: Path) -> Path:
    """A new directory for one worker."""
    return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))


def sweep(root: Path) -> None:
    """Remove what a daemon that died left behind."""
    for place in root.glob(f"{_PREFIX}*"):
        remove(place)


def over_quota(place: Path, most_bytes: int, most_files: int) -> str:
    """What is too much in a directory while code writes to it; empty if nothing is."""
    size = files = 0
    unread = [str(place)]
    while unread:
        try:
            with os.scandir(unread.pop()) as entries:
                for entry in entries:
                    files += 1
                    if files > most_files:
                        return f"the code made more than {most_files:,} files"
                    found = entry.stat(follow_symlinks=False)
                    size += found.st_blocks * 512
                    if size > most_bytes:
                        return f"the code wrote more than {most_bytes >> 20} MB of files"
                    if stat.S_ISDIR(found.st_mode):
                        unread.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue  # the code has just removed it
        except OSError as error:
            # Nested deeper than a path can say, or not to be listed: nobody could measure it.
            return f"the code made a directory that cannot be measured ({error.strerror})"
    return ""


def remove(place: Path) -> None:
    """Remove a directory and all that is in it. It may be gone already."""
    # What is below is moved up before it is emptied: no recursion, and never a long path.
    with contextlib.suppress(FileNotFoundError):
        os.chmod(place, 0o700)
        root = os.open(place, _OPEN)
        try:
            moved = 0
            while names := os.listdir(root):
                for name in names:
                    if _unlinked(root, name):
                        continue
                    moved = _empty(root, name, moved)
                    os.rmdir(name, dir_fd=root)
        finally:
            os.close(root)
        os.rmdir(place)


def _unlinked(parent: int, name: str) -> bool:
    """Whether it was no directory; then it is gone."""
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
            if not _unlinked(opened, inner):
                moved += 1
                os.rename(inner, _free(root, moved), src_dir_fd=opened, dst_dir_fd=root)
    finally:
        os.close(opened)
    return moved


def _free(root: int, number: int) -> str:
    """A name that nothing in the root has: the code may have guessed the usual one."""
    name = f".moved-{number}"
    while True:
        try:
            os.lstat(name, dir_fd=root)
        except FileNotFoundError:
            return name
        name += "-"
