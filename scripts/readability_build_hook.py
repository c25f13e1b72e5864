"""Add Readability, a JavaScript library that finds the article in a page, to every build.

`src/pilothouse/page/world/library/package-lock.json` pins its version and hash. In a checkout, the
hook fetches it from npm before building or installing; a source distribution contains it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

__all__ = ["Library", "fetch_library"]

FOLDER = Path("src/pilothouse/page/world/library")
SCRIPT = FOLDER / "node_modules/@mozilla/readability/Readability.js"
CARRIED = (SCRIPT, SCRIPT.with_name("LICENSE.md"), SCRIPT.with_name("package.json"))
WITHIN_S = 300


class Library(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the library where builds find it. Fails the build if that is impossible."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fetch the library if it is missing or outdated."""
        fetch_library(Path(self.root))
        build_data["artifacts"] += [f"/{path}" for path in CARRIED]


def fetch_library(root: Path) -> None:
    """Fetch the library as locked, if it is missing or outdated. Raises RuntimeError."""
    if not _current(root):
        _fetch(root / FOLDER)


def _current(root: Path) -> bool:
    """Return whether the installed library is the locked one, by the record that npm keeps."""
    if (root / "PKG-INFO").exists():
        return (root / SCRIPT).exists()  # a source distribution
    installed = root / FOLDER / "node_modules/.package-lock.json"
    if not (installed.exists() and (root / SCRIPT).exists()):
        return False
    wanted = _locked(root / FOLDER / "package-lock.json")
    return _locked(installed) == {name: hashed for name, hashed in wanted.items() if name}


def _locked(lock: Path) -> dict[str, str]:
    packages = json.loads(lock.read_text("utf-8"))["packages"]
    return {name: package.get("integrity", "") for name, package in packages.items()}


def _fetch(folder: Path) -> None:
    npm = shutil.which("npm") or shutil.which("npm", path=sysconfig.get_path("scripts"))
    if npm is None:
        raise RuntimeError("npm is needed to build from a checkout: install Node.js, or run ./dev")
    flags = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-progress")
    done = subprocess.run(
        [npm, "ci", *flags], cwd=folder, capture_output=True, text=True, timeout=WITHIN_S
    )
    if done.returncode:
        raise RuntimeError(f"npm ci in {folder} ended with {done.returncode}:\n{done.stderr}")
