"""`pilothouse extension`: install the extension, pair and unpair it, show its status.

Knows: the extension's files and the daemon's relay methods. Must not know: how the relay works. It
never prints a secret, except a pairing code, which the user types into the extension.
"""

from __future__ import annotations

import os

from pilothouse.cli.command_invocation import CommandResult, Invocation
from pilothouse.cli.output import colorize, printable
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

__all__ = ["extension"]


def extension(call: Invocation) -> CommandResult:
    """`pilothouse extension`: run the action."""
    acts = {"path": _path, "install": _install, "pair": _pair, "list": _list, "unpair": _unpair}
    return acts.get(call.options["action"], _status)(call)


def _folder(call: Invocation) -> Path:
    from pathlib import Path

    from pilothouse.relay.extension import default_folder

    given = call.options.get("to")
    return Path(os.path.abspath(os.path.expanduser(given))) if given else default_folder()


def _path(call: Invocation) -> CommandResult:
    """Print the folder that Chrome loads, and nothing else, for scripts."""
    from pilothouse.relay.extension import installed, source_dir

    folder = _folder(call)
    there = installed(folder) is not None
    result = {"path": str(folder), "installed": there, "source": str(source_dir())}
    return CommandResult(result, str(folder))


def _install(call: Invocation) -> CommandResult:
    from pilothouse.relay.extension import EXTENSION_ID, install

    share = str(call.options.get("share") or "")
    done = install(_folder(call), call.options.get("port"), share=share)
    result = {
        "path": str(done.folder),
        "id": EXTENSION_ID,
        "version": done.version,
        "port": done.port,
        "upgraded": done.upgraded,
        "paired": True,
    }
    if done.upgraded and done.repaired:
        words = [
            f"The extension in {done.folder} is paired again, with a new secret.",
            "It connects within seconds once the relay is running: pilothouse relay start.",
        ]
    elif done.upgraded:
        words = [
            f"The extension in {done.folder} is now version {done.version}; its pairing is kept.",
            "In Chrome, open chrome://extensions and press the reload button of Pilothouse.",
        ]
    else:
        words = [
            f"The extension is in {done.folder}, paired with your relay.",
            "Three steps are left, in the Chrome whose tabs you want to share:",
            "  1. Open chrome://extensions, switch on Developer mode (top right),",
            "     press Load unpacked and choose that folder. File dialogs hide it: press Ctrl+L",
            "     (on macOS Cmd+Shift+G) there and paste its path.",
            "  2. Run pilothouse relay start. The page that opened in Chrome says when it is",
            "     connected.",
            "  3. Answer its two questions: what agents may use, and whether the relay starts when",
            "     you log in.",
        ]
    return CommandResult(result, printable("\n".join(words)))


def _pair(call: Invocation) -> CommandResult:
    found = call.request("relay.pair", call.given_options("port"), doing="opening the relay")
    code = str(found["code"])
    shown = f"{code[:4]}-{code[4:]}" if len(code) == 8 else code
    minutes = max(1, round(float(found.get("lives_s", 120)) / 60))
    words = (
        f"{colorize(shown, 'bold')}\n"
        "Click the Pilothouse icon in Chrome and type this code there. It works once, for "
        f"{minutes} minutes, at port {found['port']}."
    )
    return CommandResult({**found, "code": shown}, words)


def _list(call: Invocation) -> CommandResult:
    """List the paired extensions, and whether they are connected."""
    rows = _list_paired(call)

    def show() -> None:
        if not rows:
            print("No extension is paired. Run: pilothouse extension install")
        for row in rows:
            where = ", ".join(row["profiles"])
            state = f"connected ({where})" if row["connected"] else "not connected"
            print(printable(f"{row['id']}  {state}"))

    return CommandResult({"extensions": rows}, show)


