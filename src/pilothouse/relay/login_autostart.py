"""Start the relay when the user logs in, through one file that the desktop reads.

Knows: where Linux desktops (XDG autostart) and macOS (launchd) look for such files, and their
format. Must not know: the daemon. The file runs `pilothouse relay start`, which starts the daemon.
"""

from __future__ import annotations

import os
import plistlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pilothouse.errors import PilothouseError, write_hint
from pilothouse.paths import default_runtime_dir
from pilothouse.private_files import write_atomically

__all__ = [
    "autostart_environment",
    "autostart_file",
    "autostart_text",
    "is_autostarted",
    "set_autostart",
]

NAME = "pilothouse-relay"
COMMAND = (sys.executable, "-m", "pilothouse", "relay", "start")
# Variables that name a file or folder. The relay starts in another working directory.
_PATH_VARIABLES = (
    "PILOTHOUSE_BROWSER",
    "PILOTHOUSE_CONFIG",
    "PILOTHOUSE_DATA_DIR",
    "PILOTHOUSE_RUNTIME_DIR",
    "PILOTHOUSE_SCREENSHOT_DIR",
)
# The variables that the file keeps: where the daemon has its files, the relay's port, the browser.
# Never PILOTHOUSE_CDP_URL and PILOTHOUSE_PROXY: they may contain a token or a password, and others
# can read this file.
KEPT_VARIABLES = (
    *_PATH_VARIABLES,
    "PILOTHOUSE_BROWSER_KIND",
    "PILOTHOUSE_CLIENT_MODE",
    "PILOTHOUSE_HEADLESS",
    "PILOTHOUSE_PROFILE",
    "PILOTHOUSE_RELAY_PORT",
    "PILOTHOUSE_STEALTH",
    "RELAY_PORT",
)


def autostart_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the relay needs at login to start as it would now.

    Paths are made absolute. Raises PilothouseError for a value that does not fit on a line.
    """
    found = {name: environ[name] for name in sorted(KEPT_VARIABLES) if environ.get(name)}
    for name in _PATH_VARIABLES:
        if name in found:
            found[name] = os.path.abspath(os.path.expanduser(found[name]))
    # A daemon always has this variable. The default is found anew at each login.
    if found.get("PILOTHOUSE_RUNTIME_DIR") == default_runtime_dir(environ):
        del found["PILOTHOUSE_RUNTIME_DIR"]
    for name, value in found.items():
        if not value.isprintable():
            raise PilothouseError(
                f"{name}: the value contains a line break or another control character",
                hint=f"set {name} to a plain value, or unset it",
            )
    return found


def autostart_file(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the path of the file that the desktop reads at login."""
    home = Path(environ.get("HOME") or Path.home())
    if platform == "darwin":
        return home / "Library" / "LaunchAgents" / f"{NAME}.plist"
    given = environ.get("XDG_CONFIG_HOME", "")
    root = Path(given) if os.path.isabs(given) else home / ".config"
    return root / "autostart" / f"{NAME}.desktop"


def autostart_text(
    command: Sequence[str], variables: Mapping[str, str], platform: str = sys.platform
) -> str:
    """Return the content of that file: a command, and the variables it runs with."""
    if platform == "darwin":
        agent: dict[str, object] = {
            "Label": NAME,
            "ProgramArguments": list(command),
            "RunAtLoad": True,
        }
        if variables:
            agent["EnvironmentVariables"] = dict(variables)
        return plistlib.dumps(agent).decode()
    set_by = ("env", *(f"{name}={value}" for name, value in variables.items()))
    words = (*set_by, *command) if variables else command
    return (
        "[Desktop Entry]\nType=Application\nName=Pilothouse relay\n"
        "Comment=Lets agents use the tabs of your Chrome that you share\n"
        f"Exec={' '.join(map(_quote_exec, words))}\n"
        "Terminal=false\nX-GNOME-Autostart-enabled=true\n"
    )


def _quote_exec(word: str) -> str:
    """Quote a word of `Exec`, as the Desktop Entry Specification says. It is not a shell's way."""
    word = word.replace("%", "%%")
    if word and all(char.isalnum() or char in "-_=+,./:@%" for char in word):
        return word
    for char in '\\"`$':
        word = word.replace(char, f"\\{char}")
    # All values of such a file are escaped once more.
    return f'"{word}"'.replace("\\", "\\\\")


def is_autostarted(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether the relay starts when the user logs in."""
    return autostart_file(environ).is_file()


def set_autostart(on: bool, environ: Mapping[str, str] = os.environ) -> Path:
    """Create or remove the autostart file and return its path. Raises PilothouseError.

    The file keeps those variables of `environ` that decide where the relay starts."""
    file = autostart_file(environ)
    try:
        if on:
            text = autostart_text(COMMAND, autostart_environment(environ))
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, text.encode(), 0o644)
        else:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise PilothouseError(
            f"could not turn autostart {'on' if on else 'off'}: {file}: {error.strerror}",
            hint=write_hint(error),
        ) from None
    return file
