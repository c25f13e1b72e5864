"""All verbs of a tab, by family. Importing this package declares them (tabs/verb.py).

    input.py                        actions on elements: click, type, fill, press, select, drag,
                                    upload, scroll
    navigation_waits_and_javascript.py  goto, back, forward, reload, waits, evaluate, results of
                                    blocked actions
    snapshot_and_extraction.py      snapshot, screenshot, extract, pdf, and facts about elements
    storage_emulation_and_downloads.py  cookies, storage, state files, emulation, downloads
    dialogs_console_and_network.py  dialogs and other interrupts, console, network log, routes

A verb is a function `async def name(tab: OwnedTab, ...)` with the decorator `@verb`. Its docstring
is the help text: a first sentence, then one line `parameter: description` for each parameter. The
Python client (code/client/tab.py), the command line and docs/cli.md are generated from it, so run
the generators after a change.
"""

from __future__ import annotations

from pilothouse.tabs.verbs import (
    dialogs_console_and_network,
    input,
    navigation_waits_and_javascript,
    snapshot_and_extraction,
    storage_emulation_and_downloads,
)

__all__ = [
    "dialogs_console_and_network",
    "input",
    "navigation_waits_and_javascript",
    "snapshot_and_extraction",
    "storage_emulation_and_downloads",
]
