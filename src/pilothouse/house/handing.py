"""Files that code wrote in its scratch directory and gives to a page.

Knows: where such files may come from and how long their copies stay. Must not know: verbs. Only the
scratch directory of the very run that asks is read, and only while it runs. The page gets a copy:
browsers read what they upload when a form is sent, and by then the run and its files may be gone.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from pilothouse.page.paths import pin_upload
from pilothouse.tabs.tabs import OwnedTab

__all__ = ["pin", "sweep"]

_PREFIX = "run-"


def pin(paths: object, scratch: Path, uploads: Path, tab: OwnedTab) -> list[str]:
    """Copies of files that a run may give to its owner's tab. Raises ToolError for others."""
    given = paths if isinstance(paths, list) else [paths]
    roots = (scratch, uploads)
    folder = uploads / _folder_of(tab)
    return [str(pin_upload(str(path), roots, folder)) for path in given]


def sweep(uploads: Path, tabs: Iterable[OwnedTab]) -> None:
    """Remove the copies of tabs that are gone."""
    kept = {_folder_of(tab) for tab in tabs}
    for folder in uploads.glob(f"{_PREFIX}*"):
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)


def _folder_of(tab: OwnedTab) -> str:
    whose = f"{tab.owner}\n{tab.name}\n{tab.tab_id}\n{tab.kind.describe()}"
    return _PREFIX + hashlib.sha256(whose.encode()).hexdigest()[:16]
