"""All declared tools, by family. Importing this declares them."""

from __future__ import annotations

from pilothouse.tools import seeing

__all__ = ["DECLARED"]

DECLARED = (seeing,)
