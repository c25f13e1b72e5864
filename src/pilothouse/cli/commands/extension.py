"""`pilothouse extension`: the extension on its way into the user's Chrome, and how it is there.

Knows: where its files are, and the daemon's methods about the relay. Must not know: how a relay
works. No secret is ever printed; a pairing code is, for that is what it is for.
"""

from __future__ import annotations

import os

from pilothouse.cli.daemon_call import Answer, Call
from pilothouse.cli.output import paint, printable
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

__all__ = ["extension"]


def extension(call: Call) -> Answer:
    """Do one of path, install, status, pair, list, unpair."""
    acts = {"path": _path, "install": _install, "pair": _pair, "list": _list, "unpair": _unpair}
    return acts.get(call.options["action"], _status)(call)


def _folder(call: Call) -> Path:
    from pathlib import Path

    from pilothouse.relay.extension import default_folder

    given = call.options.get("to")
    return Path(os.path.abspath(os.path.expanduser(given))) if given else default_folder()


def _path(call: Call) -> Answer:
    """The folder that Chrome loads; alone on its line, for scripts."""
    from pilothouse.relay.extension import installed, source_dir

    folder = _folder(call)
    there = installed(folder) is not None
    result = {"path": str(folder), "installed": there, "source": str(source_dir())}
    return Answer(result, str(folder))


def _install(call: Call) -> Answer:
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
            f"The extension in {done.folder} is paired anew, with another secret.",
            "In Chrome it connects by itself within seconds, once the relay is open: "
            "pilothouse relay start.",
        ]
    elif done.upgraded:
        words = [
            f"The extension in {done.folder} is version {done.version} now; its pairing is kept.",
            "In Chrome, chrome://extensions: press the round arrow on the Pilothouse card.",
        ]
    else:
        words = [
            f"The extension is in {done.folder}, paired with your relay.",
            "Three steps are left, in the Chrome whose tabs you want to share:",
            "  1. Open chrome://extensions, switch on Developer mode (top right),",
            "     press Load unpacked and choose that folder. File dialogs hide it: press Ctrl+L",
            "     (on macOS Cmd+Shift+G) there and paste its path.",
            "  2. pilothouse relay start: the page that opened in Chrome says when it is",
            "     connected.",
            "  3. Answer its two questions: what agents may use, and whether the relay starts when",
            "     you log in.",
        ]
    return Answer(result, printable("\n".join(words)))


def _pair(call: Call) -> Answer:
    found = call.ask("relay.pair", call.given("port"), doing="opening the relay")
    code = str(found["code"])
    shown = f"{code[:4]}-{code[4:]}" if len(code) == 8 else code
    minutes = max(1, round(float(found.get("lives_s", 120)) / 60))
    words = (
        f"{paint(shown, 'bold')}\n"
        "Click the Pilothouse icon in Chrome and type this code there. It is good once, for "
        f"{minutes} minutes, at port {found['port']}."
    )
    return Answer({**found, "code": shown}, words)


def _list(call: Call) -> Answer:
    """Which extensions are paired, and whether they are connected."""
    rows = _paired(call)

    def show() -> None:
        if not rows:
            print("No extension is paired: pilothouse extension install")
        for row in rows:
            where = ", ".join(row["profiles"])
            state = f"connected ({where})" if row["connected"] else "not connected"
            print(printable(f"{row['id']}  {state}"))

    return Answer({"extensions": rows}, show)


def _paired(call: Call) -> list[dict[str, Any]]:
    from pilothouse.relay.extension import pairings_path
    from pilothouse.relay.server import PairingStore

    here = [one for one in _lent(call)["extensions"] if one.get("connected")]
    rows = []
    for install in PairingStore(pairings_path()).installs():
        profiles = [str(one.get("profile", "")) for one in here if one.get("install") == install]
        rows.append({"id": install, "connected": bool(profiles), "profiles": profiles})
    return rows


def _unpair(call: Call) -> Answer:
    """Forget an extension's secret. A daemon that runs hangs up on it, too."""
    from pilothouse.relay.extension import pairings_path
    from pilothouse.relay.server import PairingStore

    install = call.options.get("id") or _only([row["id"] for row in _paired(call)])
    try:
        call.line(start=False)
    except PilothouseError:
        unpaired = PairingStore(pairings_path()).forget(install)
        found = {"install": install, "unpaired": unpaired, "dropped": 0}
    else:
        found = call.ask("relay.unpair", {"install": install})
    if not found["unpaired"]:
        raise PilothouseError(
            f"id: no extension {install!r} is paired", hint="pilothouse extension list shows them"
        )
    words = [f"{install} is not paired any more: the relay refuses it."]
    if found["dropped"]:
        words.append("It was connected; the relay hung up, and Chrome lets go of all tabs.")
    words.append("pilothouse extension install pairs it anew, with another secret.")
    return Answer(found, printable("\n".join(words)))


def _only(installs: list[str]) -> str:
    """The one extension that is paired. Raises PilothouseError for none or several."""
    if len(installs) == 1:
        return installs[0]
    if not installs:
        raise PilothouseError("no extension is paired", hint="there is nothing to unpair")
    raise PilothouseError(
        f"id: missing; {len(installs)} extensions are paired: {', '.join(installs)}",
        hint="pilothouse extension unpair ID",
    )


def _status(call: Call) -> Answer:
    from pilothouse.relay.extension import EXTENSION_ID, installed, is_known, source_version

    folder, current = _folder(call), source_version()
    there = installed(folder)
    lent = _lent(call)
    result = {
        "path": str(folder),
        "id": EXTENSION_ID,
        "installed": there is not None,
        "version": there.version if there else "",
        "current": current,
        "outdated": there is not None and there.version != current,
        "paired": there is not None and is_known(there),
        "relay": {"open": lent["open"], **({"port": lent["port"]} if lent["open"] else {})},
        "connected": any(one.get("connected") for one in lent["extensions"]),
        "chromes": lent["extensions"],
    }
    return Answer(result, lambda: _show(result))


def _lent(call: Call) -> dict[str, Any]:
    """What a daemon that runs says of the relay; none is started for that."""
    try:
        call.line(start=False)
    except PilothouseError:
        return {"open": False, "extensions": []}
    found: dict[str, Any] = call.ask("relay.status")
    return {"extensions": [], **found}


def _show(result: dict[str, Any]) -> None:
    mark = paint("●", "green" if result["connected"] else "yellow")
    if not result["installed"]:
        print(f"{mark} Not installed in {printable(result['path'])}: pilothouse extension install")
    else:
        paired = "paired" if result["paired"] else "not paired: pilothouse extension install"
        print(f"{mark} Version {result['version']} in {printable(result['path'])}, {paired}.")
    if result["outdated"]:
        print(f"  Version {result['current']} is here: pilothouse extension install")
    if not result["relay"]["open"]:
        print("  No relay is open: pilothouse relay start")
    elif not result["connected"]:
        print(f"  The relay at port {result['relay']['port']} sees no extension yet.")
    for one in result["chromes"]:
        name = one.get("profile") or one.get("install", "")
        state = "is connected" if one.get("connected") else "is away"
        if one.get("state") not in ("connected", "away", None):
            state = f"is {one['state']}"
        said = f"  {name or 'A Chrome'} {state}: {one.get('product', 'Chrome')}"
        print(printable(f"{said}, extension {one.get('version', '?')}"))
