"""`pilothouse dashboard`: prints a one-time link to the dashboard and opens it in a browser.

Knows: the daemon's method, and how a browser is started on this system. Must not know: how the
daemon serves the dashboard. The command line of a process is public on this machine, so the browser
is started with a private file that leads to the link, never with the link.
"""

from __future__ import annotations

import json
import os
from typing import Any

from pilothouse.cli.command_invocation import CommandResult, Invocation
from pilothouse.errors import UsageError
from pilothouse.private_files import write_atomically

__all__ = ["dashboard"]

_REDIRECT = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Pilothouse</title>
<script>location.replace({link})</script>
"""


def dashboard(call: Invocation) -> CommandResult:
    """`pilothouse dashboard`."""
    if call.options.get("revoke"):
        if rest := call.given_options("port", "no_open"):
            raise UsageError(
                f"--revoke: not allowed with --{next(iter(rest)).replace('_', '-')}",
                hint="use --revoke alone",
            )
        ended = call.request("dashboard", {"revoke": True})["ended"]
        return CommandResult({"ended": ended}, f"Ended {ended} dashboard sessions and all links.")
    made = call.request("dashboard", call.given_options("port"), doing="opening the dashboard")
    opens = not call.json and not call.options.get("no_open")
    opened = opens and _open_in_browser(made["url"])
    said = [made["url"], f"The link works once, within {made['expires_s']:.0f} s."]
    said.append("It is open in your browser." if opened else "Open it in your browser.")
    return CommandResult(made, "\n".join(said))


def _open_in_browser(link: str) -> bool:
    """Open the link in the user's browser. Returns whether one was started."""
    import webbrowser

    from pilothouse.paths import RuntimePaths

    if not _has_screen():
        return False
    path = RuntimePaths().root / "dashboard.html"
    write_atomically(path, _REDIRECT.format(link=_script_text(link)).encode())
    return webbrowser.open(path.as_uri())


def _has_screen() -> bool:
    """Return whether a graphical browser can be shown: without one, a text browser would start."""
    import sys

    return sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )


def _script_text(text: Any) -> str:
    """Return a text as a literal that is safe inside of a script element."""
    return json.dumps(text).replace("<", "\\u003c")