def _list_paired(call: Invocation) -> list[dict[str, Any]]:
    from pilothouse.relay.extension import pairings_path
    from pilothouse.relay.server import PairingStore

    here = [one for one in _relay_status(call)["extensions"] if one.get("connected")]
    rows = []
    for install in PairingStore(pairings_path()).installs():
        profiles = [str(one.get("profile", "")) for one in here if one.get("install") == install]
        rows.append({"id": install, "connected": bool(profiles), "profiles": profiles})
    return rows


def _unpair(call: Invocation) -> CommandResult:
    """Forget an extension's secret. A running daemon also disconnects it."""
    from pilothouse.relay.extension import pairings_path
    from pilothouse.relay.server import PairingStore

    install = call.options.get("id") or _only_paired([row["id"] for row in _list_paired(call)])
    try:
        call.connection(start=False)
    except PilothouseError:
        unpaired = PairingStore(pairings_path()).remove(install)
        found = {"install": install, "unpaired": unpaired, "dropped": 0}
    else:
        found = call.request("relay.unpair", {"install": install})
    if not found["unpaired"]:
        raise PilothouseError(
            f"id: no extension {install!r} is paired", hint="run: pilothouse extension list"
        )
    words = [f"{install} is no longer paired: the relay refuses it."]
    if found["dropped"]:
        words.append("The relay disconnected it, and Chrome stops sharing all tabs.")
    words.append("To pair it again, with a new secret: pilothouse extension install")
    return CommandResult(found, printable("\n".join(words)))


def _only_paired(installs: list[str]) -> str:
    """Return the only paired extension. Raises PilothouseError for none or several."""
    if len(installs) == 1:
        return installs[0]
    if not installs:
        raise PilothouseError("no extension is paired", hint="nothing needs to be unpaired")
    raise PilothouseError(
        f"id: missing; {len(installs)} extensions are paired: {', '.join(installs)}",
        hint="name one: pilothouse extension unpair ID",
    )


def _status(call: Invocation) -> CommandResult:
    from pilothouse.relay.extension import EXTENSION_ID, installed, is_known, source_version

    folder, current = _folder(call), source_version()
    there = installed(folder)
    relay = _relay_status(call)
    result = {
        "path": str(folder),
        "id": EXTENSION_ID,
        "installed": there is not None,
        "version": there.version if there else "",
        "current": current,
        "outdated": there is not None and there.version != current,
        "paired": there is not None and is_known(there),
        "relay": {"open": relay["open"], **({"port": relay["port"]} if relay["open"] else {})},
        "connected": any(one.get("connected") for one in relay["extensions"]),
        "chromes": relay["extensions"],
    }
    return CommandResult(result, lambda: _show(result))


def _relay_status(call: Invocation) -> dict[str, Any]:
    """Return the relay's status from a running daemon; do not start one."""
    try:
        call.connection(start=False)
    except PilothouseError:
        return {"open": False, "extensions": []}
    found: dict[str, Any] = call.request("relay.status")
    return {"extensions": [], **found}


def _show(result: dict[str, Any]) -> None:
    mark = colorize("●", "green" if result["connected"] else "yellow")
    if not result["installed"]:
        print(f"{mark} Not installed in {printable(result['path'])}. To install it:")
        print("  pilothouse extension install")
    else:
        paired = "paired" if result["paired"] else "not paired: pilothouse extension install"
        print(f"{mark} Version {result['version']} in {printable(result['path'])}, {paired}.")
    if result["outdated"]:
        print(f"  Version {result['current']} is available: pilothouse extension install")
    if not result["relay"]["open"]:
        print("  The relay is not running: pilothouse relay start")
    elif not result["connected"]:
        print(f"  No extension has connected to the relay at port {result['relay']['port']} yet.")
    for one in result["chromes"]:
        name = one.get("profile") or one.get("install", "")
        state = "is connected" if one.get("connected") else "is not connected"
        if one.get("state") not in ("connected", "away", None):
            state = f"is {one['state']}"
        said = f"  {name or 'A Chrome'} {state}: {one.get('product', 'Chrome')}"
        print(printable(f"{said}, extension {one.get('version', '?')}"))
