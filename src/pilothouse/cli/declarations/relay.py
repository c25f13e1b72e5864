"""The commands about the relay, declared. As commands.py, it is read on every call and imports
nothing but data."""

from __future__ import annotations

from pilothouse.cli.command import Command, Word

__all__ = ["RELAY_COMMANDS"]

RELAY_COMMANDS = (
    Command(
        "relay",
        "Let Playwright, Puppeteer and other CDP clients in, on a port of this machine.",
        "commands.relay:relay",
        (
            Word(
                "action",
                "url prints what a client connects to, with its token: keep it to yourself",
                positional=True,
                choices=("start", "stop", "status", "url", "clients", "token", "autostart"),
                default=...,
            ),
            Word(
                "what",
                "of token: create one for --owner, list them, revoke one, or rotate your own; of "
                "autostart: on or off, for whether the relay starts when you log in",
                positional=True,
                choices=("create", "list", "revoke", "rotate", "on", "off"),
            ),
            Word("id", "the token to revoke", positional=True),
            Word("port", "where (default: 19222; 0: a free one)", "int"),
            Word("browser", "which browser the URL is for", choices=("extension", "managed")),
            Word("attach", "which tabs its client sees", choices=("owned", "lazy", "eager")),
            Word("profile", "which profile, if several lend their Chrome"),
            Word("label", "what the client is called in lists"),
            Word("dialogs", "who answers dialogs of its tabs", choices=("client", "daemon")),
            Word("files", "a folder its client may use for files; repeat for more", "texts"),
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
    ),
    Command(
        "extension",
        "Lend your own Chrome: install, pair or unpair the extension, see whether it is there.",
        "commands.extension:extension",
        (
            Word(
                "action",
                "install copies it for Chrome to load; pair gives a code to type into its popup",
                positional=True,
                choices=("path", "install", "status", "pair", "list", "unpair"),
                default=...,
            ),
            Word(
                "id",
                "unpair this one, by its id from list; not needed if only one is paired",
                positional=True,
            ),
            Word("to", "install into this folder, or ask about it"),
            Word("port", "the port of the relay (default: 19222)", "int"),
            Word(
                "share",
                "of install: what it shares at first; without it a page asks you in Chrome",
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
    ),
)
