"""TODO-MAP supervisor/capabilities."""

from __future__ import annotations

from pilothouse.supervisor.capabilities.browser_process_commands import (
    BROWSER_PROCESS,
    HANDLE_DIALOG,
)
from pilothouse.supervisor.capabilities.capabilities import LAUNCHED, Findings, choose
from pilothouse.supervisor.capabilities.probe import measure

__all__ = ["BROWSER_PROCESS", "HANDLE_DIALOG", "LAUNCHED", "Findings", "choose", "measure"]
