"""TODO-MAP supervisor/journal."""

from __future__ import annotations

from pilothouse.supervisor.journal.console import KEPT_OF_A_TAB, LEVELS, METHODS, Console
from pilothouse.supervisor.journal.journal_text import EVERYONE, Happening, happenings

__all__ = ["EVERYONE", "KEPT_OF_A_TAB", "LEVELS", "METHODS", "Console", "Happening", "happenings"]
