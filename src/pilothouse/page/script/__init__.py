"""TODO-MAP page/script."""

from __future__ import annotations

from pilothouse.page.script.console import Console
from pilothouse.page.script.evaluate import Evaluated, Evaluation

__all__ = ["Console", "Evaluated", "Evaluation"]
