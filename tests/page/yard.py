"""What tests of waits share: a tab on a small page, and how it is made to do something."""

from __future__ import annotations

from typing import Any, TypeVar

from pilothouse.page.tab_context import TabContext
from pilothouse.supervisor import Outcome
from tests.browser.stage import Stage

__all__ = ["got", "run"]

T = TypeVar("T")


def got(outcome: Outcome[T]) -> T:
    """What an outcome brought; nothing must have blocked it."""
    assert outcome.value is not None, outcome
    return outcome.value


async def run(stage: Stage, tab_context: TabContext, code: str, frame_id: str = "") -> Any:
    """Run a script in the page, as if a person had clicked."""
    return await stage.run(frame_id or tab_context.main().id, code, gesture=True)
