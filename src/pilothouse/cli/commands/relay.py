"""`pilothouse relay`: start and stop the relay, show its clients, print the URL to connect to.

Knows: the daemon's relay methods and the token file. Must not know: how the relay works. This
command reads the token from its file; the daemon never sends it.
"""

from __future__ import annotations

from pilothouse.cli.command_invocation import FAILED, CommandResult, Invocation
from pilothouse.cli.output import colorize, printable
from pilothouse.cli.parser import CommandLineError
from pilothouse.errors import PilothouseError

# As typing.TYPE_CHECKING, without the import: a warm call should not pay for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["relay"]

CONFLICTS_SHOWN = 5
_URL_OPTIONS = ("browser", "attach", "profile", "label", "dialogs")


def relay(call: Invocation) -> CommandResult:
    """`pilothouse relay`: run the action."""
    action = call.options["action"]
    _check_second_argument(action, call.options.get("what"))
    if action == "autostart":
        return _autostart(call)
    if action == "url":
        return _url(call)
    if action == "token":
        from pilothouse.cli.commands.relay_tokens import token

        return token(call)
    if action == "start":
        found = call.request("relay.start", call.given_options("port"), doing="starting the relay")
        return CommandResult(found, lambda: _show(found))
    try:
        call.connection(start=False)
    except PilothouseError:
        told = {
            "message": "no daemon is running",
            "hint": "start both with: pilothouse relay start",
        }
        if action == "stop":
            return CommandResult({"open": False, "stopped": False}, "The relay is not running.")
        return CommandResult({"open": False}, code=FAILED, error={**told, "kind": "NoDaemon"})
    if action == "stop":
        stopped = call.request("relay.stop", doing="stopping the relay")
        said = "The relay has stopped." if stopped["stopped"] else "The relay is not running."
        return CommandResult(stopped, said)
    found = call.request("relay.status")
    if action == "clients":
        return CommandResult(found["clients"], lambda: _show_clients(found["clients"]))
    return CommandResult(found, lambda: _show(found))


_SWITCHES = ("on", "off")


def _check_second_argument(action: str, what: str | None) -> None:
    """Check the second argument. Raises CommandLineError if the action does not take it."""
    takes = {"token": ("create", "list", "revoke", "rotate"), "autostart": _SWITCHES}
    if what is not None and what not in takes.get(action, ()):
        raise CommandLineError(
            f"relay {action}: unexpected argument {what!r}",
            hint="use: pilothouse relay token create|list|revoke|rotate, relay autostart on|off",
        )


def _autostart(call: Invocation) -> CommandResult:
    """Switch on or off that the relay starts at login; without an argument, show the setting."""
    from pilothouse.relay.login_autostart import is_autostarted, set_autostart

    what = call.options.get("what")
    if what in _SWITCHES:
        set_autostart(what == "on")
    on = is_autostarted()
    said = (
        "The relay starts when you log in." if on else "The relay does not start when you log in."
    )
    return CommandResult({"autostart": on}, said)


def _url(call: Invocation) -> CommandResult:
    """Print the URL with the token, read from the user's token file. With --owner, the token is
    valid for that owner only."""
    found = call.request(
        "relay.url", call.given_options(*_URL_OPTIONS, "port", "owner"), doing="starting the relay"
    )
    from pathlib import Path

    from pilothouse.relay.server import TokenStore

    tokens = TokenStore(Path(found["token_file"]))
    token = tokens.url_token(str(call.options.get("owner") or ""), found["attach"])
    url = found["url"].replace("TOKEN", token, 1)
    return CommandResult({"url": url}, url)


def _no_extension_hint() -> str:
    """Return what to do or to wait for while no Chrome is connected."""
    from pilothouse.relay.extension import pairings_path
    from pilothouse.relay.server import PairingStore

    if PairingStore(pairings_path()).installs():
        return "No Chrome is shared yet: Chrome with the paired extension connects within seconds."
    return "No Chrome is shared. Run `pilothouse extension install` to share yours."


def _show(found: dict[str, Any]) -> None:
    if not found["open"]:
        print("The relay is not running. Start it: pilothouse relay start")
        return
    print(
        f"{colorize('●', 'green')} The relay listens at 127.0.0.1:{found['port']}, {found['mode']}."
    )
    for one in found["extensions"]:
        name = one.get("profile") or one.get("install", "")
        shown = f"{one.get('product', 'Chrome')}, extension {one.get('version', '?')}"
        state = "is connected" if one.get("connected") else "is not connected"
        print(printable(f"  {name or 'a Chrome'} {state}: {shown}"))
    if not found["extensions"]:
        print(f"  {_no_extension_hint()}")
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
