"""TODO-MAP page/emulation."""

from __future__ import annotations

from pilothouse.page.emulation.emulation import TabEmulation

__all__ = ["TabEmulation"]
