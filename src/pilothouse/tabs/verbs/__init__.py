"""All verbs of a tab, by family. Importing this package declares them (tabs/verb.py).

    input.py        actions on elements: click, type, fill, press, select, drag, upload, scroll
    navigation.py   goto, back, forward, reload, waits, evaluate, results of blocked actions
    inspection.py   snapshot, screenshot, extract, pdf, and facts about elements
    state.py        cookies, storage, state files, emulation, downloads
    diagnostics.py  dialogs and other interrupts, console, network log, routes

A verb is a function `async def name(tab: OwnedTab, ...)` with the decorator `@verb`. Its docstring
is the help text: a first sentence, then one line `parameter: description` for each parameter. The
Python client (code/client/tab.py), the command line and docs/cli.md are generated from it, so run
the generators after a change.
"""

from __future__ import annotations

from pilothouse.tabs.verbs import diagnostics, input, inspection, navigation, state

__all__ = ["diagnostics", "input", "inspection", "navigation", "state"]
