"""Checks that ask a running daemon: the tool selection, the relay and the extension.

Knows: the settings, the installed extension, and the daemon's `catalogue` and `relay.status`. Must
not know: how findings are shown. These checks never start a daemon. They are separate from
checks.py because their imports are expensive.
"""

from __future__ import annotations

from pilothouse.cli.tool_switches import ToolSwitches
from pilothouse.code.client import DaemonClient
from pilothouse.errors import PilothouseError, plural
from pilothouse.relay.extension import installed, is_known, source_version
from pilothouse.settings import load
from pilothouse.tools import tool_config_file
from pilothouse.tools.toolsets import PLATFORMS

__all__ = ["check_relay", "check_tools"]

_START = "pilothouse relay start"


def check_tools() -> tuple[str, str, str]:
    """Return state, finding and fix for the tool selection: how many tools each platform gets."""
    try:
        chosen = tool_config_file.load()
    except PilothouseError as error:
        return "broken", error.message, error.hint
    try:
        line = DaemonClient("doctor", start=False)
    except PilothouseError:
        return "ok", "the settings are valid; start the daemon to see the tools", ""
    try:
        catalogue = ToolSwitches(line.call("catalogue"))
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
    # No search engine is a valid choice, not a problem.
    if set(catalogue.shut) - {"web_search"}:
        return "warn", told, "pilothouse tools list"
    return "ok", told, ""


def check_relay() -> tuple[str, str, str]:
    """Return state, finding and fix for the relay: its port, and whether the extension is
    installed, paired and connected."""
    try:
        asked = load()
        copy = installed()
        newest = source_version()
        # After `extension unpair`, the copy has a secret that the relay no longer knows.
        known = copy is not None and is_known(copy)
    except PilothouseError as error:
        return "broken", error.message, error.hint
    wanted = asked.relay.enabled or asked.browser.kind == "extension"
    if copy is None:
        extension = "no extension is installed"
    else:
        paired = "paired" if known else "not paired"
        extension = f"extension {copy.version} installed, {paired}"
    try:
        line = DaemonClient("doctor", start=False)
    except PilothouseError:
        starts = f"starts with the daemon at port {asked.relay.port}" if wanted else "not running"
        return "ok", f"{starts}; {extension}", ""
    try:
        found = line.call("relay.status")
    except PilothouseError as error:
        return "broken", error.message, error.hint
    finally:
        line.close()
    if not found["open"]:
        if wanted:
            return "broken", f"not running, though the settings enable it; {extension}", _START
        return "ok", f"not running; {extension}", ""
    port = found["port"]
    said = f"running at port {port}, {plural(len(found['clients']), 'client')}; {extension}"
    there = [one for one in found["extensions"] if one.get("connected")]
    said += f", {len(there)} connected" if there else ", none connected"
    if copy is not None and not known:
        return "warn", said, "pilothouse extension install, or pilothouse extension pair"
    if copy is not None and copy.port != port and not there:
        return (
            "warn",
            f"{said}; it tries port {copy.port}",
            f"pilothouse extension install --port {port}",
        )
    old = [one["version"] for one in there if one.get("version") != newest]
    if old:
        told = f"{said}; connected version {old[0]}, current version {newest}"
        return "warn", told, "pilothouse extension install, then reload it in chrome://extensions"
    return "ok", said, ""
