"""Makes paths of applications and browsers absolute: the daemon has another working directory.

Knows: the caller's working directory and PATH. Must not know: what is started. Imports little,
because each call of the command line loads it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

# As typing.TYPE_CHECKING, without the import, which would slow down the command line.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["absolute_app_paths", "absolute_endpoint"]

_USER_DATA_DIR = "--user-data-dir="


def absolute_endpoint(named: str) -> str:
    """Make the endpoint of a browser absolute if it is a file or folder."""
    return os.path.abspath(named) if os.path.exists(named) and not named.isdigit() else named


def absolute_app_paths(app: Mapping[str, Any], folder: str = "") -> dict[str, Any]:
    """Make the paths in the `app` option of `open` absolute, relative to `folder` or the working
    directory. Leaves values of the wrong type for the daemon to refuse."""
    paths = dict(app)
    if isinstance(path := paths.get("path"), str) and path:
        paths["path"] = _absolute_program(path, folder)
    if isinstance(endpoint := paths.get("cdp_url"), str):
        paths["cdp_url"] = absolute_endpoint(endpoint)
    if isinstance(args := paths.get("args"), list | tuple):
        paths["args"] = [_absolute_argument(one, folder) for one in args]
    return paths


def _absolute_program(path: str, folder: str) -> str:
    """Make the path of a program absolute; look a bare name up in PATH if no such file exists."""
    absolute = os.path.abspath(os.path.join(folder, os.path.expanduser(path)))
    if os.path.dirname(path) or os.path.exists(absolute):
        return absolute
    import shutil

    return shutil.which(path) or absolute


def _absolute_argument(one: Any, folder: str) -> Any:
    if not isinstance(one, str) or not one.startswith(_USER_DATA_DIR):
        return one
    data = os.path.expanduser(one.removeprefix(_USER_DATA_DIR))
    return _USER_DATA_DIR + os.path.abspath(os.path.join(folder, data))
