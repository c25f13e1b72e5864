"""TODO-MAP page/extract."""

from __future__ import annotations

from pilothouse.page.extract.extract import Extract, Extracted

__all__ = ["Extract", "Extracted"]
