"""The built-in tools, one module per family. Importing this package declares all of them.

A module holds typed functions decorated with `@tool` (tools/tool.py). Each gets a tool context
(tools/context.py), calls the daemon's methods through it and returns plain fields. `DECLARED`
gives the order in which agents see the families.

- `navigation`: go, wait, tabs. `inspection`: snapshots, screenshots, element facts.
- `input`: click, type, fill, upload. `diagnostics`: console, raw CDP, dialogs.
- `state`: downloads, PDFs, cookies, storage. `network`: requests and routes.
- `web`: search and extraction, with `search` (search engines). `vision`: a model that reads images.
- `run`: Python and JavaScript programs. `browser_connection`: join a running browser.
- `remote`: tools of other MCP servers; it declares none here.
"""

from __future__ import annotations

from pilothouse.tools.catalog import (
    browser_connection,
    diagnostics,
    input,
    inspection,
    navigation,
    network,
    run,
    state,
    web,
)

__all__ = ["DECLARED"]

DECLARED = (
    navigation,
    inspection,
    input,
    diagnostics,
    state,
    network,
    web,
    run,
    browser_connection,
)
