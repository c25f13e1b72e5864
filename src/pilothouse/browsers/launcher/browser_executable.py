"""Finds an installed browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pilothouse.errors import BrowserError

__all__ = ["VARIABLES", "check_executable", "find_browser"]

# Variables that name a browser; the first that is set wins.
VARIABLES = ("PILOTHOUSE_BROWSER", "PUPPETEER_EXECUTABLE_PATH")

# Chrome first, because it has all codecs and is tested most; then by similarity to it.
_COMMANDS = (
    "google-chrome-stable",
    "google-chrome",
    "chromium",
    "chromium-browser",
    "microsoft-edge-stable",
    "microsoft-edge",
    "brave-browser",
    "brave",
)
_LINUX_PATHS = (
    "/opt/google/chrome/chrome",
    "/usr/lib/chromium/chromium",
    "/snap/bin/chromium",
    "/opt/microsoft/msedge/msedge",
    "/opt/brave.com/brave/brave",
)
_MAC_APPS = (
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "Brave Browser.app/Contents/MacOS/Brave Browser",
)


def find_browser(environ: Mapping[str, str] | None = None) -> Path:
    """Return PILOTHOUSE_BROWSER, else PUPPETEER_EXECUTABLE_PATH, else an installed browser.

    Looks for Chrome, Chromium, Edge and Brave. Raises BrowserError that says how to install one.
    """
    environ = os.environ if environ is None else environ
    for variable in VARIABLES:
        if named := environ.get(variable):
            return check_executable(named, variable)
    import shutil  # late: not needed if a variable names the browser

    for command in _COMMANDS:
        if found := shutil.which(command, path=environ.get("PATH", os.defpath)):
            return Path(found)
    for file in _install_paths(environ):
        if os.access(file, os.X_OK):
            return file
    raise BrowserError("no Chrome, Chromium, Edge or Brave is installed", hint=_how_to_install())


def check_executable(path: str, what: str) -> Path:
    """Check that a path is an executable file. Raises BrowserError that says what is wrong."""
    file = Path(path).expanduser()
    if not file.is_absolute():
        raise BrowserError(
            f"{what}: {path!r} is not an absolute path", hint="give the full path of the program"
        )
    if not file.exists():
        raise BrowserError(f"{what}: {file} does not exist", hint="check the path for a typo")
    if file.is_dir():
        raise BrowserError(f"{what}: {file} is a directory", hint=_bundle_hint(file))
    if not os.access(file, os.X_OK):
        raise BrowserError(
            f"{what}: {file} is not executable", hint=f"run: chmod +x {file}, or name the program"
        )
    return file


def _bundle_hint(directory: Path) -> str:
    programs = directory / "Contents" / "MacOS"
    if directory.suffix == ".app" and programs.is_dir():
        programs_found = sorted(entry for entry in programs.iterdir() if os.access(entry, os.X_OK))
        if programs_found:
            return f"give the program in the app bundle: {programs_found[0]}"
    return "give the path of the program inside it"


def _install_paths(environ: Mapping[str, str]) -> list[Path]:
    if sys.platform != "darwin":
        return [Path(file) for file in _LINUX_PATHS]
    roots = [Path("/Applications"), Path(environ.get("HOME", "/")) / "Applications"]
    return [root / app for root in roots for app in _MAC_APPS]


def _how_to_install() -> str:
    if sys.platform == "darwin":
        return "run: brew install --cask google-chrome, or set PILOTHOUSE_BROWSER to its path"
    import shutil

    if shutil.which("apt-get"):
        return "run: sudo apt-get install -y chromium, or set PILOTHOUSE_BROWSER to its path"
    if shutil.which("dnf"):
        return "run: sudo dnf install -y chromium, or set PILOTHOUSE_BROWSER to its path"
    return "install Chromium with your package manager, or set PILOTHOUSE_BROWSER to its path"
