"""`pilothouse relay`: the port for other programs, who is on it, and the URL they connect to.

Knows: the daemon's methods about the relay, and the token's file. Must not know: how a relay works.
The token goes from its file to the person's own terminal; the daemon never says it.
"""

from __future__ import annotations

from pilothouse.cli.daemon_call import FAILED, Answer, Call
from pilothouse.cli.output import paint, printable
from pilothouse.cli.parser import Usage
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["relay"]

CONFLICTS_SHOWN = 5
_ASKED = ("browser", "attach", "profile", "label", "dialogs")


def relay(call: Call) -> Answer:
    """Start, stop or show it."""
    action = call.options["action"]
    _check_what(action, call.options.get("what"))
    if action == "autostart":
        return _autostart(call)
    if action == "url":
        return _url(call)
    if action == "token":
        from pilothouse.cli.commands.relay_tokens import token

        return token(call)
    if action == "start":
        found = call.ask("relay.start", call.given("port"), doing="opening the relay")
        return Answer(found, lambda: _show(found))
    try:
        call.line(start=False)
    except PilothouseError:
        told = {"message": "no daemon is running", "hint": "pilothouse relay start opens both"}
        if action == "stop":
            return Answer({"open": False, "stopped": False}, "No relay is open.")
        return Answer({"open": False}, code=FAILED, error={**told, "kind": "NoDaemon"})
    if action == "stop":
        stopped = call.ask("relay.stop", doing="closing the relay")
        said = "The relay is closed." if stopped["stopped"] else "No relay is open."
        return Answer(stopped, said)
    found = call.ask("relay.status")
    if action == "clients":
        return Answer(found["clients"], lambda: _show_clients(found["clients"]))
    return Answer(found, lambda: _show(found))


_SWITCHES = ("on", "off")


def _check_what(action: str, what: str | None) -> None:
    """Raises Usage for a second word that the action does not take."""
    takes = {"token": ("create", "list", "revoke", "rotate"), "autostart": _SWITCHES}
    if what is not None and what not in takes.get(action, ()):
        raise Usage(
            f"relay {action}: {what!r} is one word too many",
            hint="pilothouse relay token create|list|revoke|rotate, relay autostart on|off",
        )


def _autostart(call: Call) -> Answer:
    """Have the relay start when the user logs in, or not; without a word, say which it is."""
    from pilothouse.relay.autostart import is_autostarted, set_autostart

    what = call.options.get("what")
    if what in _SWITCHES:
        set_autostart(what == "on")
    on = is_autostarted()
    said = (
        "The relay starts when you log in." if on else "The relay does not start when you log in."
    )
    return Answer({"autostart": on}, said)


def _url(call: Call) -> Answer:
    """The URL with the token, for whoever may read the token's file: this user. With an owner it
    holds a token that is good for that owner alone."""
    found = call.ask("relay.url", call.given(*_ASKED, "port", "owner"), doing="opening the relay")
    from pathlib import Path

    from pilothouse.relay.server import TokenStore

    tokens = TokenStore(Path(found["token_file"]))
    token = tokens.url_token(str(call.options.get("owner") or ""), found["attach"])
    url = found["url"].replace("TOKEN", token, 1)
    return Answer({"url": url}, url)


def _nobody_lends() -> str:
    """What a person does, or waits for, while no Chrome is connected."""
    from pilothouse.relay.extension import pairings_path
    from pilothouse.relay.server import PairingStore

    if PairingStore(pairings_path()).installs():
        return "No Chrome is lent yet: a Chrome with the paired extension connects within seconds."
    return "No Chrome is lent; pilothouse extension install says how."


def _show(found: dict[str, Any]) -> None:
    if not found["open"]:
        print("No relay is open; pilothouse relay start opens one.")
        return
    print(f"{paint('●', 'green')} The relay listens at 127.0.0.1:{found['port']}, {found['mode']}.")
    for one in found["extensions"]:
        name = one.get("profile") or one.get("install", "")
        shown = f"{one.get('product', 'Chrome')}, extension {one.get('version', '?')}"
        state = "lends" if one.get("connected") else "is away"
        print(printable(f"  {name or 'a Chrome'} {state}: {shown}"))
    if not found["extensions"]:
        print(f"  {_nobody_lends()}")
    _show_clients(found["clients"])
    for words in found["conflicts"][-CONFLICTS_SHOWN:]:
        print(printable(f"  {words}"))


def _show_clients(clients: list[dict[str, Any]]) -> None:
    if not clients:
        print("  No client is connected.")
    for one in clients:
        name = one.get("label") or one["id"]
        where = "the user's Chrome" if one["browser"] == "extension" else "a managed browser"
        print(printable(f"  {name} as {one['owner']} on {where}, {one['attach']}"))
