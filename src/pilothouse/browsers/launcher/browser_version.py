"""Which program an executable is: asked with `--version`, and remembered while it is the same file.

Knows: the question, and the file that keeps the answers (~/.cache/pilothouse/builds.json). Must not
know: what follows from a version. The question takes a tenth of a second, which every first launch
would wait for. A script may start another program tomorrow and still be the same file: whoever
launches it compares, and has it forgotten (`forget_build`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilothouse.browsers.stealth import Build, read_build
from pilothouse.paths import write_atomically

__all__ = ["ask_build", "forget_build"]

_TELLS_WITHIN_S = 5.0
_KEPT = 50


def ask_build(executable: Path, environ: Mapping[str, str]) -> tuple[Build | None, bool]:
    """What it says it is, None if that makes no sense; and whether it was only remembered. Raises
    OSError for a program that cannot be asked."""
    there = executable.stat()
    key, state = str(executable), [there.st_mtime_ns, there.st_size]
    known = _read(environ)
    entry = known.get(key)
    if isinstance(entry, dict) and entry.get("state") == state:
        return read_build(str(entry.get("said"))), True
    said = _ask(executable, environ)
    build = read_build(said)
    if build is not None:
        _write({**known, key: {"state": state, "said": said.strip()}}, environ)
    return build, False


def forget_build(executable: Path, environ: Mapping[str, str]) -> None:
    """It is not what it said."""
    known = _read(environ)
    if known.pop(str(executable), None) is not None:
        _write(known, environ)


def _ask(executable: Path, environ: Mapping[str, str]) -> str:
    import subprocess  # what is remembered need not be asked

    try:
        done = subprocess.run(
            [executable, "--version"],
            env={"PATH": environ.get("PATH", os.defpath), "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TELLS_WITHIN_S,
            check=True,
        )
    except subprocess.SubprocessError as error:
        raise OSError(f"{executable} does not tell its version: {error}") from error
    return done.stdout


def _file(environ: Mapping[str, str]) -> Path:
    cache = environ.get("XDG_CACHE_HOME", "")
    home = Path(environ.get("HOME") or Path.home())
    base = Path(cache) if os.path.isabs(cache) else home / ".cache"
    return base / "pilothouse" / "builds.json"


def _read(environ: Mapping[str, str]) -> dict[str, Any]:
    try:
        known = json.loads(_file(environ).read_text())
    except (OSError, ValueError):
        return {}  # none yet, or none that can be read: it is asked again
    return known if isinstance(known, dict) else {}


def _write(known: dict[str, Any], environ: Mapping[str, str]) -> None:
    """Whole or not at all. A home that cannot be written to costs a question each time."""
    path = _file(environ)
    kept = dict(list(known.items())[-_KEPT:])
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, json.dumps(kept).encode())
    except OSError:
        return
