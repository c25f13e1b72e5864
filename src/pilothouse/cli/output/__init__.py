"""Format results for people: text for a terminal, tables, and escaped page content.

    text.py          results, receipts, snapshots and blocked calls as text; printable() keeps page
                     content from sending escape sequences to the terminal. Cheap to import
    tables.py        tables with rich: tabs, dialogs, console, journal, requests, cookies, status
    tool_tables.py   tables of tools and of the reasons why they are on or off
    browser_tree.py  what a supervised browser contains, for `look` and `demo`

A command (cli/commands/) returns a CommandResult with the JSON result and a text or a function that
shows it. The command line (cli/command_invocation.py) calls that function unless `--json` is given,
so rich is imported only when a table is printed. Names are imported on first use (lazy_exports).
"""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.cli.output.browser_tree import (
        describe_browser,
        escape_page_text,
        print_json,
        show_browser,
        spinner,
    )
    from pilothouse.cli.output.tables import (
        show_checks,
        show_console,
        show_cookies,
        show_dialogs,
        show_journal,
        show_pages,
        show_requests,
        show_settings,
        show_status,
        show_tabs,
    )
    from pilothouse.cli.output.text import (
        answer_commands,
        arrival_text,
        blocked_hint,
        blocked_text,
        colorize,
        format_result,
        interrupts_text,
        opened_text,
        printable,
        requests_text,
        value_text,
    )
    from pilothouse.cli.output.tool_tables import show_explained, show_tools

__all__ = [
    "answer_commands",
    "arrival_text",
    "blocked_hint",
    "blocked_text",
    "colorize",
    "describe_browser",
    "escape_page_text",
    "format_result",
    "interrupts_text",
    "opened_text",
    "print_json",
    "printable",
    "requests_text",
    "show_browser",
    "show_checks",
    "show_console",
    "show_cookies",
    "show_dialogs",
    "show_explained",
    "show_journal",
    "show_pages",
    "show_requests",
    "show_settings",
    "show_status",
    "show_tabs",
    "show_tools",
    "spinner",
    "value_text",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "browser_tree": (
            "describe_browser",
            "escape_page_text",
            "print_json",
            "show_browser",
            "spinner",
        ),
        "tables": (
            "show_checks",
            "show_console",
            "show_cookies",
            "show_dialogs",
            "show_journal",
            "show_pages",
            "show_requests",
            "show_settings",
            "show_status",
            "show_tabs",
        ),
        "text": (
            "answer_commands",
            "arrival_text",
            "blocked_hint",
            "blocked_text",
            "colorize",
            "format_result",
            "interrupts_text",
            "requests_text",
            "opened_text",
            "printable",
            "value_text",
        ),
        "tool_tables": (
            "show_explained",
            "show_tools",
        ),
    },
)
