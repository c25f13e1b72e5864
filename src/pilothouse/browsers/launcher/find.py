"""Where a browser is installed on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pilothouse.errors import BrowserError

__all__ = ["VARIABLES", "check_executable", "find_browser"]

# What names a browser, the first that is set.
VARIABLES = ("PILOTHOUSE_BROWSER", "PUPPETEER_EXECUTABLE_PATH")

# Chrome first: it has the codecs and the widest testing; the rest in the order of likeness.
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
_LINUX_PLACES = (
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
    """PILOTHOUSE_BROWSER, else PUPPETEER_EXECUTABLE_PATH, else an installed Chrome, Chromium, Edge
    or Brave.

    Raises BrowserError that says how to install one.
    """
    environ = os.environ if environ is None else environ
    for variable in VARIABLES:
        if named := environ.get(variable):
            return check_executable(named, variable)
    import shutil  # who names a browser need not wait for it

    for command in _COMMANDS:
        if found := shutil.which(command, path=environ.get("PATH", os.defpath)):
            return Path(found)
    for place in _places(environ):
        if os.access(place, os.X_OK):
            return place
    raise BrowserError("no Chrome, Chromium, Edge or Brave is installed", hint=_how_to_install())


def check_executable(path: str, what: str) -> Path:
    """The path as an executable file. Raises BrowserError that says what is wrong with it."""
    place = Path(path).expanduser()
    if not place.is_absolute():
        raise BrowserError(
            f"{what}: {path!r} is not an absolute path", hint="give the full path of the program"
        )
    if not place.exists():
        raise BrowserError(f"{what}: there is no file {place}", hint="check the path for a typo")
    if place.is_dir():
        raise BrowserError(f"{what}: {place} is a directory", hint=_inside(place))
    if not os.access(place, os.X_OK):
        raise BrowserError(
            f"{what}: {place} is not executable", hint=f"run: chmod +x {place}, or name the program"
        )
    return place


def _inside(directory: Path) -> str:
    programs = directory / "Contents" / "MacOS"
    if directory.suffix == ".app" and programs.is_dir():
        inner = sorted(entry for entry in programs.iterdir() if os.access(entry, os.X_OK))
        if inner:
            return f"that is an app bundle; its program is {inner[0]}"
    return "give the path of the program inside it"


def _places(environ: Mapping[str, str]) -> list[Path]:
    if sys.platform != "darwin":
        return [Path(place) for place in _LINUX_PLACES]
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
