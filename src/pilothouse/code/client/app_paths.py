"""Paths of an application or a browser, as the daemon finds them: it has another working directory.

Knows: the caller's working directory and search path. Must not know: what is started. No imports
that cost: a warm call of the command line reads it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["absolute_app_paths", "absolute_endpoint"]

_FOLDER = "--user-data-dir="


def absolute_endpoint(named: str) -> str:
    """A browser's endpoint: a file or folder by its full path, anything else as it is."""
    return os.path.abspath(named) if os.path.exists(named) and not named.isdigit() else named


def absolute_app_paths(app: Mapping[str, Any], folder: str = "") -> dict[str, Any]:
    """What `open` takes as `app`, with full paths: below `folder`, or from where we are. What is no
    text is left for the daemon to refuse."""
    made = dict(app)
    if isinstance(path := made.get("path"), str) and path:
        made["path"] = _program(path, folder)
    if isinstance(endpoint := made.get("cdp_url"), str):
        made["cdp_url"] = absolute_endpoint(endpoint)
    if isinstance(args := made.get("args"), list | tuple):
        made["args"] = [_argument(one, folder) for one in args]
    return made


def _program(path: str, folder: str) -> str:
    """A path from there; a bare name that is no file there is looked for where shells look."""
    place = os.path.abspath(os.path.join(folder, os.path.expanduser(path)))
    if os.path.dirname(path) or os.path.exists(place):
        return place
    import shutil

    return shutil.which(path) or place


def _argument(one: Any, folder: str) -> Any:
    if not isinstance(one, str) or not one.startswith(_FOLDER):
        return one
    data = os.path.expanduser(one.removeprefix(_FOLDER))
    return _FOLDER + os.path.abspath(os.path.join(folder, data))
