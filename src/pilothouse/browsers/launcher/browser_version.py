"""Reads name and version of a browser from `--version`, and caches them per file.

Knows: the command, and the cache (~/.cache/pilothouse/builds.json). Must not know: what follows
from a version. The command takes 0.1 s, which every first launch would wait for. A script may start
another program tomorrow and still be the same file. So the code that launches it compares the
version with the running browser's, and calls `forget_version` if they differ.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilothouse.browsers.stealth import BrowserBuild, parse_build
from pilothouse.private_files import write_atomically

__all__ = ["forget_version", "read_version"]

_REPLY_WITHIN_S = 5.0
_MAX_ENTRIES = 50


def read_version(executable: Path, environ: Mapping[str, str]) -> tuple[BrowserBuild | None, bool]:
    """Return the build (None if the output makes no sense), and whether it comes from the cache.

    Raises OSError if the program cannot be run.
    """
    file_status = executable.stat()
    key, state = str(executable), [file_status.st_mtime_ns, file_status.st_size]
    known = _read_cache(environ)
    entry = known.get(key)
    if isinstance(entry, dict) and entry.get("state") == state:
        return parse_build(str(entry.get("said"))), True
    output = _run_version(executable, environ)
    build = parse_build(output)
    if build is not None:
        _write_cache({**known, key: {"state": state, "said": output.strip()}}, environ)
    return build, False


def forget_version(executable: Path, environ: Mapping[str, str]) -> None:
    """Remove an outdated entry from the cache."""
    known = _read_cache(environ)
    if known.pop(str(executable), None) is not None:
        _write_cache(known, environ)


def _run_version(executable: Path, environ: Mapping[str, str]) -> str:
    import subprocess  # late: not needed if the version is cached

    try:
        done = subprocess.run(
            [executable, "--version"],
            env={"PATH": environ.get("PATH", os.defpath), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_REPLY_WITHIN_S,
            check=True,
        )
    except subprocess.SubprocessError as error:
        raise OSError(f"{executable} does not print its version: {error}") from error
    return done.stdout


def _cache_path(environ: Mapping[str, str]) -> Path:
    cache = environ.get("XDG_CACHE_HOME", "")
    home = Path(environ.get("HOME") or Path.home())
    base = Path(cache) if os.path.isabs(cache) else home / ".cache"
    return base / "pilothouse" / "builds.json"


def _read_cache(environ: Mapping[str, str]) -> dict[str, Any]:
    try:
        known = json.loads(_cache_path(environ).read_text())
    except (OSError, ValueError):
        return {}  # no cache yet, or a broken one
    return known if isinstance(known, dict) else {}


def _write_cache(known: dict[str, Any], environ: Mapping[str, str]) -> None:
    """Write the cache atomically. If it cannot be written, the version is read each time."""
    path = _cache_path(environ)
    kept = dict(list(known.items())[-_MAX_ENTRIES:])
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, json.dumps(kept).encode())
    except OSError:
        return
