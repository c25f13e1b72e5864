"""Declare `relay` and `extension`. Read on every call, so it imports only data."""

from __future__ import annotations

from pilothouse.cli.command import Argument, CliCommand

__all__ = ["EXTENSION_COMMAND", "RELAY_COMMAND"]

RELAY_COMMAND = CliCommand(
    "relay",
    "Let Playwright, Puppeteer and other CDP clients connect, on a port of this machine.",
    "commands.relay:relay",
    (
        Argument(
            "action",
            "url prints the URL to connect to; it contains a token, so keep it secret",
            positional=True,
            choices=("start", "stop", "status", "url", "clients", "token", "autostart"),
            default=...,
        ),
        Argument(
            "what",
            "for token: create one for --owner, list them, revoke one, or rotate your own; for "
            "autostart: on or off, whether the relay starts when you log in",
            positional=True,
            choices=("create", "list", "revoke", "rotate", "on", "off"),
        ),
        Argument("id", "id of the token to revoke", positional=True),
        Argument("port", "port (default: 19222; 0: a free port)", "int"),
        Argument("browser", "browser the URL connects to", choices=("extension", "managed")),
        Argument("attach", "tabs the client sees", choices=("owned", "lazy", "eager")),
        Argument("profile", "Chrome profile, if several share their Chrome"),
        Argument("label", "name of the client in lists"),
        Argument("dialogs", "who answers dialogs in its tabs", choices=("client", "daemon")),
        Argument("files", "folder the client may use for files", "texts"),
    ),
    examples=(
        "relay start",
        "relay url",
        "relay url --browser managed --owner shop",
        "relay clients",
        "relay token create --owner shop --label scraper",
        "relay token revoke 3f9a01bc",
        "relay token rotate",
        "relay autostart on",
        "relay stop",
    ),
)

EXTENSION_COMMAND = CliCommand(
    "extension",
    "Share tabs of your own Chrome: install, pair or unpair the extension, show its status.",
    "commands.extension:extension",
    (
        Argument(
            "action",
            "install copies it for Chrome to load; pair prints a code to type into its popup",
            positional=True,
            choices=("path", "install", "status", "pair", "list", "unpair"),
            default=...,
        ),
        Argument(
            "id",
            "extension to unpair, by its id from list; not needed if only one is paired",
            positional=True,
        ),
        Argument("to", "folder of the extension (default: the data directory)"),
        Argument("port", "port of the relay (default: 19222)", "int"),
        Argument(
            "share",
            "for install: what it shares at first; without it, a page in Chrome asks you",
            choices=("picked", "all"),
        ),
    ),
    examples=(
        "extension install",
        "extension install --to ~/pilothouse-extension --port 19300",
        "extension status",
        "extension pair",
        "extension list",
        "extension unpair install-0123456789abcdef",
        "extension path",
    ),
)
