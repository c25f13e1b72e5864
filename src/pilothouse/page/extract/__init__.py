"""TODO-MAP page/extract."""

from __future__ import annotations

from pilothouse.page.extract.extract import ExtractedText, Extractor

__all__ = ["ExtractedText", "Extractor"]
