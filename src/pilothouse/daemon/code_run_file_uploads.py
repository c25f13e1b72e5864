"""Uploads of files that code in a run wrote to its scratch directory.

Knows: which files a run may upload, and how long their copies stay. Must not know: verbs. A run may
upload from its own scratch directory while it runs, and from the folders of its session. The page
gets a copy, because a browser reads the file only when the form is sent. By then the run may be
over.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from pilothouse.code.sandbox import find_quota_excess
from pilothouse.errors import ToolError
from pilothouse.page.local_files import pin_upload, pin_upload_at
from pilothouse.security.file_access import FileAccess
from pilothouse.tabs.tabs import OwnedTab

__all__ = ["ScratchFolder", "copy_uploads", "remove_orphans"]

_PREFIX = "run-"
# Limits for the copies of one tab: each upload adds more.
COPIED_BYTES = 512 << 20
COPIED_FILES = 1000


class ScratchFolder:
    """The scratch directory of a run: its path, and our own duplicate of its descriptor.

    The duplicate stays valid if the run ends in the meantime."""

    def __init__(self, place: Path, folder: int | None) -> None:
        self.place = place
        self.folder = None if folder is None else os.dup(folder)


def copy_uploads(
    paths: object,
    scratch: ScratchFolder,
    uploads: Path,
    tab: OwnedTab,
    access: FileAccess | None = None,
) -> list[str]:
    """Copies of files that a run may give to its owner's tab: its own, and those of its session.
    Raises ToolError for others."""
    given = paths if isinstance(paths, list) else [paths]
    folder = uploads / _folder_of(tab)
    try:
        if find_quota_excess(folder, COPIED_BYTES, COPIED_FILES):
            raise ToolError(
                f"paths: the uploads of code to tab {tab.name!r} exceed "
                f"{COPIED_BYTES >> 20} MB or {COPIED_FILES} files",
                hint="close the tab and open it again: this removes its copies",
            )
        allowed = access or FileAccess(reads=(uploads,))
        return [str(_copy(str(path), scratch, allowed, folder)) for path in given]
    finally:
        if scratch.folder is not None:
            os.close(scratch.folder)


def _copy(path: str, scratch: ScratchFolder, allowed: FileAccess, folder: Path) -> Path:
    inside = f"{scratch.place}/"
    if not path.startswith(inside):
        return pin_upload(path, allowed.reads, folder, allowed.never)
    if scratch.folder is None:
        return pin_upload(path, (scratch.place,), folder)
    return pin_upload_at(scratch.folder, path.removeprefix(inside), folder)


def remove_orphans(uploads: Path, tabs: Iterable[OwnedTab]) -> None:
    """Remove the copies of tabs that no longer exist."""
    kept = {_folder_of(tab) for tab in tabs}
    for folder in uploads.glob(f"{_PREFIX}*"):
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)


def _folder_of(tab: OwnedTab) -> str:
    whose = f"{tab.owner}\n{tab.name}\n{tab.tab_id}\n{tab.kind.describe()}"
    return _PREFIX + hashlib.sha256(whose.encode()).hexdigest()[:16]
