"""Scrolling, and how far the page really scrolled.

Knows: that a wheel scrolls whatever lies under it, that only the scroll positions show when it has
ended, and that Chrome never replies to a wheel event in a tab that is not painted. Must not know:
what is on the page.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, Unpack

from msgspec.structs import replace

from pilothouse.errors import UsageError
from pilothouse.page.input.action_runner import ActionRunner
from pilothouse.page.input.actionable_elements import (
    ElementLookup,
    ElementResolver,
    ReadyElement,
    Requirements,
)
from pilothouse.page.input.mouse import send_wheel
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.world import IsolatedWorld
from pilothouse.supervisor import Outcome

__all__ = ["Scroller"]

EDGES = ("top", "bottom", "left", "right")
FARTHEST = 100_000
ANSWER_WITHIN_S = 1.0
# If nothing has moved by then, nothing will; a movement has ended when two polls agree.
BEGINS_WITHIN_S = 0.25
ENDS_WITHIN_S = 1.5
POLL_S = 0.025


class Scroller:
    """Scrolling in one tab."""

    def __init__(self, resolver: ElementResolver, runner: ActionRunner) -> None:
        self._resolver = resolver
        self._runner = runner

    async def scroll(
        self, dx: float = 0, dy: float = 0, target: Any = None, **lookup: Unpack[ElementLookup]
    ) -> Outcome[Receipt]:
        """Turn the wheel by CSS pixels, over an element or over the page; positive is right and
        down.

        The receipt says how far it scrolled.
        """
        for name, by in (("dx", dx), ("dy", dy)):
            if isinstance(by, bool) or not isinstance(by, int | float) or abs(by) > FARTHEST:
                raise UsageError(
                    f"{name}: {by!r} is out of range",
                    hint=f"give a number of pixels up to {FARTHEST}",
                )
        if not dx and not dy:
            raise UsageError("dy: give dx or dy", hint="use dy=600 to scroll down")

        async def work() -> Receipt:
            element = await self._resolve_scroll_point(target, lookup)
            state: dict[str, Any] = {}
            notes: list[str] = []

            async def turn() -> None:
                notes.extend(await self._turn_wheel(element, dx, dy, state))

            receipt = await self._runner.perform("scrolled", element, turn)
            return _add_scroll_result(receipt, state, notes, (dx, dy))

        return await self._runner.tab_context.race(work)

    async def to_edge(
        self, edge: str, target: Any = None, **lookup: Unpack[ElementLookup]
    ) -> Outcome[Receipt]:
        """Scroll the page, or the scroll container of an element, to its top, bottom, left or
        right."""
        if edge not in EDGES:
            raise UsageError(f"edge: unknown value {edge!r}", hint=f"use one of {', '.join(EDGES)}")
        by = {"top": (0, -1), "bottom": (0, 1), "left": (-1, 0), "right": (1, 0)}[edge]

        async def work() -> Receipt:
            element = await self._resolve_scroll_point(target, lookup, point=False)
            state: dict[str, Any] = {}

            async def jump() -> None:
                world = await self._world(element)
                wanted = element.js_handle if element.number else None
                await self._ask(element, world, "scrollEdge", wanted, edge)
                state.update(await self._runner.worlds.call_in(world, "scrollState"))

            receipt = await self._runner.perform(f"scrolled to the {edge} of", element, jump)
            return _add_scroll_result(receipt, state, [], by)

        return await self._runner.tab_context.race(work)

    async def into_view(self, target: Any, **lookup: Unpack[ElementLookup]) -> Outcome[Receipt]:
        """Scroll until an element is visible, in its frame and together with its frame."""

        async def work() -> Receipt:
            element = await self._resolver.resolve(
                target, Requirements(enabled=False, point=False), **lookup
            )
            state: dict[str, Any] = {}

            async def show() -> None:
                world = await self._world(element)
                await self._ask(element, world, "scrollIntoView", element.js_handle)
                state.update(await self._runner.worlds.call_in(world, "scrollState"))
                # Resolving its point scrolls the parent frames too.
                await self._resolver.resolve(element.selector, Requirements(enabled=False))

            receipt = await self._runner.perform("brought into view", element, show)
            moved = bool(state["dx"] or state["dy"]) or receipt.scrolled
            notes = () if moved else ("it was in view already",)
            return replace(receipt, scrolled=moved, notes=notes)

        return await self._runner.tab_context.race(work)

    async def _resolve_scroll_point(
        self, target: Any, lookup: ElementLookup, *, point: bool = True
    ) -> ReadyElement:
        """Return the element under the wheel, or the page."""
        if target is None and lookup.get("frame"):
            target = "html"
        if target is not None:
            element = await self._resolver.resolve(
                target, Requirements(enabled=False, point=False), **lookup
            )
            if not point or element.world is None:
                return element
            # If the element is larger than the viewport, scroll over its visible part.
            at = await self._runner.worlds.call_in(element.world, "scrollPoint", element.js_handle)
            requirements = Requirements(
                enabled=False, scroll=at is None, position=(at[0], at[1]) if at else None
            )
            return await self._resolver.resolve(
                element.selector, requirements, **_timeout_only(lookup)
            )
        main, context = self._runner.tab_context.main(), self._runner.tab_context
        world = await self._runner.worlds.of(main)
        return ReadyElement(main, context.session, world, 0, "page", "", 0, 0, context.tab_id)

    async def _world(self, element: ReadyElement) -> IsolatedWorld:
        return element.world or await self._runner.worlds.of(element.frame)

    async def _ask(
        self, element: ReadyElement, world: IsolatedWorld, function: str, *arguments: Any
    ) -> None:
        result = await self._runner.worlds.call_in(world, function, *arguments, names=True)
        if result["state"] != "ok":
            raise element.refusal_error(result)

    async def _turn_wheel(
        self, element: ReadyElement, dx: float, dy: float, state: dict[str, Any]
    ) -> list[str]:
        """Turn the wheel and wait until scrolling has stopped; returns notes for the receipt."""
        worlds = self._runner.worlds
        worlds_upward = [await self._world(element)]
        whole = element.role == "page"
        point = (
            None
            if whole
            else [element.facts.get("x", element.x), element.facts.get("y", element.y)]
        )
        start = await worlds.call_in(worlds_upward[0], "scrollStart", point, dx, dy)
        x, y = (start["x"], start["y"]) if whole else (element.x, element.y)
        frame = element.frame
        while frame.parent:
            # A frame that cannot scroll further passes the wheel on to its parents.
            frame = self._runner.tab_context.frame(frame.parent)
            worlds_upward.append(await worlds.of(frame))
            await worlds.call_in(worlds_upward[-1], "scrollStart", None, dx, dy)
        # Chrome never replies to a wheel event in a hidden tab, so scroll by script there.
        if start["hidden"]:
            state.update(await self._scroll_by_script(worlds_upward, dx, dy))
            return ["scrolled by script because the tab is in the background"]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_WITHIN_S):
                await send_wheel(element.session, x, y, dx, dy)
        state.update(await self._wait_until_still(worlds_upward))
        return []

    async def _scroll_by_script(
        self, worlds_upward: list[IsolatedWorld], dx: float, dy: float
    ) -> dict[str, Any]:
        first: dict[str, Any] = {}
        for world in worlds_upward:
            await self._runner.worlds.call_in(world, "scrollBy", dx, dy)
            result = await self._runner.worlds.call_in(world, "scrollState")
            if result["dx"] or result["dy"]:
                return dict(result)
            first = first or result
        return first

    async def _wait_until_still(self, worlds_upward: list[IsolatedWorld]) -> dict[str, Any]:
        """Return the first scroll position that moved, once it stops moving."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        before: list[dict[str, Any]] = []
        while True:
            now: list[dict[str, Any]]
            now = [
                await self._runner.worlds.call_in(world, "scrollState") for world in worlds_upward
            ]
            moved = next((one for one in now if one["dx"] or one["dy"]), None)
            spent = loop.time() - began
            if moved is not None and (now == before or spent > ENDS_WITHIN_S):
                return moved
            if moved is None and spent > BEGINS_WITHIN_S:
                return dict(now[0])
            before = now
            await asyncio.sleep(POLL_S)


def _timeout_only(lookup: ElementLookup) -> ElementLookup:
    return ElementLookup(timeout=lookup.get("timeout"))


def _add_scroll_result(
    receipt: Receipt, state: Mapping[str, Any], notes: list[str], by: tuple[float, float]
) -> Receipt:
    moved = bool(state["dx"] or state["dy"])
    where = (
        f"{state['what']} is at {state['x']},{state['y']} of {state['width']:g},{state['height']:g}"
    )
    if moved:
        notes.insert(0, f"moved by {state['dx']},{state['dy']}: {where}")
    else:
        end = _is_at_end(state, by)
        notes.insert(0, f"{'it is at the end' if end else 'it did not scroll'}: {where}")
    value = {key: state[key] for key in ("dx", "dy", "x", "y", "width", "height")}
    return replace(receipt, scrolled=moved, value=value, notes=tuple(notes))


def _is_at_end(state: Mapping[str, Any], by: tuple[float, float]) -> bool:
    def over(step: float, at: float, most: float) -> bool:
        return not step or (at >= most - 1 if step > 0 else at <= 0)

    return over(by[0], state["x"], state["width"]) and over(by[1], state["y"], state["height"])
