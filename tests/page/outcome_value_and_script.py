"""Helpers of wait tests: read an outcome, and run a script in the page."""

from __future__ import annotations

from typing import Any, TypeVar

from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Outcome
from tests.browser.browser_with_dialog_places import Stage

__all__ = ["got", "run"]

T = TypeVar("T")


def got(outcome: Outcome[T]) -> T:
    """Return the value of an outcome; fail if something blocked it."""
    assert outcome.value is not None, outcome
    return outcome.value


async def run(stage: Stage, tab_context: TabContext, code: str, frame_id: str = "") -> Any:
    """Run a script in the page, as if a person had clicked."""
    return await stage.run(frame_id or tab_context.main().id, code, gesture=True)
