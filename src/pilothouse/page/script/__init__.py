"""TODO-MAP page/script."""

from __future__ import annotations

from pilothouse.page.script.console import Console
from pilothouse.page.script.evaluate import Evaluation, EvaluationResult

__all__ = ["Console", "Evaluation", "EvaluationResult"]
