"""Scrolling, and how far it really went.

Knows: that a wheel scrolls whatever lies under it, that its end shows only in the positions, and
that tabs which are not painted never answer a wheel. Must not know: what is on the page.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, Unpack

from msgspec.structs import replace

from pilothouse.errors import ToolError
from pilothouse.page.input.action_runner import Act
from pilothouse.page.input.actionability import Aim, Aimed, Need, Where
from pilothouse.page.input.mouse import wheel
from pilothouse.page.input.receipt import Receipt
from pilothouse.page.world import World
from pilothouse.supervisor import Outcome

__all__ = ["Scroll"]

EDGES = ("top", "bottom", "left", "right")
FARTHEST = 100_000
ANSWER_WITHIN_S = 1.0
# Where nothing has moved by then, nothing will; a movement is over when two looks agree.
BEGINS_WITHIN_S = 0.25
ENDS_WITHIN_S = 1.5
LOOK_S = 0.025


class Scroll:
    """The wheel of one tab."""

    def __init__(self, aim: Aim, act: Act) -> None:
        self._aim = aim
        self._act = act

    async def scroll(
        self, dx: float = 0, dy: float = 0, target: Any = None, **where: Unpack[Where]
    ) -> Outcome[Receipt]:
        """Turn the wheel by CSS pixels, over an element or over the page; positive is right and
        down. The receipt says how far it went."""
        for name, by in (("dx", dx), ("dy", dy)):
            if isinstance(by, bool) or not isinstance(by, int | float) or abs(by) > FARTHEST:
                raise ToolError(f"{name}: {by!r}", hint=f"a number of pixels up to {FARTHEST}")
        if not dx and not dy:
            raise ToolError("dy: neither dx nor dy is given", hint="dy=600 scrolls down")

        async def work() -> Receipt:
            aimed = await self._over(target, where)
            state: dict[str, Any] = {}
            notes: list[str] = []

            async def roll() -> None:
                notes.extend(await self._roll(aimed, dx, dy, state))

            receipt = await self._act.perform("scrolled", aimed, roll)
            return _scrolled(receipt, state, notes, (dx, dy))

        return await self._act.tab_context.race(work)

    async def to(self, edge: str, target: Any = None, **where: Unpack[Where]) -> Outcome[Receipt]:
        """Scroll the page, or what scrolls around an element, to its top, bottom, left or right."""
        if edge not in EDGES:
            raise ToolError(f"edge: there is no {edge!r}", hint=f"one of {', '.join(EDGES)}")
        by = {"top": (0, -1), "bottom": (0, 1), "left": (-1, 0), "right": (1, 0)}[edge]

        async def work() -> Receipt:
            aimed = await self._over(target, where, point=False)
            state: dict[str, Any] = {}

            async def jump() -> None:
                world = await self._world(aimed)
                wanted = aimed.target if aimed.number else None
                await self._ask(aimed, world, "scrollEdge", wanted, edge)
                state.update(await self._act.worlds.call_in(world, "scrollState"))

            receipt = await self._act.perform(f"scrolled to the {edge} of", aimed, jump)
            return _scrolled(receipt, state, [], by)

        return await self._act.tab_context.race(work)

    async def into_view(self, target: Any, **where: Unpack[Where]) -> Outcome[Receipt]:
        """Scroll until an element can be seen, in its frame and with its frame."""

        async def work() -> Receipt:
            aimed = await self._aim.at(target, Need(enabled=False, point=False), **where)
            state: dict[str, Any] = {}

            async def show() -> None:
                world = await self._world(aimed)
                await self._ask(aimed, world, "scrollIntoView", aimed.target)
                state.update(await self._act.worlds.call_in(world, "scrollState"))
                # Finding its point brings the frames around it into view too.
                await self._aim.at(aimed.said, Need(enabled=False))

            receipt = await self._act.perform("brought into view", aimed, show)
            moved = bool(state["dx"] or state["dy"]) or receipt.scrolled
            notes = () if moved else ("it was in view already",)
            return replace(receipt, scrolled=moved, notes=notes)

        return await self._act.tab_context.race(work)

    async def _over(self, target: Any, where: Where, *, point: bool = True) -> Aimed:
        """The element under the wheel, or the page."""
        if target is None and where.get("frame"):
            target = "html"
        if target is not None:
            aimed = await self._aim.at(target, Need(enabled=False, point=False), **where)
            if not point or aimed.world is None:
                return aimed
            # Of what is larger than the window, the part that is in it is meant.
            at = await self._act.worlds.call_in(aimed.world, "scrollPoint", aimed.target)
            need = Need(enabled=False, scroll=at is None, position=(at[0], at[1]) if at else None)
            return await self._aim.at(aimed.said, need, **_patience(where))
        main, context = self._act.tab_context.main(), self._act.tab_context
        world = await self._act.worlds.of(main)
        return Aimed(main, context.session, world, 0, "page", "", 0, 0, context.tab_id)

    async def _world(self, aimed: Aimed) -> World:
        return aimed.world or await self._act.worlds.of(aimed.frame)

    async def _ask(self, aimed: Aimed, world: World, function: str, *arguments: Any) -> None:
        found = await self._act.worlds.call_in(world, function, *arguments, names=True)
        if found["state"] != "ok":
            raise aimed.refused(found)

    async def _roll(self, aimed: Aimed, dx: float, dy: float, state: dict[str, Any]) -> list[str]:
        """Turn the wheel and wait until it stands; what is worth telling."""
        worlds = self._act.worlds
        around = [await self._world(aimed)]
        whole = aimed.role == "page"
        point = None if whole else [aimed.facts.get("x", aimed.x), aimed.facts.get("y", aimed.y)]
        start = await worlds.call_in(around[0], "scrollStart", point, dx, dy)
        x, y = (start["x"], start["y"]) if whole else (aimed.x, aimed.y)
        frame = aimed.frame
        while frame.parent:
            # What a frame does not use of the wheel goes to what is around it.
            frame = self._act.tab_context.frame(frame.parent)
            around.append(await worlds.of(frame))
            await worlds.call_in(around[-1], "scrollStart", None, dx, dy)
        if start["hidden"]:
            state.update(await self._by_script(around, dx, dy))
            return ["by script: the tab is in the background"]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_WITHIN_S):
                await wheel(aimed.session, x, y, dx, dy)
        state.update(await self._stands(around))
        return []

    async def _by_script(self, around: list[World], dx: float, dy: float) -> dict[str, Any]:
        first: dict[str, Any] = {}
        for world in around:
            await self._act.worlds.call_in(world, "scrollBy", dx, dy)
            found = await self._act.worlds.call_in(world, "scrollState")
            if found["dx"] or found["dy"]:
                return dict(found)
            first = first or found
        return first

    async def _stands(self, around: list[World]) -> dict[str, Any]:
        """The first position that moved, once it moves no more."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        before: list[dict[str, Any]] = []
        while True:
            now: list[dict[str, Any]]
            now = [await self._act.worlds.call_in(world, "scrollState") for world in around]
            moved = next((one for one in now if one["dx"] or one["dy"]), None)
            spent = loop.time() - began
            if moved is not None and (now == before or spent > ENDS_WITHIN_S):
                return moved
            if moved is None and spent > BEGINS_WITHIN_S:
                return dict(now[0])
            before = now
            await asyncio.sleep(LOOK_S)


def _patience(where: Where) -> Where:
    return Where(timeout=where.get("timeout"))


def _scrolled(
    receipt: Receipt, state: Mapping[str, Any], notes: list[str], by: tuple[float, float]
) -> Receipt:
    moved = bool(state["dx"] or state["dy"])
    where = (
        f"{state['what']} is at {state['x']},{state['y']} of {state['width']:g},{state['height']:g}"
    )
    if moved:
        notes.insert(0, f"moved by {state['dx']},{state['dy']}: {where}")
    else:
        end = _at_end(state, by)
        notes.insert(0, f"{'it is at the end' if end else 'it did not scroll'}: {where}")
    value = {key: state[key] for key in ("dx", "dy", "x", "y", "width", "height")}
    return replace(receipt, scrolled=moved, value=value, notes=tuple(notes))


def _at_end(state: Mapping[str, Any], by: tuple[float, float]) -> bool:
    def over(step: float, at: float, most: float) -> bool:
        return not step or (at >= most - 1 if step > 0 else at <= 0)

    return over(by[0], state["x"], state["width"]) and over(by[1], state["y"], state["height"])
