"""Facts about elements: text, value, attribute, box, and whether it is visible, enabled, checked.

Knows: which facts there are. Must not know: how elements are found. It never waits: each call
reads the page as it is now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pilothouse.errors import UsageError
from pilothouse.page.input.actionability_errors import no_match_error, not_actionable_error
from pilothouse.page.input.actionable_elements import ElementResolver
from pilothouse.page.input.selectors import Point, parse_selector
from pilothouse.page.snapshot import Ref
from pilothouse.supervisor import Outcome

__all__ = ["FACTS", "ElementFacts"]

FACTS = ("text", "html", "value", "attr", "box", "visible", "enabled", "checked", "styles", "count")
LONGEST = 200_000


class ElementFacts:
    """Reads facts about the elements of one tab."""

    def __init__(self, resolver: ElementResolver) -> None:
        self._resolver = resolver

    async def read(
        self,
        target: Any,
        what: str,
        detail: str | Sequence[str] = "",
        *,
        frame: str = "",
        nth: int | None = None,
    ) -> Outcome[Any]:
        """Return one fact about one element; for `count`, how many elements match.

        A missing element is not visible and has the count 0; any other fact about it raises
        ToolError.
        """
        if what not in FACTS:
            raise UsageError(f"what: unknown value {what!r}", hint=f"one of {', '.join(FACTS)}")
        if what == "attr" and not detail:
            raise UsageError(
                "detail: attr needs the name of an attribute", hint="give one such as href"
            )
        parsed = parse_selector(target, nth=nth)
        if isinstance(parsed, Point):
            raise UsageError("target: a point is not an element", hint="give a ref or a selector")

        async def work() -> Any:
            if what == "count" and isinstance(parsed, Ref):
                # A ref names one element, or none once it is stale.
                result = await self._resolver.call_on(parsed, "inspect", "visible", "", frame=frame)
                return int(result["state"] == "ok")
            result = await self._resolver.call_on(parsed, "inspect", what, detail, frame=frame)
            if result["state"] == "ok":
                value = result["value"]
                return value[:LONGEST] if isinstance(value, str) else value
            if what == "visible" and result["state"] == "missing":
                return False
            if what == "count" and result["state"] == "missing":
                return 0
            selector = str(target)
            bad = result["state"] in ("missing", "many", "invalid")
            raise (
                no_match_error(selector, result, "")
                if bad
                else not_actionable_error(selector, result, "")
            )

        return await self._resolver.tab_context.race(work)
