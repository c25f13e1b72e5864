"""The `pilothouse` command: the only room that prints."""

from __future__ import annotations

from pilothouse.cli.main import main

__all__ = ["main"]
