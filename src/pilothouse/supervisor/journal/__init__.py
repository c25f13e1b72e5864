"""Records of one browser: what happened, for debugging, and what its pages logged.

    journal.py        `Journal` observes a supervisor and keeps its events and CDP messages, bounded
                      and redacted; `export` writes them as JSON lines, `read_journal` reads them
                      back, `replay` runs the events through `step` again, and `describe_journal`
                      says what happened. The daemon keeps one per browser
                      (daemon/browser_journals.py)
    journal_text.py   pure: `describe_event` turns an event and its effects into `JournalLine`s for
                      people, each about one tab
    console_log.py    `ConsoleLog`: the last console lines and errors of each tab
    remote_values.py  pure: formats the arguments of a console call as text

The event pump passes console events straight to `ConsoleLog`, outside of `step`: they are frequent
and decide nothing. The journal listens through `Supervisor.observe` and `Connection.trace`.
"""

from __future__ import annotations

from pilothouse.supervisor.journal.console_log import (
    LEVELS,
    LINES_KEPT_PER_TAB,
    METHODS,
    ConsoleLog,
)
from pilothouse.supervisor.journal.journal import Journal, describe_journal, read_journal
from pilothouse.supervisor.journal.journal_text import ALL_TABS, JournalLine, describe_event

__all__ = [
    "ALL_TABS",
    "LEVELS",
    "LINES_KEPT_PER_TAB",
    "METHODS",
    "ConsoleLog",
    "Journal",
    "JournalLine",
    "describe_event",
    "describe_journal",
    "read_journal",
]
