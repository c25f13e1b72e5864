"""`python -m scripts.javascript_tools_setup`: installs what checks and bundles our JavaScript.

Knows: scripts/javascript with its lock file, and npm. Must not know: what the packages are for.
"""

from __future__ import annotations

import fcntl
from pathlib import Path

from tests.npm_package_cache import INSTALL_WITHIN_S, checksum, program, run

__all__ = ["FOLDER", "install_javascript_tools", "run_node"]

FOLDER = Path(__file__).parent / "javascript"
NODE_WITHIN_S = 60


def install_javascript_tools() -> None:
    """Run `npm ci` in scripts/javascript, if its lock file has changed since the last time."""
    stamp = FOLDER / "node_modules/.stamp"
    wanted = checksum(FOLDER / "package.json", FOLDER / "package-lock.json")
    cache = FOLDER.parents[1] / ".dev"
    cache.mkdir(exist_ok=True)
    with (cache / "javascript.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text("utf-8") == wanted:
            return
        flags = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-progress")
        run([program("npm"), "ci", *flags], within=INSTALL_WITHIN_S, where=FOLDER)
        stamp.write_text(wanted, "utf-8")


def run_node(script: str, *arguments: str) -> None:
    """Run a script of scripts/javascript. Raises RuntimeError with what it said if it fails."""
    install_javascript_tools()
    run([program("node"), script, *arguments], within=NODE_WITHIN_S, where=FOLDER)


if __name__ == "__main__":
    install_javascript_tools()
