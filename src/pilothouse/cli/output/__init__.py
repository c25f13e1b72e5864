"""TODO-MAP cli/output."""

from __future__ import annotations

from pilothouse.lazy_exports import lazy_exports

# As typing.TYPE_CHECKING, without the import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from pilothouse.cli.output.browser_tables import describe, plain, print_json, progress, show
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
        interrupts_text,
        paint,
        printable,
        sentence,
        value_text,
    )
    from pilothouse.cli.output.tool_tables import show_explained, show_tools

__all__ = [
    "answer_commands",
    "arrival_text",
    "blocked_hint",
    "blocked_text",
    "describe",
    "interrupts_text",
    "paint",
    "plain",
    "print_json",
    "printable",
    "progress",
    "sentence",
    "show",
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
    "value_text",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "browser_tables": (
            "describe",
            "plain",
            "print_json",
            "progress",
            "show",
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
            "interrupts_text",
            "paint",
            "printable",
            "sentence",
            "value_text",
        ),
        "tool_tables": (
            "show_explained",
            "show_tools",
        ),
    },
)
