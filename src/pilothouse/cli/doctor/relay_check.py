"""What the doctor says of the relay and of the Chrome that is lent. It asks a daemon that runs, and
starts none.

Knows: the settings, the installed extension, the daemon's status. Must not know: how findings are
shown.
"""

from __future__ import annotations

from pilothouse.code.client import Line
from pilothouse.errors import PilothouseError
from pilothouse.relay.extension import installed, is_known, source_version
from pilothouse.settings import load

__all__ = ["relay_state"]

_START = "pilothouse relay start"


def relay_state() -> tuple[str, str, str]:
    """State, finding and what mends it: the port, the extension, whether it is paired and there."""
    try:
        asked = load()
        copy = installed()
        newest = source_version()
        # As `extension unpair` leaves it: a copy with a secret that the relay forgot.
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
        line = Line("doctor", start=False)
    except PilothouseError:
        opens = f"opens with the daemon at port {asked.relay.port}" if wanted else "closed"
        return "ok", f"{opens}; {extension}", ""
    try:
        found = line.call("relay.status")
    except PilothouseError as error:
        return "broken", error.message, error.hint
    finally:
        line.close()
    if not found["open"]:
        if wanted:
            return "broken", f"closed though the settings open it; {extension}", _START
        return "ok", f"closed; {extension}", ""
    port = found["port"]
    said = f"open at port {port}, {len(found['clients'])} clients; {extension}"
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
        told = f"{said}; {old[0]} is there, {newest} came with Pilothouse"
        return "warn", told, "pilothouse extension install, then reload it in chrome://extensions"
    return "ok", said, ""
