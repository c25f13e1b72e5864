"""Start the relay when the user logs in, through one file that the desktop reads.

Knows: where Linux desktops (XDG autostart) and macOS (launchd) look for such files, and their
format. Must not know: the daemon. The file runs `pilothouse relay start`, which starts the daemon.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from pilothouse.errors import PilothouseError
from pilothouse.paths import write_atomically

__all__ = ["autostart_file", "autostart_text", "is_autostarted", "set_autostart"]

NAME = "pilothouse-relay"
COMMAND = (sys.executable, "-m", "pilothouse", "relay", "start")


def autostart_file(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the path of the file that the desktop reads at login."""
    home = Path(environ.get("HOME") or Path.home())
    if platform == "darwin":
        return home / "Library" / "LaunchAgents" / f"{NAME}.plist"
    given = environ.get("XDG_CONFIG_HOME", "")
    root = Path(given) if os.path.isabs(given) else home / ".config"
    return root / "autostart" / f"{NAME}.desktop"


def autostart_text(command: Sequence[str], platform: str = sys.platform) -> str:
    """Return the content of that file."""
    if platform == "darwin":
        words = "".join(f"<string>{escape(word)}</string>" for word in command)
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>\n'
            f"<key>Label</key><string>{NAME}</string>\n"
            f"<key>ProgramArguments</key><array>{words}</array>\n"
            "<key>RunAtLoad</key><true/>\n</dict></plist>\n"
        )
    return (
        "[Desktop Entry]\nType=Application\nName=Pilothouse relay\n"
        "Comment=Lets agents use the tabs of your Chrome that you share\n"
        f"Exec={shlex.join(command)}\nTerminal=false\nX-GNOME-Autostart-enabled=true\n"
    )


def is_autostarted(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether the relay starts when the user logs in."""
    return autostart_file(environ).is_file()


def set_autostart(on: bool, environ: Mapping[str, str] = os.environ) -> Path:
    """Create or remove the autostart file and return its path. Raises PilothouseError."""
    file = autostart_file(environ)
    try:
        if on:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, autostart_text(COMMAND).encode(), 0o644)
        else:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise PilothouseError(
            f"{error.filename or file}: {error.strerror}",
            hint="check the owner and permissions of that folder",
        ) from None
    return file
