"""The built-in tools, one module per family. Importing this package declares all of them.

A module contains typed functions decorated with `@tool` (tools/tool.py). Each gets a ToolContext
(tools/context.py), calls the daemon's methods through it and returns plain fields. `DECLARED`
gives the order in which agents see the families.

    navigation_and_tabs       go to a URL, history, wait, tabs
    snapshot_and_images       snapshot, find, images, screenshot, vision
    input                     click, type, press, scroll, select, fill forms, drag, upload
    javascript_console_and_cdp  JavaScript, console, raw CDP
    dialogs                   answers to dialogs and other interrupts
    hand_over                 ask a person to do something in the tab
    page_data_and_emulation   downloads, PDF, page text, cookies, storage, emulation
    network                   requests and routes
    web_search_and_extract    web search (tools/search_engine.py) and page reading
    code_and_batch            batches of tool calls, Python and JavaScript
    connect                   connect to a running browser
    external_tool_conversion  tools of external MCP servers; declares none, the daemon adds them
"""

from __future__ import annotations

from pilothouse.tools.catalog import (
    code_and_batch,
    connect,
    dialogs,
    hand_over,
    input,
    javascript_console_and_cdp,
    navigation_and_tabs,
    network,
    page_data_and_emulation,
    snapshot_and_images,
    web_search_and_extract,
)
from pilothouse.tools.catalog.external_tool_conversion import (
    is_included,
    local_tool_name,
    parse_result,
    server_toolset,
    tools_from_listing,
)

__all__ = [
    "DECLARED",
    "is_included",
    "local_tool_name",
    "parse_result",
    "server_toolset",
    "tools_from_listing",
]

DECLARED = (
    navigation_and_tabs,
    snapshot_and_images,
    input,
    javascript_console_and_cdp,
    dialogs,
    hand_over,
    page_data_and_emulation,
    network,
    web_search_and_extract,
    code_and_batch,
    connect,
)
