"""Files that a client's calls name: they are the client's own, so it reads and writes them itself.

Knows: which calls name files. Must not know: the socket. The house reads only what was put into its
hands, and writes only where its settings say; a path in a call of ours means ours.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
from collections.abc import Callable
from typing import Any

from pilothouse.errors import PilothouseError
from pilothouse.places import Places, write_whole

__all__ = ["with_files"]


def with_files(
    call: Callable[..., Any], places: Places, method: str, params: dict[str, Any]
) -> Any:
    """Make a call, with what it names on disk read before or written after. Raises
    PilothouseError for files that cannot be."""
    if method == "tab.upload":
        return call(method, **{**params, "paths": _copies(params["paths"], places)})
    if method == "tool" and params.get("name") == "browser_upload":
        given = params["arguments"]
        copies = _copies(given.get("paths", ()), places)
        return call(method, **{**params, "arguments": {**given, "paths": copies}})
    if method == "tab.load_state" and isinstance(params["state"], str):
        return call(method, **{**params, "state": _state(params["state"])})
    if method == "tab.save_state" and params.get("path"):
        state = call(method, **{**params, "path": ""})
        # Cookies are as good as passwords: nobody else may read the file.
        place = _written(params["path"], json.dumps(state, ensure_ascii=False).encode(), 0o600)
        return {"path": place}
    if method == "tab.screenshot" and params.get("save"):
        picture = call(method, **{**params, "save": ""})
        place = _written(params["save"], base64.b64decode(picture["data"]), 0o666)
        return {**picture, "path": place}
    return call(method, **params)


def _copies(paths: Any, places: Places) -> list[str]:
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    folder = os.path.join(places.uploads, secrets.token_hex(8))
    copies: list[str] = []
    for number, path in enumerate(given):
        # Two of one name may come from two folders.
        own = os.path.join(folder, str(number))
        try:
            os.makedirs(own, mode=0o700)
            copies.append(shutil.copyfile(path, os.path.join(own, os.path.basename(path))))
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise _failed(path, error) from None
    return copies


def _state(path: str) -> Any:
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise _failed(path, error) from None
    except ValueError as error:
        hint = "name a file that save_state wrote"
        raise PilothouseError(f"{path}: {error}", hint=hint) from None


def _written(path: str, data: bytes, mode: int) -> str:
    try:
        write_whole(path, data, mode)
    except OSError as error:
        raise _failed(path, error) from None
    return os.path.abspath(path)


def _failed(path: Any, error: OSError) -> PilothouseError:
    return PilothouseError(f"{path}: {error.strerror}", hint="name a file that you can reach")
