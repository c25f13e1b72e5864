"""Reads and writes the files that a client's calls name: they belong to the client, not the daemon.

Knows: which calls name files. Must not know: the socket. The daemon reads only copies in its upload
folder, and writes only where its settings allow. A path in a call of a client is the client's own.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
from collections.abc import Callable
from typing import Any

from pilothouse.code.client.daemon_connection import Refused
from pilothouse.errors import PilothouseError, UsageError
from pilothouse.paths import RuntimePaths
from pilothouse.private_files import write_atomically
from pilothouse.security.filenames import image_format

__all__ = ["call_with_files", "copy_uploads"]


# The field with the files, by the tool that uploads them.
_UPLOADED = {"browser_upload": "paths", "browser_interrupt": "files"}


def call_with_files(
    call: Callable[..., Any], runtime_paths: RuntimePaths, method: str, params: dict[str, Any]
) -> Any:
    """Make a call, with what it names on disk read before or written after. Raises
    PilothouseError for files that cannot be."""
    if method == "tab.upload":
        return call(method, **{**params, "paths": copy_uploads(params["paths"], runtime_paths)})
    if method == "tab.answer" and (files := (params.get("detail") or {}).get("files")):
        detail = {**params["detail"], "files": copy_uploads(files, runtime_paths)}
        return call(method, **{**params, "detail": detail})
    if method == "tool" and (field := _UPLOADED.get(str(params.get("name")))):
        given = params["arguments"]
        if given.get(field):
            given = {**given, field: copy_uploads(given[field], runtime_paths)}
        return call(method, **{**params, "arguments": given})
    if method == "tab.load_state" and isinstance(params["state"], str):
        return call(method, **{**params, "state": _state(params["state"])})
    if method == "tab.save_state" and params.get("path"):
        state = call(method, **{**params, "path": ""})
        # Cookies are as good as passwords: nobody else may read the file.
        place = _written(params["path"], json.dumps(state, ensure_ascii=False).encode(), 0o600)
        return {"path": place}
    if method in ("tab.screenshot", "tab.pdf") and params.get("save"):
        given = {**params, "save": ""}
        if method == "tab.screenshot":
            given["format"] = _format(params)
        made = call(method, **given)
        if "data" not in made:
            return made  # something blocks it
        place = _written(params["save"], base64.b64decode(made["data"]), 0o666)
        return {**made, "path": place}
    if method == "tab.save_download" and params.get("to"):
        saved = call(method, **{**params, "to": ""})
        return {**saved, "path": _copied(saved["path"], params["to"])}
    return call(method, **params)


def _format(params: dict[str, Any]) -> str:
    try:
        return image_format(str(params["save"]), params.get("format", "png"))
    except UsageError as error:
        raise Refused(error.message, hint=error.hint, kind="UsageError") from None


def _copied(path: str, to: str) -> str:
    """A copy of a download where the caller wants it; no file is replaced."""
    place = os.path.join(to, os.path.basename(path)) if os.path.isdir(to) else to
    try:
        with open(path, "rb") as source, open(place, "xb") as copy:
            shutil.copyfileobj(source, copy)
    except OSError as error:
        raise _failed(place, error) from None
    return os.path.abspath(place)


def copy_uploads(paths: Any, runtime_paths: RuntimePaths) -> list[str]:
    """Copies of files where the daemon may read them. Raises PilothouseError."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    folder = os.path.join(runtime_paths.uploads, secrets.token_hex(8))
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
        write_atomically(path, data, mode)
    except OSError as error:
        raise _failed(path, error) from None
    return os.path.abspath(path)


def _failed(path: Any, error: OSError) -> PilothouseError:
    return PilothouseError(f"{path}: {error.strerror}", hint="name a file that you can reach")
