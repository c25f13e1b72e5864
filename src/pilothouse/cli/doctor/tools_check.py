"""What the doctor says of the choice of tools. It asks a daemon that runs, and starts none.

Knows: the file of choices and the daemon's catalogue. Must not know: how findings are shown.
"""

from __future__ import annotations

from pilothouse.cli.commands import Catalogue
from pilothouse.code.client import Line
from pilothouse.errors import PilothouseError
from pilothouse.tools.choices import load
from pilothouse.tools.toolsets import PLATFORMS

__all__ = ["chosen_tools"]


def chosen_tools() -> tuple[str, str, str]:
    """State, finding and what mends it: how many tools each platform gets, or what is wrong."""
    try:
        chosen = load()
    except PilothouseError as error:
        return "broken", error.message, error.hint
    try:
        line = Line("doctor", start=False)
    except PilothouseError:
        return "ok", "the choices can be read; no daemon runs that could tell more", ""
    try:
        catalogue = Catalogue(line.call("catalogue"))
        counts = [f"{name} {len(catalogue.selection(name).listed)}" for name in PLATFORMS]
    except PilothouseError as error:
        return "broken", error.message, error.hint
    finally:
        line.close()
    if catalogue.path != chosen.path:
        told = f"the daemon reads {catalogue.path}, not {chosen.path}"
        return "warn", told, "pilothouse daemon stop"
    why = "; ".join(f"{name}: {reason}" for name, reason in catalogue.shut.items())
    told = ", ".join(counts) + (f"; off now: {why}" if why else " tools")
    # Whoever sets up no search engine wants none.
    if set(catalogue.shut) - {"web_search"}:
        return "warn", told, "pilothouse tools list"
    return "ok", told, ""
